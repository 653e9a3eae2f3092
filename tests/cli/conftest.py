"""How tests call the program: in this process where that is enough, else as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cdec.cli.app import main


@dataclass(frozen=True)
class Ran:
    """What a call gave."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]
Spawn = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cdec(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``cdec`` with these arguments in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["cdec", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capsys.readouterr()
        return Ran(int(caught.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def done(cdec: Run) -> Callable[..., str]:
    """Run ``cdec`` quietly, see it succeed without a word, and return its output."""

    def run(*arguments: object) -> str:
        ran = cdec(*arguments, "--quiet")
        assert (ran.code, ran.err) == (0, ""), ran.err
        return ran.out

    return run


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
