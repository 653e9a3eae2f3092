"""Key and response of a resample, in which whole units are sampled with replacement.

A unit (a topic) that is sampled w times occurs w times in the resample, as copies with separate
mentions. The same rule makes the chains of key and response, so that a perfect response remains
perfect:

* Units that are not sampled are removed, with their mentions.
* A chain whose remaining mentions are in one unit is copied with it: w chains.
* A chain whose remaining mentions are in several units remains **one** chain with all copies.

This rule gives wrong links across topics the right weight. Let a response chain join the topics t
and u. If copy 1 were linked with copy 1 and copy 2 with copy 2, min(w_t, w_u) times the links t–u
would remain, about half of them on average, and every resample would favour a system that links
across topics. One chain over all copies keeps w_t · w_u times the links, which is on average
(except for a factor 1 − 1/n) their true number. The disadvantage: copies of the *same* topic in
such a chain are also linked, wrongly. This bias is estimated from the resamples and removed from
the intervals (see ``bootstrap``).

A meta-document inside one unit is copied like a chain; one that spans units remains one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.metrics import Table
from cdec.metrics.table import tallies as tallies_of
from cdec.statistics.draws import Units
from cdec.statistics.tallies import tally


def group(*columns: Ints) -> tuple[Ints, ...]:
    """Return the distinct rows of columns of numbers ≥ 0, sorted, as columns, and their counts."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    radix = [int(column.max()) + 1 if len(column) else 1 for column in columns]
    for column, base in zip(columns, radix, strict=True):
        code = code * base + column
    distinct, count = np.unique(code, return_counts=True)
    parts = []
    for base in reversed(radix):
        parts.append(distinct % base)
        distinct = distinct // base
    return (*reversed(parts), count)


class Drawn(NamedTuple):
    """The chains of one side of a resample: number of the first copy, joint or copied, sizes."""

    first: Ints
    joint: Bools
    sizes: Ints

    def number(self, chain: Ints, copy: Ints) -> Ints:
        """Return the numbers, in the resample, of the ``copy``-th copies of chains."""
        return self.first[chain] + np.where(self.joint[chain], 0, copy)


@dataclass(frozen=True, eq=False)
class SideParts:
    """The chains of a key or response, divided by unit: chain, unit and size of each part."""

    chain: Ints
    unit: Ints
    size: Ints
    chains: int

    @classmethod
    def from_chains(cls, chains: Ints, units: Ints) -> SideParts:
        """Return the parts of numbered chains; −1 marks a mention that the side lacks."""
        present = chains >= 0
        chain, unit, size = group(chains[present], units[present])
        return cls(chain, unit, size, int(chains.max(initial=-1)) + 1)

    def drawn(self, weights: Ints) -> Drawn:
        """Return the chains of the resample with ``weights[u]`` copies of unit u."""
        weight = weights[self.unit]
        joint = np.bincount(self.chain[weight > 0], minlength=self.chains) > 1
        copies = np.where(joint, 1, _sums(self.chain, weight, self.chains))
        mentions = _sums(self.chain, weight * self.size, self.chains)
        sizes = np.repeat(mentions // np.maximum(copies, 1), copies)
        return Drawn(np.cumsum(copies) - copies, joint, sizes)


@dataclass(frozen=True, eq=False)
class Copies:
    """Key and response of meta-documents, in the form from which resamples are built.

    ``cells`` are columns: key chain, response chain, unit, common mentions; ``metas`` are
    meta-document, unit, and the numbers of mentions of key, of response and of both. ``tallies``
    are those of the meta-documents by unit, arrays (units, 4): sums over mentions.
    """

    key: SideParts
    response: SideParts
    cells: tuple[Ints, ...]
    metas: tuple[Ints, ...]
    tallies: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def from_labels(cls, meta: Ints, key: Ints, response: Ints, units: Ints) -> Copies:
        """Build from label codes per mention (−1: missing) and the unit of each mention."""
        meta = np.unique(meta, return_inverse=True)[1].astype(np.int64)
        key, response = (numbered(meta, side, in_order_of_codes=True) for side in (key, response))
        both = (key >= 0) & (response >= 0)
        cells = group(key[both], response[both], units[both])
        width = int(units.max(initial=0)) + 1
        parts, part = np.unique(meta * width + units, return_inverse=True)
        sizes = (
            np.bincount(part[on], minlength=len(parts)) for on in (key >= 0, response >= 0, both)
        )
        ours, theirs = (SideParts.from_chains(side, units) for side in (key, response))
        return cls(ours, theirs, cells, (parts // width, parts % width, *sizes))

    @property
    def joint(self) -> bool:
        """Whether a meta-document spans units; if none does, counts of units are additive."""
        return len(np.unique(self.metas[0])) < len(self.metas[0])

    @property
    def mentions(self) -> int:
        """The number of mentions of the key."""
        return int(self.metas[2].sum())

    def tally(self, weights: Ints, counted: Sequence[str]) -> Floats:
        """Return the tallies (counted, 4) of the resample with ``weights[u]`` copies of unit u."""
        return tally(self.contingency(weights), counted)

    def contingency(self, weights: Ints) -> Table:
        """Return the contingency of the resample with ``weights[u]`` copies of unit u."""
        key, response = self.key.drawn(weights), self.response.drawn(weights)
        of_key, of_response, common_mentions = self._sizes(weights)
        rows, cols, unit, common = self.cells
        at, copy = _copied(weights[unit])
        row, col = key.number(rows[at], copy), response.number(cols[at], copy)
        width = max(len(response.sizes), 1)
        code, cell = np.unique(row * width + col, return_inverse=True)
        return Table(
            key_sizes=key.sizes,
            response_sizes=response.sizes,
            rows=code // width,
            cols=code % width,
            overlap=_sums(cell, common[at], len(code)),
            key_mentions=of_key,
            response_mentions=of_response,
            common_mentions=common_mentions,
            tallies={
                name: tuple((weights[:, None] * each).sum(axis=0).tolist())
                for name, each in self.tallies.items()
            },
        )

    def _sizes(self, weights: Ints) -> list[Ints]:
        """Return the mentions of key, response and both of each meta-document of a resample."""
        meta, unit, *sizes = self.metas
        spanning = np.bincount(meta)[meta] > 1
        # The parts of a meta-document that spans units are summed at the position of the first.
        each = np.arange(len(meta))
        place = np.where(spanning, np.unique(meta, return_index=True)[1][meta], each)
        times = np.where(spanning, place == each, weights[unit])
        weight = np.where(spanning, weights[unit], 1)
        sums = (_sums(place, weight * count, len(meta)) for count in sizes)
        return [np.repeat(each, times) for each in sums]


def codes_of(mentions: pd.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Return the codes of meta-document, key label and response label; −1 if missing."""
    meta, key, response = (pd.factorize(mentions[name])[0] for name in ("meta", "key", "response"))
    return meta, key, response


def copies_of(mentions: pd.DataFrame, units: Units, counted: Sequence[str] = ()) -> Copies:
    """Build from meta-documents and the units of their mentions."""
    meta, key, response = codes_of(mentions)
    unit = units.codes(mentions)
    tallies = {
        name: np.stack(
            [np.bincount(unit, column, len(units)).astype(np.float64) for column in rows.T], axis=1
        )
        for name, rows in tallies_of(mentions, counted).items()
    }
    return replace(Copies.from_labels(meta, key, response, unit), tallies=tallies)


def _copied(times: Ints) -> tuple[Ints, Ints]:
    """Return, of rows that are copied so many times, the row and the number of each copy."""
    at = np.repeat(np.arange(len(times)), times)
    return at, np.arange(len(at)) - np.repeat(np.cumsum(times) - times, times)


def _sums(groups: Ints, values: npt.NDArray[Any], size: int) -> Ints:
    """Return the sum of integers in each of ``size`` groups."""
    return np.bincount(groups, weights=values, minlength=size).astype(np.int64)
