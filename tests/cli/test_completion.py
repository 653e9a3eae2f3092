"""Help lists, and the shell completes, the names of the registries."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from cdec.auditing import shipped
from cdec.baselines import DEFAULT, SYSTEMS
from cdec.cli import completion
from cdec.cli.app import app
from cdec.cli.completion import Names
from cdec.corpus import sample_path
from cdec.settings import SETTINGS
from tests.cli.conftest import Run

Complete = Callable[[str], list[str]]
PARTS = ("train", "dev", "test", "all")
NAMES = [name for name in vars(completion).values() if isinstance(name, Names)]


def own(registry: Iterable[str]) -> tuple[str, ...]:
    """The names of cdec; the help does not list those of plug-ins."""
    return tuple(getattr(registry, "own", registry))


def test_the_ids_in_the_help_are_those_of_the_registries() -> None:
    assert own(SYSTEMS) == completion.SYSTEM_IDS
    assert DEFAULT == completion.DEFAULT_IDS
    assert own(SETTINGS) == completion.SETTING_IDS
    assert shipped() == completion.PATCH_IDS


def test_what_is_completed_is_accepted() -> None:
    offered = {f"{n.module}.{n.attribute}": (n, n.complete()) for n in NAMES}
    assert [place for place, (_, values) in offered.items() if not values] == []
    for names, values in offered.values():
        assert [names.check(value) for value in values] == values


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """Return the completions of the last word of a line in bash."""

    def offered(line: str) -> list[str]:
        words = shlex.split(line)
        begun = "" if line.endswith(" ") else words.pop()
        command: Any = get_command(app)
        with monkeypatch.context() as shell, pytest.raises(SystemExit):
            shell.setenv("_CDEC_COMPLETE", "complete_bash")
            shell.setenv("COMP_WORDS", f"{shlex.join(words)} {begun}")
            shell.setenv("COMP_CWORD", str(len(words)))
            command(args=words[1:], prog_name="cdec")
        return capsys.readouterr().out.split()

    return offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("cdec ev", ["eval"]),
        ("cdec eval --system lemma-d", ["lemma-delta", "lemma-docs"]),
        ("cdec explain --system sac", ["sac", "sac-plus"]),
        ("cdec eval -s ", [*SETTINGS, "all"]),
        ("cdec compare lemma lemma-wd --setting si", ["simple"]),
        ("cdec eval --metric ceaf", ["ceafm", "ceafe"]),
        ("cdec score a b --metric con", ["conll"]),
        ("cdec eval --repeated ", ["first", "error", "drop"]),
        ("cdec eval --words ", ["warn", "error", "ignore"]),
        ("cdec eval --format l", ["latex"]),
        ("cdec predict --to js", ["jsonl", "json"]),
        ("cdec eval --by sub", ["subtopic"]),
        ("cdec eval --split cyb", ["cybulska", *(f"cybulska/{part}" for part in PARTS)]),
        ("cdec tune lemma-do", ["lemma-docs"]),
        ("cdec train sac-", ["sac-plus"]),
        ("cdec reproduce tab", ["table1", "table2", "table3"]),
        ("cdec audit run --detector comp", ["companions"]),
    ],
)
def test_the_shell_completes(line: str, offered: list[str], complete: Complete) -> None:
    assert complete(line) == offered


def test_files_and_folders_are_completed(
    complete: Complete, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name in ("mine.conll", "my.toml", "corpus.zip", "runs/lemma.conll"):
        (tmp_path / name).touch()
    assert complete("cdec compare m") == ["mine.conll", "my.toml"]
    assert complete("cdec diagnose runs/l") == ["runs/lemma.conll"]
    assert complete("cdec eval --split m") == ["my.toml"]
    assert complete("cdec eval --corpus co") == ["corpus.zip"]
    # If any file is possible, nothing is offered: the shell completes files itself.
    assert complete("cdec eval --response m") == complete("cdec eval -o m") == []


def test_installed_corpora_are_completed(complete: Complete, cdec: Run) -> None:
    assert complete("cdec eval --corpus sam") == ["sample"]
    assert cdec("corpus", "install", sample_path(), "--name", "mine").code == 0
    assert complete("cdec corpus stats --corpus mi") == ["mine"]
