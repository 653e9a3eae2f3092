"""What each chain adds to the counts of a metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.metrics.mentions import MENTIONS
from cdec.metrics.metric import Terms, floats
from cdec.metrics.scores import REGISTRY, count_metric, required
from cdec.metrics.table import Table, chain_numbers


def by_chain(
    mentions: pd.DataFrame, metrics: Iterable[str] | None = None
) -> Iterator[dict[str, object]]:
    """Yield a row for each chain and metric: ``unit``, ``metric``, numerator, denominator, value.

    ``mentions`` as in ``Table.of``. A key chain adds to recall, a response chain to precision. Over
    all chains the sum is the count of the metric, up to rounding: a term of a cell belongs to both
    of its chains, and a term of the other chain or of the meta-document to its mentions in equal
    parts. Means of metrics, and metrics without terms, have no rows.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1})
    >>> [(r["unit"], r["r_num"]) for r in by_chain(mentions, ["b3"]) if "r_num" in r]
    [('key 1', 2.0), ('key 2', 1.0)]
    """
    table = Table.of(mentions)
    terms = {}
    for name in required(metrics):
        metric = REGISTRY[name]
        if metric != MENTIONS and not metric.intermediates:
            counts = count_metric(name, table)
            if isinstance(counts, Terms):
                terms[name] = counts
    sides = (
        ("key", "recall", _key_shares),
        ("response", "precision", _response_shares),
    )
    for side, field, shares_of in sides:
        units, meta = _chains(mentions, side)
        for name, terms_of_metric in terms.items():
            shares = [part.tolist() for part in shares_of(table, terms_of_metric, meta)]
            for unit, num, den in zip(units, *shares, strict=True):
                yield {
                    "unit": unit,
                    "metric": name,
                    f"{field[0]}_num": num,
                    f"{field[0]}_den": den,
                    field: num / den if den else None,
                }


def _chains(mentions: pd.DataFrame, side: str) -> tuple[list[str], Ints]:
    """Return the name of each chain of a side, and the number of its meta-document."""
    meta = pd.factorize(mentions["meta"])[0]
    chain = chain_numbers(mentions["meta"], mentions[side])
    present = np.flatnonzero(chain >= 0)
    _, positions = np.unique(chain[present], return_index=True)
    first_mentions = present[positions]
    labels = mentions[side].iloc[first_mentions]
    if not meta.any():
        names = [f"{side} {label}" for label in labels]
    else:
        metas = mentions["meta"].iloc[first_mentions]
        names = [
            f"{side} {name} {label}" for name, label in zip(metas, labels, strict=True)
        ]
    return names, meta[first_mentions]


def _key_shares(table: Table, terms: Terms, meta: Ints) -> tuple[Floats, Floats]:
    """Return numerator and denominator of recall of each key chain; ``meta``: of each chain.

    A term of a cell belongs to both of its chains. A term of a response chain is divided among its
    common mentions, a term of a meta-document among its common mentions, or among its mentions.
    """
    share_of_response = table.overlap / table.response_common[table.cols]
    share_of_common = table.key_common / np.maximum(table.common_mentions[meta], 1)
    share_of_all = table.key_sizes / np.maximum(table.key_mentions[meta], 1)
    numerator = _sum_cells(floats(terms.recall), table.rows, len(table.key_sizes))
    of_responses = _select(terms.response_common, table.cols) * share_of_response
    numerator += _sum_cells(of_responses, table.rows, len(table.key_sizes))
    numerator += floats(terms.key_common)
    numerator += share_of_common * _select(terms.metas_common, meta)
    denominator = floats(terms.key) + share_of_all * _select(terms.metas_key, meta)
    return numerator, np.broadcast_to(denominator, numerator.shape)


def _response_shares(table: Table, terms: Terms, meta: Ints) -> tuple[Floats, Floats]:
    """Return numerator and denominator of precision of each response chain, as for key chains."""
    share_of_key = table.overlap / table.key_common[table.rows]
    share_of_common = table.response_common / np.maximum(table.common_mentions[meta], 1)
    share_of_all = table.response_sizes / np.maximum(table.response_mentions[meta], 1)
    numerator = _sum_cells(
        floats(terms.precision), table.cols, len(table.response_sizes)
    )
    of_keys = _select(terms.key_common, table.rows) * share_of_key
    numerator += _sum_cells(of_keys, table.cols, len(table.response_sizes))
    numerator += floats(terms.response_common)
    numerator += share_of_common * _select(terms.metas_common, meta)
    denominator = floats(terms.response) + share_of_all * _select(
        terms.metas_response, meta
    )
    return numerator, np.broadcast_to(denominator, numerator.shape)


def _sum_cells(numbers: Floats | float, chain: Ints, chains: int) -> Floats:
    weights = numbers + np.zeros(len(chain))
    return np.bincount(chain, weights, chains).astype(np.float64)


def _select(terms: Ints | None, positions: Ints) -> Floats | float:
    if terms is None:
        return 0.0
    return terms[positions].astype(np.float64)
