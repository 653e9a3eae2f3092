"""A folder with every sound file of ``inputs``, and the assertions on what a bad one comes to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run, cdec
from tests.faults.inputs import FILES, KEY, Input, model

__all__ = ["cdec"]  # a fixture
BEFORE = "what was there before\n"


@dataclass(frozen=True)
class Desk:
    """One input in its folder, beside all that its call needs."""

    given: Input
    folder: Path
    run: Run

    @property
    def file(self) -> Path:
        """The input's file."""
        return self.folder / self.given.file

    @property
    def out(self) -> Path:
        """The file to be written, which is there already."""
        return self.folder / "out" / "result"

    def names(self) -> dict[str, object]:
        """What stands in calls for paths."""
        return {
            "file": self.file,
            "out": self.out,
            "corpus": self.folder / "corpus",
            "key": self.folder / "key.jsonl",
            "model": self.folder / "sac.model",
        }

    def arguments(self) -> list[str]:
        """The command line."""
        return [part.format_map(self.names()) for part in self.given.call.split()]

    def call(self) -> Ran:
        """Run the program in this process."""
        return self.run(*self.arguments())

    def assert_refused(self, ran: Ran, *words: str) -> None:
        """One line with place and hint, the exit code, nothing written and nothing left behind."""
        assert ran.code == self.given.code, ran.err
        assert_one_line(ran, self.given.place.format_map(self.names()), *words)
        self.assert_untouched()

    def assert_untouched(self) -> None:
        """What was there before is there, and nothing else."""
        assert [path.name for path in self.out.parent.iterdir()] == [self.out.name]
        assert self.out.read_text() == BEFORE


def assert_one_line(ran: Ran, *parts: str) -> None:
    """``cdec: error: place: message (hint)`` and nothing on stdout."""
    assert ran.out == ""
    assert re.fullmatch(r"cdec: error: [^\n]+ \([^\n]+\)\n", ran.err), ran.err
    assert "bug of cdec" not in ran.err
    for part in parts:
        assert part in ran.err, ran.err


SetUp = Callable[[Input], Desk]


@pytest.fixture
def set_up(tmp_path: Path, cdec: Run) -> SetUp:
    """Lay the files of an input out."""

    def lay(given: Input) -> Desk:
        desk = Desk(given, tmp_path, cdec)
        files: dict[str, bytes] = {f"corpus/ECB+/{n}": text.encode() for n, text in FILES.items()}
        files |= {"key.jsonl": KEY.encode(), "out/result": BEFORE.encode()}
        if "{model}" in given.call:
            files["sac.model"] = model()
        for name, content in {**files, given.file: given.content}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return desk

    return lay
