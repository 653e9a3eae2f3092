"""Metrics over the threshold, against scoring the chains of each threshold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec import load_corpus
from cdec.clustering import Clustering
from cdec.corpus import Corpus, part_of
from cdec.evaluation import MentionPairs, SystemRun
from cdec.metrics.scores import COUNT_COLUMNS, score
from cdec.pair_scores.curves import EXACT, curves, exact_curves
from cdec.pair_scores.merges import Merges
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


def brute_force(run: SystemRun, setting: Setting, merges: Merges, at: float) -> pd.DataFrame:
    chains = Clustering(pd.Series(merges.chains(at), index=run.mentions.index))
    scores = score(replace(run, response=chains).meta_documents(setting), NAMES)
    return pd.DataFrame(scores.rows()).set_index("metric")


def agree(run: SystemRun, setting: Setting, merges: Merges, thresholds: list[float]) -> None:
    table = exact_curves(run, setting, merges)
    for at in thresholds:
        rows = table[table["threshold"] == at].set_index("metric").loc[NAMES]
        expected = brute_force(run, setting, merges, at).loc[NAMES]
        for column in ("precision", "recall", "f1", *COUNT_COLUMNS):
            assert rows[column].to_numpy() == pytest.approx(expected[column].to_numpy(), abs=1e-9)


@st.composite
def cases(draw: st.DrawFn) -> tuple[SystemRun, Merges]:
    size = draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    doc = np.sort(rng.integers(0, 4, size))
    table = pd.DataFrame({"doc": doc, "subtopic": doc // 2, "topic": doc // 3}).astype(str)
    table.index = pd.Index([f"m{n}" for n in range(size)], dtype=object)
    key = Clustering(pd.Series(rng.integers(0, 4, size), index=table.index))
    first, second = np.triu_indices(size, 1)
    kept = rng.random(len(first)) < draw(st.sampled_from([0.1, 0.5, 1]))
    scores = rng.integers(0, 6, len(first)) / 5  # many are equal
    merges = Merges.of_pairs(size, first[kept], second[kept], scores[kept])
    return SystemRun("made", table, key, key), merges


@given(cases(), st.sampled_from(SETTINGS))
def test_every_merge_of_small_lists(case: tuple[SystemRun, Merges], setting: Setting) -> None:
    run, merges = case
    agree(run, setting, merges, [np.inf, *merges.levels.tolist()])


@given(cases())
def test_chains_are_the_components_of_all_pairs(case: tuple[SystemRun, Merges]) -> None:
    _, merges = case
    before = merges.size
    for level in merges.levels:
        now = len(np.unique(merges.chains(level)))
        assert now < before
        before = now


@pytest.mark.parametrize("name", ["ecb.lh", "ecb.knn", "ecb_meta_multi.lh"])
def test_fifty_thresholds_of_published_lists(
    name: str, published_pairs: Path, whole_ecbplus: Corpus
) -> None:
    part = part_of(whole_ecbplus, "cybulska/test")
    pairs = MentionPairs.read(str(published_pairs / f"{name}.test.csv"), part)
    assert pairs is not None
    scores = np.random.default_rng(0).random(len(pairs)).round(3)
    merges = Merges.of_pairs(len(part.selected), pairs.first, pairs.second, scores)
    levels = merges.levels[np.linspace(0, len(merges.levels) - 1, 50).astype(int)]
    run = SystemRun(name, part.selected, part.gold, part.gold)
    for setting in (find_setting("simple"), find_setting("pure"), find_setting("ycf")):
        agree(run, setting, merges, levels.tolist())


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
