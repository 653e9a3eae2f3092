"""Slow reference of resamples, built mention by mention from the definition."""

from collections.abc import Hashable, Sequence

import numpy as np
from hypothesis import strategies as st

from cdec.arrays import Ints
from cdec.metrics.contingency import Contingency
from tests.strategies import label_triples

Mention = tuple[int, int, int, int, int]  # meta-document, key, response, unit, copy
# Label lists of key, response, meta-document and unit; a weight for each unit.
Case = tuple[list[int], list[int], list[int], list[int], list[int]]


@st.composite
def sampled(draw: st.DrawFn, max_units: int = 4) -> Case:
    """Label lists of key, response, meta-document and unit, and a weight for each unit.

    Meta-documents lie in one unit, or all mentions are in one meta-document.
    """
    key, response, meta = draw(label_triples())
    units = draw(st.integers(1, max_units))
    if draw(st.booleans()):
        meta = [0] * len(key)
        unit = draw(st.lists(st.integers(0, units - 1), min_size=len(key), max_size=len(key)))
    else:
        home = draw(st.lists(st.integers(0, units - 1), min_size=4, max_size=4))
        unit = [home[name] for name in meta]
    weights = draw(st.lists(st.integers(0, 3), min_size=units, max_size=units))
    return key, response, meta, unit, weights


def materialised(
    key: Sequence[int],
    response: Sequence[int],
    meta: Sequence[int],
    unit: Sequence[int],
    weights: Sequence[int],
) -> Contingency:
    """The contingency of the resample, with every copy of every mention as a row."""
    rows = [
        (m, k, r, u, copy)
        for m, k, r, u in zip(meta, key, response, unit, strict=True)
        for copy in range(weights[u])
    ]
    spans = {m: {u for n, u in zip(meta, unit, strict=True) if n == m} for m in meta}
    return Contingency.from_labels(
        _numbers([_chain(row, rows, 1) for row in rows]),
        _numbers([_chain(row, rows, 2) for row in rows]),
        _numbers([(m, 0 if len(spans[m]) > 1 else copy) for m, _, _, _, copy in rows]),
    )


def _chain(row: Mention, rows: Sequence[Mention], side: int) -> Hashable:
    """The chain label of a mention; with the copy, if its drawn mentions are in one unit."""
    if row[side] == -1:
        return None
    together = {other[3] for other in rows if (other[0], other[side]) == (row[0], row[side])}
    return (row[0], row[side], row[4]) if len(together) == 1 else (row[0], row[side])


def _numbers(labels: Sequence[Hashable]) -> Ints:
    names = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([-1 if label is None else names[label] for label in labels], dtype=np.int64)
