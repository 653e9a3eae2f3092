"""Strata against the enumeration of all pairs, and their sums against the metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdec as package
from cdec.diagnosis import (
    STRATA,
    Facts,
    Mentions,
    Strata,
    TrainPairs,
)
from cdec.metrics import measure
from cdec.metrics.contingency import Contingency
from tests.diagnosis.made_up import kind, linked, made_up
from tests.diagnosis.test_by_stratum import COUNTS, LINKS

CLASSES = ("", "act", "state")


LEMMAS = 4


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
