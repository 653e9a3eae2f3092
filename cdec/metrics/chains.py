"""What each chain adds to the counts of a metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints, numbered
from cdec.clustering import OTHER, SIDES
from cdec.metadocument import MetaDocuments
from cdec.metrics.contingency import Contingency
from cdec.metrics.registry import METRICS, required
from cdec.metrics.terms import floats


def by_chain(
    meta_documents: MetaDocuments, metrics: Iterable[str] | None = None
) -> Iterator[dict[str, object]]:
    """Yield a row for each chain and metric: ``unit``, ``metric``, numerator, denominator, value.

    A key chain adds to recall, a response chain to precision. Over all chains the sum is the count
    of the metric, up to rounding: a term of a cell belongs to both of its chains, and a term of the
    other chain or of the meta-document to its mentions in equal parts. Means of metrics, and
    metrics without terms, have no rows.

    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> [(row["unit"], row["r_num"]) for row in by_chain(MetaDocuments(table), ["b3"])][:2]
    [('key 1', 2.0), ('key 2', 1.0)]
    """
    meta, *codes = meta_documents.codes()
    table, rows = Contingency.from_meta_documents(meta_documents), meta_documents.table
    of = {name: METRICS[name].terms for name in required(metrics) if name in METRICS}
    terms = {name: made(table) for name, made in of.items() if made}
    for side, labels, ends in zip(
        SIDES, codes, [(table.rows, table.cols), (table.cols, table.rows)], strict=True
    ):
        mine, theirs = table.of(side), table.of(OTHER[side])
        chain = numbered(meta, labels, in_order_of_codes=not meta.any())
        first = np.flatnonzero(chain >= 0)[np.unique(chain[chain >= 0], return_index=True)[1]]
        within = meta[first]
        where = rows["meta"].iloc[first] + " " if meta.any() else pd.Series("", range(len(first)))
        units = [f"{side} {m}{x}" for m, x in zip(where, rows[side].iloc[first], strict=True)]
        for name, each in terms.items():
            own, other = each.of(side), each.of(OTHER[side])
            cells = _of(floats(own.cells), slice(None))
            cells = cells + _of(other.common, ends[1]) * table.overlap / theirs.common[ends[1]]
            num = np.bincount(ends[0], cells * np.ones(len(ends[0])), len(mine.sizes))
            shared = mine.common / np.maximum(table.common_mentions[within], 1)
            num += _of(own.common, slice(None)) + shared * _of(own.metas_common, within)
            share = mine.sizes / np.maximum(mine.mentions[within], 1)
            den = _of(own.chains, slice(None)) + share * _of(own.metas, within)
            half, value = ("r", "recall") if side == "key" else ("p", "precision")
            for unit, n, d in zip(units, num, np.broadcast_to(den, num.shape), strict=True):
                counts = {f"{half}_num": float(n), f"{half}_den": float(d)}
                yield {"unit": unit, "metric": name, **counts, value: n / d if d else None}


def _of(terms: Floats | Ints | None, at: Ints | slice) -> Floats | float:
    return 0.0 if terms is None else np.asarray(terms[at], np.float64)
