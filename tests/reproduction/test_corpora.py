"""The page of corpora: its counts and scores are those of the commands it stands for."""

from __future__ import annotations

import pytest

from cdec import evaluate, load_corpus
from cdec.baselines import system
from cdec.render import render
from cdec.reproduction import Findings, findings, trained
from cdec.reproduction.corpora_page import corpora_page
from cdec.statistics import Plan
from tests.refusals import refused

PLAN = Plan(resamples=50)


@pytest.fixture(scope="module")
def found() -> Findings:
    return findings(load_corpus("sample"), "entity", plan=PLAN)


def test_the_scores_are_those_of_eval(found: Findings) -> None:
    corpus = load_corpus("sample", "test", mentions="entity")
    results = evaluate(corpus, system("lemma-delta"), setting="all", metrics="conll").to_frame()
    ours = found.scores[found.scores["system"] == "lemma-delta"]
    assert ours["f1"].tolist() == pytest.approx(results["f1"].tolist())
    assert (ours["low"] <= ours["f1"]).all()
    assert (found.unit, found.delta) == ("topic", 0.2)


def test_the_counts_are_those_of_the_key(found: Findings) -> None:
    counts = found.counts.query("part == 'test'").iloc[0]
    gold = load_corpus("sample", "test", mentions="entity").gold
    sizes = gold.labels.value_counts()
    assert counts[["mentions", "chains", "singletons", "largest"]].tolist() == [
        len(gold.labels),
        len(sizes),
        int((sizes == 1).sum()),
        int(sizes.max()),
    ]


def test_the_page_names_every_corpus_and_kind(found: Findings) -> None:
    page = corpora_page([found], PLAN)
    assert [section.title for section in page.sections] == ["Overview", "sample: entity mentions"]
    text = render(page, "markdown")
    assert "PURE-CDEC" in text
    assert "δ tuned on dev: 0.2" in text


def test_a_model_is_named_with_its_system() -> None:
    with refused("system-unsuitable", "ecb.model"):
        trained("ecb.model", "hanta")
    with refused("system-unsuitable"):
        trained("lemma=x", "hanta")
