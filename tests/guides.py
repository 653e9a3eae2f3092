"""A guide of docs/guides, followed as a reader follows it: block by block, in one folder.

==============  ================================================================================
``console``     ``$ command`` lines, each with what it prints (stdout and stderr) below it
``python``      run in one session; what it prints stands in the ``text`` block that follows
a file          any other block, and one of Python, after a line that ends in "`path`:"
==============  ================================================================================

A block that is none of these is an error: nothing in a guide goes unchecked. In an output ``...``
stands for anything, and blanks at the ends of lines do not count.

A guide that installs a package gets a virtual environment of its own for its commands, in which
``cdec`` and its dependencies are those of this run: it needs no checkout and changes none.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import site
import subprocess
import sys
import sysconfig
import venv
from contextlib import redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from cdec.cli.app import main

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
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
        self._programs = _environment(folder) if "\n$ pip install " in self.text else None

    def followed(self) -> str:
        """Return the guide with what its commands and its code print now."""
        made = BLOCK.sub(self._follow, self.text)
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
            assert self._printed.strip(), "the code above an output prints nothing"
            shown, self._printed = _shown(body, self._printed), ""
            return shown
        if path:
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
            if simple and not self._programs
            else self._in_a_shell(command)
        )
        assert code == 0, f"{command}: exit {code}\n{printed}"
        return f"$ {command}\n{_shown(found['output'], printed)}"

    def _in_a_shell(self, command: str) -> tuple[int, str]:
        ran = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=self._folder,
            env=shell_environment(self._programs or Path(sys.executable).parent),
        )
        return ran.returncode, ran.stdout

    def _run(self, code: str) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, "guide", "exec"), self._session)  # noqa: S102 (the guide is ours)
        return printed.getvalue()


def shell_environment(programs: Path = Path(sys.executable).parent) -> dict[str, str]:
    """Return the environment of a shell whose ``cdec`` and ``python`` are in ``programs``.

    What a caller adds to pytest's options would change what the guides' own pytest prints. A
    package is built with what is installed: nothing is downloaded.
    """
    pip = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"} | pip | path


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


def _environment(folder: Path) -> Path:
    """Make a virtual environment beside ``folder`` that sees this one; return its programs."""
    place = folder.with_name(f"{folder.name}-environment")
    builder = venv.EnvBuilder(with_pip=False, symlinks=True)
    builder.create(place)
    context = builder.ensure_directories(place)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place)}))
    seen = [f"import site; site.addsitedir({path!r})\n" for path in site.getsitepackages()]
    (packages / "outer.pth").write_text("".join(seen), "utf-8")
    programs = Path(context.bin_path)
    for name, code in {
        "cdec": "from cdec.cli.start import main; main()",
        "pip": "import runpy; runpy.run_module('pip', run_name='__main__')",
    }.items():
        program = programs / name
        program.write_text(f"#!{context.env_exe}\n{code}\n", "utf-8")
        program.chmod(0o755)
    return programs
