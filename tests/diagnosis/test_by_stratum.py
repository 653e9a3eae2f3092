"""Scores by stratum: levels, classes, means of runs, published systems, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cdec as package
from cdec.api import experiment_of
from cdec.cli.completion import STRATUM_IDS
from cdec.corpus import Corpus, load_split, select
from cdec.diagnosis import (
    ALL,
    STRATA,
    Mentions,
    Strata,
    link_table,
    strata_page,
    strata_table,
)
from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation import runs_on
from cdec.leaderboards import Leaderboard, PublishedResponse
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from tests.matching.conftest import unpacked

__all__ = ["unpacked"]  # the fixture of published responses

BOARD = Path(__file__).parents[2] / "configs" / "leaderboard"
LINKS = "blanc_coref"
COUNTS = ["p_num", "p_den", "r_num", "r_den"]
Sides = dict[str, set[frozenset[int]]]


def test_the_options_name_all_strata() -> None:
    assert set(STRATUM_IDS) == set(STRATA)


@pytest.fixture(scope="module")
def sample() -> tuple[Corpus, Corpus]:
    return package.load_corpus("sample", "test"), package.load_corpus("sample", "train")


def test_few_links_have_no_percentage(sample: tuple[Corpus, Corpus]) -> None:
    experiment = experiment_of(sample[0], ["lemma", "lemma-wd"], [SIMPLE_CDEC, PURE_CDEC])
    strata = Strata.of("seen-lemma", *sample)
    table = strata_table(experiment, strata)
    few = table[(table["r_den"] < 20) & (table["r_den"] > 0)]
    assert len(few) and few["recall"].isna().all() and few["f1"].isna().all()
    enough = table[(table["r_den"] >= 20) & (table["p_den"] >= 20)]
    assert enough[["precision", "recall", "f1"]].notna().all(axis=None)
    whole = table[table["level"] == ALL].set_index(["setting", "system", "metric"])
    by_hand = experiment.results()["pure"]["lemma"]["b3"]
    assert whole.loc[("pure", "lemma", "b3"), "recall"] == pytest.approx(by_hand.recall)
    page = strata_page(experiment, strata)
    assert len(page.sections) == 2
    assert page.about["signatures"][0]["train"] == {"split": "sample-train"}


def test_several_runs_are_means_of_counts(sample: tuple[Corpus, Corpus]) -> None:
    corpus = sample[0]
    chains = {name: package.predict(corpus, name) for name in ("lemma", "lemma-wd")}
    strata = Strata.of("size", corpus)
    single = strata_table(experiment_of(corpus, dict(chains), "simple"), strata)
    runs = strata_table(experiment_of(corpus, {"both": list(chains.values())}, "simple"), strata)
    means = single.groupby(["metric", "level"])[COUNTS].mean()
    found = runs.groupby(["metric", "level"])[COUNTS].mean()
    assert np.allclose(means, found)


def test_classes_named_as_levels_are_classes(sample: tuple[Corpus, Corpus]) -> None:
    test, _ = sample
    names = ["all", "mixed", "class:all", "state"]
    tags = [names[n % 4] for n in range(len(test.mentions))]
    renamed = replace(test, mentions=test.mentions.assign(tag=tags))
    levels = Strata.of("class", renamed).levels
    assert [*levels][1:] == ["class:all", "class:class:all", "class:mixed", "state", "mixed"]
    shown = package.diagnose(renamed, "lemma", top=0, by="class").to_frame()
    assert "class:all" in set(shown["level"].dropna())


def test_wrong_calls_in_python(sample: tuple[Corpus, Corpus]) -> None:
    corpus, train = sample
    bare = package.build_corpus([{"doc": "a", "tokens": [0], "chain": "x"}], {"a": "Fire."})
    with pytest.raises(UsageError, match="no class"):
        Strata.of("class", bare)
    for value in (None, train.subset([], "none")):
        with pytest.raises(UsageError, match="train part"):
            Strata.of("seen", corpus, value)
    with pytest.raises(UsageError, match="all is seen"):
        Strata.of("seen", corpus, corpus)
    with pytest.raises(UnknownNameError, match="stratum"):
        package.diagnose(corpus, "lemma", by="topic")
    with pytest.raises(UsageError, match="no effect"):
        package.diagnose(corpus, "lemma", train=train)
    with pytest.raises(UsageError, match="no effect"):
        package.compare(corpus, ["lemma", "lemma-wd"], train=train)
    with pytest.raises(UsageError, match="no effect"):
        Strata.of("lemma", corpus, train)


@pytest.mark.slow
def test_published_systems_on_ecbplus(
    whole_ecbplus: Corpus, unpacked: Callable[..., Path], tmp_path: Path
) -> None:
    """Five systems: their strata sum to the totals of diagnose; the links that nothing explains."""
    for archive in ("ba2019", "feature-based"):
        for path in (unpacked(archive) / archive).iterdir():
            (tmp_path / path.name).symlink_to(path)
    board = Leaderboard.at(BOARD, tmp_path)
    split = load_split("cybulska")
    test, train = (select(whole_ecbplus, part, split) for part in ("test", "train"))
    known = {name: Strata.of(name, test, train if "seen" in name else None) for name in STRATA}
    recall = {}
    for system in (
        "barhom-2019-kmeans",
        "barhom-2019-gold",
        "bugert-2021",
        "bugert-2021-gold",
        "bugert-2021-kmeans",
    ):
        run = runs_on(test, PublishedResponse(system, system, "ecb+", board=board))[0]
        mentions = Mentions.from_run(run, SIMPLE_CDEC, known["seen"].facts.lemmas)
        links: Any = link_table(mentions).set_index(["kind", "lemma"]).loc[ALL, ALL]
        for strata in known.values():
            sums: Any = strata.counts(mentions).groupby("metric")[COUNTS].sum().loc[LINKS]
            assert sums["r_num"] == sums["p_num"] == links["right"]
            assert sums["r_den"] == links["right"] + links["missed"] == 6894
            assert sums["p_den"] == links["right"] + links["wrong"]
        hard: Any = known["seen-lemma"].counts(mentions).set_index(["metric", "level"]).loc[LINKS]
        hard = hard.loc[["different/compared", "different/never"]].sum()
        assert hard["r_den"] == 2935  # 42.6 %
        recall[system] = round(100 * hard["r_num"] / hard["r_den"], 1)
    assert recall["barhom-2019-kmeans"] == 47.9
    assert recall["barhom-2019-gold"] == 46.6
    assert recall["bugert-2021"] < 10


def test_classes_with_one_label_and_a_key_without_links() -> None:
    corpus = package.load_corpus("sample", "test")
    ids = corpus.selected.index
    tags = np.resize(["Occ", "occ"], len(corpus.mentions))
    two = replace(corpus, mentions=corpus.mentions.assign(tag=tags))
    page = package.diagnose(two, {"key": corpus.gold}, by="class")
    assert page.to_html().count("Recall of links, Class")
    single = replace(corpus, mentions=corpus.mentions.assign(chain=corpus.mentions.index))
    train = package.load_corpus("sample", "train")
    one = dict.fromkeys(ids, "one")
    table = package.diagnose(single, {"one": one}, by="seen-lemma", train=train).to_frame()
    every = table[(table["level"] == ALL) & (table["metric"] == LINKS)]
    assert every["r_den"].tolist() == [0]
    assert every["recall"].isna().all()
