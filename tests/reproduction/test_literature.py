"""The preset of the literature, on real responses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cdec
from cdec.cli.app import app
from cdec.corpus import Corpus
from cdec.errors import UsageError
from cdec.evaluation import run_on
from cdec.reproduction import experiments_of, literature_page, preset
from cdec.settings import find_setting
from tests.matching.conftest import unpacked
from tests.refusals import refused

__all__ = ["unpacked"]


@pytest.fixture(scope="module")
def reviewed(ecbplus: Path) -> Corpus:
    return cdec.load_corpus(str(ecbplus), preset().split)


def test_the_preset() -> None:
    chosen = preset()
    assert (chosen.corpus, chosen.split) == ("ecb+", "cybulska/test")
    choices = {(v.setting.scope, v.setting.ignore_singletons) for v in chosen.views}
    assert choices == {(s, i) for s in ("topic", "corpus") for i in ("no", "own")}
    assert all(50 < len(view.beside) < 150 for view in chosen.views)
    assert not any("only row" in view.beside for view in chosen.views)


def test_another_corpus() -> None:
    sample = cdec.load_corpus("sample", "test")
    with refused("input-mismatch", "sample"):
        experiments_of(sample, [sample.gold])


@pytest.mark.slow
def test_the_response_of_barhom_without_its_own_singletons(
    reviewed: Corpus, unpacked: Callable[..., Path]
) -> None:
    """As coval does: in percent, two digits."""
    (response,) = unpacked("ba2019").rglob("ecbp*kmeans*/*.response_conll")
    own = find_setting("scope=corpus,ignore_singletons=own")
    results = cdec.evaluate(reviewed, f"barhom={response}", setting=["simple", own])
    whole, without = results
    metrics = ("muc", "b3", "ceafe", "lea", "conll")
    assert [round(100 * without[m].f1, 2) for m in metrics] == [82.06, 66.50, 52.39, 63.64, 66.98]
    assert round(100 * whole["conll"].f1, 2) == 79.21


@pytest.mark.slow
def test_kinds_of_a_response_and_its_page(reviewed: Corpus, tmp_path: Path) -> None:
    both = reviewed.select("all").gold.labels
    path = tmp_path / "both.jsonl"
    path.write_text("\n".join(json.dumps({"mention": m, "chain": c}) for m, c in both.items()))
    events = reviewed.gold
    experiments = experiments_of(reviewed, [path, events])
    kinds = [kind for kind, _ in experiments]
    assert kinds == ["event", "entity", "all", "event"]
    page = literature_page(experiments)
    assert "kind:event+entity+all" in page.about["signature"]
    data = page.data
    assert (data["f1"] == 1).all()
    assert len(data) == 4 * 4 * 6


@pytest.mark.slow
def test_a_detector_that_finds_every_gold_mention_of_the_documents(
    reviewed: Corpus, ecbplus: Path, tmp_path: Path
) -> None:
    whole = cdec.load_corpus(str(ecbplus), "all").subset(reviewed.documents, "test")
    path = tmp_path / "found.jsonl"
    lines = ({"mention": m, "chain": c} for m, c in whole.gold.labels.items())
    path.write_text("\n".join(map(json.dumps, lines)))
    run = run_on(reviewed, path)
    (cut,) = (notice for notice in run.notices if notice.code == "outside-region")
    assert cut.count == len(whole.gold) - len(reviewed.gold) == 2394
    assert cdec.evaluate(reviewed, path, setting="simple", metrics="conll")["conll"].f1 == 1


@pytest.mark.slow
def test_a_response_to_another_split_is_told_so(ecbplus: Path, tmp_path: Path) -> None:
    reviewed = cdec.load_corpus(str(ecbplus), "cybulska/test")
    path = tmp_path / "mine.jsonl"
    lines = ({"mention": m, "chain": c} for m, c in reviewed.gold.labels.items())
    path.write_text("\n".join(map(json.dumps, lines)))
    for split, warned in (("ycf/test", True), ("cybulska/test", None)):
        notices = run_on(cdec.load_corpus(str(ecbplus), split), path).notices
        found = {n.warning: n.message for n in notices if n.code == "other-split"}
        assert list(found) == ([] if warned is None else [warned])
        assert all("cybulska/test" in message for message in found.values())
    with refused("mentions-disjoint", "cybulska/test"):
        run_on(cdec.load_corpus(str(ecbplus), "ycf/dev"), path)


LITERATURE = ["eval", "lemma", "--literature", "--format", "csv", "-q"]


@pytest.mark.slow
def test_its_own_split_may_be_named(ecbplus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    plain = CliRunner().invoke(app, LITERATURE)
    named = CliRunner().invoke(app, [*LITERATURE, "--split", "cybulska/test"])
    assert plain.exit_code == 0
    assert named.stdout == plain.stdout


def test_another_split_may_not_be_named(ecbplus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    other = CliRunner().invoke(app, [*LITERATURE, "--split", "dev"])
    assert isinstance(other.exception, UsageError)
    assert other.exception.code == "option-conflict"


def test_the_verb_takes_the_corpus_or_its_part(ecbplus: Path, reviewed: Corpus) -> None:
    whole = cdec.literature(cdec.load_corpus(str(ecbplus)), "lemma").to_frame()
    assert whole.equals(cdec.literature(reviewed, ["lemma"]).to_frame())
    with refused("input-mismatch", "ycf-test"):
        cdec.literature(cdec.load_corpus(str(ecbplus), "test"), "lemma")


@pytest.mark.parametrize("none", [[], ()])
def test_without_a_response_there_is_nothing_to_score(none: object) -> None:
    with refused("response-missing"):
        cdec.literature(cdec.load_corpus("sample"), none)
