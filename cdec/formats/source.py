"""The bytes of a key or response file, as UTF-8 text with lines."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from cdec.errors import FormatError

STDIN = "-"
_MAGIC = {
    b"\xff\xfe": ("UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "save it as UTF-8"),
    b"\x1f\x8b": ("compressed by gzip", "unpack it first"),
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
}


@dataclass(frozen=True)
class Source:
    """A file's name as the user gave it, its text without byte-order mark, its SHA-256."""

    name: str
    text: str = field(repr=False)
    digest: str = ""

    @cached_property
    def lines(self) -> list[str]:
        """The lines without line ends (Unix, Windows, old Mac); line n is ``lines[n - 1]``."""
        text = self.text.replace("\r\n", "\n")
        return text.split("\n" if "\n" in text else "\r")

    def place(self, line: int) -> str:
        """Return ``file:line``, or the bare name for line 0."""
        return f"{self.name}:{line}" if line > 0 else self.name

    def error(self, line: int, message: str, cure: str) -> FormatError:
        """Return a FormatError at this line."""
        return FormatError(message, place=self.place(line), cure=cure)


def open_source(path: Path | str) -> Source:
    """Read the file at ``path`` (``-`` is stdin).

    Raises FormatError where there is no such file, where it is empty, binary or not UTF-8.
    """
    name = str(path)
    return decode(name, _bytes(name))


def decode(name: str, data: bytes) -> Source:
    """Return the Source of these bytes; raises FormatError for empty, binary or not UTF-8."""
    for magic, (seen, cure) in _MAGIC.items():
        if data.startswith(magic):
            raise FormatError(f"the file is {seen}", place=name, cure=cure)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8: byte {error.start + 1} of the file is 0x{data[error.start]:02x}"
        raise FormatError(message, place=f"{name}:{line}", cure="save it as UTF-8") from None
    if not text.strip():
        raise FormatError("the file is empty", place=name, cure="an accepted file has mentions")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("binary data (a NUL)", place=f"{name}:{line}", cure="give a text file")
    return Source(name, text, sha256(data).hexdigest())


def _bytes(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FormatError(f"cannot read: {reason}", place=name, cure="check the path") from None
    except ValueError as error:
        raise FormatError(f"cannot read: {error}", place=name, cure="check the path") from None
