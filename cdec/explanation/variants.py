"""Variants of B³ and CEAF that manipulate twinless mentions, which Pradhan et al. (2014) reject.

Section 2 there; with T the response mentions that the key lacks and M the key mentions that the
response lacks::

    0     T leaves the response (Stoyanov et al. 2009)
    all   P: T joins the key as singletons; R: M joins the response as singletons (Stoyanov et al.)
    r&n   those of T that are singletons leave the response (Rahman and Ng 2009)
    sys   M joins the response as singletons, and singletons of T leave it; P: the rest of T joins
          the key as singletons; R: it leaves the response (Cai and Strube 2010)

For K = {a b c}, R = {a b d} the paper prints B³ precisions 1.00 (0), .556 (all) and .444 (without
manipulation); with {c} added to R .667 (all). Its .333 for the latter without manipulation is a
misprint: its own formula and the reference scorer give 7/12 = .583.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.metadocument import MetaDocuments
from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric

# Metric id → the variants that are defined for it.
VARIANTS: Mapping[str, tuple[str, ...]] = {
    B_CUBED.id: ("0", "all", "r&n", "sys"),
    CEAF_M.id: ("r&n", "sys"),
    CEAF_E.id: ("r&n",),
}


class _Sides(NamedTuple):
    """The chain of each mention on both sides, as codes; −1 where a side lacks it."""

    key: Ints
    response: Ints
    meta: Ints

    def counts(self, metric: Metric) -> Counts:
        present = (self.key >= 0) | (self.response >= 0)
        sides = (side[present] for side in self)
        return metric.counts(Contingency.from_labels(*sides))


def variants(metric: Metric, meta_documents: MetaDocuments) -> dict[str, Counts]:
    """Return the counts of the variants of ``metric``, by name; none if it has no variants.

    >>> import pandas as pd
    >>> from cdec.metrics.b_cubed import B_CUBED
    >>> sides = {"key": [1, 1, 1, None], "response": [1, 1, None, 1]}
    >>> metas = MetaDocuments(pd.DataFrame({"meta": "m", **sides}, index=list("abcd")))
    >>> {name: round(counts.precision, 3) for name, counts in variants(B_CUBED, metas).items()}
    {'0': 1.0, 'all': 0.556, 'r&n': 0.444, 'sys': 0.667}
    """
    meta, key, response = (np.asarray(codes, dtype=np.int64) for codes in meta_documents.codes())
    made = {name: _MADE[name](_Sides(key, response, meta)) for name in VARIANTS.get(metric.id, ())}
    found = {}
    for name, (for_precision, for_recall) in made.items():
        p, r = for_precision.counts(metric), for_recall.counts(metric)
        found[name] = Counts(p.p_num, p.p_den, r.r_num, r.r_den)
    return found


def _twinless(sides: _Sides) -> Bools:
    return (sides.key < 0) & (sides.response >= 0)


def _alone(sides: _Sides) -> Bools:
    """Return the twinless mentions that are singletons of the response."""
    pairs = np.stack([sides.meta, sides.response], axis=1)
    _, number, sizes = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    alone: Bools = _twinless(sides) & (sizes[number.ravel()] == 1)
    return alone


def _without(sides: _Sides, dropped: Bools) -> _Sides:
    return sides._replace(response=np.where(dropped, -1, sides.response))


def _joined(side: Ints, added: Bools) -> Ints:
    """Return the side with these mentions as singletons."""
    own = int(side.max(initial=-1)) + 1 + np.cumsum(added)
    return np.where(added, own, side)


def _zero(sides: _Sides) -> tuple[_Sides, _Sides]:
    without = _without(sides, _twinless(sides))
    return without, without


def _all(sides: _Sides) -> tuple[_Sides, _Sides]:
    missing = (sides.response < 0) & (sides.key >= 0)
    longer = sides._replace(key=_joined(sides.key, _twinless(sides)))
    return longer, sides._replace(response=_joined(sides.response, missing))


def _rahman_ng(sides: _Sides) -> tuple[_Sides, _Sides]:
    without = _without(sides, _alone(sides))
    return without, without


def _cai_strube(sides: _Sides) -> tuple[_Sides, _Sides]:
    missing = (sides.response < 0) & (sides.key >= 0)
    reduced = _without(sides, _alone(sides))
    full = reduced._replace(response=_joined(reduced.response, missing))
    longer = full._replace(key=_joined(full.key, _twinless(full)))
    return longer, _without(full, _twinless(full))


_MADE = {"0": _zero, "all": _all, "r&n": _rahman_ng, "sys": _cai_strube}
