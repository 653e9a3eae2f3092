"""The lines of a text in memory, plain or compressed by gzip, decoded one at a time."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator

from cdec.io.inputfile import GZIP, FileKind

LONGEST = 2**26  # bytes of a line: a longer one is probably not a line of text


def text_lines(data: bytes, kind: FileKind, place: object) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each line that is not blank.

    ``data`` may be compressed by gzip; the limit of ``kind`` is that of the unpacked text. Raises
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
