"""Read an input file of limited size as bytes or text; errors name the file and line.

An endless file such as ``/dev/zero`` is an error: it is too large.
"""

from __future__ import annotations

import codecs
import errno
import gc
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cdec.errors import CdecError

GZIP = b"\x1f\x8b"
LONGEST = 2**26  # bytes of a line: a longer one is probably not a line of text
_CHUNK = 2**20
_SPREADSHEET = (b"[Content_Types].xml", b"application/vnd.oasis")  # in the first bytes of the zip
# Methods of a zip that unpack in pieces; zipfile unpacks a megabyte of the others to a terabyte.
_IN_PIECES = (ZIP_STORED, ZIP_DEFLATED)
_MAGIC = {
    b"\xff\xfe": ("file-encoding", "UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("file-encoding", "UTF-16 text", "save it as UTF-8"),
    GZIP: ("file-compressed", "compressed by gzip", "unpack it first"),
    b"BZh": ("file-compressed", "compressed by bzip2", "unpack it first"),
    b"\xfd7zXZ": ("file-compressed", "compressed by xz", "unpack it first"),
    b"PK\x03\x04": ("file-compressed", "a zip archive", "unpack it first"),
    b"7z\xbc\xaf": ("file-compressed", "a 7z archive", "unpack it first"),
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_HINTS = {
    errno.EISDIR: "name a file in it",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EIO: "check the disk",
}


@dataclass(frozen=True)
class FileKind:
    """A kind of input file, with the error to raise for a file that is not of this kind.

    ``name`` includes an article, for "not ``name``: …"; ``code`` and ``hint`` belong to that
    error. ``largest`` is the maximum size in bytes.
    """

    name: str
    error: type[CdecError]
    code: str
    hint: str
    largest: int = 2**26

    def refuse(self, place: object, reason: str, hint: str | None = None) -> CdecError:
        """Return the error for a readable file that is not of this kind."""
        message = f"not {self.name}: {reason}"
        return self.error(self.code, message, place=place, hint=hint or self.hint)

    def read_bytes(self, path: Path) -> bytes:
        """Return the content; raises ``error`` if it cannot be read or is too large."""
        try:
            with path.open("rb") as file:
                return self.read_stream(file, path, os.fstat(file.fileno()).st_size)
        except OSError as error:
            raise self.unreadable(path, error) from None
        except ValueError as error:  # a NUL in the name
            message = f"cannot read: {error}"
            raise self.error(
                "file-unreadable", message, place=path, hint="check the path"
            ) from None

    def read_stream(self, file: BinaryIO, place: object, size: int = 0) -> bytes:
        """Return the rest of ``file``, of estimated ``size``; raises as ``read_bytes`` does."""
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

    def unpacked(self, data: bytes, place: object) -> bytes:
        """Return the content of gzip data, any other data as it is.

        Raises ``error`` for damaged data, and for content that is too large.
        """
        if not data.startswith(GZIP):
            return data
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                return self.read_stream(packed, place)  # type: ignore[arg-type]
        except (OSError, EOFError, zlib.error) as error:
            raise self.refuse(place, f"damaged gzip: {error}", "get it again") from None

    def read_text(self, path: Path) -> str:
        """Return the content as text; raises as ``read_bytes`` and ``decode`` do."""
        return self.decode(self.read_bytes(path), path)

    def decode(self, data: bytes, place: object) -> str:
        """Decode UTF-8 and drop a byte-order mark; raises ``error`` for any other content."""
        if data.startswith(b"PK") and any(sign in data[:_CHUNK] for sign in _SPREADSHEET):
            message, hint = "the file is a spreadsheet or an office document", "save it as CSV"
            raise self.error("file-compressed", message, place=place, hint=hint)
        for magic, (code, content, hint) in _MAGIC.items():
            if data.startswith(magic):
                raise self.error(code, f"the file is {content}", place=place, hint=hint)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = f"not UTF-8: byte {error.start + 1} of the file is 0x{data[error.start]:02x}"
            where = f"{place}:{line}"
            raise self.error(
                "file-encoding", message, place=where, hint="save it as UTF-8"
            ) from None
        if not text.strip():
            raise self.error("file-empty", "the file is empty", place=place, hint=self.hint)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            where, hint = f"{place}:{line}", "give a text file"
            raise self.error("file-encoding", "binary data (a NUL byte)", place=where, hint=hint)
        return text

    def unreadable(self, place: object, error: OSError) -> CdecError:
        """Return the error for a file that the operating system cannot read."""
        reason = error.strerror or str(error) or type(error).__name__
        hint = _HINTS.get(error.errno or 0, "check the path")
        return self.error("file-unreadable", f"cannot read: {reason}", place=place, hint=hint)

    def too_large(self, place: object, limit: str) -> CdecError:
        """Return the error for a file that is larger than ``limit``."""
        message = f"the file is too large for {self.name}: more than {limit}"
        return self.error("file-too-large", message, place=place, hint="check the path")


def read_member(archive: ZipFile, member: ZipInfo) -> bytes:
    """Return the content of a file in a zip, no more than the size that its header declares.

    Raises the errors of ``zipfile``, also if the content is longer than declared, or compressed by
    another method than deflate.
    """
    if member.compress_type not in _IN_PIECES:
        raise BadZipFile(f"'{member.filename}' is compressed by another method than deflate")
    with archive.open(member) as file:
        return b"".join(iter(lambda: file.read(_CHUNK), b""))


def is_full(error: OSError) -> bool:
    """Return whether the disk, or the user's quota on it, is full."""
    return error.errno in _FULL


def how_to_write(error: OSError) -> str:
    """Return the hint for a file that the operating system cannot write."""
    if is_full(error):
        return "free some space"
    return "check the permissions" if error.errno in _FORBIDDEN else "check the path"


def text_lines(data: bytes, kind: FileKind, place: object) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each line that is not blank.

    ``data`` may be compressed by gzip; the limit of ``kind`` holds for the unpacked text. Raises
    the error of ``kind`` for damaged gzip data, a line that is too long, a text that is too large,
    empty or not UTF-8.
    """
    stream = gzip.GzipFile(fileobj=io.BytesIO(data)) if data[:2] == GZIP else io.BytesIO(data)
    empty = True
    try:
        for number, line in _raw_lines(stream, kind, place):
            text = _decoded(line, number, kind, place)
            if text and not text.isspace():
                empty = False
                yield number, text
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise kind.refuse(place, f"the gzip data is damaged: {error}", "get it again") from None
    if empty:
        raise kind.error("file-empty", "the file is empty", place=place, hint=kind.hint)


def _raw_lines(
    stream: io.BufferedIOBase, kind: FileKind, place: object
) -> Iterator[tuple[int, bytes]]:
    left, number = kind.largest, 0
    while line := stream.readline(LONGEST + 1):
        number, left = number + 1, left - len(line)
        if len(line) > LONGEST:
            raise kind.too_large(f"{place}:{number}", f"{LONGEST:,} bytes in a line")
        if left < 0:
            raise kind.too_large(place, f"{kind.largest:,} bytes")
        yield number, line


def _decoded(line: bytes, number: int, kind: FileKind, place: object) -> str:
    if number == 1:
        if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            kind.decode(line, place)  # raises
        line = line.removeprefix(codecs.BOM_UTF8)
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte {error.start + 1} of the line is 0x{line[error.start]:02x}"
        where = f"{place}:{number}"
        raise kind.error("file-encoding", message, place=where, hint="save it as UTF-8") from None


@contextmanager
def collection_paused() -> Iterator[None]:
    """Disable the collection of cycles while many objects are made that are all kept."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
