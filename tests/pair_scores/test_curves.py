"""Metrics over the threshold, against scoring the chains of each threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec import load_corpus
from cdec.clustering import Clustering
from cdec.corpus import Corpus, part_of
from cdec.evaluation import MentionPairs, SystemRun
from cdec.metrics.scores import COUNT_COLUMNS, score
from cdec.pair_scores import clusterings
from cdec.pair_scores.curves import EXACT, curves, exact_curves
from cdec.pair_scores.growth import Growth
from cdec.pair_scores.merges import Merges
from cdec.pairs.agglomeration import grow
from cdec.settings import Setting, find_setting

SETTINGS = [
    find_setting(name)
    for name in (
        "bh",
        "st",
        "is",
        "ycf",
        "simple",
        "pure",
        "scope=document,ignore_singletons=own",
        "scope=topic,ignore_singletons=own,reduce_within_document=yes",
        "scope=corpus,ignore_singletons=key,reduce_within_document=yes",
    )
]
NAMES = list(EXACT)


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


@dataclass(frozen=True)
class Scored:
    """All pairs of positions with their scores, and the run that they are of."""

    run: SystemRun
    first: np.ndarray
    second: np.ndarray
    score: np.ndarray

    @property
    def merges(self) -> Merges:
        return Merges.of_pairs(len(self.run.mentions), self.first, self.second, self.score)

    def chains(self, at: float) -> Clustering:
        """The components of all pairs of at least this score, without the merges."""
        size, linked = len(self.run.mentions), self.score >= at
        ends = self.first[linked], self.second[linked]
        links = coo_array((np.ones(linked.sum()), ends), shape=(size, size))
        labels = connected_components(links, directed=False)[1]
        return Clustering(pd.Series(labels, index=self.run.mentions.index))


def brute_force(scored: Scored, setting: Setting, at: float) -> pd.DataFrame:
    run = replace(scored.run, response=scored.chains(at))
    return pd.DataFrame(score(run.meta_documents(setting), NAMES).rows()).set_index("metric")


def agree(scored: Scored, setting: Setting, thresholds: list[float]) -> None:
    table = exact_curves(scored.run, setting, scored.merges)
    for at in thresholds:
        rows = table[table["threshold"] == at].set_index("metric").loc[NAMES]
        expected = brute_force(scored, setting, at).loc[NAMES]
        for column in ("precision", "recall", "f1", *COUNT_COLUMNS):
            assert rows[column].to_numpy() == pytest.approx(expected[column].to_numpy(), abs=1e-9)


@st.composite
def cases(draw: st.DrawFn) -> Scored:
    size = draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    doc = np.sort(rng.integers(0, 4, size))
    table = pd.DataFrame({"doc": doc, "subtopic": doc // 2, "topic": doc // 3}).astype(str)
    table.index = pd.Index([f"m{n}" for n in range(size)], dtype=object)
    key = Clustering(pd.Series(rng.integers(0, 4, size), index=table.index))
    first, second = np.triu_indices(size, 1)
    kept = rng.random(len(first)) < draw(st.sampled_from([0.1, 0.5, 1]))
    scores = rng.integers(0, 6, len(first)) / 5  # many are equal
    return Scored(SystemRun("made", table, key, key), first[kept], second[kept], scores[kept])


@given(cases(), st.sampled_from(SETTINGS))
def test_every_merge_of_small_lists(case: Scored, setting: Setting) -> None:
    agree(case, setting, [np.inf, *case.merges.levels.tolist()])


@given(cases())
def test_a_chain_is_counted_once(case: Scored) -> None:
    run, merges = case.run, case.merges
    tables = list(Growth(find_setting("simple"), run.mentions, run.key, merges).tables())
    assert all((grown.begin < grown.end).all() for grown in tables)
    assert sum(len(grown.begin) for grown in tables) <= 2 * merges.size - 1


@given(cases())
def test_chains_are_the_components_of_all_pairs(case: Scored) -> None:
    merges, index = case.merges, case.run.mentions.index
    before = case.chains(np.inf)
    for at in np.unique(case.score)[::-1]:
        now = case.chains(at)
        assert Clustering(pd.Series(merges.chains(at), index=index)) == now
        assert (at in merges.levels) == (now != before)
        before = now


@pytest.mark.parametrize("name", ["ecb.lh", "ecb.knn", "ecb_meta_multi.lh"])
def test_fifty_thresholds_of_published_lists(
    name: str, published_pairs: Path, whole_ecbplus: Corpus
) -> None:
    part = part_of(whole_ecbplus, "cybulska/test")
    pairs = MentionPairs.read(str(published_pairs / f"{name}.test.csv"), part)
    assert pairs is not None
    scores = np.random.default_rng(0).random(len(pairs)).round(3)
    run = SystemRun(name, part.selected, part.gold, part.gold)
    scored = Scored(run, pairs.first, pairs.second, scores)
    levels = scored.merges.levels
    levels = levels[np.linspace(0, len(levels) - 1, 50).astype(int)]
    for setting in (find_setting("simple"), find_setting("pure"), find_setting("ycf")):
        agree(scored, setting, levels.tolist())
    table = curves(run, find_setting("simple"), scored.merges, ["ceafe", "conll"], "conll")
    tried = np.unique(table["threshold"])
    for at in tried[np.linspace(0, len(tried) - 1, 10).astype(int)]:
        response = replace(run, response=scored.chains(at))
        expected = score(response.meta_documents(find_setting("simple")), ["ceafe", "conll"])
        f1 = [expected["ceafe"].f1, expected["conll"].f1]
        assert table.loc[table["threshold"] == at, "f1"].tolist() == f1


def test_one_tree_is_grown_for_a_curve(sample: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    grown = []

    def counted(*given: Any) -> Any:
        grown.append(given[3])
        return grow(*given)

    monkeypatch.setattr(clusterings, "grow", counted)
    first, second = np.triu_indices(30, 1)
    score = np.random.default_rng(2).random(len(first))
    pairs = MentionPairs("made", sample, first, second, score)
    run = SystemRun("made", sample.selected, sample.gold, sample.gold)
    cut = clusterings.CLUSTERINGS["average"](pairs)
    table = curves(run, find_setting("simple"), cut, ["b3"], "b3")
    assert table["threshold"].nunique() > 50
    assert grown == [score.min()]
    assert table["threshold"].is_monotonic_decreasing


def test_the_best_threshold_is_found_among_few(sample: Corpus) -> None:
    size = len(sample.selected)
    first, second = np.triu_indices(size, 1)
    rng = np.random.default_rng(3)
    chains = pd.factorize(sample.gold.labels)[0]
    scores = rng.normal(size=len(first)) + 4 * (chains[first] == chains[second])
    merges = Merges.of_pairs(size, first, second, scores)
    run = SystemRun("made", sample.selected, sample.gold, sample.gold)
    simple = find_setting("simple")
    few = curves(run, simple, merges, ["b3"], "b3")
    every = exact_curves(run, simple, merges).query("metric == 'b3'")
    assert len(few) <= 200
    assert few["f1"].max() == pytest.approx(every["f1"].max(), abs=0.002)
