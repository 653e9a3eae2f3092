"""Read an input file of limited size as bytes, text or lines; errors name the file and line.

An endless file such as ``/dev/zero`` is an error: it is too large. So is a packed file that is much
larger when it is unpacked: one ``Budget`` holds for gzip, zip, 7z and Parquet.
"""

from __future__ import annotations

import codecs
import errno
import gc
import gzip
import io
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cdec.errors import CdecError, FormatError, UsageError
from cdec.records import Columns

STDIN = "-"
GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_CHUNK = 2**20
_LONGEST = 2**26  # bytes of a line: a longer one is probably not a line of text
VARIABLE = "CDEC_UNPACKED_MIB"
"""The environment variable with the largest size of unpacked content, in MiB."""
UNPACKED_MIB = 256
RATIO = 200
"""The unpacked size of a file over its packed size, at most; that of text is below 20."""
_SMALL = 2**24  # unpacked bytes for which the ratio has no effect
_MOST_LINES = (
    2**24
)  # of a packed file: a list of its lines takes more memory than their text
_LINE_END = re.compile(r"\r*\n|\r")
_MAGIC = {
    codecs.BOM_UTF16_LE: "UTF-16 text",
    codecs.BOM_UTF16_BE: "UTF-16 text",
    GZIP: "compressed by gzip",
    _ZIP: "a zip archive, or a spreadsheet: save that as CSV",
}
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
_HINTS = {
    errno.EISDIR: "name a file in it",
    errno.EIO: "check the disk",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EROFS: "check the permissions",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "free some space",
}
# (code, row or line, message, hint) → the error with its place; some checks know rows only.
Fail = Callable[[str, int, str, str], CdecError]


class Budget:
    """The largest size of the packed files of one input when they are unpacked.

    All together have at most the MiB in the environment variable VARIABLE (default UNPACKED_MIB),
    and each has at most RATIO times its packed size. Raises UsageError for another value.
    """

    def __init__(self) -> None:
        text = os.environ.get(VARIABLE) or str(UNPACKED_MIB)
        mebibytes = integer(text)
        if mebibytes < 1:
            raise UsageError(
                "argument-invalid",
                f"{VARIABLE} is '{text}'",
                hint="give a number of MiB, such as 1024",
            )
        self.largest = mebibytes * 2**20
        self.sizes: dict[str, int] = {}  # of each file: one can be read again


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
        return self.error(
            self.code, f"not {self.name}: {reason}", place=place, hint=hint or self.hint
        )

    def read_bytes(self, path: object, opened: BinaryIO | None = None) -> bytes:
        """Return the content of a file, or the rest of one that is ``opened``.

        Raises ``error`` if it cannot be read or is too large.
        """
        chunks = []
        available = self.largest
        try:
            with nullcontext(opened) if opened else Path(str(path)).open("rb") as file:
                while available >= 0 and (chunk := file.read(_CHUNK)):
                    chunks.append(chunk)
                    available -= len(chunk)
            if available >= 0:
                return b"".join(chunks)
        except MemoryError:
            chunks.clear()
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise self.unreadable(path, error) from None
        raise self.too_large(path, self.largest)

    def unpacked(
        self, data: bytes, place: object, budget: Budget | None = None
    ) -> bytes:
        """Return the content of gzip data.

        Raises ``error`` if it is damaged, or too large for ``budget`` (default: a new one).
        """
        budget = budget or Budget()
        pieces = []
        size = 0
        lines = 0
        stream = gzip.GzipFile(fileobj=io.BytesIO(data))
        try:
            while piece := stream.read(_CHUNK):
                size += len(piece)
                lines += piece.count(b"\n")
                self.check_unpacked(place, size, len(data), budget)
                if lines > _MOST_LINES:
                    raise self.error(
                        "file-too-large",
                        f"the packed file has more than {_MOST_LINES:,} lines",
                        place=place,
                        hint="check the file; if it is right, unpack it first",
                    )
                pieces.append(piece)
        except _DAMAGED as error:
            raise self.refuse(place, f"damaged gzip: {error}", "get it again") from None
        return b"".join(pieces)

    def check_unpacked(
        self, place: object, size: int, packed: int, budget: Budget
    ) -> None:
        """Raise ``error`` if a file of ``packed`` bytes may not have ``size`` unpacked bytes."""
        budget.sizes[str(place)] = size
        if size > max(_SMALL, RATIO * packed):
            reason = f"it has more than {RATIO} times its packed size"
            cure = "unpack it first"
        elif sum(budget.sizes.values()) > budget.largest:
            reason = f"its content has more than {budget.largest:,} bytes"
            cure = f"set {VARIABLE} to more MiB"
        else:
            return
        raise self.error(
            "file-too-large",
            f"the packed file is too large when it is unpacked: {reason}",
            place=place,
            hint=f"check the file; if it is right, {cure}",
        )

    def read_text(self, path: Path) -> str:
        """Return the content as text; raises as ``read_bytes`` and ``decode`` do."""
        return self.decode(self.read_bytes(path), path)

    def decode(self, data: bytes, place: object, first: int = 1) -> str:
        """Decode UTF-8 and drop a byte-order mark; raises ``error`` for any other content.

        ``first`` is the number of the first line.
        """
        hint = "save it as text in UTF-8, unpacked"
        for sign, content in _MAGIC.items():
            if data.startswith(sign):
                raise self.error(
                    "file-encoding", f"the file is {content}", place=place, hint=hint
                )
        try:
            text = data.decode("utf-8-sig")
            odd = data.find(b"\0")
        except UnicodeDecodeError as error:
            text = ""
            odd = error.start
        if odd >= 0:
            line = data.count(b"\n", 0, odd) + first
            raise self.error(
                "file-encoding",
                f"not a text in UTF-8: byte {odd + 1} is 0x{data[odd]:02x}",
                place=f"{place}:{line}",
                hint=hint,
            )
        if not text.strip():
            raise self.error(
                "file-empty", "the file is empty", place=place, hint=self.hint
            )
        return text

    def lines(self, data: bytes, place: object) -> Iterator[tuple[int, str]]:
        """Yield number (from 1) and text of each line that is not blank.

        ``data`` may be compressed by gzip; the unpacked text is never in memory as a whole. Raises
        ``error`` for damaged gzip data, a text or a line that is too large, and as ``decode``.
        """
        memory = io.BytesIO(data)
        budget = Budget() if data.startswith(GZIP) else None
        stream = memory if budget is None else gzip.GzipFile(fileobj=memory)
        size = 0
        empty = True
        try:
            for number, line in enumerate(
                iter(partial(stream.readline, _LONGEST + 1), b""), 1
            ):
                size += len(line)
                if size > self.largest or len(line) > _LONGEST:
                    raise self.too_large(
                        f"{place}:{number}", min(self.largest, _LONGEST)
                    )
                if budget is not None:
                    self.check_unpacked(place, size, len(data), budget)
                if line.strip():
                    empty = False
                    yield number, self.decode(line, place, number)
        except _DAMAGED as error:
            raise self.refuse(place, f"damaged gzip: {error}", "get it again") from None
        if empty:
            self.decode(b"", place)

    def too_large(self, place: object, limit: int) -> CdecError:
        """Return the error for a file that is larger than ``limit`` bytes, or than the memory."""
        return self.error(
            "file-too-large",
            f"the file is too large for {self.name}, or for the memory: over {limit:,} bytes",
            place=place,
            hint="check the path",
        )

    def unreadable(self, place: object, error: Exception) -> CdecError:
        """Return the error for a file that the operating system cannot read."""
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return self.error(
            "file-unreadable",
            f"cannot read: {reason}",
            place=place,
            hint=_HINTS.get(getattr(error, "errno", None) or 0, "check the path"),
        )


@dataclass(frozen=True)
class TextFile:
    """A key or response: the name of the file as the user gave it, its text, its SHA-256.

    ``columns``: field → name of the column that holds it, as far as the caller says so.
    ``is_truncated``: mentions that are open at its end are left out, because the caller says so.
    """

    name: str
    text: str = field(repr=False)
    digest: str = ""
    columns: Columns = field(default_factory=dict, repr=False)
    declared_at: int = (
        0  # the line of the declaration, which is blank now; 0: there is none
    )
    is_truncated: bool = False

    @cached_property
    def lines(self) -> list[str]:
        """The lines without line ends (Unix, Windows, old Mac OS); line n is ``lines[n - 1]``.

        Several kinds may occur in one file; carriage returns before a line feed belong to it.
        """
        text = self.text.replace("\r\n", "\n")
        if "\r" in text:
            text = _LINE_END.sub("\n", text)
        return text.split("\n")

    def place(self, line: int) -> str:
        """Return ``file:line``, or the bare name for line 0."""
        return f"{self.name}:{line}" if line > 0 else self.name

    def error(self, code: str, line: int, message: str, hint: str) -> FormatError:
        """Return a FormatError with this code at this line (0 if unknown)."""
        return FormatError(code, message, place=self.place(line), hint=hint)


def open_source(path: Path | str) -> TextFile:
    """Read the file at ``path`` (``-`` is stdin).

    A file packed by gzip is its content, also for its digest, and so is a spreadsheet. Raises
    FormatError if the file is unreadable, empty or not UTF-8.
    """
    name = str(path)
    stdin = getattr(sys.stdin, "buffer", io.BytesIO()) if name == STDIN else None
    data = _KIND.read_bytes(name, stdin)
    if data.startswith(GZIP):
        data = _KIND.unpacked(data, name)
    if name.lower().endswith(".xlsx") and data.startswith(_ZIP):
        data = _sheet_as_csv(data, name, _KIND)
    return TextFile(name, _KIND.decode(data, name), sha256(data).hexdigest())


_KIND = FileKind(
    "a key or response",
    FormatError,
    "format-undetected",
    "give a file with mentions",
    2**30,
)


def _sheet_as_csv(data: bytes, place: object, kind: FileKind) -> bytes:
    """Return the only sheet of a spreadsheet that has cells as CSV; row n is line n.

    Raises the error of ``kind`` for damaged content, content beyond the size limit and several
    sheets with cells, and without openpyxl, which is an extra.
    """
    import pandas as pd  # noqa: PLC0415  # few files are spreadsheets

    try:
        with ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            kind.check_unpacked(place, unpacked, len(data), Budget())
            for member in archive.infolist():
                read_member(archive, member)
        with warnings.catch_warnings(action="ignore"):  # of what is not in the cells
            sheets = pd.read_excel(
                io.BytesIO(data),
                sheet_name=None,
                header=None,
                dtype=str,
                keep_default_na=False,
                engine="openpyxl",
            )
    except (CdecError, MemoryError):
        raise
    except ImportError:
        raise kind.refuse(
            place,
            "a spreadsheet requires openpyxl, which is not installed",
            "install cdec[xlsx], or save the sheet as CSV",
        ) from None
    except Exception as error:  # noqa: BLE001  # openpyxl has no error of its own for damage
        raise kind.refuse(
            place, f"a damaged spreadsheet: {error}", "save the sheet as CSV"
        ) from None
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if len(filled) != 1:
        reason = f"cells in {len(filled)} sheets: {[*filled]!s:.80}"
        raise kind.refuse(place, reason, "save one sheet as CSV")
    [sheet] = filled.values()
    return sheet.to_csv(index=False, header=False).encode()


def read_member(archive: ZipFile, member: ZipInfo) -> bytes:
    """Return the content of a file in a zip, no more than the size that its header declares.

    Raises the errors of ``zipfile``, also if the content is longer than declared, or compressed by
    another method than deflate: zipfile unpacks a megabyte of the others to a terabyte.
    """
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadZipFile(
            f"'{member.filename}' is compressed by another method than deflate"
        )
    with archive.open(member) as file:
        return b"".join(iter(partial(file.read, _CHUNK), b""))


def integer(text: str, digits: int = 9) -> int:
    """Return the integer of a text; −1 for any other text and for more than ``digits`` digits.

    Python also reads ``1_0`` and the digits of any script, and refuses thousands of digits.

    >>> [integer(text) for text in ("12", "1_0", "1e0", "-1", "", "1" * 10)]
    [12, -1, -1, -1, -1, -1]
    """
    return (
        int(text) if len(text) <= digits and text.isascii() and text.isdigit() else -1
    )


def how_to_write(error: OSError) -> str:
    """Return the hint for a file that the operating system cannot write."""
    return _HINTS.get(error.errno or 0, "check the path")


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
