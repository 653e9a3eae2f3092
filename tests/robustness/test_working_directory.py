"""What lies in the working directory changes no byte of an output and is not run."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

EVAL = "eval -q -s all --system lemma -f json -o out"
# So many resamples that the work is shared by processes, which import modules, too.
INTERVALS = "--resamples 2700"
SHARED = f"eval -q -s simple --system lemma --metric muc --ci {INTERVALS} -f json -o out"
CHART = "reproduce table2 -q --chart out.svg -o out"
LONGER = (
    f"compare -q lemma lemma-wd --metric muc {INTERVALS} -f json -o out",
    f"report -q scores.json -r lemma -r lemma-wd {INTERVALS} -o out.html",
    "tune lemma-delta -q --plot out.svg -o out.toml",
)


def behind_slow(calls: Iterable[str]) -> list[Any]:
    return [pytest.param(call, marks=pytest.mark.slow) for call in calls]


# Each name in it is one that a library, or Python at its start, looks up somewhere.
SETTINGS = {
    "matplotlibrc": "text.usetex: True\nfont.size: 30\nlines.linewidth: 9\nsvg.fonttype: path\n",
    ".netrc": "machine localhost login a password b\n",
    "pyvenv.cfg": "home = /nowhere\n",
    "setup.cfg": "[cdec]\nx = 1\n",
    "pyproject.toml": "not TOML",
    "python311._pth": "/nowhere\n",
    "config.cfg": "[nlp]\nlang = de\n",
    "meta.json": '{"lang": "de"}',
    "fontlist.json": "{",
    "codes.toml": "[x.y]",
    "page.css": "* { color: red }",
}


Expected = Callable[[str], dict[str, bytes]]


class Harmful:
    """An object that leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.mark),))


@dataclass
class Folder:
    """A working directory, and the marks that code of it leaves beside it."""

    path: Path

    @property
    def marks(self) -> Path:
        return self.path.with_suffix(".marks")

    def set_traps(self, names: set[str]) -> None:
        """Add a module under each name, a pickle under HanTa's name, and settings of libraries."""
        self.marks.mkdir()
        for name in sorted(names):
            code = f"open({str(self.marks / name)!r}, 'w').close()\nraise ImportError('a trap')\n"
            (self.path / f"{name}.py").write_text(code)
        model = gzip.compress(pickle.dumps(Harmful(self.marks / "pickle")))
        (self.path / "morphmodel_en.pgz").write_bytes(model)
        for name, text in SETTINGS.items():
            (self.path / name).write_text(text)

    def run(self, program: list[str], call: str) -> dict[str, bytes]:
        """Run the program with a cold cache; return its output and the files that it wrote."""
        before = set(self.path.iterdir())
        run = subprocess.run(
            [*program, *call.split()],
            cwd=self.path,
            env=os.environ | {"CDEC_CACHE": str(self.path.with_suffix(".cache"))},
            capture_output=True,
            check=False,
        )
        assert (run.returncode, run.stderr) == (0, b""), run.stderr.decode()
        made = set(self.path.iterdir()) - before
        return {"stdout": run.stdout, **{path.name: path.read_bytes() for path in made}}

    def harm(self) -> list[str]:
        return sorted(path.name for path in self.marks.iterdir())


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """Return a function that gives the output of a call in a folder without traps."""

    @cache
    def of(call: str) -> dict[str, bytes]:
        folder = Folder(tmp_path_factory.mktemp("clean"))
        if "scores.json" in call:
            (folder.path / "scores.json").write_bytes(of(EVAL)["out"])
        return folder.run([sys.executable, "-P", "-m", "cdec"], call)

    return of


@pytest.fixture
def trapped(tmp_path: Path, expected: Expected) -> Folder:
    """A folder for traps."""
    folder = Folder(tmp_path / "trapped")
    folder.path.mkdir()
    (folder.path / "scores.json").write_bytes(expected(EVAL)["out"])
    return folder


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The installed program: a script in a folder with nothing else."""
    file = tmp_path_factory.mktemp("bin") / "cdec"
    file.write_text("from cdec.cli.start import main\nif __name__ == '__main__':\n    main()\n")
    return [sys.executable, str(file)]


def importable() -> set[str]:
    """Return the names of the modules that Python or an installed package has."""
    names = set(sys.stdlib_module_names) | set(packages_distributions())
    return {name for name in names if name.isidentifier()}


@pytest.mark.parametrize("call", [EVAL, *behind_slow([SHARED, CHART, *LONGER])])
def test_a_script(call: str, trapped: Folder, script: list[str], expected: Expected) -> None:
    trapped.set_traps(importable())
    assert trapped.run(script, call) == expected(call)
    assert not trapped.harm()


def test_workers(trapped: Folder, tmp_path: Path) -> None:
    """Processes that share work import modules, too; the slow calls share theirs."""
    trapped.set_traps(importable())
    file = tmp_path / "share.py"
    file.write_text(
        "from math import sqrt\nfrom cdec.io.jobs import mapped, workers\n"
        "if __name__ == '__main__':\n"
        "    with workers(2):\n        print(*mapped(sqrt, [1, 4, 9, 16]))\n"
    )
    assert trapped.run([sys.executable, str(file)], "") == {"stdout": b"1.0 2.0 3.0 4.0\n"}
    assert not trapped.harm()


@pytest.mark.parametrize("call", [CHART, *behind_slow([SHARED])])
def test_a_module(call: str, trapped: Folder, expected: Expected) -> None:
    # Python imports from the working directory, too, until it has found and started cdec.
    started = [sys.executable, "-c", "import runpy, cdec, sys; print(*sys.modules)"]
    loaded = subprocess.run(started, capture_output=True, text=True, check=True).stdout.split()
    trapped.set_traps(importable() - {name.partition(".")[0] for name in loaded})
    assert trapped.run([sys.executable, "-m", "cdec"], call) == expected(call)
    assert not trapped.harm()
