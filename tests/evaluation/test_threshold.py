"""cdec check: thresholds and signatures of saved results."""

from __future__ import annotations

import pytest

from cdec.api import evaluate, load_corpus
from cdec.evaluation import Results, Threshold, failures
from tests.refusals import refused


@pytest.fixture(scope="module")
def results() -> Results:
    return evaluate(load_corpus("sample", "test"), "lemma-wd", setting="all")


def texts(results: Results, *least: str, signature: str | None = None) -> list[str]:
    return list(failures(results, [Threshold.parse(text) for text in least], signature))


def test_thresholds(results: Results) -> None:
    f1 = results["pure"]["conll"].f1
    assert texts(results, f"pure/conll={f1 - 0.001:.6f}") == []
    assert len(texts(results, f"pure/conll={f1 + 0.001:.6f}", "pure/muc=1")) == 2
    assert len(texts(results, "scope=document/muc=0")) == 1
    assert texts(results, "conll=0") == [] and len(texts(results, "conll=1")) == len(results)


def test_signatures(results: Results) -> None:
    assert texts(results, signature="corpus:sample|mentions:gold") == []
    assert len(texts(results, signature="mentions:predicted")) == len(results)
    assert len(texts(results, signature="setting:pure")) == len(results) - 1


@pytest.mark.parametrize("text", ["pure", "pure/conll", "conll=2", "/conll=.5", "pure/conll=x"])
def test_a_threshold_that_is_not_valid(text: str) -> None:
    with refused("option-invalid"):
        Threshold.parse(text)


def test_unknown_names(results: Results) -> None:
    with refused("name-unknown", "unknown metric"):
        Threshold.parse("pure/conl=.5")
    with refused("name-unknown", "unknown setting"):
        Threshold.parse("pur/conll=.5")
    with refused("option-invalid"):
        texts(results, signature="corpus")
