"""Strata against the enumeration of all pairs, and their sums against the metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdec as package
from cdec.api import experiment_of
from cdec.cli.completion import STRATUM_IDS
from cdec.corpus import Corpus, load_split, select
from cdec.diagnosis import (
    ALL,
    STRATA,
    Facts,
    Mentions,
    Strata,
    TrainPairs,
    link_table,
    strata_page,
    strata_table,
)
from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation import runs_on
from cdec.leaderboards import Leaderboard, PublishedResponse
from cdec.metrics import measure
from cdec.metrics.contingency import Contingency
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from tests.diagnosis.made_up import kind, linked, made_up
from tests.matching.conftest import unpacked

__all__ = ["unpacked"]  # the fixture of published responses

BOARD = Path(__file__).parents[2] / "configs" / "leaderboard"
LINKS = "blanc_coref"
COUNTS = ["p_num", "p_den", "r_num", "r_den"]
CLASSES = ("", "act", "state")
LEMMAS = 4
Sides = dict[str, set[frozenset[int]]]


@st.composite
def facts(draw: st.DrawFn) -> tuple[Facts, list[tuple[int, int, int]]]:
    """Return lemmas and classes of mentions m0, m1, …, and a train key: chain, topic, lemma."""
    train = draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3)), max_size=8)
    )
    index = [f"m{n}" for n in range(20)]
    classes = pd.Series([CLASSES[n % 3] for n in range(20)], index=index, dtype=object)
    return Facts(classes=classes), train


def trained(train: list[tuple[int, int, int]]) -> TrainPairs:
    """Return the pairs of a train key; chains stay in their topic."""
    table = [
        {"doc": f"d{topic}", "tokens": [n], "chain": f"{topic}/{chain}"}
        for n, (chain, topic, _) in enumerate(train)
    ]
    words = [["a"] * (len(train) + 1)]
    documents = [{"id": f"d{t}", "topic": str(t), "sentences": words} for t in (0, 1)]
    corpus = package.build_corpus(table, documents) if table else package.load_corpus("sample")
    by_token = [f"l{lemma}" for _, _, lemma in train]
    lemmas = [by_token[t[0]] for t in corpus.selected["tokens"]] if table else "nothing"
    of_train = pd.Series(lemmas, index=corpus.selected.index)
    return TrainPairs.of(corpus, of_train, [f"l{n}" for n in range(LEMMAS)])


def with_lemmas(m: Mentions, name: str, known: Facts, train: list[tuple[int, int, int]]) -> Facts:
    lemmas = pd.Series([f"l{n}" for n in m.lemma], index=m.index, dtype=object)
    return Facts(lemmas, known.classes, trained(train) if "seen" in name else None)


def pair_level(
    m: Mentions, train: list[tuple[int, int, int]], name: str
) -> Callable[[int, int], str]:
    """Return the level of a pair, by definition."""

    def met(i: int, j: int, unit: Callable[[tuple[int, int, int]], object]) -> bool:
        wanted = sorted((int(m.lemma[i]), int(m.lemma[j])))
        return any(
            sorted((a[2], b[2])) == wanted and unit(a) == unit(b) for a, b in combinations(train, 2)
        )

    def seen(i: int, j: int) -> str:
        if met(i, j, lambda row: row[:2]):
            return "coreferent"
        return "compared" if met(i, j, lambda row: row[1]) else "never"

    def lemma(i: int, j: int) -> str:
        return "same" if m.lemma[i] == m.lemma[j] else "different"

    levels: dict[str, Callable[[int, int], str]] = {
        "seen": seen,
        "lemma": lemma,
        "seen-lemma": lambda i, j: f"{lemma(i, j)}/{seen(i, j)}",
        "distance": lambda i, j: kind(m, i, j),
    }
    return levels[name]


def mention_level(m: Mentions, known: Facts, name: str, side: str) -> Callable[[int], str]:
    """Return the level of a mention, by definition."""
    chains = getattr(m, side)

    def chain(i: int) -> list[int]:
        return [j for j in range(len(m)) if chains[j] == chains[i]]

    def size(i: int) -> str:
        n = len(chain(i))
        bounds = {"1": 1, "2": 2, "3–5": 5, "6–10": 10, "11–20": 20, "21 and more": 10**9}
        return next(name for name, most in bounds.items() if n <= most)

    def diverse(i: int) -> str:
        number = len({int(m.lemma[j]) for j in chain(i)})
        return "singleton" if len(chain(i)) == 1 else ("1", "2", "3+")[min(number, 3) - 1]

    def ambiguous(i: int) -> str:
        number = len({int(m.key[j]) for j in range(len(m)) if m.lemma[j] == m.lemma[i]} - {-1})
        return "1" if number < 2 else "2–4" if number < 5 else "5+"

    levels: dict[str, Callable[[int], str]] = {
        "size": size,
        "lemmas-per-chain": diverse,
        "chains-per-lemma": ambiguous,
        "class": lambda i: str(known.classes[m.index[i]]),
    }
    return levels[name]


OF_PAIRS = [name for name, stratum in STRATA.items() if stratum.pairs]
OF_MENTIONS = [name for name, stratum in STRATA.items() if stratum.level]


def counted(m: Mentions, known: Facts, name: str) -> pd.DataFrame:
    return Strata(STRATA[name], known).counts(m).set_index(["metric", "level"])


def terms(
    m: Mentions, side: str, level: Callable[[int, int], str]
) -> Iterator[tuple[str, str, str, Fraction]]:
    """Yield metric, level, column and term of every ordered pair, as the docstring defines them."""
    chains, other = getattr(m, side), getattr(m, "response" if side == "key" else "key")
    size = {int(c): int((chains == c).sum()) for c in set(chains.tolist()) if c >= 0}
    x = "r" if side == "key" else "p"
    for i, j in product(range(len(m)), repeat=2):
        if not linked(chains, i, j):
            continue
        n, right = size[int(chains[i])], linked(other, i, j)
        alone = int((other == other[i]).sum()) == 1
        shares = {"b3": Fraction(1, n)}
        if i != j or n == 1:
            shares["lea"] = Fraction(1, n - 1) if n > 1 else Fraction(1)
        for metric, share in shares.items():
            yield metric, level(i, j), f"{x}_den", share
            if right and (metric == "b3" or i != j or alone):
                yield metric, level(i, j), f"{x}_num", share


def expected(
    m: Mentions, level: Callable[[str], Callable[[int, int], str]]
) -> dict[tuple[str, str, str], float]:
    sums: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    for side in ("key", "response"):
        for metric, name, column, share in terms(m, side, level(side)):
            sums[metric, name, column] += share
    return {at: float(total) for at, total in sums.items()}


def check_parts(
    table: pd.DataFrame, m: Mentions, level: Callable[[str], Callable[[int, int], str]]
) -> None:
    wanted = expected(m, level)
    for metric, name in table.index:
        for column in COUNTS if metric != LINKS else ():
            found = table.loc[(metric, name), column]
            assert found == pytest.approx(wanted.get((metric, name, column), 0.0), abs=1e-12)


@pytest.mark.parametrize("name", OF_PAIRS)
@given(m=made_up(), made=facts())
def test_strata_of_pairs_equal_an_enumeration(
    name: str, m: Mentions, made: tuple[Facts, list[tuple[int, int, int]]]
) -> None:
    known = with_lemmas(m, name, *made)
    table, level = counted(m, known, name), pair_level(m, made[1], name)
    links: Any = table.loc[LINKS]
    found = {column: {at: int(n) for at, n in links[column].items() if n} for column in COUNTS}
    pairs = list(combinations(range(len(m)), 2))
    for column in COUNTS:
        chains = m.key if column[0] == "r" else m.response
        both = column.endswith("num")
        levels = [
            level(i, j)
            for i, j in pairs
            if linked(chains, i, j)
            and (not both or (linked(m.key, i, j) & linked(m.response, i, j)))
        ]
        assert found[column] == {at: levels.count(at) for at in set(levels)}, column
    check_parts(table, m, lambda side: lambda i, j: "self" if i == j else level(i, j))


@pytest.mark.parametrize("name", OF_MENTIONS)
@given(m=made_up(), made=facts())
def test_strata_of_mentions_equal_an_enumeration(
    name: str, m: Mentions, made: tuple[Facts, list[tuple[int, int, int]]]
) -> None:
    known = with_lemmas(m, name, *made)
    table = counted(m, known, name)
    check_parts(table, m, lambda side: lambda i, j: mention_level(m, known, name, side)(i))
    order = list(table.loc[LINKS].index)
    for side, column in (("key", "r_den"), ("response", "p_den")):
        of = mention_level(m, known, name, side)
        levels: list[str] = []
        for i, j in combinations(range(len(m)), 2):
            if linked(getattr(m, side), i, j):
                one, two = of(i), of(j)
                higher = max(one, two, key=order.index)
                levels.append(one if one == two else "mixed" if name == "class" else higher)
        links: Any = table.loc[LINKS, column]
        own = {at: int(n) for at, n in links.items() if n}
        assert own == {at: levels.count(at) for at in set(levels)}


@pytest.mark.parametrize("name", [*STRATA])
@given(m=made_up(), made=facts())
def test_the_parts_sum_to_the_metrics(
    name: str, m: Mentions, made: tuple[Facts, list[tuple[int, int, int]]]
) -> None:
    whole = measure(Contingency.from_labels(m.key, m.response))
    sums = counted(m, with_lemmas(m, name, *made), name).groupby("metric").sum()
    for metric, column in product(sums.index, COUNTS):
        wanted = getattr(whole[metric], column)
        assert sums.loc[metric, column] == pytest.approx(wanted, rel=1e-12, abs=1e-12)


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
