"""Two-way tests against exchanges made one by one, and what is known of the words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.arrays import Floats
from cdec.metadocument import MetaDocuments
from cdec.metrics import ALL, derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics import (
    Decisions,
    Pair,
    PairedTest,
    Plan,
    Randomisation,
    Units,
    paired_test,
    randomisation,
    words_of,
)

WORDS = ["say", "quake", "say", "fire", "say", "quake", "fire", "fire", "say", "fire", "say", "say"]
TOPICS = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def case(
    key: Sequence[int],
    responses: Sequence[Sequence[int]],
    topics: Sequence[int] = TOPICS,
    words: Sequence[str] = WORDS,
) -> tuple[tuple[MetaDocuments, MetaDocuments], tuple[Units, Units]]:
    """One meta-document a response, with units and words."""
    index = pd.Index([f"m{number}" for number in range(len(key))])
    first, second = (
        MetaDocuments(pd.DataFrame({"meta": "d", "key": key, "response": r}, index=index))
        for r in responses
    )
    mentions = pd.DataFrame({"topic": [f"t{u}" for u in topics], "text": words}, index=index)
    known = words_of([mentions])
    assert known is not None
    return (first, second), (Units.of_mentions("topic", [mentions]), known)


def test_the_word_is_the_stem_of_the_longest_token() -> None:
    text = pd.Series({"a": "was Killed", "b": "kills", "c": "took over", "d": "took", "e": ""})
    words = words_of([pd.DataFrame({"text": text}), pd.DataFrame({"text": text[:2]})])
    assert words is not None
    assert (words.kind, words.names) == ("word", ("kill", "took", ""))
    assert words.of.to_dict() == {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2}


def test_mentions_without_text_have_no_words() -> None:
    assert words_of([pd.DataFrame({"text": ["fire"]}), pd.DataFrame(index=["a"])]) is None


labels = st.lists(st.integers(0, 3), min_size=12, max_size=12)


@given(labels, labels, labels)
@settings(max_examples=30)
def test_words_are_exchanged_exactly(key: list[int], one: list[int], other: list[int]) -> None:
    pair, by = case(key, (one, other))
    found = paired_test(pair, by, Plan())
    aligned = Pair.from_meta_documents(*pair, by[0])
    names = sorted(set(WORDS))

    def gap(moved: Sequence[bool]) -> Floats:
        there = np.array([moved[names.index(word)] for word in WORDS])
        sides = (
            np.where(there, aligned.second, aligned.first),
            np.where(there, aligned.first, aligned.second),
        )
        scores = [derive(measure(Contingency.from_labels(np.array(key), s))) for s in sides]
        return np.abs([scores[0][name].f1 - scores[1][name].f1 for name in ALL])

    gaps = [gap(moved) for moved in product([False, True], repeat=3)]
    assert found.by_word is not None
    assert found.by_word.p == pytest.approx(np.mean([g >= gaps[0] - 1e-12 for g in gaps], axis=0))
    by_unit = randomisation(*pair, by[0])
    assert (found.by_unit.p == by_unit.p).all()
    assert (found.p >= np.maximum(by_unit.p, found.by_word.p)).all()
    assert (found.p <= 1).all()


def test_one_word_in_twenty_topics_is_one_decision() -> None:
    topics = [topic for topic in range(20) for _ in range(4)]
    linked, split = [0] * 80, list(range(80))
    key = [10 * topic + n % 2 for n, topic in enumerate(topics)]
    pair, by = case(key, (linked, split), topics, ["say"] * 80)
    one_way = paired_test(pair, by, Plan(test="topic"), ["b3"])
    assert one_way.p < 0.01
    assert (one_way.words, one_way.shared, one_way.by_word) == (1, 1.0, None)
    both = paired_test(pair, by, Plan(), ["b3"])
    assert both.p == 1
    assert both.least_p == 1


def test_words_and_topics_of_mentions_on_which_two_agree_do_not_count() -> None:
    key = [0] * 12
    one = [0, 1, 2, 3, 0, 1, 3, 3, 0, 3, 0, 0]
    other = [8, 1, 2, 3, 0, 1, 3, 3, 0, 9, 7, 0]
    pair, by = case(key, (one, other))
    found = Decisions.from_meta_documents(*pair, *by)
    assert found.differing.nonzero()[0].tolist() == [0, 9, 10]
    assert found.words == 2
    assert found.shared == pytest.approx(2 / 3)


def test_equal_systems_cannot_be_told_apart() -> None:
    pair, by = case([0, 1] * 6, ([0, 1] * 6, [5, 6] * 6))
    found = paired_test(pair, by, Plan())
    assert (found.p == 1).all()
    assert (found.words, found.shared) == (0, 0.0)


def test_decisions_of_both_kinds_widen_the_spread() -> None:
    def part(p: float, variance: float) -> Randomisation:
        return Randomisation(
            ("b3",), np.array([p]), 1000, False, np.array([0.5]), np.array([variance])
        )

    # Without 0.5² / size: 2, 1.5 and 0.5 of variance, so R = (2 + 1.5 − 0.5) / 2.
    sizes = (0.25, 0.5, 2.5)
    found = PairedTest(part(0.01, 3.0), part(0.05, 2.0), part(0.01, 0.6), sizes)
    assert found.variance_ratio == pytest.approx([1.5])
    # 1.95996 / √1.5 = 1.60030, of which Φ leaves 0.10953 on both sides.
    assert found.p == pytest.approx([0.10953], abs=1e-5)
    alone = replace(found, by_cell=part(0.01, 3.0))
    assert alone.variance_ratio == pytest.approx([1.0])
    assert alone.p == pytest.approx([0.05])
