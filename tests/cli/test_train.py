"""``cdec train``, and trainable systems in ``eval`` and ``predict``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cdec.cli import app as program
from tests.cli.conftest import Run


def run(*arguments: str) -> int:
    """Run the program in this process and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cdec", *arguments])
        try:
            program.main()
        except SystemExit as exit_:
            return int(exit_.code or 0)
    return 0


def test_a_trained_model_serves_eval_and_predict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "sac.model")
    assert run("train", "sac", "--corpus", "sample", "-o", model, "--format", "csv") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == "threshold,cv,dev,chosen"
    assert shown.out.count("True") == 1
    common = ["--system", "sac", "--corpus", "sample", "--model", model]
    assert run("eval", *common, "--setting", "pure", "--format", "csv") == 0
    assert "sample-test,pure,sac,conll" in capsys.readouterr().out
    assert run("predict", *common, "-v", "-o", str(tmp_path / "a.conll")) == 0
    assert "gold links" in capsys.readouterr().err
    assert (
        run("predict", "--system", "sac", "--corpus", "sample", "-o", str(tmp_path / "b.conll"))
        == 0
    )
    assert (tmp_path / "a.conll").read_bytes() == (tmp_path / "b.conll").read_bytes()


def test_scoring_on_training_data_is_a_notice(cdec: Run) -> None:
    call = ("--system", "sac", "--corpus", "sample", "--split", "train", "-s", "pure", "-v")
    ran = cdec("eval", *call)
    assert ran.code == 0
    assert "cdec: warning[trained-on-part]: sac " in ran.err


def test_a_model_without_a_trainable_system(tmp_path: Path, cdec: Run) -> None:
    ran = cdec("eval", "--system", "lemma", "--corpus", "sample", "--model", tmp_path / "m")
    assert (ran.code, ran.error) == (2, "system-unsuitable")
    assert f"{tmp_path / 'm'}: " in ran.err


def test_a_model_of_another_system_is_rejected(model: str, cdec: Run) -> None:
    """Before, ``sac`` was scored under the name ``sac-plus``."""
    for command in ("eval", "predict"):
        call = (command, "--system", "sac-plus", "--corpus", "sample", "--model", model, "-q")
        ran = cdec(*call)
        assert (ran.code, ran.out, ran.error) == (2, "", "model-mismatch")
        for value in (model, "'sac'", "'sac-plus'"):
            assert value in ran.err


def test_training_a_system_without_model(cdec: Run) -> None:
    ran = cdec("train", "lemma", "--corpus", "sample")
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "known: sac, sac-plus" in ran.err


@pytest.mark.parametrize(("option", "rows"), [("--ablation", 11), ("--learning-curve", 5)])
def test_the_analyses_repeat(option: str, rows: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "sac", "--corpus", "sample", option, "--format", "csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "families,topics,threshold,cv,dev"
    assert len(lines) == 1 + rows


def test_gold_arguments_are_an_option_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "gold.toml"
    config.write_text('system = "sac"\n[choices]\narguments = "gold"\n')
    call = ["eval", "--system", "sac", "--corpus", "sample", "-s", "pure"]
    assert run(*call) == 0
    plain = capsys.readouterr().out
    assert run(*call, "--config", str(config)) == 0
    informed = capsys.readouterr().out
    assert "arguments:gold" not in plain.replace("\n", "")
    assert "arguments:gold" in informed.replace("\n", "")


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = str(tmp_path / "sac.model")
    assert run("train", "sac", "--corpus", "sample", "-o", path, "-q") == 0
    return path


def test_compare_diagnose_and_report_take_trainable_systems(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--corpus", "sample", "--setting", "simple", "-q"]
    few = ["--resamples", "20"]
    call = ["compare", "sac", "lemma-delta", *common, *few, "--exchanges", "20"]
    call += ["--metric", "conll", "-f", "csv"]
    capsys.readouterr()
    shown = []
    for more in ([], ["--model", model]):
        assert run(*call, *more) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert shown[0].splitlines()[1].startswith("simple,sac,lemma-delta,conll,0.8")
    diagnosed = ["diagnose", "sac", "lemma", *common, "--model", model, "--top", "1"]
    assert run(*diagnosed, "-f", "markdown") == 0
    assert "sac: where it errs" in capsys.readouterr().out
    saved, page = str(tmp_path / "scores.json"), tmp_path / "page.md"
    scored = ["eval", "--system", "sac", "--system", "lemma", *common, "--model", model]
    assert run(*scored, "-f", "json", "-o", saved) == 0
    answers = ["-r", "sac", "-r", "lemma", "--model", model, "-o", str(page)]
    assert run("report", saved, *answers, *common, *few) == 0
    assert "sac: where it errs" in page.read_text("utf-8")


@pytest.mark.parametrize("command", ["compare", "diagnose"])
def test_one_model_is_for_one_system(command: str, model: str, cdec: Run) -> None:
    for names in (["sac", "sac-plus"], ["lemma", "lemma-wd"]):
        ran = cdec(command, *names, "--corpus", "sample", "--model", model)
        assert (ran.code, ran.error) == (2, "system-unsuitable")
