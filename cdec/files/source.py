"""A key or response file: its name, its text and its lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from cdec.arrays import Ints
from cdec.errors import CdecError, FormatError
from cdec.files.inputfile import FileKind

STDIN = "-"
_LINE_END = re.compile(r"\r*\n|\r")
_BEGINNINGS = (2**16, 2**20)  # characters
# (code, row or line, message, hint) → the error with its place; some checks know rows only.
Fail = Callable[[str, int, str, str], CdecError]
# The key of a corpus a hundred times as large as ECB+ has about 200 MB.
_LARGE = 2**24
_KIND = FileKind(
    "a key or response", FormatError, "format-undetected", "give a file with mentions", 2**30
)


@dataclass(frozen=True)
class Source:
    """The name of a file as the user gave it, its content, its SHA-256.

    Bytes are decoded when the text is needed: a reader that works on bytes saves the memory.
    """

    name: str
    content: str | bytes = field(repr=False)
    digest: str = ""
    path: str = ""  # that the content can be read from again
    declared_at: int = 0  # the line of the declaration, which is blank now; 0: there is none

    @cached_property
    def text(self) -> str:
        """The text without byte-order mark; raises FormatError if it is empty or not UTF-8."""
        if isinstance(self.content, str):
            return self.content
        return _KIND.decode(self.content, self.name)

    @property
    def data(self) -> bytes:
        """The content as bytes."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()

    @cached_property
    def lines(self) -> list[str]:
        """The lines without line ends (Unix, Windows, old Mac OS); line n is ``lines[n - 1]``.

        Several kinds may occur in one file; carriage returns before a line feed belong to it.
        """
        return _split(self.text)

    def beginning(self, count: int) -> list[str]:
        """Return the first ``count`` lines that are not blank, without splitting a large file."""
        for size in _BEGINNINGS:
            stop = self.text.rfind("\n", 0, size)
            lines = [line for line in _split(self.text[: max(stop, 0)]) if line.strip()]
            if len(lines) >= count:
                return lines[:count]
        return [line for line in self.lines if line.strip()][:count]

    def again(self) -> Callable[[], Source]:
        """Return a function that returns this source.

        Large content is not kept: it is read from the file again, which must not have changed.
        """
        if len(self.content) < _LARGE or not self.path:
            return lambda: self
        path, digest = self.path, self.digest

        def read() -> Source:
            source = open_source(path)
            if source.digest != digest:
                message, hint = "the file has changed while it was in use", "run the command again"
                raise FormatError("file-changed", message, place=path, hint=hint)
            return source

        return read

    def place(self, line: int) -> str:
        """Return ``file:line``, or the bare name for line 0."""
        return f"{self.name}:{line}" if line > 0 else self.name

    def error(self, code: str, line: int, message: str, hint: str) -> FormatError:
        """Return a FormatError with this code at this line (0 if unknown)."""
        return FormatError(code, message, place=self.place(line), hint=hint)


def _split(text: str) -> list[str]:
    text = text.replace("\r\n", "\n")
    if "\n" in text and "\r" in text:
        text = _LINE_END.sub("\n", text)
    return text.split("\n" if "\n" in text else "\r")


def failing(source: Source, lines: Ints) -> Fail:
    """Return a function that builds the FormatError for a row.

    ``lines`` has the source line of each row, 0 if unknown.
    """

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        line = int(lines[row])
        return source.error(code, line, message if line else f"mention {row + 1}: {message}", hint)

    return fail


def open_source(path: Path | str) -> Source:
    """Read the file at ``path`` (``-`` is stdin).

    A file packed by gzip is its content, also for its digest. Raises FormatError if the file is
    unreadable.
    """
    name = str(path)
    data = _KIND.unpacked(_stdin() if name == STDIN else _KIND.read_bytes(Path(name)), name)
    again = name if name != STDIN and Path(name).is_file() else ""
    return Source(name, data, sha256(data).hexdigest(), again)


def decode(name: str, data: bytes) -> Source:
    """Return the Source of these bytes; raises FormatError if they are empty or not UTF-8 text."""
    return Source(name, _KIND.decode(data, name), sha256(data).hexdigest())


def _stdin() -> bytes:
    if sys.stdin is None:
        raise FormatError(
            "file-unreadable", "standard input is closed", place=STDIN, hint="name a file"
        )
    try:
        return _KIND.read_stream(sys.stdin.buffer, STDIN)
    except OSError as error:
        raise _KIND.unreadable(STDIN, error) from None
