"""Yes to every candidate and the best decision, below the system whose candidates they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cdec as api
from cdec import Plan, load_corpus, load_results, report, score_pairs
from cdec.corpus import Corpus
from cdec.diagnosis import ORACLE, YES
from cdec.evaluation import Results
from tests.cli.conftest import Run

DECISIONS = [YES, ORACLE]


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


@pytest.fixture(scope="module")
def pairs(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random scores of some pairs of the first 100 mentions, gold links more often."""
    rng, ids = np.random.default_rng(1), sample.selected.index[:100].to_numpy()
    first, second = np.triu_indices(100, 1)
    chains = pd.factorize(sample.gold.labels)[0]
    gold = chains[first] == chains[second]
    kept = rng.random(len(first)) < np.where(gold, 0.5, 0.01)
    table = {"a": ids[first[kept]], "b": ids[second[kept]], "score": rng.random(kept.sum())}
    path = tmp_path_factory.mktemp("pairs") / "s.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def results(sample: Corpus, pairs: Path) -> Results:
    responses = {"mine": f"pairs:{pairs}", "key": sample.gold, "other": f"pairs:{pairs}@.9"}
    return api.evaluate(sample, responses, setting=["simple", "pure"])


def test_they_are_those_of_the_list(results: Results, sample: Corpus, pairs: Path) -> None:
    shown = score_pairs(sample, str(pairs)).to_frame().dropna(subset="conll")
    expected = shown.set_index("response").loc[DECISIONS, ["muc", "b3", "lea", "conll"]]
    for system in ("mine", "other"):
        rows = results["simple"][system].standing
        found = rows.pivot(index="standing", columns="metric", values="f1")
        assert (
            found.loc[DECISIONS, expected.columns].to_numpy().tolist() == expected.values.tolist()
        )


def test_they_are_rows_after_their_system_and_no_systems(results: Results) -> None:
    assert len(results) == 6
    assert {system for _, system in results.names} == {"mine", "key", "other"}
    assert "standing" not in results.frame
    assert results["pure"]["mine"]["conll"].f1 > 0
    names = ["mine", *(f"mine: {d}" for d in DECISIONS), "key", "other"]
    names += [f"other: {decision}" for decision in DECISIONS]
    rows = results.to_frame().drop_duplicates(["setting", "system"])
    assert rows["system"].tolist() == 2 * names
    assert rows["standing"].isna().tolist() == 2 * [name.count(":") == 0 for name in names]
    text = str(results)
    assert f"mine: {YES}" in text
    assert text.count("no systems, not ranked or tested") == 1


def test_of_several_runs_they_are_means(sample: Corpus, pairs: Path) -> None:
    runs = {"mine": [f"pairs:{pairs}", f"pairs:{pairs}@.9"]}
    results = api.evaluate(sample, runs, setting="simple", metrics="conll")
    one = api.evaluate(sample, f"pairs:{pairs}", setting="simple", metrics="conll")
    assert results.standing["system"].tolist() == ["mine", "mine"]
    assert results.standing["f1"].tolist() == pytest.approx(one.standing["f1"].tolist())
    assert f"mine: {YES}" in str(results)


def test_only_systems_can_be_best(sample: Corpus, pairs: Path) -> None:
    responses = {"mine": f"pairs:{pairs}", "other": f"pairs:{pairs}@.9"}
    latex = api.evaluate(sample, responses, setting="simple", metrics="conll").to_latex()
    bold = [line for line in latex.splitlines() if "textbf" in line]
    assert len(bold) == 1
    assert bold[0].split(" & ")[1] in responses


@pytest.mark.parametrize("ci", [False, Plan(resamples=5)])
def test_they_are_saved_and_read(
    ci: Plan | bool, sample: Corpus, pairs: Path, tmp_path: Path
) -> None:
    results = api.evaluate(sample, {"mine": f"pairs:{pairs}"}, setting="simple", ci=ci)
    results.save(tmp_path / "one.json")
    rows = json.loads((tmp_path / "one.json").read_text())["rows"]
    assert list(dict.fromkeys(row.get("standing") for row in rows)) == [None, *DECISIONS]
    again = load_results(tmp_path / "one.json")
    again.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()
    assert again.names == [("simple", "mine")]
    assert f"mine: {ORACLE}" in str(report([again]))


def test_results_without_pairs_have_no_such_rows(sample: Corpus, tmp_path: Path) -> None:
    results = api.evaluate(sample, {"key": sample.gold}, setting="simple")
    assert results.standing.empty
    results.save(tmp_path / "s.json")
    assert "standing" not in (tmp_path / "s.json").read_text()


def test_compare_and_diagnose_show_them(cdec: Run, pairs: Path) -> None:
    call = ("--split", "test", "-s", "simple", "-q")
    two = (f"mine=pairs:{pairs}", f"other=pairs:{pairs}@.9")
    few = ("--resamples", "20", "--exchanges", "20", "--metric", "conll")
    done = cdec("compare", *two, *call, *few, "--format", "json")
    content = json.loads(done.out)
    assert [(row["a"], row["b"]) for row in content["rows"]] == [("mine", "other")]
    assert [(row["system"], row["standing"], row["metric"]) for row in content["standing"]] == [
        (name, decision, "conll") for name in ("mine", "other") for decision in DECISIONS
    ]
    assert "standing" not in cdec("compare", "lemma", "lemma-wd", *call, *few, "-f", "json").out
    shown = cdec("compare", *two, *call, *few).out
    assert f"{YES} of mine (no system, not tested): CoNLL" in shown
    diagnosis = cdec("diagnose", two[0], *call).out
    assert "F1 of decisions on the same candidates" in diagnosis
    assert "decisions on the same" not in cdec("diagnose", "lemma", *call).out


def test_pairs_in_two_meta_documents_are_counted(cdec: Run, sample: Corpus, pairs: Path) -> None:
    """By every command that takes them, under the settings that cut there."""
    counted = "pairs in two meta-documents, whose links are not scored but can join others: "
    for call in (["eval"], ["diagnose"], ["compare", "lemma"]):
        messages = cdec(*call, f"pairs:{pairs}", "-s", "st", "-f", "json").err.splitlines()
        (line,) = [line for line in messages if counted in line]
        assert line.startswith("cdec: warning: ")
        assert "under S.T. (" in line
    notices = api.evaluate(sample, f"pairs:{pairs}", setting=["st", "simple"]).notices
    (message,) = [n.message for n in notices if counted in n.message]
    assert "SIMPLE-CDEC" not in message
