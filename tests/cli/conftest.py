"""How tests run the program: in this process, or in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cdec.cli import app
from cdec.cli.failure import as_cdec_error
from cdec.errors import CdecError


@dataclass(frozen=True)
class Ran:
    """The result of a call: exit code, both outputs, and the code of the error, if any."""

    code: int
    out: str
    err: str
    error: str = ""


Run = Callable[..., Ran]
Done = Callable[..., str]
Spawn = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cdec(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``cdec`` with these arguments in this process."""

    errors: list[CdecError] = []

    def recorded(error: Exception) -> CdecError:
        errors.append(as_cdec_error(error))
        return errors[-1]

    monkeypatch.setattr(app, "as_cdec_error", recorded)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        errors.clear()
        monkeypatch.setattr(sys, "argv", ["cdec", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            app.main()
        captured = capsys.readouterr()
        code = errors[0].code if errors else ""
        return Ran(int(caught.value.code or 0), captured.out, captured.err, code)

    return run


@pytest.fixture
def done(cdec: Run) -> Done:
    """Run ``cdec --quiet``, check that it succeeds without messages, and return its output."""

    def run(*arguments: object) -> str:
        ran = cdec(*arguments, "--quiet")
        assert (ran.code, ran.err) == (0, ""), ran.err
        return ran.out

    return run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: Done) -> None:
    """Make a folder with key.conll and mine.conll, a response, the working directory."""
    monkeypatch.chdir(tmp_path)
    done("corpus", "export", "-o", "key.conll")
    done("predict", "--system", "lemma-wd", "-o", "mine.conll")


@pytest.fixture
def shell() -> Spawn:
    """Run a line of bash in which ``$CDEC`` is the program; variables join the environment."""

    def spawn(
        line: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        program = {"CDEC": f"{sys.executable} -W ignore -m cdec"}
        return subprocess.run(
            ["bash", "-c", line],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=os.environ | program | dict(env or {}),
        )

    return spawn
