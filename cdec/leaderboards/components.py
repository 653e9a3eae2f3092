"""Counts of resamples, component by component: much faster than recounting each resample.

The counts of cdec's metrics add over the connected components of chains (key chains and response
chains that share mentions): no mention and no alignment crosses a component. A component inside
one unit counts as often as its unit is drawn, so its counts are weighted. A component that spans
units depends only on how often *its* units are drawn: it is counted once for each such pattern, all
patterns of many components at once (``Blocks``). Only the terms of meta-documents, as the pairs of
mentions in BLANC, join components; they depend on the numbers of mentions alone. The result is that
of ``cdec.statistics.bootstrap.tallies``, except for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.metrics import Table, Terms
from cdec.metrics.metric import Part, floats
from cdec.metrics.registry import counted as metric_of
from cdec.statistics.copies import Copies, SideParts, codes_of, group
from cdec.statistics.draws import Units
from cdec.statistics.tallies import weighted

_BATCH = 200_000
"""Mentions per batch of copies of components: bounds the memory."""
_FEW = 6
"""With more units than this, nearly every resample is a pattern of its own."""


def component_tallies(
    meta_documents: pd.DataFrame, units: Units, weights: Ints, counted: Sequence[str]
) -> Floats:
    """Return the tallies of resamples (resamples, counted, 4); ``counted`` are sums of terms.

    ``weights`` (resamples, units) has the number of copies of each unit. Raises ValueError for
    a metric without terms.
    """
    if not are_sums(counted):
        raise ValueError(f"the counts of {', '.join(counted)} do not add")
    meta, key, response = codes_of(meta_documents)
    unit = units.codes(meta_documents)
    mentions = Labels.of(
        numbered(meta, key, in_order_of_codes=True),
        numbered(meta, response, in_order_of_codes=True),
        unit,
    )
    spans = mentions.spanning()
    tallied = weighted(weights, _inside(mentions.take(~spans), weights.shape[1], counted))
    if spans.any():
        tallied = tallied + _across(mentions.take(spans), weights, counted)
    return tallied + _of_metas(meta, unit, (key >= 0, response >= 0), weights, counted)


def are_sums(counted: Sequence[str]) -> bool:
    """Return whether the counts of all these metrics are sums of terms of sizes alone."""
    return all(metric_of(name).terms for name in counted)


class Labels(NamedTuple):
    """Key chain, response chain (−1: missing), unit and component of each mention."""

    key: Ints
    response: Ints
    unit: Ints
    component: Ints

    @classmethod
    def of(cls, key: Ints, response: Ints, unit: Ints) -> Labels:
        """Find the components of numbered chains."""
        keys, responses = (int(side.max(initial=-1)) + 1 for side in (key, response))
        both = (key >= 0) & (response >= 0)
        edges = (np.ones(int(both.sum())), (key[both], keys + response[both]))
        size = keys + responses
        _, component = connected_components(coo_array(edges, shape=(size, size)), directed=False)
        of = component[np.where(key >= 0, key, keys + response)]
        return cls(key, response, unit, of.astype(np.int64))

    def spanning(self) -> Any:
        """Return, for each mention, whether its component spans two units."""
        size = int(self.component.max(initial=-1)) + 1
        low = np.full(size, np.iinfo(np.int64).max)
        high = np.full(size, -1)
        np.minimum.at(low, self.component, self.unit)
        np.maximum.at(high, self.component, self.unit)
        return (low < high)[self.component]

    def take(self, chosen: Any) -> Labels:
        """Return the labels of some mentions."""
        return Labels(*(column[chosen] for column in self))

    def copies(self) -> Copies:
        """Return the form from which resamples are built, without meta-documents."""
        none = np.array([], dtype=np.int64)
        both = (self.key >= 0) & (self.response >= 0)
        return Copies(
            SideParts.from_chains(self.key, self.unit),
            SideParts.from_chains(self.response, self.unit),
            group(self.key[both], self.response[both], self.unit[both]),
            (none,) * 5,
        )


def _renumbered(chains: Ints) -> Ints:
    """Return chains numbered from 0; −1 is kept."""
    return numbered(np.zeros(len(chains), dtype=np.int64), chains, in_order_of_codes=True)


def _inside(mentions: Labels, units: int, counted: Sequence[str]) -> Floats:
    """Return the counts of components inside one unit, for each unit (units, counted, 4)."""
    plain = mentions._replace(
        key=_renumbered(mentions.key), response=_renumbered(mentions.response)
    )
    return _counts(plain, np.arange(units), np.ones(units, dtype=np.int64), units, counted)


def _counts(
    mentions: Labels, of_unit: Ints, weights: Ints, size: int, counted: Sequence[str]
) -> Floats:
    """Return the counts of each block; ``of_unit`` has the block of each unit."""
    copies = mentions.copies()
    sides = []
    for side in (copies.key, copies.response):
        first = side.drawn(weights).first
        total = side.drawn(weights).sizes.size
        of_chain = np.zeros(side.chains, dtype=np.int64)
        of_chain[side.chain] = of_unit[side.unit]
        sides.append(np.repeat(of_chain, np.diff(first, append=total)))
    key, response = sides
    no_metas = np.array([], dtype=np.int64)
    blocks = Blocks(copies.contingency(weights), key, response, no_metas, size)
    return _block_counts(blocks, counted)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table, and the block of each of its key chains, response chains and meta-documents.

    A block is a set of chains that share no mention with the chains of other blocks, as those of
    one resample. ``size`` is the number of blocks; a block can be empty. Sums are of floats, so
    that their last digit can differ from ``Terms.counts``.
    """

    table: Table
    key: Ints
    response: Ints
    meta: Ints
    size: int

    def counts(self, terms: Terms) -> Floats:
        """Return the counts of each block, shape (blocks, 4), in the order of ``Counts``."""
        both = self._sums(self.key, terms.key_common)
        both += self._sums(self.response, terms.response_common)
        both += self._sums(self.meta, terms.metas_common)
        cell, key, response = self.key[self.table.rows], self.key, self.response
        meta = self.meta
        return np.stack(
            [
                self._sums(cell, terms.precision) + both,
                self._sums(response, terms.response) + self._sums(meta, terms.metas_response),
                self._sums(cell, terms.recall) + both,
                self._sums(key, terms.key) + self._sums(meta, terms.metas_key),
            ],
            axis=-1,
        )

    def _sums(self, blocks: Ints, values: Part) -> Floats:
        if values is None:
            return np.zeros(self.size)
        return np.bincount(blocks, floats(values), self.size).astype(np.float64)


def _block_counts(blocks: Blocks, counted: Sequence[str]) -> Floats:
    """Return the counts of each block, (blocks, counted, 4)."""
    terms = [of(blocks.table) for name in counted if (of := metric_of(name).terms)]
    return np.stack([blocks.counts(each) for each in terms], axis=1)


@dataclass(frozen=True, eq=False)
class _Patterns:
    """How often the units of a component are drawn.

    ``rows``: a resample with each pattern; ``of``: the pattern of each resample.
    """

    rows: Ints
    of: Ints

    @classmethod
    def among(cls, weights: Ints) -> _Patterns:
        """Find the distinct rows of the weights of some units."""
        if weights.shape[1] > _FEW:
            every = np.arange(len(weights))
            return cls(every, every)
        base = int(weights.max()) + 1
        code = weights @ (base ** np.arange(weights.shape[1]))
        _, rows, of = np.unique(code, return_index=True, return_inverse=True)
        return cls(rows, of)


def _across(mentions: Labels, weights: Ints, counted: Sequence[str]) -> Floats:
    """Return the sums of the counts of components that span units (resamples, counted, 4)."""
    tallied = np.zeros((len(weights), len(counted), 4))
    known: dict[tuple[int, ...], _Patterns] = {}
    parts = list(_components(mentions))
    patterns = []
    for part in parts:
        units = np.unique(part.unit)
        at = tuple(units.tolist())
        known[at] = known.get(at) or _Patterns.among(weights[:, units])
        patterns.append(known[at])
    for batch in _batches([len(p.key) * len(q.rows) for p, q in zip(parts, patterns, strict=True)]):
        chosen = [parts[n] for n in batch], [patterns[n] for n in batch]
        counts = iter(_of_patterns(*chosen, weights, counted))
        for pattern in chosen[1]:
            tallied += next(counts)[pattern.of]
    return tallied


def _components(mentions: Labels) -> Iterator[Labels]:
    """Yield the mentions of each component, chains numbered from 0."""
    order = np.argsort(mentions.component, kind="stable")
    ends = np.flatnonzero(np.diff(mentions.component[order])) + 1
    for at in np.split(order, ends):
        part = mentions.take(at)
        yield part._replace(key=_renumbered(part.key), response=_renumbered(part.response))


def _batches(sizes: Sequence[int]) -> Iterator[Ints]:
    """Yield consecutive numbers whose sizes add up to about _BATCH."""
    batch = np.cumsum(sizes) // _BATCH
    yield from np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(batch)) + 1)


def _of_patterns(
    parts: Sequence[Labels], patterns: Sequence[_Patterns], weights: Ints, counted: Sequence[str]
) -> Iterator[Floats]:
    """Yield the counts of all patterns of each component (patterns, counted, 4)."""
    width = weights.shape[1]
    ends = np.cumsum([len(pattern.rows) for pattern in patterns])
    tiled, base = [], np.zeros(3, dtype=np.int64)
    for part, pattern in zip(parts, patterns, strict=True):
        times = len(pattern.rows)
        sizes = np.array([part.key.max(initial=-1) + 1, part.response.max(initial=-1) + 1, width])
        copy = np.repeat(np.arange(times), len(part.key))
        columns = (np.tile(column, times) for column in part[:3])
        tiled.append(
            [
                np.where(column < 0, -1, column + copy * size + start)
                for column, size, start in zip(columns, sizes, base, strict=True)
            ]
        )
        base = base + sizes * times
    key, response, unit = (np.concatenate(columns) for columns in zip(*tiled, strict=True))
    flat = weights[np.concatenate([pattern.rows for pattern in patterns])].ravel()
    of_unit = np.repeat(np.arange(int(ends[-1])), width)
    mentions = Labels(key, response, unit, unit)
    counts = _counts(mentions, of_unit, flat, int(ends[-1]), counted)
    yield from np.split(counts, ends[:-1])


def _of_metas(
    meta: Ints, unit: Ints, present: tuple[Bools, Bools], weights: Ints, counted: Sequence[str]
) -> Floats:
    """Return the terms of the meta-documents of each resample (resamples, counted, 4).

    A meta-document inside one unit is copied; one that spans units is drawn as one.
    """
    sizes = np.zeros((3, int(meta.max(initial=-1)) + 1, weights.shape[1]), dtype=np.int64)
    for side, here in zip(sizes, (*present, present[0] & present[1]), strict=True):
        np.add.at(side, (meta[here], unit[here]), 1)
    spans = ((sizes[0] + sizes[1]) > 0).sum(axis=1) > 1
    inside = _meta_counts(sizes[:, ~spans].transpose(0, 2, 1), counted)
    return weighted(weights, inside) + _meta_counts(weights @ sizes[:, spans].mT, counted)


def _meta_counts(sizes: Ints, counted: Sequence[str]) -> Floats:
    """Return the sums over meta-documents: mentions (3, blocks, metas) → (blocks, counted, 4)."""
    none = np.array([], dtype=np.int64)
    blocks, metas = sizes.shape[1:]
    key, response, common = sizes.reshape(3, blocks * metas)
    table = Table(none, none, none, none, none, key, response, common)
    of = np.repeat(np.arange(blocks), metas)
    return _block_counts(Blocks(table, none, none, of, blocks), counted)
