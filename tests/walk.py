"""How far one number travels: the functions of cdec that a command enters.

    python -P tests/walk.py FOLDER           # the figures of three commands, files in FOLDER
    python -P tests/walk.py walk eval ...    # those of one command, with its functions

The command runs twice in one process: counted are the functions that the second run enters, their
modules, and how deep they are nested.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[1]
_MADE_UP = ("<module>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


def walks(folder: Path) -> dict[str, int]:
    """Return the figures of three commands on the sample; ``folder`` is for their files."""
    key, response = str(folder / "key.conll"), str(folder / "response.conll")
    _cdec(folder, "predict", "--corpus", "sample", "--system", "lemma", "-o", response)
    _cdec(folder, "corpus", "export", "--corpus", "sample", "-o", key)
    one = ("--setting", "pure", "--metric", "conll")
    of_file = _walk(folder, "eval", "--corpus", "sample", "--response", response, *one)
    of_system = _walk(folder, "eval", "--corpus", "sample", "--system", "lemma", *one)
    of_pair = _walk(folder, "score", key, response, "--scope", "corpus", "--metric", "conll")
    return {
        **{f"eval --response: {name}": number for name, number in of_file.items()},
        "eval --system lemma: functions": of_system["functions"],
        "score KEY RESPONSE: functions": of_pair["functions"],
    }


def _environment(folder: Path) -> dict[str, str]:
    own = {"CDEC_CACHE": str(folder / "cache"), "CDEC_DATA": str(folder / "data")}
    return {name: v for name, v in os.environ.items() if name != "CDEC_ECBPLUS"} | own


def _cdec(folder: Path, *words: str) -> None:
    command = [sys.executable, "-P", "-m", "cdec", *words, "-q"]
    subprocess.run(command, check=True, env=_environment(folder), capture_output=True)


def _walk(folder: Path, *words: str) -> dict[str, int]:
    command = [sys.executable, "-P", __file__, "walk", *words, "-q"]
    done = subprocess.run(
        command, check=True, env=_environment(folder), capture_output=True, text=True
    )
    figures: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return figures


class _Counter:
    """A profile function that counts the functions of cdec."""

    def __init__(self) -> None:
        self.entered: set[CodeType] = set()
        self.depth = 0

    @staticmethod
    @functools.cache
    def is_ours(code: CodeType) -> bool:
        folders = [f"{ROOT / name}{os.sep}" for name in ("cdec", "settings", "baselines")]
        return os.path.realpath(code.co_filename).startswith(tuple(folders))

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not self.is_ours(frame.f_code):
            return
        self.entered.add(frame.f_code)
        depth, above = 0, cast("FrameType | None", frame)
        while above is not None:
            depth += self.is_ours(above.f_code)
            above = above.f_back
        self.depth = max(self.depth, depth)


def _walked(words: list[str]) -> tuple[list[str], dict[str, int]]:
    """Run a command twice in this process; return the functions of the second run, and figures."""
    from cdec.cli.start import main

    def run() -> None:
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise RuntimeError(f"{words} ended with {end.code}") from end

    sys.argv = ["cdec", *words]
    run()
    imported = sum(name.split(".")[0] == "cdec" for name in sys.modules)
    for known in gc.get_objects():
        if type(known).__name__ == "_lru_cache_wrapper" and known.__module__.startswith("cdec"):
            known.cache_clear()
    counter = _Counter()
    sys.setprofile(counter)
    run()
    sys.setprofile(None)
    functions = {
        (code.co_filename, code.co_qualname, code.co_firstlineno)
        for code in counter.entered
        if not any(name in code.co_qualname for name in _MADE_UP)
    }
    modules = {file for file, _, _ in functions}
    stations = [f"{os.path.relpath(file, ROOT)}: {name}" for file, name, _ in sorted(functions)]
    return stations, {
        "functions": len(functions),
        "modules": len(modules),
        "depth": counter.depth,
        "modules imported": imported,
    }


if __name__ == "__main__":
    if sys.argv[1] == "walk":
        stations, figures = _walked(sys.argv[2:])
        print(*stations, json.dumps(figures), sep="\n")
    else:
        print(json.dumps(walks(Path(sys.argv[1]))))
