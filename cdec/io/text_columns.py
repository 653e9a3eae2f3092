"""Columns of a text file as positions in its bytes: equal fields are decoded once.

Readers of regular files use these arrays instead of a Python object per line. What is not regular
raises ``Irregular``: then the general reader, which works line by line, reads the file or says what
is wrong with which line. Both give the same result.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Ints
from cdec.io.source import Source

_WORD = 8  # bytes
_MASKS = np.array([2 ** (8 * size) - 1 for size in range(_WORD + 1)], dtype=np.uint64)
_LONGEST = 512
"""Bytes of a field: the time per field grows with its length."""


class Irregular(Exception):  # noqa: N818 - no error: another reader takes over
    """The file is not regular: the general reader must read it."""


class Column(NamedTuple):
    """Distinct values in the order of their first rows, and the index of the value of each row."""

    values: list[Any]
    codes: Ints

    def map(self, function: Callable[[Any], Any]) -> Column:
        """Return the column with ``function`` applied to its values."""
        return Column([function(value) for value in self.values], self.codes)

    def objects(self) -> npt.NDArray[np.object_]:
        """Return the value of each row."""
        distinct = np.empty(len(self.values), dtype=object)
        distinct[:] = self.values
        return distinct[self.codes]


class TextColumns:
    """The bytes of a file, and its lines: ``start`` and ``stop`` (exclusive) of each."""

    def __init__(self, source: Source) -> None:
        """Raise FormatError as ``Source.text`` does, and Irregular for control characters."""
        content = source.data.removeprefix(BOM_UTF8) if source.text else b""
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n")
        self.content = content if content.endswith(b"\n") else content + b"\n"
        self.bytes = np.frombuffer(self.content + bytes(_WORD), np.uint8)
        # Eight bytes from any position, as an item without type: NumPy copies it unaligned.
        self._words = np.ndarray(len(self.content) + 1, f"V{_WORD}", self.bytes, strides=(1,))
        self.stop = self.find(b"\n")
        self.start = np.concatenate([[0], self.stop[:-1] + 1])
        control = np.count_nonzero(self.bytes < 0x20) - _WORD
        if control != len(self.stop) + self.content.count(b"\t"):
            raise Irregular

    def find(self, sign: bytes) -> Ints:
        """Return the positions of a one-byte character."""
        return np.flatnonzero(self.bytes == sign[0])

    def text(self, start: int, stop: int) -> str:
        """Return the text between two positions."""
        return self.content[start:stop].decode()

    def column(self, start: Ints, stop: Ints) -> Column:
        """Return the texts between positions; raises Irregular for a very long one.

        The first eight bytes of a field give its code, further eight bytes refine it. There is no
        NUL in the file, so zeros at the end of the last word are no ambiguity.
        """
        size = stop - start
        longest = int(size.max(initial=0))
        if longest > _LONGEST:
            raise Irregular
        codes = pd.factorize(self._word(start, size))[0]
        for done in range(_WORD, longest, _WORD):
            rows = np.flatnonzero(size > done)
            more = pd.factorize(self._word(start[rows] + done, size[rows] - done))[0]
            refined = pd.factorize(codes[rows] * (int(more.max()) + 1) + more)[0]
            codes[rows] = int(codes.max()) + 1 + refined
        if longest > _WORD:
            codes = pd.factorize(codes)[0]
        first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        ends = zip(start[first].tolist(), stop[first].tolist(), strict=True)
        return Column([self.content[a:b].decode() for a, b in ends], codes)

    def _word(self, start: Ints, size: Ints) -> npt.NDArray[np.uint64]:
        """Return up to eight bytes from each position as a number."""
        words: npt.NDArray[np.uint64] = self._words[start].view("<u8")
        return words & _MASKS[np.minimum(size, _WORD)]
