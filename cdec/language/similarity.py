"""How alike documents are: the pairs whose cosine reaches δ, found without comparing all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cdec.arrays import Floats, Ints
from cdec.io.progress import Progress, silent
from cdec.language.prefixes import ROUNDING, Prefixes
from cdec.language.vectors import Matrix

_VERIFIED = 1 << 17  # pairs whose exact cosine is computed at once


class Pairs(NamedTuple):
    """Pairs of documents by row (left < right), and their cosines."""

    left: Ints
    right: Ints
    cosine: Floats

    def reaching(self, delta: float) -> Pairs:
        """Return the pairs whose cosine is at least δ."""
        kept = self.cosine >= delta - ROUNDING
        return Pairs(self.left[kept], self.right[kept], self.cosine[kept])


def similar_pairs(rows: Matrix, delta: float, progress: Progress = silent) -> Iterator[Pairs]:
    """Yield in chunks, each pair once, the rows (of length 1 or 0) with a cosine of at least δ > 0.

    The result is exact and the memory bounded: see ``Prefixes`` for which cells of the product of
    all rows are computed, a run of rows at a time. Raises ValueError for δ ≤ 0, which every pair
    reaches.
    """
    if not delta > 0:
        raise ValueError(f"δ is {delta}: every pair reaches it")
    prefixes = Prefixes.from_rows(rows, delta)
    spans = list(pairwise(prefixes.borders()))
    for start, stop in progress(spans, len(spans), "comparing documents"):
        left, right = prefixes.candidates(start, stop)
        yield Pairs(left, right, _cosines(rows, left, right)).reaching(delta)


def _cosines(rows: Matrix, left: Ints, right: Ints) -> Floats:
    cosines = np.empty(len(left))
    for at in range(0, len(left), _VERIFIED):
        part = slice(at, at + _VERIFIED)
        cosines[part] = rows[left[part]].multiply(rows[right[part]]).sum(axis=1)
    return cosines
