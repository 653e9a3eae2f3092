"""What each chain adds to the counts of a metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints, chain_numbers
from cdec.metrics.metric import Terms, floats
from cdec.metrics.scores import ON_MENTIONS, asked, required
from cdec.metrics.table import Table


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
    meta = pd.factorize(mentions["meta"])[0]
    counted = {n: asked(n, table) for n in required(metrics) if n not in ON_MENTIONS}
    terms = {name: of for name, of in counted.items() if isinstance(of, Terms)}
    cells = {"key": table.rows, "response": table.cols}
    for side, other, recall in (("key", "response", "recall"), ("response", "key", "precision")):
        chain, letter = chain_numbers(mentions["meta"], mentions[side]), recall[0]
        first = np.flatnonzero(chain >= 0)[np.unique(chain[chain >= 0], return_index=True)[1]]
        home = meta[first]  # the meta-document of each chain
        where = mentions["meta"].iloc[first] + " " if meta.any() else [""] * len(first)
        labels = mentions[side].iloc[first]
        units = [f"{side} {m}{label}" for m, label in zip(where, labels, strict=True)]
        sizes, common = (getattr(table, f"{side}_{what}") for what in ("sizes", "common"))
        # The shares of a chain in its meta-document, and of a cell in the chain of the other side.
        of_common = common / np.maximum(table.common_mentions[home], 1)
        of_all = sizes / np.maximum(getattr(table, f"{side}_mentions")[home], 1)
        across = table.overlap / getattr(table, f"{other}_common")[cells[other]]
        for name, each in terms.items():
            num = np.zeros(len(sizes))
            spread = _at(getattr(each, f"{other}_common"), cells[other]) * across
            for values in (floats(getattr(each, recall)), spread):
                num += np.bincount(cells[side], values + np.zeros(len(table.rows)), len(sizes))
            num += floats(getattr(each, f"{side}_common"))
            num += of_common * _at(each.metas_common, home)
            den = floats(getattr(each, side)) + of_all * _at(getattr(each, f"metas_{side}"), home)
            for unit, n, d in zip(units, num, np.broadcast_to(den, num.shape), strict=True):
                counts = {f"{letter}_num": float(n), f"{letter}_den": float(d)}
                yield {"unit": unit, "metric": name, **counts, recall: n / d if d else None}


def _at(terms: Ints | None, places: Ints) -> Floats | float:
    return 0.0 if terms is None else terms[places].astype(np.float64)
