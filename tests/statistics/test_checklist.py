"""``cdec report --checklist`` and what it says of systems, corpus and runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import cdec
from cdec.configs import read_toml
from cdec.corpus import Corpus
from cdec.formats import from_corpus, write
from cdec.render import Page, render
from cdec.statistics import Plan
from tests.refusals import refused

RUN = {
    "model": "gpt", "prompt_digest": "a" * 64, "temperature": 0, "date": "2024-05-31", "calls": 9,
    "seconds": 2, "cost": 0.5, "currency": "USD", "infrastructure": "one CPU", "saw_test": "no",
}  # fmt: skip
IDS = [item["id"] for item in read_toml("checklist.toml")["items"]]


@pytest.fixture(scope="module")
def whole() -> Corpus:
    return cdec.load_corpus("sample")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a response to the test part of the sample, with a declaration."""
    corpus = cdec.load_corpus("sample", "test")
    text = tmp_path_factory.mktemp("response") / "plain.conll"
    write(from_corpus(corpus, cdec.predict(corpus)).numbered(), text, "conll")

    def made(name: str, **declared: object) -> Path:
        path = text.with_name(f"{name}.conll")
        path.write_text(f"# cdec: {json.dumps(declared)}\n{text.read_text('utf-8')}", "utf-8")
        return path

    return made


@pytest.fixture(scope="module")
def results(file: Callable[..., Path]) -> cdec.Results:
    corpus = cdec.load_corpus("sample", "test")
    answers = [str(file("gpt", **RUN)), str(file("bare", seed=7, trained_on="mine")), "lemma-wd"]
    return cdec.evaluate(corpus, answers, setting="pure", metrics="conll")


def asked(page: Page, item: str) -> list[str]:
    """Return what the author must fill in for an item."""
    data = page.data
    return list(data.loc[(data["item"] == item) & (data["kind"] == "missing"), "text"])


def known(page: Page, item: str) -> str:
    data = page.data
    return "\n".join(data.loc[(data["item"] == item) & (data["kind"] == "known"), "text"])


def test_what_is_declared_is_not_asked_for(results: cdec.Results, whole: Corpus) -> None:
    page = cdec.report(results, whole, checklist=True).value
    assert [section.title.partition(":")[0] for section in page.sections] == IDS
    assert not any(text.startswith("gpt") for text in asked(page, "L"))
    assert asked(page, "L") == ["bare: whether a language model was used, and which (model)"]
    assert "bare: trained_on mine, seed 7" in known(page, "C2")
    assert "gpt: saw_test no" in known(page, "T")
    assert any(text.startswith("bare") and "gpt" not in text for text in asked(page, "C1"))


def test_the_counts_are_those_of_the_corpus(results: cdec.Results, whole: Corpus) -> None:
    text = render(cdec.report(results, whole, checklist=True).value, "markdown")
    parts = [cdec.load_corpus("sample", part) for part in ("train", "dev", "test")]
    mentions = " | ".join(str(len(part.selected)) for part in parts)
    assert f"| mentions | {mentions} |" in text
    assert asked(cdec.report(results, checklist=True).value, "B6")


def test_the_intro_counts_the_items(results: cdec.Results, whole: Corpus) -> None:
    page = cdec.report(results, whole, checklist=True).value
    states = page.data.drop_duplicates("item")["state"].tolist()
    expected = ", ".join(f"{states.count(s)} {s}" for s in ("complete", "in part", "to fill in"))
    assert f"{len(IDS)} items: {expected}" in page.intro[1]
    lacking = [item for item in IDS if asked(page, item)]
    assert f"complete: {', '.join(lacking)}." in page.intro[1]
    assert render(page, "markdown").count("☐ To fill in") == sum(len(asked(page, i)) for i in IDS)


def test_intervals_and_runs_are_known(file: Callable[..., Path]) -> None:
    corpus = cdec.load_corpus("sample", "test")
    runs = {"mine": [str(file("a", seed=1)), str(file("b", seed=2))]}
    found = cdec.evaluate(corpus, runs, metrics="conll", setting="pure", ci=Plan(resamples=20))
    page = cdec.report(found, checklist=True).value
    assert "mine: 2 runs" in known(page, "C3") and "20 resamples" in known(page, "C3")
    assert asked(page, "C3") == []


def test_a_file_with_the_name_of_a_system_is_a_file(file: Callable[..., Path]) -> None:
    corpus = cdec.load_corpus("sample", "test")
    found = cdec.evaluate(corpus, str(file("lemma")), metrics="conll", setting="pure")
    assert "of cdec" not in known(cdec.report(found, checklist=True).value, "L")
    own = cdec.evaluate(corpus, "lemma", metrics="conll", setting="pure")
    assert "lemma: a system of cdec, none" in known(cdec.report(own, checklist=True).value, "L")


def test_results_without_a_corpus() -> None:
    page = cdec.report(cdec.score({"a": 1, "b": 1}, {"a": 1, "b": 1}), checklist=True).value
    assert len(page.sections) == len(IDS)
    assert asked(page, "B1")[0] == "paper of the corpus to cite"


def test_calls_that_are_refused(results: cdec.Results, whole: Corpus) -> None:
    with refused("input-mismatch", "not the corpus"):
        cdec.report(results, replace(whole, digest="0" * 64), checklist=True)
    with refused("option-requires"):
        cdec.report(results, whole, "lemma", checklist=True)


def test_a_declaration_in_saved_results_is_checked(results: cdec.Results, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    results.save(path)
    content = json.loads(path.read_text("utf-8"))
    content["signatures"][0]["declared"]["cost"] = -1
    path.write_text(json.dumps(content), "utf-8")
    for checklist in (False, True):
        with refused("declaration-invalid", "at least 0", place=path):
            cdec.report(path, checklist=checklist)


def test_the_page_of_a_report_has_the_section_only_if_something_is_declared(
    results: cdec.Results,
) -> None:
    assert "declared" in [section.id for section in cdec.report(results).value.sections]
    plain = cdec.evaluate(cdec.load_corpus("sample", "test"), "lemma", metrics="conll")
    assert "declared" not in [section.id for section in cdec.report(plain).value.sections]
