"""How the suite from outside runs the program: its entry point, in this process."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pytest

from cdec.errors import CdecError


@dataclass(frozen=True)
class Ran:
    """The result of a call: exit code, both outputs, and code and line of the error, if any."""

    exit: int
    out: str
    err: str
    error: str = ""
    said: str = ""

    @property
    def json(self) -> Any:
        """What it printed, as JSON; a call that failed has none."""
        assert self.exit == 0, self.err
        return json.loads(self.out)


Run = Callable[..., Ran]


@cache
def _main() -> Callable[[], None]:
    (found,) = entry_points(group="console_scripts", name="cdec")
    main: Callable[[], None] = found.load()
    return main


@pytest.fixture
def cdec(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run ``cdec`` with these arguments; one string alone is divided as a shell does it."""

    def once(arguments: list[str]) -> Ran:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["cdec", *arguments])
        with pytest.raises(SystemExit) as caught:
            _main()()
        captured = capfd.readouterr()
        found = re.search(r"^cdec: error(?:\[([\w-]+)\])?: (.*)", captured.err, re.MULTILINE)
        error, said = found.groups("") if found else ("", "")
        failure = caught.value.__context__  # the error that ended the call
        if not error and isinstance(failure, CdecError):
            error = failure.code
        return Ran(int(caught.value.code or 0), captured.out, captured.err, error, said)

    def run(*arguments: object) -> Ran:
        given = [str(one) for one in arguments]
        if len(given) == 1:
            given = shlex.split(given[0])
        ran = once(given)
        # The code of an error of the parser is shown with --verbose only.
        return once([*given, "--verbose"]) if ran.exit and not ran.error else ran

    return run
