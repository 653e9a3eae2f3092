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
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Floats, Ints
from cdec.errors import UsageError
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.metrics import REGISTRY, Table, Terms, value_of
from cdec.metrics.metric import Part, Rules, floats
from cdec.metrics.scores import count_metric, derive
from cdec.records import Tokens

PIECE = 512
"""Draws per job, whatever the number of workers."""
PIECES_IN_PROCESS = 4
"""As many pieces are one piece if they are not worth several processes."""
PARALLEL_ROWS = 2 * 10**7
"""Rows to count, over all draws, from which parallel processes pay off."""
BATCH = 200_000
"""Rows of a table: bounds the memory."""
UNITS_IN_PATTERN = 6
"""With more units than this, nearly every draw is a pattern that no other draw has."""
_EMPTY: Ints = np.array([], dtype=np.int64)


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
        mentions = np.sum(self.metas, axis=(0, 1))
        spans: Bools = (mentions > 0).sum(axis=1) > 1
        return spans


def sample(mentions: Mentions, units: int) -> Sample:
    """Return the sample of one response, or of two that are exchanged, over so many units."""
    meta, key, responses, unit, words = mentions
    group, group_units = _groups(key, responses, unit, units)
    columns = np.stack([group, key, *responses, unit])
    rows, number = np.unique(columns, axis=1, return_counts=True)
    row_group, row_key, *row_responses, row_unit = rows
    groups = len(group_units)
    first = np.searchsorted(row_group, np.arange(groups))
    local_key, key_chains = _number_in_groups([row_key], row_group, groups)
    local_responses, response_chains = _number_in_groups(
        row_responses, row_group, groups
    )
    metas = int(meta.max(initial=-1)) + 1

    def count_in_metas(present: Bools) -> Ints:
        cell = meta[present] * units + unit[present]
        return np.bincount(cell, minlength=metas * units).reshape(metas, units)

    in_key = key >= 0
    meta_mentions = []
    for response in responses:
        in_response = response >= 0
        sides = (in_key, in_response, in_key & in_response)
        meta_mentions.append(np.stack([count_in_metas(present) for present in sides]))
    is_in_unit = np.eye(units, dtype=np.int64)[:, unit]
    unit_words = []
    for response_words in words:
        sums = {
            name: weighted_sums(is_in_unit, counts)
            for name, counts in response_words.items()
        }
        unit_words.append(sums)
    return Sample(
        key=local_key[0],
        responses=local_responses,
        unit=row_unit,
        number=number,
        first=first,
        rows=np.diff(np.append(first, len(number))),
        chains=(key_chains, response_chains),
        units=group_units,
        metas=meta_mentions,
        words=unit_words,
    )


def _groups(
    key: Ints,
    responses: Sequence[Ints],
    unit: Ints,
    units: int,
) -> tuple[Ints, list[Ints]]:
    """Return the group of each mention, and the units of each group.

    A group has the components of chains whose mentions are in the same units.
    """
    # Nodes of the graph are the chains of both sides; the chains of a mention are linked.
    key_chains = int(key.max(initial=-1)) + 1
    shifted = [
        np.where(response < 0, -1, response + key_chains) for response in responses
    ]
    chains = np.stack([key, *shifted])
    last = chains.max(axis=0)
    ends = np.where(chains < 0, last, chains).ravel()
    nodes = int(last.max(initial=-1)) + 1
    links = (ends, np.tile(last, len(chains)))
    graph = coo_array((np.ones(chains.size), links), shape=(nodes, nodes))
    _, component_of_node = connected_components(graph, directed=False)
    component = pd.factorize(component_of_node[last])[0]
    pairs = np.unique(component * units + unit)
    borders = np.flatnonzero(np.diff(pairs // units)) + 1
    numbers: dict[Tokens, int] = {}
    group_of_component = []
    for component_units in np.split(pairs % units, borders):
        pattern = tuple(component_units.tolist())
        group_of_component.append(numbers.setdefault(pattern, len(numbers)))
    group = np.array(group_of_component, np.int64)[component]
    return group, [np.array(pattern) for pattern in numbers]


def _number_in_groups(
    sides: Sequence[Ints], group: Ints, groups: int
) -> tuple[list[Ints], Ints]:
    """Return chains numbered from 0 in each group, and the number of chains of each group."""
    chains = max(int(side.max(initial=-1)) for side in sides) + 1
    chain_group = np.zeros(chains, np.int64)
    for side in sides:
        is_present = side >= 0
        chain_group[side[is_present]] = group[is_present]
    rank = np.empty(chains + 1, np.int64)
    rank[np.argsort(chain_group, kind="stable")] = np.arange(chains)
    sizes = np.bincount(chain_group, minlength=groups)
    start = np.cumsum(sizes) - sizes
    local = [np.where(side < 0, -1, rank[side] - start[group]) for side in sides]
    return local, sizes


def count_draws(data: Sample, draws: Ints, base_metrics: Sequence[str]) -> Floats:
    """Return the counts of all draws, (draws, base metrics, 4), in the order of ``Counts``.

    ``draws`` (draws, units): the number of copies of each unit, or 1 where it is exchanged if the
    sample has two responses. Raises UsageError for a metric that does not add.
    """
    with_terms = [
        name for name in base_metrics if getattr(REGISTRY[name], "terms", None)
    ]
    for name in base_metrics:
        if name not in with_terms and not all(name in words for words in data.words):
            raise UsageError(
                "argument-invalid",
                f"the metric '{name}' has no terms, and cannot be counted on resamples",
                hint="choose other metrics",
            )
    is_parallel = len(draws) * len(data.number) >= PARALLEL_ROWS
    # Patterns of draws are counted once in a piece, so that large pieces save time.
    size = PIECE if is_parallel else PIECES_IN_PROCESS * PIECE
    pieces = [draws[start : start + size] for start in range(0, len(draws), size)]
    jobs = mapped(
        _count_piece, pieces, (data, base_metrics, with_terms), worth=is_parallel
    )
    return np.concatenate(list(notebook()(jobs, len(pieces), "resampling")))


def _count_piece(
    draws: Ints,
    data: Sample,
    base_metrics: Sequence[str],
    with_terms: Sequence[str],
) -> Floats:
    counts = np.zeros((len(draws), len(base_metrics), 4))
    if with_terms:
        positions = [base_metrics.index(name) for name in with_terms]
        of_metas = _count_metas(data, draws, with_terms)
        counts[:, positions] = of_metas + _count_groups(data, draws, with_terms)
    for position, name in enumerate(base_metrics):
        if name not in with_terms:
            counts[:, position] = _count_words(data, draws, name)
    return counts


def _count_words(data: Sample, draws: Ints, name: str) -> Floats:
    first = data.words[0][name]
    if len(data.words) == 1:
        return weighted_sums(draws, first)
    second = data.words[1][name]
    return np.asarray(first.sum(axis=0) + weighted_sums(draws, second - first))


def weighted_sums(weights: Ints | Bools, numbers: Floats | Ints) -> Floats:
    """Return weighted sums (rows, …) of numbers of units (units, …).

    BLAS is avoided: the last digit of its sums depends on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), numbers))


def _count_metas(data: Sample, draws: Ints, metrics: Sequence[str]) -> Floats:
    """Return the terms of the meta-documents of each draw."""
    # Floats of whole numbers: their products are exact, and fast.
    weights = draws.astype(np.float64)
    mentions = data.metas[0].astype(np.float64)
    if len(data.metas) > 1:
        exchange = data.metas[1].astype(np.float64) - mentions
        sizes = mentions.sum(axis=2)[:, None] + weights @ exchange.mT
        return _meta_counts(sizes, metrics)
    spans = data.spans
    inside_units = _meta_counts(mentions[:, ~spans].transpose(0, 2, 1), metrics)
    across_units = _meta_counts(weights @ mentions[:, spans].mT, metrics)
    return weighted_sums(draws, inside_units) + across_units


def _meta_counts(sizes: Floats, metrics: Sequence[str]) -> Floats:
    """Return the sums over meta-documents: mentions (3, blocks, metas) → (blocks, metrics, 4)."""
    blocks, metas = sizes.shape[1:]
    key, response, common = sizes.reshape(3, blocks * metas).astype(np.int64)
    table = Table(
        key_sizes=_EMPTY,
        response_sizes=_EMPTY,
        rows=_EMPTY,
        cols=_EMPTY,
        overlap=_EMPTY,
        key_mentions=key,
        response_mentions=response,
        common_mentions=common,
    )
    block_of_meta = np.repeat(np.arange(blocks), metas)
    return _block_counts(table, (_EMPTY, _EMPTY, block_of_meta), blocks, metrics)


def _count_groups(data: Sample, draws: Ints, metrics: Sequence[str]) -> Floats:
    """Return the sums over groups of the counts of their patterns."""
    has_one_response = len(data.responses) == 1
    # A group inside one unit is copied as a whole: it is counted once, in an additional draw of all
    # units, and its counts are multiplied.
    all_units = np.ones((1, draws.shape[1]), np.int64)
    extended = np.concatenate([draws, all_units])
    is_copied = []
    pattern_draws = []  # of each group, a draw of each of its patterns
    pattern_of_draw = []  # of each group, the pattern of each draw
    for units in data.units:
        is_inside = has_one_response and len(units) == 1
        is_copied.append(is_inside)
        if is_inside:
            pattern_draws.append(np.array([len(draws)]))
            pattern_of_draw.append(np.zeros(1, np.int64))
        else:
            rows, patterns = _patterns(draws[:, units])
            pattern_draws.append(rows)
            pattern_of_draw.append(patterns)
    numbers = [len(rows) for rows in pattern_draws]
    group = np.repeat(np.arange(len(numbers)), numbers)
    draw = np.concatenate([_EMPTY, *pattern_draws])
    # Consecutive groups, whose rows add up to about BATCH.
    ends = np.flatnonzero(np.diff(np.cumsum(data.rows[group]) // BATCH)) + 1
    pattern_counts = np.zeros((len(group), len(metrics), 4))
    for batch in np.split(np.arange(len(group)), ends):
        table, key_block, response_block = _draw_table(
            data, group[batch], extended, draw[batch]
        )
        blocks = (key_block, response_block, _EMPTY)
        pattern_counts[batch] = _block_counts(table, blocks, len(batch), metrics)
    counts = np.zeros((len(draws), len(metrics), 4))
    start = 0
    for position, units in enumerate(data.units):
        if is_copied[position]:
            counts += draws[:, units, None] * pattern_counts[start]
        else:
            counts += pattern_counts[start + pattern_of_draw[position]]
        start += numbers[position]
    return counts


def _patterns(draws: Ints) -> tuple[Ints, Ints]:
    """Return a draw of each pattern of some units, and the pattern of each draw."""
    units = draws.shape[1]
    if units > UNITS_IN_PATTERN:
        return np.arange(len(draws)), np.arange(len(draws))
    base = int(draws.max(initial=0)) + 1
    code = draws @ (base ** np.arange(units))
    _, rows, patterns = np.unique(code, return_index=True, return_inverse=True)
    return rows, patterns


def _draw_table(
    data: Sample,
    group: Ints,
    draws: Ints,
    draw: Ints,
) -> tuple[Table, Ints, Ints]:
    """Return a table with a block for each group as it is in a draw, one of ``draws``.

    With it, the block of each key chain and of each response chain.
    """
    rows = data.rows[group]
    block = np.repeat(np.arange(len(group)), rows)
    shift = data.first[group] - (np.cumsum(rows) - rows)
    row = np.repeat(shift, rows) + np.arange(len(block))
    weight = draws[draw[block], data.unit[row]]
    response = data.responses[0][row]
    if len(data.responses) > 1:
        response = np.where(weight, data.responses[1][row], response)
        weight = np.ones_like(weight)
    elif not weight.all():
        is_drawn = weight > 0
        block = block[is_drawn]
        row = row[is_drawn]
        weight = weight[is_drawn]
        response = response[is_drawn]
    is_common = (data.key[row] >= 0) & (response >= 0)
    first_copies = []  # of the chain of each common row
    are_joint = []  # whether the chain of each common row is joint
    sizes = []  # of each copy of a chain
    blocks = []  # of each copy of a chain
    for chain, chains in zip((data.key[row], response), data.chains, strict=True):
        block_chains = chains[group]
        start = np.cumsum(block_chains) - block_chains
        number = chain + start[block]
        chain_block = np.repeat(np.arange(len(group)), block_chains)
        has_chain = chain >= 0
        joint, copies, mentions = _copies(
            number[has_chain], data, row[has_chain], weight[has_chain], len(chain_block)
        )
        first_copy = np.cumsum(copies) - copies
        first_copies.append(first_copy[number[is_common]])
        are_joint.append(joint[number[is_common]])
        sizes.append(np.repeat(mentions, copies))
        blocks.append(np.repeat(chain_block, copies))
    # Copies of both chains share mentions one by one; all those of a joint chain are in one.
    weight = weight[is_common]
    in_joint_cell = are_joint[0] & are_joint[1]
    cells = np.where(in_joint_cell, 1, weight)
    mentions_of_cell = data.number[row][is_common] * np.where(in_joint_cell, weight, 1)
    common_row = np.repeat(np.arange(len(cells)), cells)
    copy = np.arange(len(common_row)) - np.repeat(np.cumsum(cells) - cells, cells)
    key_copy, response_copy = (
        first[common_row] + np.where(is_joint[common_row], 0, copy)
        for first, is_joint in zip(first_copies, are_joint, strict=True)
    )
    key_sizes, response_sizes = sizes
    overlap = coo_array(
        (mentions_of_cell[common_row], (key_copy, response_copy)),
        shape=(len(key_sizes), len(response_sizes)),
    ).tocsr()
    cells_of_key = np.diff(overlap.indptr)
    table = Table(
        key_sizes=key_sizes,
        response_sizes=response_sizes,
        rows=np.repeat(np.arange(len(key_sizes)), cells_of_key),
        cols=overlap.indices.astype(np.int64),
        overlap=overlap.data,
        key_mentions=_EMPTY,
        response_mentions=_EMPTY,
        common_mentions=_EMPTY,
    )
    return table, blocks[0], blocks[1]


def _copies(
    chain: Ints,
    data: Sample,
    rows: Ints,
    weight: Ints,
    chains: int,
) -> tuple[Bools, Ints, Ints]:
    """Return of each chain whether it is joint (one chain over all copies), copies and mentions.

    ``chain`` and ``weight`` are those of ``rows`` of the sample.
    """
    unit = data.unit[rows]
    rows_of_chain = np.maximum(np.bincount(chain, minlength=chains), 1)
    mean_unit = np.bincount(chain, unit, chains) / rows_of_chain
    is_joint = np.zeros(chains, np.bool_)
    is_joint[chain[mean_unit[chain] != unit]] = True  # in several units
    copies = np.zeros(chains, np.int64)
    copies[chain] = weight
    copies[is_joint] = 1
    weight_in_chain = np.where(is_joint[chain], weight, 1)
    mentions = np.bincount(chain, data.number[rows] * weight_in_chain, chains)
    return is_joint, copies, mentions.astype(np.int64)


def _block_counts(
    table: Table,
    blocks: tuple[Ints, Ints, Ints],
    size: int,
    metrics: Sequence[str],
) -> Floats:
    """Return the counts of each block of a table, (size, metrics, 4).

    A block is a set of chains that share no mention with the chains of other blocks; it can be
    empty. ``blocks`` has the sorted blocks of the key chains, response chains, meta-documents.
    """
    key_block, response_block, meta_block = blocks
    sum_key = _sums_over(key_block, size)
    sum_response = _sums_over(response_block, size)
    sum_metas = _sums_over(meta_block, size)
    sum_cells = _sums_over(key_block[table.rows], size)
    counts = []
    for name in metrics:
        terms = cast("Terms", count_metric(name, table))
        both = sum_key(terms.key_common) + sum_response(terms.response_common)
        both += sum_metas(terms.metas_common)
        precision = sum_cells(terms.precision)
        recall = precision
        if terms.recall is not terms.precision:
            recall = sum_cells(terms.recall)
        p_num = precision + both
        p_den = sum_response(terms.response) + sum_metas(terms.metas_response)
        r_num = recall + both
        r_den = sum_key(terms.key) + sum_metas(terms.metas_key)
        counts.append(np.stack([p_num, p_den, r_num, r_den], axis=-1))
    return np.stack(counts, axis=1)


def _sums_over(block: Ints, size: int) -> Callable[[Part], Floats]:
    """Return the function that sums numbers over blocks; ``block`` has the block of each number."""
    start = np.flatnonzero(np.diff(block, prepend=-1))

    def sums(numbers: Part) -> Floats:
        total = np.zeros(size)
        if numbers is not None and len(block):
            total[block[start]] = np.add.reduceat(floats(numbers), start)
        return total

    return sums


def values(
    counts: Floats,
    base_metrics: Sequence[str],
    metrics: Sequence[str],
    rules: Rules,
) -> Floats:
    """Return the values of ``metrics``, (…, metrics, 3), from counts (…, base metrics, 4).

    0/0 is 0, as in a score; precision and recall of a mean of F1 are NaN. ``rules``: see
    ``derive``.
    """
    base = {
        name: value_of(counts[..., position, :])
        for position, name in enumerate(base_metrics)
    }
    result = np.full((*counts.shape[:-2], len(metrics), 3), np.nan)
    for name, value in derive(base, metrics, rules=rules).items():
        for field, numbers in enumerate(value):
            if numbers is not None:
                result[..., metrics.index(name), field] = numbers
    return result
