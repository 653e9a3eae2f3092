"""Counts of many blocks of chains at once, with a sum for each block.

A block is a set of chains that share no mention with the chains of other blocks, as the chains of
one resample. The formulas are those of ``cdec.metrics``, with sums over each block instead of the
whole contingency; sums are of floats, so that the last digit can differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats, Ints
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.metrics.links import links


class Sums(NamedTuple):
    """The four counts of a metric for each block."""

    p_num: Floats
    p_den: Floats
    r_num: Floats
    r_den: Floats


@dataclass(frozen=True, eq=False)
class Blocks:
    """A contingency, and the block of each of its key chains and response chains.

    ``size`` is the number of blocks; a block can be empty.
    """

    contingency: Contingency
    key: Ints
    response: Ints
    size: int

    def of_cells(self, values: npt.NDArray[Any], at: Ints | slice = slice(None)) -> Floats:
        """Return the sum of the values of cells (those ``at`` these positions) in each block."""
        return self._sums(self.key[self.contingency.rows][at], values)

    def of_keys(self, values: npt.NDArray[Any]) -> Floats:
        """Return the sum of the values of key chains in each block."""
        return self._sums(self.key, values)

    def of_responses(self, values: npt.NDArray[Any]) -> Floats:
        """Return the sum of the values of response chains in each block."""
        return self._sums(self.response, values)

    def _sums(self, blocks: Ints, values: npt.NDArray[Any]) -> Floats:
        return np.bincount(blocks, weights=values, minlength=self.size).astype(np.float64)


def _muc(blocks: Blocks, table: Contingency) -> Sums:
    correct = blocks.of_cells(table.overlap - 1)
    made, wanted = (
        blocks.of_responses(table.response_sizes - 1),
        blocks.of_keys(table.key_sizes - 1),
    )
    return Sums(correct, made, correct, wanted)


def _b_cubed(blocks: Blocks, table: Contingency) -> Sums:
    squared = table.overlap**2
    return Sums(
        blocks.of_cells(squared / table.response_sizes[table.cols]),
        blocks.of_responses(table.response_sizes),
        blocks.of_cells(squared / table.key_sizes[table.rows]),
        blocks.of_keys(table.key_sizes),
    )


def _ceaf_m(blocks: Blocks, table: Contingency) -> Sums:
    shared = table.overlap.astype(np.float64)
    aligned = best_assignment(table.rows, table.cols, shared)
    total = blocks.of_cells(shared[aligned], aligned)
    made, wanted = blocks.of_responses(table.response_sizes), blocks.of_keys(table.key_sizes)
    return Sums(total, made, total, wanted)


def _ceaf_e(blocks: Blocks, table: Contingency) -> Sums:
    sizes = table.key_sizes[table.rows] + table.response_sizes[table.cols]
    similarity = 2 * table.overlap / sizes
    aligned = best_assignment(table.rows, table.cols, similarity)
    total = blocks.of_cells(similarity[aligned], aligned)
    made, wanted = (np.ones(len(side)) for side in (table.response_sizes, table.key_sizes))
    return Sums(total, blocks.of_responses(made), total, blocks.of_keys(wanted))


def _lea(blocks: Blocks, table: Contingency) -> Sums:
    key, response = table.key_sizes[table.rows], table.response_sizes[table.cols]
    alone = ((key == 1) & (response == 1)).astype(np.float64)
    resolved = 2 * links(table.overlap)
    return Sums(
        blocks.of_cells(alone + resolved / np.maximum(response - 1, 1)),
        blocks.of_responses(table.response_sizes),
        blocks.of_cells(alone + resolved / np.maximum(key - 1, 1)),
        blocks.of_keys(table.key_sizes),
    )


def _blanc_coref(blocks: Blocks, table: Contingency) -> Sums:
    right = blocks.of_cells(links(table.overlap))
    made = blocks.of_responses(links(table.response_sizes))
    return Sums(right, made, right, blocks.of_keys(links(table.key_sizes)))


def _blanc_noncoref(blocks: Blocks, table: Contingency) -> Sums:
    """Return the links to subtract from all pairs of mentions, as negative counts.

    Of the common mentions these are the links of either side (of both: counted once).
    """
    common_key = _grouped(table.rows, table.overlap, len(table.key_sizes))
    common_response = _grouped(table.cols, table.overlap, len(table.response_sizes))
    linked = blocks.of_keys(links(common_key)) + blocks.of_responses(links(common_response))
    shared = blocks.of_cells(links(table.overlap)) - linked
    made = -blocks.of_responses(links(table.response_sizes))
    return Sums(shared, made, shared, -blocks.of_keys(links(table.key_sizes)))


def _grouped(chains: Ints, overlap: Ints, size: int) -> Ints:
    """Return, for each chain, the number of its mentions that the other side has too."""
    return np.bincount(chains, overlap, size).astype(np.int64)


NONCOREF = "blanc_noncoref"
COUNTERS: Mapping[str, Callable[[Blocks, Contingency], Sums]] = {
    "muc": _muc,
    "b3": _b_cubed,
    "ceafm": _ceaf_m,
    "ceafe": _ceaf_e,
    "lea": _lea,
    "blanc_coref": _blanc_coref,
    NONCOREF: _blanc_noncoref,
}
"""The counters by metric; that of NONCOREF counts no pairs of mentions, see its docstring."""


def block_counts(blocks: Blocks, counted: Sequence[str]) -> Floats:
    """Return the counts of each block, (blocks, counted, 4); ``counted`` are of COUNTERS."""
    sums = [COUNTERS[name](blocks, blocks.contingency) for name in counted]
    return np.stack([np.stack(four, axis=-1) for four in sums], axis=1)
