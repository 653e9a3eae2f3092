"""Contributions of mentions and chains to a score, as frames.

The counts of a metric are sums over chains; here they are divided among the mentions of a chain,
so that the sum over mentions (and over chains) is the count of the metric, up to rounding. With
K the chain of a mention, R the chain of the other side that has it, n = |K|, o = |K ∩ R|:

==============  ==============================  =====================================
metric          numerator of a mention          denominator of a mention
==============  ==============================  =====================================
MUC             1 − 1/o                         1 − 1/n
B³              o/n                             1
CEAF_m          1 if K and R are aligned        1
CEAF_e          2/(n + |R|) if K and R are      1/n
                aligned
BLANC PW        (o − 1)/2: half of each link    (n − 1)/2
BLANC PWN       half of each non-coreference    half of each pair outside K
                link that both sides have
LEA             (o − 1)/(n − 1); a singleton    1
                1 if R is a singleton too
==============  ==============================  =====================================

A twinless mention (o = 0) has the numerator 0. Rows of the side ``key`` belong to recall, those of
``response`` to precision. Only counted metrics have contributions: a mean of metrics has those of
its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.errors import UsageError
from cdec.labels import Noise
from cdec.metadocument import OTHER, SIDES, Side
from cdec.metrics.arguments import Labels
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.metrics.labels import label_codes
from cdec.metrics.registry import required

Shares = tuple[Floats, Floats]


@dataclass(frozen=True)
class _View:
    """What a side knows of each of its mentions; arrays with one entry per mention.

    ``size`` is |K|, ``other`` |R| and ``shared`` |K ∩ R| (0 for a twinless mention); ``own_common``
    and ``other_common`` are the mentions of K and R that both sides have; ``meta_size`` and
    ``meta_common`` those of the meta-document on this side and on both. ``aligned`` tells, for
    each metric with an alignment, whether it aligns K with R.
    """

    size: Floats
    other: Floats
    shared: Floats
    own_common: Floats
    other_common: Floats
    meta_size: Floats
    meta_common: Floats
    aligned: dict[str, Bools]


def _muc(view: _View) -> Shares:
    return np.where(view.shared > 0, 1 - 1 / np.maximum(view.shared, 1), 0), 1 - 1 / view.size


def _b_cubed(view: _View) -> Shares:
    return view.shared / view.size, np.ones_like(view.size)


def _ceaf_m(view: _View) -> Shares:
    return view.aligned["ceafm"].astype(np.float64), np.ones_like(view.size)


def _ceaf_e(view: _View) -> Shares:
    return 2 * view.aligned["ceafe"] / (view.size + view.other), 1 / view.size


def _coref(view: _View) -> Shares:
    return np.maximum(view.shared - 1, 0) / 2, (view.size - 1) / 2


def _noncoref(view: _View) -> Shares:
    apart = view.meta_common - view.own_common - view.other_common + view.shared
    return np.where(view.shared > 0, apart / 2, 0), (view.meta_size - view.size) / 2


def _lea(view: _View) -> Shares:
    links = np.maximum(view.shared - 1, 0) / np.maximum(view.size - 1, 1)
    alone = (view.size == 1) & (view.other == 1)
    return np.where(alone, 1, links), np.ones_like(view.size)


_SHARES: dict[str, Callable[[_View], Shares]] = {
    "muc": _muc,
    "b3": _b_cubed,
    "ceafm": _ceaf_m,
    "ceafe": _ceaf_e,
    "blanc_coref": _coref,
    "blanc_noncoref": _noncoref,
    "lea": _lea,
}


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
    missing = [name for name in names if name not in _SHARES]
    if missing:
        message = f"no contributions of mentions for {', '.join(missing)}"
        raise UsageError("metric-unsupported", message, hint=f"use {', '.join(_SHARES)}")
    key, response, documents = label_codes(key_labels, response_labels, meta, noise)
    table = pd.DataFrame(
        {
            "mention": _index(key_labels, response_labels, len(key)),
            "meta": documents if meta is None else list(meta),
            "key": pd.Series(list(key_labels), dtype=object),
            "response": pd.Series(list(response_labels), dtype=object),
        }
    )
    chains: dict[Side, Ints] = {
        "key": numbered(documents, key),
        "response": numbered(documents, response),
    }
    sides = [_side(side, table, chains, documents, names) for side in SIDES]
    return pd.concat(sides, ignore_index=True)


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
    side: Side, table: pd.DataFrame, chains: dict[Side, Ints], documents: Ints, names: list[str]
) -> pd.DataFrame:
    """Return the rows of one side, metric by metric."""
    present = chains[side] >= 0
    view = _view(chains[side], chains[OTHER[side]], documents)
    about = table.loc[present, ["mention", "meta"]].assign(
        side=side,
        chain=table.loc[present, side],
        number=chains[side][present],
        size=view.size.astype(np.int64),
    )
    parts = []
    for name in names:
        numerator, denominator = _SHARES[name](view)
        parts.append(about.assign(metric=name, numerator=numerator, denominator=denominator))
    return pd.concat(parts, ignore_index=True)


def _view(own: Ints, other: Ints, documents: Ints) -> _View:
    """Return the view of the side whose chain numbers are ``own``; −1 where it lacks a mention."""
    contingency = Contingency.from_labels(own, other, documents)
    present, common = own >= 0, (own >= 0) & (other >= 0)
    width = len(contingency.response_sizes)
    cells = contingency.rows * width + contingency.cols
    # −1 is the last entry, which is 0: a twinless mention is in no cell and no chain of the other.
    cell = np.where(common, np.searchsorted(cells, own * width + other), -1)[present]
    mine, theirs = own[present], np.where(common, other, -1)[present]
    aligned = {
        "ceafm": _aligned(contingency, contingency.overlap.astype(np.float64)),
        "ceafe": _aligned(contingency, _similarity(contingency)),
    }
    return _View(
        size=contingency.key_sizes[mine].astype(np.float64),
        other=_padded(contingency.response_sizes)[theirs],
        shared=_padded(contingency.overlap)[cell],
        own_common=_padded(np.bincount(own[common], minlength=len(contingency.key_sizes)))[mine],
        other_common=_padded(np.bincount(other[common], minlength=width))[theirs],
        meta_size=contingency.key_mentions[documents[present]].astype(np.float64),
        meta_common=contingency.common_mentions[documents[present]].astype(np.float64),
        aligned={name: np.append(flags, False)[cell] for name, flags in aligned.items()},
    )


def _padded(numbers: Ints) -> Floats:
    """Return the numbers with a 0 at the end, for the position −1."""
    return np.append(numbers, 0).astype(np.float64)


def _similarity(contingency: Contingency) -> Floats:
    sizes = contingency.key_sizes[contingency.rows] + contingency.response_sizes[contingency.cols]
    return 2 * contingency.overlap / sizes


def _aligned(contingency: Contingency, weight: Floats) -> Bools:
    """Return, for each cell, whether the best alignment pairs its chains."""
    flags = np.zeros(len(weight), dtype=np.bool_)
    flags[best_assignment(contingency.rows, contingency.cols, weight)] = True
    return flags
