"""A file that a user names: its bytes and its text, or one line that says what is wrong with it.

What is read is bounded: a file without an end, such as ``/dev/zero``, is refused like any other
that is too large to be what it should be.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cdec.errors import CdecError

_CHUNK = 2**20
_MAGIC = {
    b"\xff\xfe": ("UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "save it as UTF-8"),
    b"\x1f\x8b": ("compressed by gzip", "unpack it first"),
    b"BZh": ("compressed by bzip2", "unpack it first"),
    b"\xfd7zXZ": ("compressed by xz", "unpack it first"),
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_CURES = {
    errno.EISDIR: "name a file in it",
    errno.EACCES: "allow yourself to read it",
    errno.EPERM: "allow yourself to read it",
    errno.EIO: "is the disk sound?",
}


@dataclass(frozen=True)
class FileKind:
    """What a file should be: the class of the errors about it, how to get one, its largest size.

    ``what`` is its name in messages: "no ``what``: …".
    """

    what: str
    error: type[CdecError]
    cure: str
    largest: int = 2**26

    def refuse(self, place: object, why: str, cure: str | None = None) -> CdecError:
        """Return the error for a file that can be read and is none of this kind."""
        return self.error(f"no {self.what}: {why}", place=place, cure=cure or self.cure)

    def read_bytes(self, path: Path) -> bytes:
        """Return the content; raises ``error`` where it cannot be read or is too large."""
        try:
            with path.open("rb") as file:
                return self.read_stream(file, path, os.fstat(file.fileno()).st_size)
        except OSError as error:
            raise self.unreadable(path, error) from None
        except ValueError as error:  # a NUL in the name
            message = f"cannot be read: {error}"
            raise self.error(message, place=path, cure="check the path") from None

    def read_stream(self, file: BinaryIO, place: object, size: int = 0) -> bytes:
        """Return what is left of ``file``, of which ``size`` is known; raises as ``read_bytes``."""
        chunks, left = [], self.largest + 1
        try:
            while left > 0 and (chunk := file.read(min(max(size + 1, _CHUNK), left))):
                chunks.append(chunk)
                left -= len(chunk)
            if left > 0:
                return b"".join(chunks)
        except MemoryError:
            raise self.too_large(place, "the memory") from None
        raise self.too_large(place, f"{self.largest:,} bytes")

    def read_text(self, path: Path) -> str:
        """Return the content as ``decode`` does."""
        return self.decode(self.read_bytes(path), path)

    def decode(self, data: bytes, place: object) -> str:
        """Return UTF-8 as text without byte-order mark; raises ``error`` for anything else."""
        for magic, (seen, cure) in _MAGIC.items():
            if data.startswith(magic):
                raise self.error(f"the file is {seen}", place=place, cure=cure)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = f"not UTF-8: byte {error.start + 1} of the file is 0x{data[error.start]:02x}"
            raise self.error(message, place=f"{place}:{line}", cure="save it as UTF-8") from None
        if not text.strip():
            raise self.error("the file is empty", place=place, cure=self.cure)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            cure = "give a text file"
            raise self.error("binary data (a NUL)", place=f"{place}:{line}", cure=cure)
        return text

    def unreadable(self, place: object, error: OSError) -> CdecError:
        """Return the error for what the system does not let one read."""
        reason = error.strerror or type(error).__name__
        cure = _CURES.get(error.errno or 0, "check the path")
        return self.error(f"cannot be read: {reason}", place=place, cure=cure)

    def too_large(self, place: object, limit: str) -> CdecError:
        """Return the error for a file that does not fit into ``limit``."""
        message = f"the file is too large for a {self.what}: more than {limit}"
        return self.error(message, place=place, cure="is it the right file?")


def how_to_write(error: OSError) -> str:
    """Return the cure for what the system does not let one write."""
    if error.errno in _FULL:
        return "make room"
    return "allow yourself to write there" if error.errno in _FORBIDDEN else "check the path"
