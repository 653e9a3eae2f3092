"""Annotators as systems, and as the key: the published second annotation of ECB+ (X-AMR)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import evaluate, load_corpus
from cdec.corpus import Corpus, part_of
from cdec.evaluation import keyed
from tests.refusals import refused

FILES = Path(__file__).parents[2] / "configs" / "leaderboard" / "responses" / "xamr"


def conll(corpus: Corpus, response: str, setting: str = "simple") -> float:
    file = str(FILES / f"{response}.clusters.json")
    scores = evaluate(corpus, file, setting=setting, metrics="conll")[setting]
    return float(100 * scores["conll"].f1)


@pytest.mark.parametrize(
    ("part", "response", "value"),
    [
        ("dev", "dev.ann1", 78.5),  # 78.4 in the notes of those who published the clusters
        ("dev", "dev.ann2", 75.1),  # 75.0
        ("test", "test847.ann1", 72.7),
        ("test", "test847.ann2", 61.8),
        ("dev-120", "dev_small.ann1", 77.7),
        ("dev-120", "dev_small.ann2", 66.9),
        ("dev-120", "dev_small.gpt-4_g1", 49.5),
        ("dev-120", "dev_small.gpt-4_g2", 56.9),
    ],
)
def test_annotators_against_the_key(
    part: str, response: str, value: float, whole_ecbplus: Corpus
) -> None:
    assert conll(part_of(whole_ecbplus, f"xamr/{part}"), response) == pytest.approx(value, abs=0.05)


@pytest.mark.parametrize(
    ("part", "file", "value"),
    [("dev", "dev", 86.4), ("test", "test847", 72.2), ("dev", "dev_small", 87.9)],
)
def test_one_annotator_against_the_other(
    part: str, file: str, value: float, whole_ecbplus: Corpus
) -> None:
    """On their mentions, whatever the part, and with P and R swapped the other way round."""
    corpus = part_of(whole_ecbplus, f"cybulska/{part}")
    first, second = (f"{file}.ann{number}" for number in (1, 2))
    paths = [str(FILES / f"{name}.clusters.json") for name in (first, second)]
    assert conll(keyed(corpus, paths[1]), first) == pytest.approx(value, abs=0.05)
    ways = [
        evaluate(keyed(corpus, key), file, setting=["simple", "pure"])
        for key, file in (paths, paths[::-1])
    ]
    for setting in ("simple", "pure"):  # the others drop singletons of one side
        a, b = (way[setting]["b3"] for way in ways)
        assert (a.precision, a.recall) == pytest.approx((b.recall, b.precision))


def test_a_key_from_a_response() -> None:
    whole = load_corpus("sample", "test")
    half = dict(whole.gold.labels.iloc[:100])
    corpus = load_corpus("sample", "test", key_from=half)
    assert corpus.gold.labels.to_dict() == half
    assert "key_from_digest" in corpus.about
    results = evaluate(corpus, half, setting="simple")
    assert results["conll"].f1 == 1
    assert "key_from_digest" in results.signature.fields
    assert len(keyed(keyed(corpus, half), dict(list(half.items())[:7])).selected) == 7


def test_a_key_with_other_mentions_is_an_error() -> None:
    whole = load_corpus("sample", "test")
    known = whole.selected.iloc[0]
    other = {(known["doc"], 0, 12): "x", (known["doc"], known["start"], known["end"]): "x"}
    with refused("input-mismatch", "1 mention is not in the key"):
        keyed(whole, other)
