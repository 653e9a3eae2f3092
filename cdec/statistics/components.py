"""Counts of resamples when few chains span units: only these are recounted.

MUC, B³, CEAF and LEA add over the connected components of chains (key chains and response chains
that share mentions): no mention and no alignment crosses a component. A component inside one unit
counts as often as its unit is drawn, so its counts are weighted. A component that spans units is
recounted on each resample as in ``copies``. The result is the same as that of
``bootstrap.tallies``, except for rounding. BLANC counts links between chains and does not add.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.metadocument import MetaDocuments
from cdec.statistics.bootstrap import each_unit
from cdec.statistics.copies import Copies
from cdec.statistics.tallies import tally, weighted
from cdec.statistics.units import Units

ADDITIVE = ("muc", "b3", "ceafm", "ceafe", "lea")
"""The metrics whose counts add over components."""


def component_tallies(
    meta_documents: MetaDocuments, units: Units, weights: Ints, counted: Sequence[str]
) -> Floats:
    """Return the tallies of resamples (resamples, counted, 4); ``counted`` are of ADDITIVE.

    ``weights`` (resamples, units) has the number of copies of each unit. Raises ValueError for
    another metric.
    """
    if not set(counted) <= set(ADDITIVE):
        raise ValueError(f"the counts of {set(counted) - set(ADDITIVE)} do not add")
    meta, key, response = meta_documents.codes()
    unit = units.codes(meta_documents)
    keys, responses = (numbered(meta, side, in_order_of_codes=True) for side in (key, response))
    spans = _spanning(keys, responses, unit)
    inner = Copies.from_labels(*(codes[~spans] for codes in (meta, key, response, unit)))
    outer = Copies.from_labels(*(codes[spans] for codes in (meta, key, response, unit)))
    tallied = weighted(weights, each_unit(inner, weights.shape[1], counted))
    if spans.any():
        tallied = tallied + _recounted(outer, weights, np.unique(unit[spans]), counted)
    return np.asarray(tallied)


def _recounted(outer: Copies, weights: Ints, touched: Ints, counted: Sequence[str]) -> Floats:
    """Return the tallies of the components that span units; equal resamples are counted once."""
    distinct, inverse = np.unique(weights[:, touched], axis=0, return_inverse=True)
    rows = np.zeros((len(distinct), weights.shape[1]), dtype=np.int64)
    rows[:, touched] = distinct
    counts = np.stack([tally(outer.contingency(row), counted) for row in rows])
    return np.asarray(counts[inverse.reshape(-1)])


def _spanning(key: Ints, response: Ints, unit: Ints) -> Bools:
    """Return, for each mention, whether the component of its chains spans two units.

    A chain of −1 is missing: the mention is a component by its other chain.
    """
    keys, responses = (int(side.max(initial=-1)) + 1 for side in (key, response))
    both = (key >= 0) & (response >= 0)
    edges = (np.ones(int(both.sum())), (key[both], keys + response[both]))
    size = keys + responses
    _, component = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    of = component[np.where(key >= 0, key, keys + response)]
    low = np.full(size, np.iinfo(np.int64).max)
    high = np.full(size, -1)
    np.minimum.at(low, of, unit)
    np.maximum.at(high, of, unit)
    return np.asarray((low < high)[of])
