"""Divide the values of ``Entity=`` into chunks and fields, with arrays instead of strings.

A chunk is ``(body``, ``body)`` or ``(body)``. All positions are bytes of the joined values, each of
which ends with a line end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints

Bytes = npt.NDArray[np.uint8]
_WORD = 8  # bytes that are compared at a time


class Chunks(NamedTuple):
    """Chunks in text order: their value, whether they open and close, begin and end of the body."""

    value: Ints
    opens: Bools
    closes: Bools
    begin: Ints
    end: Ints


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a file, joined with line ends."""

    data: bytes = field(repr=False)

    @property
    def content(self) -> Bytes:
        """The bytes as an array."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def text(self, begin: int, end: int) -> str:
        """Return a part of the values."""
        return self.data[begin:end].decode(errors="replace")

    def chunks(self) -> Chunks:
        """Return the chunks; what is no chunk has neither bracket, or an empty body."""
        content = self.content
        breaks = np.flatnonzero(content == ord("\n"))
        starting = np.zeros(len(content) + 1, dtype=np.bool_)
        starting[0] = len(content) > 0
        starting[1:] = (content == ord(")")) | (content == ord("\n"))
        starting[:-1] |= content == ord("(")
        starting[breaks] = False
        starting[-1] = False
        starts = np.flatnonzero(starting)
        stops = np.append(starts[1:], len(content))[: len(starts)]
        stops = stops - (content[stops - 1] == ord("\n"))
        opens, closes = content[starts] == ord("("), content[stops - 1] == ord(")")
        value = np.searchsorted(breaks, starts)
        return Chunks(value, opens, closes, starts + opens, stops - closes)

    def empty(self) -> Ints:
        """Return the values without a byte."""
        breaks = np.flatnonzero(self.content == ord("\n"))
        return np.flatnonzero(np.diff(breaks, prepend=-1) == 1)

    def fields(self, chunks: Chunks, wanted: list[int], total: int) -> list[tuple[Ints, Ints]]:
        """Return begin and end of these fields of the bodies, of ``total`` divided by ``-``.

        The last field can contain ``-``; a field that a body lacks is empty.
        """
        dashes = np.append(np.flatnonzero(self.content == ord("-")), len(self.data))
        first = np.searchsorted(dashes, chunks.begin)
        found = []
        for number in wanted:
            at = np.minimum(first + number, len(dashes) - 1)
            begin = chunks.begin if number == 0 else dashes[at - 1] + 1
            begin = np.where((first + number - 1 < len(dashes)) | (number == 0), begin, chunks.end)
            end = chunks.end if number == total - 1 else np.minimum(dashes[at], chunks.end)
            begin = np.minimum(begin, chunks.end)
            found.append((begin, np.maximum(begin, end)))
        return found

    def codes(self, begin: Ints, end: Ints) -> Ints:
        """Return a number for each of these texts: equal for equal texts."""
        padded = np.concatenate([self.content, np.zeros(_WORD, dtype=np.uint8)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, _WORD)
        length = end - begin
        codes = np.zeros(len(begin), dtype=np.int64)
        rows = np.arange(len(begin))
        at = 0
        while at == 0 or len(rows):
            left = np.minimum(length[rows] - at, _WORD)
            parts = np.ascontiguousarray(windows[begin[rows] + at]).view("<u8").ravel()
            # Bytes behind the text are cleared: shifted out and in again, but not by 64.
            shift = (8 * (_WORD - np.maximum(left, 1))).astype(np.uint64)
            parts = np.where(left > 0, (parts << shift) >> shift, np.uint64(0))
            numbers = pd.factorize(parts)[0]
            pairs = codes[rows] * (int(numbers.max(initial=0)) + 1) + numbers
            # No text that is longer is equal to one that ended before.
            above = int(codes.max(initial=-1)) + 1 if at else 0
            codes[rows] = pd.factorize(pairs)[0] + above
            at += _WORD
            rows = rows[length[rows] > at]
        return pd.factorize(codes)[0].astype(np.int64, copy=False)

    def numbers(self, begin: Ints, end: Ints) -> Ints:
        """Return the decimal number in each of these texts, −1 for another text, 0 for none."""
        length = end - begin
        numbers = np.zeros(len(begin), dtype=np.int64)
        wrong = length > _WORD
        for k in range(min(int(length.max(initial=0)), _WORD)):
            rows = np.flatnonzero(length > k)
            digit = self.content[begin[rows] + k].astype(np.int64) - ord("0")
            numbers[rows] = numbers[rows] * 10 + digit
            wrong[rows] |= (digit < 0) | (digit > 9)
        numbers[wrong] = -1
        return numbers


def bracketed(code: Ints, opens: Bools) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the pairs of opening and closing brackets, and the brackets without a partner.

    ``code`` is the name of each bracket in text order. A bracket closes the one with its name that
    was opened last. The result has positions: of opening brackets, of their closing brackets, of
    those that close nothing (correct for the first only), of those that are not closed (only
    without the former).

    >>> pairs = bracketed(np.array([7, 7, 8, 7, 8, 7]), np.array([1, 1, 1, 0, 0, 0], dtype=bool))
    >>> [numbers.tolist() for numbers in pairs]
    [[0, 1, 2], [5, 3, 4], [], []]
    """
    order = np.argsort(code, kind="stable")
    sign = np.where(opens, 1, -1)[order]
    total = np.cumsum(sign)
    first = np.flatnonzero(np.diff(code[order], prepend=-1))
    sizes = np.diff(first, append=len(order))
    depth = total - np.repeat(total[first] - sign[first], sizes)
    unopened = np.sort(order[depth < 0])
    none = np.empty(0, dtype=np.int64)
    if len(unopened):
        return none, none, unopened, none
    level = depth + (sign < 0)
    ranks = np.lexsort((level, code[order]))
    position, is_open = order[ranks], sign[ranks] > 0
    # Brackets of one name and depth alternate: what opens is followed by what closes it.
    paired = is_open & np.append(~is_open[1:], False)
    at = np.flatnonzero(paired)
    by_text = np.argsort(position[at])
    return (
        position[at][by_text],
        position[at + 1][by_text],
        none,
        np.sort(position[is_open & ~paired]),
    )
