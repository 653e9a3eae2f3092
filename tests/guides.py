"""A guide of docs/guides, followed as a reader follows it: block by block, in one folder.

==============  ================================================================================
``console``     ``$ command`` lines, each with what it prints (stdout and stderr) below it
``python``      run in one session; what it prints stands in the ``text`` block that follows
a file          any other block, and one of Python, after a line that ends in "`path`:"
``diff``        after such a line: changes the file, which must hold its old lines once
==============  ================================================================================

A block that is none of these is an error: nothing in a guide goes unchecked. In an output ``...``
stands for anything, and blanks at the ends of lines do not count.

A guide that changes the package does so in a copy of this checkout, the folder ``checkout``; from
then on its commands import what stands there.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from cdec.cli.app import main

ROOT = Path(__file__).parents[1]
# As in pyproject.toml: folders that stand beside cdec/ and install inside it.
BESIDE = ("settings", "baselines", "configs")
_BLOCK = re.compile(
    r"(?:`(?P<path>[^`\n]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_FOR_A_SHELL = re.compile(r"[|<>;&*~$]")


class Guide:
    """One reader's session in ``folder``."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.text = page.read_text("utf-8")
        self._folder = folder
        self._session: dict[str, Any] = {"__name__": "__main__"}
        self._printed = ""
        self._package = _checkout(folder) if "\n```diff\n" in self.text else None

    def followed(self) -> str:
        """Return the guide with what its commands and its code print now."""
        made = _BLOCK.sub(self._follow, self.text)
        assert not self._printed, f"no block shows what the code prints: {self._printed}"
        return made

    def _follow(self, block: re.Match[str]) -> str:
        start, end = (place - block.start() for place in block.span("body"))
        body = self._done(block["path"], block["kind"], block["body"])
        return block[0][:start] + body + block[0][end:]

    def _done(self, path: str | None, kind: str, body: str) -> str:
        if kind == "console":
            return _COMMAND.sub(self._commanded, body)
        if kind == "text":
            shown, self._printed = _shown(body, self._printed), ""
            return shown
        if path and kind == "diff":
            _change(self._folder / path, body)
        elif path:
            (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).write_text(body, "utf-8")
        else:
            assert kind == "python", f"nothing checks a block of {kind}"
            self._printed += self._run(body)
        return body

    def _commanded(self, found: re.Match[str]) -> str:
        command = found["command"]
        simple = command.startswith("cdec ") and not _FOR_A_SHELL.search(command)
        code, printed = (
            _in_this_process(shlex.split(command))
            if simple and not self._package
            else self._in_a_shell(command)
        )
        assert code == 0, f"{command}: exit {code}\n{printed}"
        return f"$ {command}\n{_shown(found['output'], printed)}"

    def _in_a_shell(self, command: str) -> tuple[int, str]:
        package = {"PYTHONPATH": str(self._package)} if self._package else {}
        ran = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=self._folder,
            env=shell_environment() | package,
        )
        return ran.returncode, ran.stdout

    def _run(self, code: str) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, "guide", "exec"), self._session)  # noqa: S102 (the guide is ours)
        return printed.getvalue()


def shell_environment() -> dict[str, str]:
    """Return the environment of a shell in which ``cdec`` and ``python`` are those of this run.

    What a caller adds to pytest's options would change what the guides' own pytest prints.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"} | {"PATH": path}


def _in_this_process(arguments: list[str]) -> tuple[int, str]:
    printed = io.StringIO()
    with (
        patch.object(sys, "argv", arguments),
        redirect_stdout(printed),
        redirect_stderr(printed),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return int(ended.value.code or 0), printed.getvalue()


def _shown(expected: str, printed: str) -> str:
    """Return the output as the guide shows it, where that holds, else the output."""
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    lines = f"{lines.strip(chr(10))}\n" if lines.strip() else ""
    return expected if OutputChecker().check_output(expected, lines, ELLIPSIS) else lines


def _checkout(folder: Path) -> Path:
    """Copy the checkout into ``folder``; return the folder that the package is imported from."""
    checkout, package = folder / "checkout", folder / "installed" / "cdec"
    without = shutil.ignore_patterns("__pycache__")
    checkout.mkdir()
    shutil.copytree(ROOT / "cdec", package, ignore=without)
    (checkout / "cdec").symlink_to(package)
    for name in BESIDE:
        shutil.copytree(ROOT / name, package / name, ignore=without)
        (checkout / name).symlink_to(package / name)
    shutil.copytree(ROOT / "tests", checkout / "tests", ignore=without)
    shutil.copy(ROOT / "pyproject.toml", checkout)
    return package.parent


def _change(file: Path, diff: str) -> None:
    lines = [line if line.strip() else " \n" for line in diff.splitlines(keepends=True)]
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{file.name} does not hold these lines once:\n{old}"
    file.write_text(text.replace(old, new), "utf-8")
