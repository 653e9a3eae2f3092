"""Contributions of mentions and chains to a score, as frames.

The counts of a metric are sums of terms of cells, chains and meta-documents (see ``terms``); here
each term is divided evenly among its mentions, so that the sum over mentions (and over chains) is
the count of the metric, up to rounding. In B³ a mention of a key chain K has o/|K| of 1, in MUC
1 − 1/o of 1 − 1/|K|, where o = |K ∩ R|; a non-coreference link of BLANC counts half for each end.

A twinless mention (o = 0) has the numerator 0. Rows of the side ``key`` belong to recall, those of
``response`` to precision. Only counted metrics have contributions: a mean of metrics has those of
its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints, numbered
from cdec.errors import UsageError
from cdec.labels import Noise
from cdec.metadocument import OTHER, SIDES, Side
from cdec.metrics.arguments import Labels
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import ratios
from cdec.metrics.labels import label_codes
from cdec.metrics.registry import METRICS, counted, required
from cdec.metrics.terms import Terms, TermsOf, floats


def mention_contributions(
    key_labels: Labels,
    response_labels: Labels,
    metrics: str | Iterable[str] | None = None,
    *,
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> pd.DataFrame:
    """Return what each mention contributes to recall (side key) and precision (side response).

    The arguments are those of ``score_labels``. The columns are ``mention`` (its index in a Series,
    else its position), ``meta``, ``side``, ``chain`` (its label), ``number`` (of the chain, on its
    side), ``size`` (of the chain), ``metric``, ``numerator`` and ``denominator``. Raises UsageError
    for a metric of another package, and as ``score_labels`` does.

    >>> frame = mention_contributions([1, 1, 2], [1, 2, 2], ["b3"])
    >>> frame[frame["side"] == "key"]["numerator"].tolist()
    [0.5, 0.5, 1.0]
    """
    names = required(metrics)
    terms_of = _terms_of(names)
    key, response, documents = label_codes(key_labels, response_labels, meta, noise)
    about = pd.DataFrame(
        {
            "mention": _index(key_labels, response_labels, len(key)),
            "document": documents,
            "meta": documents if meta is None else list(meta),
            "key": pd.Series(list(key_labels), dtype=object),
            "response": pd.Series(list(response_labels), dtype=object),
        }
    )
    chains: dict[Side, Ints] = {
        "key": numbered(documents, key),
        "response": numbered(documents, response),
    }
    table = Contingency.from_labels(chains["key"], chains["response"], documents)
    width = len(table.response_sizes)
    common = (chains["key"] >= 0) & (chains["response"] >= 0)
    code = chains["key"] * width + chains["response"]
    cell = np.where(common, np.searchsorted(table.rows * width + table.cols, code), -1)
    terms = {name: of(table) for name, of in terms_of.items()}
    sides = [_side(side, about, cell, chains, table=table, terms=terms) for side in SIDES]
    return pd.concat(sides, ignore_index=True)


def _terms_of(names: Iterable[str]) -> dict[str, TermsOf]:
    """Return the terms of metrics by name; raises UsageError for one that is no sum of terms."""
    terms = {name: counted(name).terms for name in names}
    missing = [name for name, of in terms.items() if of is None]
    if missing:
        message = f"no contributions of mentions for {', '.join(missing)}"
        known = [name for name, metric in METRICS.items() if metric.terms]
        raise UsageError("metric-unsupported", message, hint=f"use {', '.join(known)}")
    return {name: of for name, of in terms.items() if of is not None}


def chain_contributions(
    key_labels: Labels,
    response_labels: Labels,
    metrics: str | Iterable[str] | None = None,
    *,
    meta: Labels | None = None,
    noise: Noise | None = None,
) -> pd.DataFrame:
    """Return what each chain contributes: ``mention_contributions``, summed over its mentions.

    The columns are the same without ``mention``, and ``value``, the numerator divided by the
    denominator (NaN for 0/0). For the exact fractions and their formulas see ``cdec explain``.

    >>> frame = chain_contributions([1, 1, 2], [1, 2, 2], ["b3"])
    >>> frame[["side", "chain", "numerator", "denominator", "value"]].values.tolist()[:2]
    [['key', 1, 1.0, 2.0, 0.5], ['key', 2, 1.0, 1.0, 1.0]]
    """
    frame = mention_contributions(key_labels, response_labels, metrics, meta=meta, noise=noise)
    groups = frame.groupby(["side", "metric", "number"], sort=False)
    about = groups[["meta", "chain", "size"]].first()
    summed = about.join(groups[["numerator", "denominator"]].sum()).reset_index()
    columns = [name for name in frame.columns if name != "mention"]
    wanted = summed["denominator"].where(summed["denominator"] != 0)
    return summed[columns].assign(value=summed["numerator"] / wanted)


def _index(key: Labels, response: Labels, mentions: int) -> pd.Index[Any]:
    """Return the names of the mentions: the index of a Series, else positions."""
    given = (labels.index for labels in (key, response) if isinstance(labels, pd.Series))
    return next(given, pd.RangeIndex(mentions))


def _side(
    side: Side,
    about: pd.DataFrame,
    cell: Ints,
    chains: Mapping[Side, Ints],
    *,
    table: Contingency,
    terms: Mapping[str, Terms],
) -> pd.DataFrame:
    """Return the rows of one side, metric by metric; ``cell`` is that of each mention, or −1."""
    present = chains[side] >= 0
    number = chains[side][present]
    rows = about.loc[present, ["mention", "meta"]].assign(
        side=side,
        chain=about.loc[present, side],
        number=number,
        size=table.of(side).sizes[number],
    )
    at = _At(
        cell[present], number, chains[OTHER[side]][present], about["document"].to_numpy()[present]
    )
    return pd.concat(
        [rows.assign(metric=name, **at.shares(table, each, side)) for name, each in terms.items()],
        ignore_index=True,
    )


class _At(NamedTuple):
    """The cell, the chains of both sides and the meta-document of each mention; −1: none."""

    cell: Ints
    own: Ints
    other: Ints
    meta: Ints

    def shares(self, table: Contingency, terms: Terms, side: Side) -> dict[str, Floats]:
        """Return the part of each mention in numerator and denominator."""
        own, other = terms.of(side), terms.of(OTHER[side])
        mine, theirs = table.of(side), table.of(OTHER[side])
        common = (
            _each(floats(own.cells), table.overlap, self.cell)
            + _each(own.common, mine.common, self.own)
            + _each(other.common, theirs.common, self.other)
            + _each(own.metas_common, table.common_mentions, self.meta)
        )
        return {
            "numerator": np.where(self.cell >= 0, common, 0.0),
            "denominator": _each(own.chains, mine.sizes, self.own)
            + _each(own.metas, mine.mentions, self.meta),
        }


def _each(terms: Floats | Ints | None, mentions: Ints, at: Ints) -> Floats:
    """Return the terms divided by their numbers of mentions, at these positions; 0 at −1."""
    if terms is None:
        return np.zeros(len(at))
    return np.append(ratios(terms.astype(np.float64), mentions.astype(np.float64)), 0.0)[at]
