"""Chains by size, and singletons: predicted, right and missed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.diagnosis.mentions import Mentions
from cdec.metadocument import SIDES, Side
from cdec.metrics import Counts
from cdec.metrics.counts import ratio
from cdec.metrics.links import links

SIZES = {"1": 1, "2": 2, "3–5": 5, "6–10": 10, "11–20": 20, "21 and more": None}
SIZE_COLUMNS = ("side", "size", "chains", "mentions", "exact", "links", "right", "share")
_UPPER = [most for most in SIZES.values() if most is not None]


def size_table(mentions: Mentions) -> pd.DataFrame:
    """Return, for key and response, the chains of each size class (columns SIZE_COLUMNS).

    ``exact`` counts the chains that the other side has mention for mention, ``right`` the links
    that it has, too. ``share`` is right over links: recall of key chains, precision of response
    chains; 0 where there are no links.
    """
    overlap = pd.DataFrame({side: getattr(mentions, side)[mentions.both] for side in SIDES})
    cells = overlap.value_counts(sort=False).rename("n").reset_index()
    sizes = {side: _sizes(getattr(mentions, side)) for side in SIDES}
    rows = [row for side in SIDES for row in _rows(side, cells, sizes)]
    return pd.DataFrame(rows, columns=list(SIZE_COLUMNS))


def _sizes(chains: Ints) -> Ints:
    return np.bincount(chains[chains >= 0])


def _rows(side: Side, cells: pd.DataFrame, sizes: dict[Side, Ints]) -> list[dict[str, object]]:
    own = sizes[side]
    shared = cells["n"].to_numpy(np.int64)
    ends = [sizes[name][cells[name].to_numpy(np.int64)] for name in SIDES]
    exact = np.zeros(len(own), dtype=np.int64)
    exact[cells[side].to_numpy(np.int64)[(ends[0] == shared) & (ends[1] == shared)]] = 1
    right = np.bincount(cells[side], weights=links(shared), minlength=len(own))
    place = np.searchsorted(_UPPER, own)
    table = pd.DataFrame(
        {
            "place": place,
            "chains": 1,
            "mentions": own,
            "exact": exact,
            "links": links(own),
            "right": right.astype(np.int64),
        }
    )
    sums = table.groupby("place").sum().reindex(range(len(SIZES)), fill_value=0)
    return [
        {"side": side, "size": size, **dict(zip(sums.columns, counts, strict=True))}
        | {"share": ratio(counts[-1], counts[-2])}
        for size, counts in zip(SIZES, sums.to_numpy().tolist(), strict=True)
    ]


def singleton_table(mentions: Mentions) -> pd.DataFrame:
    """Return the singletons: in the key, predicted, right, missed, wrong, with P, R and F1.

    A singleton of the response is right where its mention is one in the key, too.
    """
    alone = {}
    for side in SIDES:
        chains = getattr(mentions, side)
        alone[side] = (chains >= 0) & (np.append(_sizes(chains), 0)[chains] == 1)
    right = int((alone["key"] & alone["response"]).sum())
    key, predicted = (int(alone[side].sum()) for side in SIDES)
    counts = Counts(right, predicted, right, key)
    row = {
        "key": key,
        "predicted": predicted,
        "right": right,
        "missed": key - right,
        "wrong": predicted - right,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }
    return pd.DataFrame([row])
