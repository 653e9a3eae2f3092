"""A folder with every valid file of ``inputs``, and assertions on the error of an invalid one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run, cdec
from tests.faults.inputs import FILES, KEY, RECORD_LINES, Input, model

__all__ = ["cdec"]  # a fixture
BEFORE = "previous content\n"


@dataclass(frozen=True)
class Desk:
    """One input in a folder with all other files of its call."""

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
        """The values of the placeholders in calls."""
        return {
            "file": self.file,
            "out": self.out,
            "corpus": self.folder / "corpus",
            "key": self.folder / "key.jsonl",
            "records": self.folder / "records.jsonl",
            "model": self.folder / "sac.model",
        }

    def arguments(self) -> list[str]:
        """The command line."""
        return [part.format_map(self.names()) for part in self.given.call.split()]

    def call(self) -> Ran:
        """Run the program in this process."""
        return self.run(*self.arguments())

    def assert_refused(self, ran: Ran, error: str = "", *values: str) -> None:
        """Assert one line with place and hint, exit code and error code, and no change of files."""
        assert ran.code == self.given.code, ran.err
        assert not error or ran.error == error, f"{ran.error}: {ran.err}"
        assert_one_line(ran, self.given.place.format_map(self.names()), *values)
        self.assert_untouched()

    def assert_untouched(self) -> None:
        """Assert that the output folder has the previous file only."""
        assert [path.name for path in self.out.parent.iterdir()] == [self.out.name]
        assert self.out.read_text() == BEFORE


def assert_one_line(ran: Ran, *parts: str) -> None:
    """Assert ``cdec: error: place: message (hint)`` and nothing on stdout."""
    assert ran.out == ""
    assert re.fullmatch(r"cdec: error: [^\n]+ \([^\n]+\)\n", ran.err), ran.err
    assert ran.error != "internal-error"
    for part in parts:
        assert part in ran.err, ran.err


SetUp = Callable[[Input], Desk]


@pytest.fixture
def set_up(tmp_path: Path, cdec: Run) -> SetUp:
    """Return a function that writes the files of an input."""

    def write(given: Input) -> Desk:
        desk = Desk(given, tmp_path, cdec)
        files: dict[str, bytes] = {f"corpus/ECB+/{n}": text.encode() for n, text in FILES.items()}
        files["records.jsonl"] = RECORD_LINES.encode()
        files |= {"key.jsonl": KEY.encode(), "out/result": BEFORE.encode()}
        if "{model}" in given.call:
            files["sac.model"] = model()
        for name, content in {**files, given.file: given.content}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return desk

    return write
