"""Resampled mentions have the share of singletons that one asked for."""

import numpy as np
import pandas as pd
import pytest

from cdec.baselines.sac import WAYS, resampled, singletons


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    chance = np.random.default_rng(7)
    chain = np.concatenate(
        [np.repeat(np.arange(60), chance.integers(2, 9, 60)), np.arange(60, 160)]
    )
    reviewed = chance.random(len(chain)) < np.where(chain < 60, 0.9, 0.2)
    doc = chance.integers(0, 50, len(chain)).astype(str)
    return pd.DataFrame({"doc": doc, "chain": chain.astype(str), "reviewed": reviewed})


def share_of(table: pd.DataFrame) -> float:
    return singletons(pd.factorize(table["chain"])[0].astype(np.int64))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("share", [0.4, 0.5, 0.6])
def test_the_share_is_reached_and_not_passed_by_far(
    table: pd.DataFrame, way: str, share: float
) -> None:
    assert share_of(table) < share
    kept = resampled(table, share, way)
    assert share <= share_of(table[kept]) < share + 0.05
    assert (kept == resampled(table, share, way)).all()
    assert (kept != resampled(table, share, way, seed=2)).any()


def test_what_each_way_drops(table: pd.DataFrame) -> None:
    size = table.groupby("chain")["chain"].transform("size")
    kept = {way: resampled(table, 0.5, way) for way in WAYS}
    for way in ("mentions", "chains"):
        assert kept[way][size == 1].all()
    chains = table[kept["chains"]].groupby("chain").size()
    assert (chains == size.groupby(table["chain"]).first()[chains.index]).all()
    dropped = table[~kept["sentences"]]
    assert dropped["reviewed"].all()
    left = table[kept["sentences"]]
    whole = set(left["doc"][left["reviewed"]])
    assert whole.isdisjoint(dropped["doc"])


@pytest.mark.parametrize("way", WAYS)
def test_a_share_that_is_there_already_drops_nothing(table: pd.DataFrame, way: str) -> None:
    assert resampled(table, 0.05, way).all()


def test_a_share_out_of_reach_drops_all_that_can_be(table: pd.DataFrame) -> None:
    kept = resampled(table, 0.99, "sentences")
    assert (kept == ~table["reviewed"]).all()
    assert resampled(table.iloc[:0], 0.5, "chains").tolist() == []


def test_an_unknown_way_is_refused(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="topics"):
        resampled(table, 0.5, "topics")
