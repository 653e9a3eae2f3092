"""A folder with all valid files of ``inputs``, and the assertions on an invalid one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run, cdec
from tests.faults.inputs import FILES, KEY, Input, model

__all__ = ["cdec"]  # a fixture
BEFORE = "old content\n"


@dataclass(frozen=True)
class Desk:
    """One input in its folder, with the other files that its call needs."""

    given: Input
    folder: Path
    run: Run

    @property
    def file(self) -> Path:
        """The input's file."""
        return self.folder / self.given.file

    @property
    def out(self) -> Path:
        """The output file, which exists already."""
        return self.folder / "out" / "result"

    def names(self) -> dict[str, object]:
        """Placeholders of calls → paths."""
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

    def assert_refused(self, ran: Ran, *parts: str) -> None:
        """Assert exit code, one line with place and hint, and unchanged files.

        Each part is the code of the error or a part of its line.
        """
        assert ran.code == self.given.code, ran.err
        assert ran.error != "internal-error", ran.err
        place = self.given.place.format_map(self.names())
        assert_one_line(ran, place, *(part for part in parts if part != ran.error))
        self.assert_untouched()

    def assert_untouched(self) -> None:
        """Assert that the output is unchanged and nothing else was written."""
        assert [path.name for path in self.out.parent.iterdir()] == [self.out.name]
        assert self.out.read_text() == BEFORE


def assert_one_line(ran: Ran, *parts: str) -> None:
    """Assert ``cdec: error: place: message (hint)`` on stderr, and nothing on stdout."""
    assert ran.out == ""
    assert re.fullmatch(r"cdec: error: [^\n]+ \([^\n]+\)\n", ran.err), ran.err
    for part in parts:
        assert part in ran.err, ran.err


SetUp = Callable[[Input], Desk]


@pytest.fixture
def set_up(tmp_path: Path, cdec: Run) -> SetUp:
    """Return a function that writes the files of an input."""

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
