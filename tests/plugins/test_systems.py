"""Systems of other packages and by module and class, and systems that learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cdec.baselines import system
from cdec.baselines.lemma import Lemma
from tests.cli.conftest import Ran, Run
from tests.plugins.conftest import SYSTEM, Site, rows_of
from tests.refusals import refused


def test_a_system_by_module_and_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: Site
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "here_system.py").write_text(SYSTEM, "utf-8")
    monkeypatch.chdir(here)
    before = list(sys.path)
    one_chain = system("here_system:OneChain", pipeline="hanta", progress=None)
    assert (one_chain.name, one_chain.parameters) == ("one-chain", {"chains": 1})
    assert sys.path == before
    assert system("cdec.baselines.lemma:Lemma", pipeline="hanta") == Lemma()


@pytest.mark.parametrize(
    ("name", "code", "error", "value"),
    [
        ("nowhere_here:A", "", "system-invalid", "'nowhere_here'"),
        ("bad_one.sub:A", "", "system-invalid", "'bad_one.sub'"),
        ("bad_two:A", "import nowhere_here", "system-invalid", "ModuleNotFoundError"),
        ("bad_three:A", "1 / 0", "system-invalid", "ZeroDivisionError"),
        ("bad_four:A", "raise SystemExit(3)", "system-invalid", "SystemExit: 3"),
        ("bad_five:A", "def f(:", "system-invalid", "SyntaxError"),
        ("bad_six:A", "B = 1", "system-invalid", "'A'"),
        ("bad_seven:A", "A = 1", "system-invalid", "'A'"),
        ("bad_eight:A", "class A: ...", "system-invalid", "'A'"),
        ("bad nine:A", "", "system-invalid", "'bad nine:A'"),
        ("bad_ten:", "", "system-invalid", "'bad_ten:'"),
    ],
)
def test_an_invalid_module_or_class(
    site: Site, name: str, code: str, error: str, value: str
) -> None:
    if not name.startswith(("nowhere", "bad nine")):
        site.module(name.partition(":")[0].partition(".")[0], code)
    with refused(error, name, value) as caught:
        system(name)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def __init__(self, x): ...", "TypeError"),
        ("def __init__(self): 1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_class_that_needs_arguments(site: Site, code: str, reason: str) -> None:
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("needy", body)
    with refused("plugin-failed", "'needy:A'", reason):
        system("needy:A")


def test_a_class_without_a_name_is_refused(site: Site) -> None:
    site.module("nameless", "class A:\n    def predict(self, corpus): ...\n")
    with refused("argument-type", "name, parameters"):
        system("nameless:A")


def test_a_class_receives_only_the_arguments_that_it_accepts(site: Site) -> None:
    code = "def __init__(self, pipeline='x', **rest): self.rest = {'pipeline': pipeline, **rest}"
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("greedy", body)
    site.module("modest", SYSTEM)
    greedy: Any = system("greedy:A", pipeline="hanta", progress=1)
    assert greedy.rest == {"pipeline": "hanta", "progress": 1}
    with refused("plugin-failed", "'modest:OneChain'", "TypeError"):
        system("modest:OneChain", delta=0.3)


def test_a_system_of_another_package_on_the_command_line(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    call = ("eval", "--corpus", "sample", "-s", "pure", "--metric", "muc", "-q", "-f", "csv")
    rows = rows_of(run(*call, "--system", "one-chain", "--system", "lemma"))
    assert [row["system"] for row in rows] == ["one-chain", "lemma"]
    ran = run(*call, "--system", "bad")
    assert (ran.code, ran.out, ran.error) == (1, "", "plugin-invalid")
    assert ran.err.startswith("cdec: error: broken:X: ")
    assert ran.err.count("\n") == 1
    # Neither is among the systems that run by default.
    assert {row["system"] for row in rows_of(run(*call))} == {"lemma", "lemma-wd", "lemma-delta"}


def test_a_system_by_module_and_class_on_the_command_line(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.py").write_text(SYSTEM, "utf-8")
    call = [sys.executable, "-P", "-m", "cdec", "predict", "--corpus", "sample", "-q", "--system"]
    ran = subprocess.run([*call, "mine:OneChain"], cwd=here, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"#begin document")
    ran = subprocess.run([*call, "mine:Two"], cwd=here, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"cdec: error: mine:Two: ")
    assert ran.stderr.count(b"\n") == 1


def test_an_entry_point_with_another_name_than_its_class(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems other": "mine:OneChain"})
    ran = run("predict", "--corpus", "sample", "-q", "--system", "other")
    assert (ran.code, ran.error) == (1, "system-invalid")
    assert all(value in ran.err for value in ("my-system-3.1: ", "'other'", "'one-chain'"))


LEARNER = (
    SYSTEM.replace("one-chain", "copier").replace("OneChain", "Copier")
    + """
    trained_on = ""

    def has_seen(self, corpus):
        return False

    def fit(self, train, dev, *, jobs=1):
        done = Copier()
        done.trained_on = train.part
        return done

    def save(self, path):
        path.write_text(self.trained_on)

    def load(self, path):
        done = Copier()
        done.trained_on = path.read_text()
        return done
"""
)


def test_a_system_that_learns(site: Site, run: Run, tmp_path: Path) -> None:
    site.install("copier", "1", {"copier": LEARNER}, {"systems copier": "copier:Copier"})
    model = tmp_path / "copier.model"
    common = ("--corpus", "sample", "-q")
    assert run("train", "copier", *common, "-o", str(model)) == Ran(0, "", "")
    assert model.read_text() == "sample-train"
    call = ("eval", "--system", "copier", "-s", "pure", "--metric", "muc", "-f", "csv", *common)
    trained, loaded = run(*call), run(*call, "--model", str(model))
    assert trained == loaded
    assert trained.code == 0
    ran = run("train", "copier", *common, "--ablation")
    assert (ran.code, ran.error) == (2, "system-unsuitable")
    assert "'copier'" in ran.err
    ran = run("train", "lemma", *common)
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "sac, sac-plus, copier" in ran.err
