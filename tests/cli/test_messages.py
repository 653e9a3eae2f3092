"""The wording of every command: its help, and its messages for careless calls.

After an intended change, ``CDEC_UPDATE_GOLDEN=1 pytest tests/cli/test_messages.py`` writes the
golden files; read the difference before it is committed. Other tests assert codes, not wording.
"""

from __future__ import annotations

import os
import re
import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from cdec.corpus import SAMPLE_NOTICE
from cdec.errors.codes import catalogue
from tests.cli.careless import CALLS, write_files
from tests.cli.conftest import Ran, Run
from tests.cli.test_help import COMMANDS

GOLDEN = Path(__file__).parent / "golden" / "messages"
PINNED = (Path(__file__).parents[2] / "constraints.txt").read_text("utf-8").splitlines()
PROGRAM = re.compile(r"(Usage: |Try ').*?cdec ")  # pytest hides the name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the careless calls, which is the current one."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    return tmp_path


_SCORES: list[bytes] = []  # made once


def scores(cdec: Run) -> bytes:
    """The result file of the careless calls."""
    if not _SCORES:
        call = ("eval", "-q", "-s", "pure", "--system", "lemma", "-f", "json", "-o", "scores.json")
        assert cdec(*call).code == 0
        _SCORES.append(Path("scores.json").read_bytes())
    return _SCORES[0]


def command_names(command: str) -> list[str]:
    """The command, and its own commands if it is a group."""
    return [name for name in COMMANDS if name == command or name.startswith(f"{command} ")]


def normalised(text: str, folder: Path) -> str:
    """Without this machine's paths, without blanks at the end of lines."""
    text = PROGRAM.sub(r"\1cdec ", text)
    for path in (folder, *(Path(os.environ[name]) for name in ("CDEC_DATA", "CDEC_CACHE"))):
        text = text.replace(str(path), "PATH")
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def shown(call: str, ran: Ran, folder: Path) -> str:
    """A call with its messages, its exit code and its error code."""
    end = f"exit code {ran.code}{f', {ran.error}' if ran.error else ''}"
    return f"$ cdec {call}\n{normalised(ran.err, folder)}\n({end})\n"


def once(line: str, text: str) -> str:
    """The text with the first occurrence of a line only."""
    before, first, after = text.partition(line)
    return before + first + after.replace(line, "")


@pytest.mark.skipif(
    any(f"{name}=={version(name)}" not in PINNED for name in ("typer", "rich")),
    reason="help is laid out by the pinned versions of typer and rich",
)
@pytest.mark.parametrize("command", CALLS)
def test_messages(command: str, folder: Path, cdec: Run) -> None:
    (folder / "scores.json").write_bytes(scores(cdec))
    parts = []
    for name in command_names(command):
        options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        for option in ("--help", *({"--help-all"} & options)):
            text = normalised(cdec(*name.split(), option).out, folder)
            parts.append(f"$ cdec {name} {option}\n{text}\n")
    calls = CALLS[command].split("\n")[1:-1]
    parts += [shown(call, cdec(*shlex.split(call)), folder) for call in calls]
    text = once(f"cdec: note: {SAMPLE_NOTICE}\n", "\n".join(parts))
    file = GOLDEN / f"{command}.txt"
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def test_every_command_has_careless_calls_whose_errors_are_lines_with_known_codes() -> None:
    assert {*CALLS} == {name.split()[0] for name in COMMANDS if name}
    texts = {command: (GOLDEN / f"{command}.txt").read_text("utf-8") for command in CALLS}
    codes = {
        command: re.findall(r"^\(exit code [12], (.+)\)$", text, re.MULTILINE)
        for command, text in texts.items()
    }
    known = {*catalogue()} - {"internal-error"}
    assert [c for c, found in codes.items() if len(found) < 3 or not {*found} <= known] == []
    assert [command for command, text in texts.items() if "Traceback" in text] == []
