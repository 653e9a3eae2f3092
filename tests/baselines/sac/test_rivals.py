"""Ranks and margins against a count pair by pair."""

import numpy as np
import pytest

from cdec.arrays import Ints, Singles
from cdec.baselines.sac import RIVALS, rivals
from cdec.pairs import Candidates


def made(seed: int) -> tuple[Ints, Candidates, Singles]:
    chance = np.random.default_rng(seed)
    document = np.sort(chance.integers(0, 3, 8))
    left, right = np.triu_indices(8, 1)
    kept = chance.random(len(left)) < 0.7
    pairs = Candidates(left[kept], right[kept], np.ones(kept.sum(), np.float32))
    # Few distinct values, so that some are equal.
    values = np.asarray(chance.integers(0, 4, len(pairs)) / 4, dtype=np.float32)
    return document, pairs, values


def counted(document: Ints, c: Candidates, values: Singles, at: int) -> list[float]:
    """Return the columns of one pair, from the definition."""
    ends = list(zip(c.left.tolist(), c.right.tolist(), strict=True))
    columns: list[list[float]] = [[], [], [], []]
    for own, other in (ends[at], ends[at][::-1]):
        every = [k for k, pair in enumerate(ends) if own in pair and k != at]
        partner = {k: sum(ends[k]) - own for k in every}
        near = [k for k in every if document[partner[k]] == document[other]]
        for number, group in enumerate((near, every)):
            better = [k for k in group if values[k] > values[at]]
            best = max((float(values[k]) for k in group), default=float(values[at]))
            columns[2 * number].append(float(np.log1p(len(better))))
            columns[2 * number + 1].append(float(values[at]) - best)
    return [pick(column) for column in columns for pick in (min, max)]


@pytest.mark.parametrize("seed", range(5))
def test_ranks_and_margins_are_those_of_the_definition(seed: int) -> None:
    document, pairs, values = made(seed)
    table = np.stack(rivals(document, pairs, values), axis=1)
    assert table.shape == (len(pairs), len(RIVALS))
    expected = [counted(document, pairs, values, at) for at in range(len(pairs))]
    assert table == pytest.approx(np.array(expected), abs=1e-6)


def test_no_pairs_no_rivals() -> None:
    none = np.zeros(0, np.int64)
    pairs = Candidates(none, none, np.zeros(0, np.float32))
    columns = rivals(none, pairs, np.zeros(0, np.float32))
    assert [len(column) for column in columns] == [0] * len(RIVALS)
