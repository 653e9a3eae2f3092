"""Diversity and ambiguity on a small corpus, against values computed by hand."""

import json
import math

import pandas as pd
import pytest

from cdec.corpus import Corpus, diversity_page, mtld
from cdec.corpus.diversity import COLUMNS, TOTAL, diversity
from cdec.render import render


def corpus(rows: list[tuple[str, str, str, str]]) -> tuple[Corpus, pd.Series]:
    """A corpus of event mentions (topic, chain, text, lemma)."""
    table = pd.DataFrame(rows, columns=["topic", "chain", "text", "lemma"])
    table.index = pd.Index([f"m{n}" for n in range(len(rows))])
    lemmas = table.pop("lemma")
    return Corpus("tiny", "0", {}, table.assign(kind="event", state="annotated")), lemmas


def measured(rows: list[tuple[str, str, str, str]], topic: str = TOTAL) -> pd.Series:
    part, lemmas = corpus(rows)
    table = diversity({"test": part}, {"test": lemmas})
    assert list(table.columns) == list(COLUMNS)
    return table[table["topic"] == topic].iloc[0]


ROWS = [
    # One lemma that no other chain of the topic has: found.
    ("1", "a", "quake", "quake"),
    ("1", "a", "the strong quake", "quake"),
    # One lemma, but a singleton of the topic shares it.
    ("1", "b", "said", "say"),
    ("1", "b", "said", "say"),
    ("1", "c", "says", "say"),
    # Two lemmas; the first is also the lemma of another topic's chain.
    ("2", "d", "quake", "quake"),
    ("2", "d", "tremor", "tremor"),
]


def test_measures_of_the_worked_example() -> None:
    row = measured(ROWS)
    assert (row["chains"], row["mentions"]) == (3, 6)
    assert row["lemmas"] == pytest.approx((1 + 1 + 2) / 3)
    assert row["one_lemma"] == pytest.approx(2 / 3)
    assert row["found"] == pytest.approx(1 / 3)
    # quake: a, d; say: b, c; tremor: d.
    assert row["chains_of_lemma"] == pytest.approx((2 + 2 + 1) / 3)


def test_phrasing_diversity_follows_its_formula() -> None:
    # a: {quake}, {strong quake}: 2/2 · 2 / 2 = 1.  b: said twice: 1/2 · 1 / 2 = 1/4.
    # d: two heads, one phrase each: (1/1 + 1/1) · 2 / 2 = 2.  All three have two mentions.
    assert measured(ROWS)["phrasing"] == pytest.approx((1 + 1 / 4 + 2) / 3)
    assert measured(ROWS, "2")["phrasing"] == pytest.approx(2)


def test_a_longer_chain_weighs_more() -> None:
    rows = [("1", "a", "x", "x")] * 4 + [("1", "b", "y", "y"), ("1", "b", "z", "z")]
    # a: 1/4 · 1 / 4 = 1/16 with four mentions; b: 2 · 2 / 2 = 2 with two.
    assert measured(rows)["phrasing"] == pytest.approx((4 / 16 + 2 * 2) / 6)


def test_mentions_of_stop_words_only_have_no_phrase() -> None:
    rows = [("1", "a", "it", "it"), ("1", "a", "quake", "quake"), ("1", "a", "quake", "quake")]
    assert measured(rows)["phrasing"] == pytest.approx((1 / 2) * 1 / 2)


SINGLETONS = [("1", "a", "quake", "quake"), ("1", "b", "fire", "fire")]
UNDEFINED = ["lemmas", "phrasing", "one_lemma", "found", "mtld"]


def test_an_undefined_measure_is_missing() -> None:
    row = measured(SINGLETONS)
    assert row["chains"] == 0
    assert row[UNDEFINED].isna().all()


def test_an_undefined_measure_is_a_dash_in_the_table_and_null_in_json() -> None:
    part, lemmas = corpus(SINGLETONS)
    page = diversity_page(diversity({"test": part}, {"test": lemmas}), part, "sample", "hanta")
    assert page.table is not None
    cells = page.table.texts[0]
    assert cells[2:] == ["0", "0", "–", "–", "–", "–", "1.00", "–"]
    rows = json.loads(render(page, "json"))["rows"]
    assert [rows[0][name] for name in UNDEFINED] == [None] * len(UNDEFINED)
    assert all(title in " ".join(page.table.below) for _, title in page.table.columns[2:])


def test_mtld_of_the_worked_example() -> None:
    # Forwards: a b a (2/3 ≤ 0.72) is a factor, c d has distinct words only: 5 words / 1 factor.
    # Backwards: d c a b a has 4/5 distinct: (1 − 0.8) / (1 − 0.72) of a factor.
    assert mtld(list("abacd")) == pytest.approx((5 / 1 + 5 / (0.2 / 0.28)) / 2)


def test_mtld_of_one_repeated_word_is_two() -> None:
    assert mtld(["x"] * 10) == pytest.approx(2)


def test_mtld_of_distinct_words_is_missing() -> None:
    assert math.isnan(mtld(list("abc")))
