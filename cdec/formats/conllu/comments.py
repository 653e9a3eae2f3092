"""The comments of CoNLL-U that count: documents, ids of sentences, the header of ``Entity=``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints

Bytes = npt.NDArray[np.uint8]
_NEWDOC = re.compile(rb"newdoc\b(?:[ \t]+id)?[ \t]*=?[ \t]*([^\n]*)")
_HEADER = re.compile(rb"global\.Entity[ \t]*=[ \t]*([^\n]*)")
_BLANKS = (ord(" "), ord("\t"))


class Comments(NamedTuple):
    """Documents (byte, name or b""), comments with sentence ids as lines, the header of Entity."""

    documents: list[tuple[int, bytes]]
    sentences: bytes
    header: bytes

    def moved(self, offset: int) -> Comments:
        """Return the comments with all bytes moved."""
        documents = [(at + offset, name) for at, name in self.documents]
        return self._replace(documents=documents)


def joined(parts: Iterable[Comments]) -> Comments:
    """Return the comments of several parts of a file; the first header counts."""
    blocks = list(parts)
    documents = [document for block in blocks for document in block.documents]
    header = next((block.header for block in blocks if block.header), b"")
    return Comments(documents, b"".join(block.sentences for block in blocks), header)


def comments_of(data: bytes, start: Ints, end: Ints) -> Comments:
    """Return what the comment lines say that begin and end at these bytes."""
    content = np.frombuffer(data, dtype=np.uint8)
    begin = start + 1
    blank = np.flatnonzero(np.isin(content[begin], _BLANKS))
    while len(blank):
        begin[blank] += 1
        blank = blank[np.isin(content[begin[blank]], _BLANKS)]
    ids = _starting(content, begin, b"sent_id")
    documents = [
        (int(begin[row]), match[1].strip())
        for row in _starting(content, begin, b"newdoc").tolist()
        if (match := _NEWDOC.match(data, begin[row]))
    ]
    headers = [
        match[1].strip()
        for row in _starting(content, begin, b"global.Entity").tolist()
        if (match := _HEADER.match(data, begin[row]))
    ]
    sentences = gathered(content, begin[ids], end[ids] + 1 - begin[ids])
    return Comments(documents, sentences, headers[0] if headers else b"")


def _starting(content: Bytes, begin: Ints, name: bytes) -> Ints:
    """Return the lines that have these bytes at ``begin``."""
    rows = np.arange(len(begin))
    for k, sign in enumerate(name):
        at = np.minimum(begin[rows] + k, len(content) - 1)
        rows = rows[content[at] == sign]
    return rows


def gathered(content: Bytes, begin: Ints, length: Ints, end: bytes = b"") -> bytes:
    r"""Return parts of the content, each with ``end`` (at most one byte) behind it.

    >>> at = np.array([0, 2]), np.array([1, 2])
    >>> gathered(np.frombuffer(b"abcd", np.uint8), *at, b"|")
    b'a|cd|'
    """
    size = length + len(end)
    ends = np.cumsum(size)
    total = int(ends[-1]) if len(ends) else 0
    at = np.arange(total) - np.repeat(ends - size - begin, size)
    found = content[np.minimum(at, len(content) - 1)] if end else content[at]
    if end:
        found[ends - 1] = end[0]
    return found.tobytes()
