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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Floats, Ints
from cdec.errors import UsageError
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.metrics import REGISTRY, Table, Terms, value_of
from cdec.metrics.metric import NO_RULES, Part, Rules, floats
from cdec.metrics.scores import asked, derive

PIECE = 512
"""Draws per job, whatever the number of workers."""
SEVERAL = 4
"""As many pieces are one if they are not worth several processes."""
WORTH = 2 * 10**7
"""Rows to count, over all draws, from which parallel processes pay off."""
BATCH = 200_000
"""Rows of a table: bounds the memory."""
FEW = 6
"""With more units than this, nearly every draw is a pattern of its own."""
_NONE: Ints = np.array([], dtype=np.int64)


class Mentions(NamedTuple):
    """Numbers of meta-document, key chain, response chains (−1: missing) and unit, by mention.

    There is one response, or two that are exchanged. ``words`` are the counts on words of each,
    name → (mentions, 4).
    """

    meta: Ints
    key: Ints
    responses: tuple[Ints, ...]
    unit: Ints
    words: Sequence[Mapping[str, Floats]]


@dataclass(frozen=True, eq=False)
class Sample:
    """Key and response in the form from which draws are made, a row for equal mentions.

    ``key`` and ``responses`` are numbers of chains in their group (−1: the side lacks the mention),
    ``number`` counts the mentions of a row. Rows are sorted by group: ``first`` row, ``rows``,
    ``chains`` (of the key, of the responses), and ``units`` of each. For each response, ``metas``
    has the mentions of key, of response and of both, (3, meta-documents, units), and ``words`` the
    counts on words, name → (units, 4). In an exchange, the second response replaces the first.
    """

    key: Ints
    responses: Sequence[Ints]
    unit: Ints
    number: Ints
    first: Ints
    rows: Ints
    chains: tuple[Ints, Ints]
    units: list[Ints]
    metas: Sequence[Ints]
    words: Sequence[Mapping[str, Floats]]

    @property
    def spans(self) -> Bools:
        """Whether each meta-document spans units; if none does, counts of units are additive."""
        spans: Bools = (np.sum(self.metas, axis=(0, 1)) > 0).sum(axis=1) > 1
        return spans


def sample(mentions: Mentions, units: int) -> Sample:
    """Return the sample of one response, or of two that are exchanged, over so many units."""
    meta, key, responses, unit, words = mentions
    group, sets = _groups(key, responses, unit, units)
    rows, number = np.unique(np.stack([group, key, *responses, unit]), axis=1, return_counts=True)
    grouped, in_key, *in_responses, of_unit = rows
    first = np.searchsorted(grouped, np.arange(len(sets)))
    local, keys = _local([in_key], grouped, len(sets))
    each, several = _local(in_responses, grouped, len(sets))
    shape = (int(meta.max(initial=-1)) + 1, units)

    def of_metas(present: Bools) -> Ints:
        places = meta[present] * units + unit[present]
        return np.bincount(places, minlength=shape[0] * units).reshape(shape)

    one = np.eye(units, dtype=np.int64)[:, unit]  # the mentions of each unit
    return Sample(
        key=local[0],
        responses=each,
        unit=of_unit,
        number=number,
        first=first,
        rows=np.diff(np.append(first, len(number))),
        chains=(keys, several),
        units=sets,
        metas=[
            np.stack([*map(of_metas, (key >= 0, side >= 0, (key >= 0) & (side >= 0)))])
            for side in responses
        ],
        words=[{name: weighted(one, rows) for name, rows in own.items()} for own in words],
    )


def _groups(
    key: Ints, responses: Sequence[Ints], unit: Ints, units: int
) -> tuple[Ints, list[Ints]]:
    """Return the group of each mention, and the units of each group.

    A group has the components of chains whose mentions are in the same units.
    """
    keys = int(key.max(initial=-1)) + 1
    ends = np.stack([key, *(np.where(side < 0, -1, side + keys) for side in responses)])
    last = ends.max(axis=0)
    links = np.where(ends < 0, last, ends).ravel(), np.tile(last, len(ends))
    size = int(last.max(initial=-1)) + 1
    graph = coo_array((np.ones(ends.size), links), shape=(size, size))
    component = pd.factorize(connected_components(graph, directed=False)[1][last])[0]
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


def tallies(data: Sample, draws: Ints, counted: Sequence[str]) -> Floats:
    """Return the counts of all draws, (draws, counted, 4), in the order of ``Counts``.

    ``draws`` (draws, units): the number of copies of each unit, or 1 where it is exchanged if the
    sample has two responses. Raises UsageError for a metric that does not add.
    """
    added = [name for name in counted if getattr(REGISTRY[name], "terms", None)]
    for name in counted:
        if name not in added and not all(name in words for words in data.words):
            message = f"the metric '{name}' has no terms, and cannot be counted on resamples"
            raise UsageError("argument-invalid", message, hint="choose other metrics")
    worth = len(draws) * len(data.number) >= WORTH
    size = PIECE if worth else SEVERAL * PIECE  # patterns of draws are counted once in a piece
    pieces = [draws[at : at + size] for at in range(0, len(draws), size)]
    done = mapped(_piece, pieces, (data, counted, added), worth=worth)
    return np.concatenate(list(notebook()(done, len(pieces), "resampling")))


def _piece(draws: Ints, data: Sample, counted: Sequence[str], added: Sequence[str]) -> Floats:
    tallied = np.zeros((len(draws), len(counted), 4))
    if added:
        at = [counted.index(name) for name in added]
        tallied[:, at] = _of_metas(data, draws, added) + _of_groups(data, draws, added)
    for place, name in enumerate(counted):
        if name not in added:
            each, *others = (words[name] for words in data.words)
            sums = [each.sum(axis=0) + weighted(draws, other - each) for other in others]
            tallied[:, place] = sums[0] if sums else weighted(draws, each)
    return tallied


def weighted(weights: Ints | Bools, each: Floats | Ints) -> Floats:
    """Return weighted sums (rows, …) of numbers of units (units, …).

    BLAS is avoided: the last digit of its sums depends on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), each))


def _of_metas(data: Sample, draws: Ints, counted: Sequence[str]) -> Floats:
    """Return the terms of the meta-documents of each draw."""
    whole, *others = (metas.astype(np.float64) for metas in data.metas)  # exact, and fast
    times = draws.astype(np.float64)
    if others:
        sizes = whole.sum(axis=2)[:, None] + times @ (others[0] - whole).mT
        return _meta_counts(sizes, counted)
    inside = _meta_counts(whole[:, ~data.spans].transpose(0, 2, 1), counted)
    return weighted(draws, inside) + _meta_counts(times @ whole[:, data.spans].mT, counted)


def _meta_counts(sizes: Floats, counted: Sequence[str]) -> Floats:
    """Return the sums over meta-documents: mentions (3, blocks, metas) → (blocks, counted, 4)."""
    blocks, metas = sizes.shape[1:]
    key, response, common = sizes.reshape(3, blocks * metas).astype(np.int64)
    table = Table(_NONE, _NONE, _NONE, _NONE, _NONE, key, response, common)
    return _counts(table, (_NONE, _NONE, np.repeat(np.arange(blocks), metas)), blocks, counted)


def _of_groups(data: Sample, draws: Ints, counted: Sequence[str]) -> Floats:
    """Return the sums over groups of the counts of their patterns."""
    # A group inside one unit is copied as a whole: its counts are multiplied.
    copied = [len(units) == 1 and len(data.responses) == 1 for units in data.units]
    extended = np.concatenate([draws, np.ones((1, draws.shape[1]), np.int64)])
    patterns = [
        (np.array([len(draws)]), np.zeros(1, np.int64)) if alone else _patterns(draws[:, units])
        for alone, units in zip(copied, data.units, strict=True)
    ]
    group = np.repeat(np.arange(len(patterns)), [len(rows) for rows, _ in patterns])
    draw = np.concatenate([_NONE, *(rows for rows, _ in patterns)])
    # Consecutive groups, whose rows add up to about BATCH.
    ends = np.flatnonzero(np.diff(np.cumsum(data.rows[group]) // BATCH)) + 1
    each = np.zeros((len(group), len(counted), 4))
    for batch in np.split(np.arange(len(group)), ends):
        table, key, response = _drawn(data, group[batch], extended, draw[batch])
        each[batch] = _counts(table, (key, response, _NONE), len(batch), counted)
    tallied, start = np.zeros((len(draws), len(counted), 4)), 0
    for (rows, of), alone, units in zip(patterns, copied, data.units, strict=True):
        tallied += draws[:, units, None] * each[start] if alone else each[start + of]
        start += len(rows)
    return tallied


def _patterns(draws: Ints) -> tuple[Ints, Ints]:
    """Return a draw of each pattern of some units, and the pattern of each draw."""
    if draws.shape[1] > FEW:
        return np.arange(len(draws)), np.arange(len(draws))
    code = draws @ ((int(draws.max(initial=0)) + 1) ** np.arange(draws.shape[1]))
    _, rows, of = np.unique(code, return_index=True, return_inverse=True)
    return rows, of


def _drawn(data: Sample, group: Ints, draws: Ints, draw: Ints) -> tuple[Table, Ints, Ints]:
    """Return a table with a block for each group as it is in a draw, one of ``draws``.

    With it, the block of each key chain and of each response chain.
    """
    rows = data.rows[group]
    block = np.repeat(np.arange(len(group)), rows)
    at = np.repeat(data.first[group] - (np.cumsum(rows) - rows), rows) + np.arange(len(block))
    weight = draws[draw[block], data.unit[at]]
    response = data.responses[0][at]
    if len(data.responses) > 1:
        response = np.where(weight, data.responses[1][at], response)
        weight = np.ones_like(weight)
    elif not weight.all():
        drawn = weight > 0
        block, at, weight, response = block[drawn], at[drawn], weight[drawn], response[drawn]
    both = (data.key[at] >= 0) & (response >= 0)
    ends, joint, sizes, homes = [], [], [], []
    for chain, chains in zip((data.key[at], response), data.chains, strict=True):
        on, number = chain >= 0, chains[group]
        place = chain + (np.cumsum(number) - number)[block]
        home = np.repeat(np.arange(len(group)), number)
        several, copies, mentions = _copies(place[on], data, at[on], weight[on], len(home))
        ends.append((np.cumsum(copies) - copies)[place[both]])
        joint.append(several[place[both]])
        sizes.append(np.repeat(mentions, copies))
        homes.append(np.repeat(home, copies))
    # Copies of both chains share mentions one by one; all those of a joint chain are in one.
    weight, once = weight[both], joint[0] & joint[1]
    times = np.where(once, 1, weight)
    each = np.repeat(np.arange(len(times)), times)
    copy = np.arange(len(each)) - np.repeat(np.cumsum(times) - times, times)
    row, col = (
        end[each] + np.where(is_joint[each], 0, copy)
        for end, is_joint in zip(ends, joint, strict=True)
    )
    number = (data.number[at][both] * np.where(once, weight, 1))[each]
    cells = coo_array((number, (row, col)), shape=(len(sizes[0]), len(sizes[1]))).tocsr()
    rows = np.repeat(np.arange(len(sizes[0])), np.diff(cells.indptr))
    cols = cells.indices.astype(np.int64)
    table = Table(sizes[0], sizes[1], rows, cols, cells.data, _NONE, _NONE, _NONE)
    return table, homes[0], homes[1]


def _copies(
    chain: Ints, data: Sample, rows: Ints, weight: Ints, chains: int
) -> tuple[Bools, Ints, Ints]:
    """Return of each chain whether it is joint (one chain over all copies), copies and mentions.

    ``chain`` and ``weight`` are those of ``rows`` of the sample.
    """
    unit, number = data.unit[rows], data.number[rows]
    mean = np.bincount(chain, unit, chains) / np.maximum(np.bincount(chain, minlength=chains), 1)
    joint = np.zeros(chains, np.bool_)
    joint[chain[mean[chain] != unit]] = True  # in several units
    copies = np.zeros(chains, np.int64)
    copies[chain] = weight
    copies[joint] = 1
    mentions = np.bincount(chain, number * np.where(joint[chain], weight, 1), chains)
    return joint, copies, mentions.astype(np.int64)


def _counts(
    table: Table, blocks: tuple[Ints, Ints, Ints], size: int, counted: Sequence[str]
) -> Floats:
    """Return the counts of each block of a table, (size, counted, 4).

    A block is a set of chains that share no mention with the chains of other blocks; it can be
    empty. ``blocks`` has the sorted blocks of the key chains, response chains, meta-documents.
    """
    key, response, meta = blocks

    def sums(of: Ints) -> Callable[[Part], Floats]:
        start = np.flatnonzero(np.diff(of, prepend=-1))

        def summed(numbers: Part) -> Floats:
            total = np.zeros(size)
            if numbers is not None and len(of):
                total[of[start]] = np.add.reduceat(floats(numbers), start)
            return total

        return summed

    keys, responses, metas, cells = map(sums, (key, response, meta, key[table.rows]))
    tallied = []
    for name in counted:
        terms: Terms = asked(name, table)
        both = keys(terms.key_common) + responses(terms.response_common)
        both += metas(terms.metas_common)
        p_num = r_num = cells(terms.precision)
        if terms.recall is not terms.precision:
            r_num = cells(terms.recall)
        p_den = responses(terms.response) + metas(terms.metas_response)
        r_den = keys(terms.key) + metas(terms.metas_key)
        tallied.append(np.stack([p_num + both, p_den, r_num + both, r_den], axis=-1))
    return np.stack(tallied, axis=1)


def values(
    tallied: Floats, counted: Sequence[str], metrics: Sequence[str], rules: Rules = NO_RULES
) -> Floats:
    """Return the values of ``metrics``, (…, metrics, 3), from tallies (…, counted, 4).

    0/0 is 0, as in a score; precision and recall of a mean of F1 are NaN. ``rules``: see
    ``derive``.
    """
    each = {name: value_of(tallied[..., n, :]) for n, name in enumerate(counted)}
    shown = np.full((*tallied.shape[:-2], len(metrics), 3), np.nan)
    for name, value in derive(each, metrics, rules=rules).items():
        for field, numbers in enumerate(value):
            if numbers is not None:
                shown[..., metrics.index(name), field] = numbers
    return shown
