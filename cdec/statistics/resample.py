"""The counts of resamples and of exchanges of whole units: one engine, by components of chains.

**Resample.** A unit (a topic) that is drawn w times occurs w times, as copies with separate
mentions. The same rule makes the chains of key and response, so that a perfect response remains
perfect:

* Units that are not drawn are removed, with their mentions.
* A chain whose remaining mentions are in one unit is copied with it: w chains.
* A chain whose remaining mentions are in several units remains **one** chain with all copies.

This rule gives wrong links across topics the right weight. Let a response chain join the topics t
and u. If copy 1 were linked with copy 1 and copy 2 with copy 2, min(w_t, w_u) times the links t–u
would remain, about half of them on average, and every resample would favour a system that links
across topics. One chain over all copies keeps w_t · w_u times the links, which is on average
(except for a factor 1 − 1/n) their true number. The disadvantage: copies of the *same* topic in
such a chain are also linked, wrongly. This bias is estimated from the resamples and removed from
the intervals (see ``intervals``). A meta-document inside one unit is copied like a chain; one that
spans units remains one.

**Exchange.** In the exchanged units, the response of another system replaces that of the first.

**Engine.** No mention and no alignment crosses a connected component of chains (key chains and
response chains that share mentions), so counts add over components, and those of a component depend
on the draws of *its* units only. Components with the same units are one group, which is counted
once for each pattern of draws of its units: thousands of patterns and groups in one table, by
blocks. Only the terms of meta-documents, as the pairs of mentions in BLANC, join components; they
depend on numbers of mentions alone. Sums are of floats, so that their last digits can differ from
the counts of a score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Floats, Ints
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.metrics import REGISTRY, Table, derive, value_of
from cdec.metrics.metric import Part, floats
from cdec.metrics.registry import counts_of, terms_of

PIECE = 512
"""Draws per job, whatever the number of workers."""
WORTH = 2 * 10**7
"""Rows to count, over all draws, from which parallel processes pay off."""
BATCH = 200_000
"""Rows of a table: bounds the memory."""
FEW = 6
"""With more units than this, nearly every draw is a pattern of its own."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Key and response in the form from which draws are made, a row for equal mentions.

    ``key`` and ``response`` are numbers of chains in their group (−1: the side lacks the mention),
    ``number`` counts the mentions of a row. Rows are sorted by group: ``first`` row, ``rows``,
    ``keys`` and ``responses`` (numbers of chains), and ``units`` of each. ``metas`` has the
    mentions of key, of response and of both, (3, meta-documents, units), ``words`` the counts on
    words, name → (units, 4). ``other`` is the sample with the response that replaces this one in an
    exchange; its rows and groups are the same.
    """

    key: Ints
    response: Ints
    unit: Ints
    number: Ints
    first: Ints
    rows: Ints
    keys: Ints
    responses: Ints
    units: list[Ints]
    metas: Ints
    words: Mapping[str, Floats]
    other: Sample | None = None

    @property
    def joint(self) -> bool:
        """Whether a meta-document spans units; if none does, counts of units are additive."""
        return bool(spanning(self.metas).any())

    @property
    def swapped(self) -> Sample:
        """The sample of the other system, in whose exchanges this one replaces its response."""
        other = self.other or self
        return replace(other, other=replace(self, other=None))


class Mentions(NamedTuple):
    """Numbers of meta-document, key chain, response chains (−1: missing) and unit, by mention.

    ``words`` are the counts on words of each response, name → (mentions, 4).
    """

    meta: Ints
    key: Ints
    responses: tuple[Ints, ...]
    unit: Ints
    words: Sequence[Mapping[str, Floats]]

    def alone(self, number: int) -> Mentions:
        """Return the mentions of the key and one of the responses."""
        response = self.responses[number]
        on = (self.key >= 0) | (response >= 0)
        words = {name: rows[on] for name, rows in self.words[number].items()}
        return Mentions(self.meta[on], self.key[on], (response[on],), self.unit[on], [words])


def sample(mentions: Mentions, units: int) -> Sample:
    """Return the sample of one response, or of two that are exchanged, over so many units."""
    meta, key, responses, unit, words = mentions
    group, sets = _groups(key, responses, unit, units)
    rows, number = np.unique(np.stack([group, key, *responses, unit]), axis=1, return_counts=True)
    grouped, in_key, *in_responses, of_unit = rows
    first = np.searchsorted(grouped, np.arange(len(sets)))
    local, keys = _local([in_key], grouped, len(sets))
    each, several = _local(in_responses, grouped, len(sets))
    made: Sample | None = None
    for response, label, counts in reversed(list(zip(each, responses, words, strict=True))):
        present = (key >= 0, label >= 0, (key >= 0) & (label >= 0))
        metas = np.zeros((3, int(meta.max(initial=-1)) + 1, units), np.int64)
        for sizes, here in zip(metas, present, strict=True):
            np.add.at(sizes, (meta[here], unit[here]), 1)
        sums = {
            name: weighted(np.eye(units, dtype=np.int64)[:, unit], rows)
            for name, rows in counts.items()
        }
        made = Sample(
            key=local[0],
            response=response,
            unit=of_unit,
            number=number,
            first=first,
            rows=np.diff(np.append(first, len(number))),
            keys=keys,
            responses=several,
            units=sets,
            metas=metas,
            words=sums,
            other=made,
        )
    if made is None:
        raise ValueError("a sample needs a response")
    return made


def _groups(
    key: Ints, responses: Sequence[Ints], unit: Ints, units: int
) -> tuple[Ints, list[Ints]]:
    """Return the group of each mention, and the units of each group.

    A group has the components of chains whose mentions are in the same units.
    """
    keys = int(key.max(initial=-1)) + 1
    ends = [key, *(np.where(side < 0, -1, side + keys) for side in responses)]
    size = max(int(end.max(initial=-1)) for end in ends) + 1
    any_end = np.max(ends, axis=0)
    links = [(end[end >= 0], any_end[end >= 0]) for end in ends]
    left, right = (np.concatenate(side) for side in zip(*links, strict=True))
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    component = pd.factorize(connected_components(graph, directed=False)[1][any_end])[0]
    pairs = np.unique(component * units + unit)
    sets = np.split(pairs % units, np.flatnonzero(np.diff(pairs // units)) + 1)
    numbers: dict[tuple[int, ...], int] = {}
    of_component = [numbers.setdefault(tuple(each.tolist()), len(numbers)) for each in sets]
    return np.array(of_component, np.int64)[component], [np.array(each) for each in numbers]


def _local(sides: Sequence[Ints], group: Ints, groups: int) -> tuple[list[Ints], Ints]:
    """Return chains numbered from 0 in each group, and the number of chains of each group."""
    home = np.zeros(max(int(side.max(initial=-1)) for side in sides) + 1, np.int64)
    for side in sides:
        home[side[side >= 0]] = group[side >= 0]
    rank = np.empty(len(home) + 1, np.int64)
    rank[np.argsort(home, kind="stable")] = np.arange(len(home))
    sizes = np.bincount(home, minlength=groups)
    start = np.cumsum(sizes) - sizes
    return [np.where(side < 0, -1, rank[side] - start[group]) for side in sides], sizes


def spanning(metas: Ints) -> Bools:
    """Return whether each meta-document spans units; ``metas`` as in Sample."""
    spans: Bools = ((metas[0] + metas[1]) > 0).sum(axis=1) > 1
    return spans


def tallies(data: Sample, draws: Ints, counted: Sequence[str], jobs: int | None = None) -> Floats:
    """Return the counts of all draws, (draws, counted, 4), in the order of ``Counts``.

    ``draws`` (draws, units): the number of copies of each unit, or 1 where it is exchanged if the
    sample has another response. ``jobs`` as in ``cdec.files.jobs.mapped``: it does not affect the
    result. A metric without terms is counted again for each draw.
    """
    pieces = [draws[at : at + PIECE] for at in range(0, len(draws), PIECE)]
    worth = len(draws) * len(data.number) >= WORTH
    done = mapped(_piece, pieces, (data, counted), jobs=jobs, worth=worth)
    return np.concatenate(list(notebook()(done, len(pieces), "resampling")))


def _piece(draws: Ints, data: Sample, counted: Sequence[str]) -> Floats:
    tallied = np.zeros((len(draws), len(counted), 4))
    added = [name for name in counted if getattr(REGISTRY[name], "terms", None)]
    at = [counted.index(name) for name in added]
    if added:
        tallied[:, at] = _of_metas(data, draws, added) + _of_groups(data, draws, added)
    for place, name in enumerate(counted):
        if name in data.words:
            other = data.other.words[name] if data.other else None
            tallied[:, place] = _linear(draws, data.words[name], other)
        elif name not in added:
            tables = (_whole(data, draw) for draw in draws)
            tallied[:, place] = [counts_of(name, table) for table in tables]
    return tallied


def _linear(draws: Ints, each: Floats, other: Floats | None) -> Floats:
    """Return sums of what the units (units, …) have in each draw."""
    if other is None:
        return weighted(draws, each)
    moved: Floats = each.sum(axis=0) + weighted(draws, other - each)
    return moved


def weighted(weights: Ints | Bools, each: Floats | Ints) -> Floats:
    """Return weighted sums (rows, …) of numbers of units (units, …).

    BLAS is avoided: the last digit of its sums depends on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), each))


def _of_metas(data: Sample, draws: Ints, counted: Sequence[str]) -> Floats:
    """Return the terms of the meta-documents of each draw."""
    whole, times = data.metas.astype(np.float64), draws.astype(np.float64)  # exact, and fast
    if data.other:
        sizes = whole.sum(axis=2)[:, None] + times @ (data.other.metas - whole).mT
        return _meta_counts(sizes, counted)
    spans = spanning(data.metas)
    inside = _meta_counts(whole[:, ~spans].transpose(0, 2, 1), counted)
    return weighted(draws, inside) + _meta_counts(times @ whole[:, spans].mT, counted)


def _meta_counts(sizes: Floats, counted: Sequence[str]) -> Floats:
    """Return the sums over meta-documents: mentions (3, blocks, metas) → (blocks, counted, 4)."""
    none = np.array([], dtype=np.int64)
    blocks, metas = sizes.shape[1:]
    key, response, common = sizes.reshape(3, blocks * metas).astype(np.int64)
    table = Table(none, none, none, none, none, key, response, common)
    return Blocks(table, none, none, np.repeat(np.arange(blocks), metas), blocks).counts(counted)


def _of_groups(data: Sample, draws: Ints, counted: Sequence[str]) -> Floats:
    """Return the sums over groups of the counts of their patterns."""
    # A group inside one unit is copied as a whole: its counts are multiplied.
    copied = [len(units) == 1 and data.other is None for units in data.units]
    once = np.ones((1, draws.shape[1]), np.int64)
    extended = np.concatenate([draws, once])
    patterns = [
        (np.array([len(draws)]), np.zeros(1, np.int64)) if alone else _patterns(draws[:, units])
        for alone, units in zip(copied, data.units, strict=True)
    ]
    group = np.repeat(np.arange(len(patterns)), [len(rows) for rows, _ in patterns])
    draw = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in patterns)])
    each = np.concatenate(
        [np.zeros((0, len(counted), 4))]
        + [
            _drawn(data, group[batch], extended, draw[batch]).counts(counted)
            for batch in _batches(data.rows[group])
        ]
    )
    tallied, start = np.zeros((len(draws), len(counted), 4)), 0
    for (rows, of), alone, units in zip(patterns, copied, data.units, strict=True):
        if alone:
            tallied += draws[:, units, None] * each[start]
        else:
            tallied += each[start + of]
        start += len(rows)
    return tallied


def _patterns(draws: Ints) -> tuple[Ints, Ints]:
    """Return a draw of each pattern of some units, and the pattern of each draw."""
    if draws.shape[1] > FEW:
        return np.arange(len(draws)), np.arange(len(draws))
    code = draws @ ((int(draws.max(initial=0)) + 1) ** np.arange(draws.shape[1]))
    _, rows, of = np.unique(code, return_index=True, return_inverse=True)
    return rows, of


def _batches(sizes: Ints) -> Iterator[slice]:
    """Yield consecutive places whose sizes add up to about BATCH."""
    batch = np.cumsum(sizes) // BATCH
    ends = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(sizes)]
    yield from (slice(*ends[n : n + 2]) for n in range(len(ends) - 1) if len(sizes))


def _drawn(data: Sample, group: Ints, draws: Ints, draw: Ints) -> Blocks:
    """Return a table with a block for each group as it is in a draw, one of ``draws``."""
    rows = data.rows[group]
    block = np.repeat(np.arange(len(group)), rows)
    at = np.repeat(data.first[group] - (np.cumsum(rows) - rows), rows) + np.arange(len(block))
    weight = draws[draw[block], data.unit[at]]
    response = data.response[at]
    if data.other:
        response = np.where(weight, data.other.response[at], response)
        weight = np.ones_like(weight)
    elif not weight.all():
        drawn = weight > 0
        block, at, weight, response = block[drawn], at[drawn], weight[drawn], response[drawn]
    number = data.number[at]
    sides, places = [], []
    for chain, chains in ((data.key[at], data.keys[group]), (response, data.responses[group])):
        on = chain >= 0
        place = chain + (np.cumsum(chains) - chains)[block]
        home = np.repeat(np.arange(len(group)), chains)
        unit = None if data.other else data.unit[at][on]
        sides.append(_Side.of(place[on], number[on], weight[on], unit, home))
        places.append(np.where(on, place, -1))
    key, other = sides
    both = (places[0] >= 0) & (places[1] >= 0)
    row, col, number = places[0][both], places[1][both], number[both]
    ends = key.first[row], other.first[col]
    if not data.other:
        # Copies of both chains share mentions one by one; all those of a joint chain are in one.
        weight, joint = weight[both], (key.joint[row], other.joint[col])
        once = joint[0] & joint[1]
        times = np.where(once, 1, weight)
        each = np.repeat(np.arange(len(row)), times)
        copy = np.arange(len(each)) - np.repeat(np.cumsum(times) - times, times)
        copies = [np.where(is_joint[each], 0, copy) for is_joint in joint]
        ends = ends[0][each] + copies[0], ends[1][each] + copies[1]
        number = np.where(once, number * weight, number)[each]
    cells = coo_array((number, ends), shape=(len(key.sizes), len(other.sizes))).tocsr()
    none = np.array([], dtype=np.int64)
    table = Table(
        key_sizes=key.sizes,
        response_sizes=other.sizes,
        rows=np.repeat(np.arange(len(key.sizes)), np.diff(cells.indptr)),
        cols=cells.indices.astype(np.int64),
        overlap=cells.data,
        key_mentions=none,
        response_mentions=none,
        common_mentions=none,
    )
    return Blocks(table, key.block, other.block, none, len(group))


class _Side(NamedTuple):
    """The chains of one side of a draw.

    ``first`` copy and ``joint`` (one chain over all copies) of each chain of the sample, ``sizes``
    and ``block`` of each chain of the draw.
    """

    first: Ints
    joint: Bools
    sizes: Ints
    block: Ints

    @classmethod
    def of(cls, chain: Ints, number: Ints, weight: Ints, unit: Ints | None, home: Ints) -> _Side:
        """Draw chains from rows with weights, in units; without units, they are not copied.

        ``home`` is the block of each chain of the sample.
        """
        size = len(home)
        if unit is None:
            sizes = np.bincount(chain, number, size).astype(np.int64)
            drawn = sizes > 0
            return cls(np.cumsum(drawn) - 1, drawn, sizes[drawn], home[drawn])
        rows = np.bincount(chain, minlength=size)
        mean = np.bincount(chain, unit, size) / np.maximum(rows, 1)
        joint = np.zeros(size, np.bool_)
        joint[chain[mean[chain] != unit]] = True  # in several units
        copies = np.zeros(size, np.int64)
        copies[chain] = weight
        copies[joint] = 1
        mentions = np.bincount(chain, number * np.where(joint[chain], weight, 1), size)
        sizes = np.repeat(mentions.astype(np.int64), copies)
        return cls(np.cumsum(copies) - copies, joint, sizes, np.repeat(home, copies))


def _whole(data: Sample, draw: Ints) -> Table:
    """Return the table of a whole draw."""
    groups = np.arange(len(data.units))
    table = _drawn(data, groups, draw[None], np.zeros_like(groups)).table
    if data.other:
        sizes = np.where(draw, data.other.metas, data.metas).sum(axis=2)
    else:
        spans = spanning(data.metas)
        inside = data.metas[:, ~spans]
        times = (draw * (inside.sum(axis=0) > 0)).sum(axis=1)
        copied = np.repeat(inside.sum(axis=2), times, axis=1)
        sizes = np.concatenate([copied, data.metas[:, spans] @ draw], axis=1)
    key, response, common = sizes
    return replace(table, key_mentions=key, response_mentions=response, common_mentions=common)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table, and the block of each of its key chains, response chains and meta-documents.

    A block is a set of chains that share no mention with the chains of other blocks; it can be
    empty. ``size`` is the number of blocks.
    """

    table: Table
    key: Ints
    response: Ints
    meta: Ints
    size: int

    def counts(self, counted: Sequence[str]) -> Floats:
        """Return the counts of each block, shape (blocks, counted, 4)."""
        key, response, meta = (_Sums.of(b, self.size) for b in (self.key, self.response, self.meta))
        cell = _Sums.of(self.key[self.table.rows], self.size)
        tallied = []
        for name in counted:
            terms = terms_of(name, self.table)
            both = key(terms.key_common) + response(terms.response_common)
            both += meta(terms.metas_common)
            p_num = r_num = cell(terms.precision)
            if terms.recall is not terms.precision:
                r_num = cell(terms.recall)
            p_den = response(terms.response) + meta(terms.metas_response)
            r_den = key(terms.key) + meta(terms.metas_key)
            tallied.append(np.stack([p_num + both, p_den, r_num + both, r_den], axis=-1))
        return np.stack(tallied, axis=1)


class _Sums(NamedTuple):
    """Sums over blocks of sorted parts: ``start`` of each block that is not empty."""

    start: Ints
    filled: Bools

    @classmethod
    def of(cls, blocks: Ints, size: int) -> _Sums:
        """Return the sums over the blocks 0 to ``size`` − 1, the sorted blocks of parts."""
        ends = np.searchsorted(blocks, np.arange(size + 1))
        filled = ends[:-1] < ends[1:]
        return cls(ends[:-1][filled], filled)

    def __call__(self, numbers: Part) -> Floats:
        sums = np.zeros(len(self.filled))
        if numbers is not None and len(self.start):
            sums[self.filled] = np.add.reduceat(floats(numbers), self.start)
        return sums


def values(tallied: Floats, counted: Sequence[str], metrics: Sequence[str]) -> Floats:
    """Return the values of ``metrics``, (…, metrics, 3), from tallies (…, counted, 4).

    0/0 is 0, as in a score; precision and recall of a mean of F1 are NaN.
    """
    each = {name: value_of(tallied[..., n, :]) for n, name in enumerate(counted)}
    shown = np.full((*tallied.shape[:-2], len(metrics), 3), np.nan)
    for name, value in derive(each, metrics).items():
        for field, numbers in enumerate(value):
            if numbers is not None:
                shown[..., metrics.index(name), field] = numbers
    return shown
