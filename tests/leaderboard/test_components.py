"""Counts by components are those of recounting every resample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.leaderboards import component_tallies
from cdec.metadocument import MetaDocuments
from cdec.metrics import METRICS
from cdec.statistics import Units, copies_of
from cdec.statistics.bootstrap import tallies

MENTION = st.tuples(st.integers(0, 8), st.integers(-1, 5), st.integers(-1, 5))
NAMES = tuple("abcdefghi")
ADDITIVE = [*METRICS, "mentions"]


@given(
    st.lists(MENTION, min_size=2, max_size=40),
    st.sampled_from(["unit", "pair", "whole"]),
    st.integers(0, 2**31),
)
def test_the_counts_are_those_of_recounting(
    mentions: list[tuple[int, int, int]], meta: str, seed: int
) -> None:
    table = pd.DataFrame(mentions, columns=["unit", "key", "response"])
    table = table[(table["key"] >= 0) | (table["response"] >= 0)]
    names = table["unit"] // {"unit": 1, "pair": 2, "whole": 9}[meta]
    sides = table[["key", "response"]].replace(-1, None).astype(object)
    metas = MetaDocuments(sides.assign(meta=names.astype(str))[["meta", "key", "response"]])
    units = Units("topic", NAMES, table["unit"])
    weights = np.random.default_rng(seed).integers(0, 4, size=(5, len(NAMES)))
    ours = component_tallies(metas, units, weights, ADDITIVE)
    theirs = tallies(copies_of(metas, units), weights, ADDITIVE)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_a_metric_that_does_not_add_is_an_error() -> None:
    table = pd.DataFrame({"meta": ["m"], "key": [1], "response": [1]})
    units = Units("topic", ("a",), pd.Series([0]))
    with pytest.raises(ValueError, match="do not add"):
        component_tallies(MetaDocuments(table), units, np.ones((1, 1), dtype=np.int64), ["zeros"])
