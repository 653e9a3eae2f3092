"""Document similarity: the pairs with a cosine of at least δ, without comparing all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cdec.arrays import Floats, Ints
from cdec.files.progress import Progress, silent
from cdec.language.vectors import Matrix

# The tolerance below δ: the cosine of two equal texts is 1 up to rounding.
ROUNDING = 1e-9
_CELLS = 1 << 24  # of the document product in memory at once: about 300 MB
_CUTS = 32
_VERIFIED = 1 << 17  # pairs whose exact cosine is computed in one step


class DocumentPairs(NamedTuple):
    """Pairs of documents by row (left < right), and their cosines."""

    left: Ints
    right: Ints
    cosine: Floats

    def reaching(self, delta: float) -> DocumentPairs:
        """Return the pairs whose cosine is at least δ."""
        kept = self.cosine >= delta - ROUNDING
        return DocumentPairs(self.left[kept], self.right[kept], self.cosine[kept])


NO_PAIRS = DocumentPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def similar_pairs(
    rows: Matrix, delta: float, progress: Progress = silent
) -> Iterator[DocumentPairs]:
    """Yield, in chunks, each pair of rows (of length 1 or 0) with a cosine of at least δ > 0.

    The result is exact and the memory bounded: the product of all rows is computed in blocks of
    rows, and only for the cells that ``Prefixes`` selects. Raises ValueError for δ ≤ 0, which
    every pair satisfies.
    """
    if not delta > 0:
        raise ValueError(f"δ must be greater than 0, got {delta}")
    prefixes = Prefixes.from_rows(rows, delta)
    spans = list(pairwise(prefixes.borders()))
    for start, stop in progress(spans, len(spans), "comparing documents"):
        left, right = prefixes.candidates(start, stop)
        yield DocumentPairs(left, right, _cosines(rows, left, right)).reaching(delta)


def _cosines(rows: Matrix, left: Ints, right: Ints) -> Floats:
    cosines = np.empty(len(left))
    for at in range(0, len(left), _VERIFIED):
        part = slice(at, at + _VERIFIED)
        cosines[part] = rows[left[part]].multiply(rows[right[part]]).sum(axis=1)
    return cosines


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Rows without their most common words, to select the pairs that can reach δ.

    The words are ordered from rare to common. From each row, the words from its cut on are removed;
    the removed part has a length below δ. Two rows without a common word before both cuts then
    have a cosine below δ. The cosine of any two rows is at most the product of their prefixes plus
    the product of the lengths beyond the smaller cut (prefix filtering: Bayardo, Ma & Srikant 2007,
    "Scaling up all pairs similarity search", WWW; lengths as bounds: Anastasiu & Karypis 2014,
    "L2AP", ICDE). Cuts are rounded up to at most ``_CUTS`` values, so that the lengths are a small
    table, rows × cuts.
    """

    delta: float
    rows: Matrix = field(repr=False)
    cut: Ints = field(repr=False)
    lengths: Floats = field(repr=False)

    @classmethod
    def from_rows(cls, rows: Matrix, delta: float) -> Prefixes:
        """Return the prefixes of ``rows`` (of length 1 or 0) for δ."""
        delta -= ROUNDING
        ordered = _rare_first(rows)
        row = np.repeat(np.arange(rows.shape[0]), np.diff(ordered.indptr))
        exact = _exact_cuts(ordered, row, delta)
        quantiles = np.quantile(exact, np.linspace(0, 1, _CUTS), method="higher")
        cuts = np.unique(quantiles.astype(np.int64))
        cut = np.searchsorted(cuts, exact)
        kept = ordered.indices < cuts[cut][row]
        starts = np.append(0, np.cumsum(np.bincount(row[kept], minlength=rows.shape[0])))
        shortened = csr_array((ordered.data[kept], ordered.indices[kept], starts), ordered.shape)
        return cls(delta, shortened, cut, _lengths_beyond(ordered, row, cuts))

    def borders(self) -> Ints:
        """Return the borders of blocks of rows whose product has about _CELLS cells at most."""
        size = self.rows.shape[0]
        spread = np.bincount(self.rows.indices, minlength=self.rows.shape[1])
        sums = np.append(0, np.cumsum(spread[self.rows.indices]))
        most = np.minimum(np.diff(sums[self.rows.indptr]), size)
        group = np.cumsum(most) // _CELLS
        return np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1, [size]])

    def candidates(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """Return the pairs of a row in the block and a later row that can reach δ."""
        product = self.rows[start:stop] @ self.rows[start:].T
        left = np.repeat(np.arange(start, stop), np.diff(product.indptr))
        right = product.indices.astype(np.int64) + start
        smaller = np.minimum(self.cut[left], self.cut[right])
        beyond = self.lengths[left, smaller] * self.lengths[right, smaller]
        kept = (right > left) & (product.data + beyond >= self.delta - ROUNDING)
        return left[kept], right[kept]


def _rare_first(rows: Matrix) -> Matrix:
    spread = np.bincount(rows.indices, minlength=rows.shape[1])
    ordered = rows[:, np.argsort(spread, kind="stable")]
    ordered.sort_indices()
    return ordered


def _exact_cuts(ordered: Matrix, row: Ints, delta: float) -> Ints:
    """Return for each row the smallest word from which on its length is below δ."""
    sums = np.append(0.0, np.cumsum(ordered.data**2))
    beyond = sums[ordered.indptr[1:]][row] - sums[:-1]  # squared length from this word on
    needed = beyond >= delta**2 - ROUNDING
    cut = np.zeros(ordered.shape[0], dtype=np.int64)
    np.maximum.at(cut, row[needed], ordered.indices[needed] + 1)
    return cut


def _lengths_beyond(ordered: Matrix, row: Ints, cuts: Ints) -> Floats:
    """Return rows × cuts: the length of the row's words from the cut on."""
    passed = np.searchsorted(cuts, ordered.indices, side="right")
    size, width = ordered.shape[0], len(cuts) + 1
    squares = np.bincount(row * width + passed, ordered.data**2, minlength=size * width)
    from_end = np.cumsum(squares.reshape(size, width)[:, ::-1], axis=1)[:, ::-1]
    return np.sqrt(from_end[:, 1:])
