"""Training mentions with another share of singletons, without a label of another part.

A threshold is chosen on a part where some share of the mentions are singletons (ECB+, split of YCF:
38 % of train), and used where it is another (63 % of test). ``resampled`` keeps a subset of the
training mentions with the share that one asks for; a choice that is good at every share is robust
to the shift. Choose and judge on disjoint topics.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints

WAYS = ("mentions", "chains", "sentences")


def singletons(chain: Ints) -> float:
    """Return the share of mentions that are alone in their chain, 0 without mentions.

    >>> singletons(np.array([4, 4, 7, 9]))
    0.5
    """
    sizes = np.unique(chain, return_counts=True)[1]
    return float((sizes == 1).sum() / max(len(chain), 1))


def resampled(table: pd.DataFrame, share: float, way: str, seed: int = 1) -> Bools:
    """Return which mentions of ``table`` to keep, so that ``share`` of them are singletons.

    ``table`` has the columns ``doc``, ``chain`` and ``reviewed`` of a corpus. As many mentions as
    needed are dropped, in random order: ``mentions`` drops mentions of chains of two or more one by
    one, ``chains`` drops whole chains, ``sentences`` the mentions of the reviewed sentences of one
    document after the other, as if documents without reviewed sentences were added. All mentions
    remain if the share is reached already; if it cannot be reached, all that can be are dropped.
    Raises ValueError for another ``way``.
    """
    if way not in WAYS:
        raise ValueError(f"expected a way of {WAYS}, got {way!r}")
    chain = pd.factorize(table["chain"])[0].astype(np.int64)
    unit, droppable = _units(table, chain, way)
    order = np.random.default_rng(seed).permutation(np.unique(unit[droppable]))
    rank = np.full(int(unit.max(initial=-1)) + 1, len(order))
    rank[order] = np.arange(len(order))
    place = np.where(droppable, rank[unit], len(order))
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if singletons(chain[place >= middle]) >= share:
            high = middle
        else:
            low = middle + 1
    return np.asarray(place >= low)


def _units(table: pd.DataFrame, chain: Ints, way: str) -> tuple[Ints, Bools]:
    """Return what is dropped together, as a code for each mention, and which mentions can be."""
    linked = np.bincount(chain, minlength=1)[chain] > 1
    if way == "mentions":
        return np.arange(len(chain)), linked
    if way == "chains":
        return chain, linked
    reviewed = table["reviewed"].to_numpy(dtype=bool)
    return pd.factorize(table["doc"])[0].astype(np.int64), reviewed
