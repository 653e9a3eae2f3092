"""The token rows of a regular CoNLL file as arrays: the fast reader.

Regular means: a tab or one space between two fields, UTF-8 (with spaces ASCII), Unix or Windows
line ends, one field of valid brackets at the end of each row. Any other file, and so any invalid
one, is left to ``text_rows``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints
from cdec.corpus.escape import unescape
from cdec.formats.conll.blocks import Block, Blocks, find_blocks
from cdec.formats.conll.brackets import EMPTY, Brackets, Cell, parse_cell
from cdec.formats.conll.columns import Columns, Part, as_numbers, find_columns, sampled
from cdec.formats.conll.pairs import paired
from cdec.io.source import Fail, Source
from cdec.io.text_columns import Column, Irregular, TextColumns

_NO_MENTION = tuple(ord(sign) for sign in EMPTY if sign)
_BLANKS = (ord("\t"), ord(" "))


@dataclass(frozen=True)
class ByteRows:
    """The token rows of a file: ``start`` and ``stop`` of each, and the separators.

    ``separators`` has the positions of all of them, ``first`` the index of the first of each row;
    row k has ``counts[k]``.
    """

    text: TextColumns = field(repr=False)
    found: Blocks
    columns: Columns
    start: Ints = field(repr=False)
    stop: Ints = field(repr=False)
    separators: Ints = field(repr=False)
    first: Ints = field(repr=False)
    counts: Ints = field(repr=False)

    @classmethod
    def of(cls, source: Source) -> ByteRows:
        """Raise FormatError as ``find_blocks`` does, and Irregular."""
        text = TextColumns(source)
        filled = np.flatnonzero(text.stop > text.start)
        hashes = filled[text.bytes[text.start[filled]] == ord("#")]
        found = find_blocks(
            source, filled, hashes, lambda k: text.text(int(text.start[k]), int(text.stop[k]))
        )
        start, stop = text.start[found.lines - 1], text.stop[found.lines - 1]
        tabs = b"\t" in text.content
        separators = text.find(b"\t" if tabs else b" ")
        first = np.searchsorted(separators, start)
        counts = np.searchsorted(separators, stop) - first
        chosen = sampled(len(start))
        ends = zip(start[chosen].tolist(), stop[chosen].tolist(), strict=True)
        columns = find_columns([text.text(a, b) for a, b in ends], tabs)
        rows = cls(text, found, columns, start, stop, separators, first, counts)
        rows._refuse_irregular()
        return rows

    def _refuse_irregular(self) -> None:
        """Raise Irregular unless each row has a field between separators and after the last."""
        columns, ends = self.columns, self.text.bytes[self.stop - 1]
        used = (columns.document, columns.sentence, columns.text, columns.order)
        least = 1 + max(-1 if k is None else k for k in used)
        if not len(ends) or self.counts.min() < max(least, 1) or np.isin(ends, _BLANKS).any():
            raise Irregular
        if columns.separator != columns.brackets:  # white space inside the last field
            raise Irregular
        if columns.separator is None:
            first_blank = (self.text.bytes[self.start] == ord(" ")).any()
            if first_blank or (np.diff(self.separators) == 1).any() or b"\t" in self.text.content:
                raise Irregular
            if not self.text.content.isascii():
                raise Irregular

    def widths(self) -> Ints:
        """Return a number for each row that grows with its number of fields."""
        return self.counts

    def brackets(self, fail: Fail) -> Brackets[Ints]:
        """Return the mentions; raises Irregular for brackets that are not valid."""
        last = self.separators[self.first + self.counts - 1] + 1
        none = (self.stop - last == 1) & np.isin(self.text.bytes[last], _NO_MENTION)
        rows = np.flatnonzero(~none)
        column = self.text.column(last[rows], self.stop[rows])
        cells = [_cell(value) for value in column.values]
        block = np.searchsorted([b.stop for b in self.found.blocks], rows, "right")
        dropped = np.array([bool(cell.discarded) for cell in cells], dtype=np.bool_)
        return paired(cells, column.codes, rows, block, rows[dropped[column.codes]])

    def heads(self, block: Block) -> list[tuple[str, str, int]]:
        """Return (document, sentence, first row) for each group of rows with these fields equal."""
        document, sentence = self._document, self._sentence
        if block.first == block.stop or (document is None and sentence is None):
            return [(block.id, "0", block.first)]
        inside = np.searchsorted(self._changes, [block.first + 1, block.stop])
        rows = [block.first, *self._changes[slice(*inside)].tolist()]
        return [
            (
                block.id if document is None else document.values[document.codes[row]],
                "" if sentence is None else sentence.values[sentence.codes[row]],
                row,
            )
            for row in rows
        ]

    def part(self, first: int, stop: int) -> Part:
        """Return the tokens of the rows."""
        if self._tokens is None:
            return Part(None)
        numbers = None if self._numbers is None else self._numbers[first:stop]
        return Part.of(self._tokens[first:stop].tolist(), numbers)

    def order(self) -> Ints | None:
        """Return the token number of each row; None if the file has none or a row lacks it."""
        return self._integers(self.columns.order)

    @cached_property
    def _document(self) -> Column | None:
        column = self._column(self.columns.document)
        return None if column is None else column.map(unescape)

    @cached_property
    def _sentence(self) -> Column | None:
        return self._column(self.columns.sentence)

    @cached_property
    def _changes(self) -> Ints:
        """The rows whose document or sentence is not that of the row before."""
        columns = [column for column in (self._document, self._sentence) if column]
        differs = [column.codes[1:] != column.codes[:-1] for column in columns]
        return np.flatnonzero(np.logical_or.reduce(differs)) + 1

    @cached_property
    def _tokens(self) -> npt.NDArray[np.object_] | None:
        column = self._column(self.columns.text)
        return None if column is None else column.map(unescape).objects()

    @cached_property
    def _numbers(self) -> Ints | None:
        numbers = self._integers(self.columns.number)
        if numbers is None and self.columns.number is not None:
            raise Irregular
        return numbers

    def _integers(self, number: int | None) -> Ints | None:
        column = self._column(number)
        values = None if column is None else as_numbers(column.values)
        return None if column is None or values is None else values[column.codes]

    def _column(self, number: int | None) -> Column | None:
        if number is None:
            return None
        at = self.first + number
        start = self.separators[at - 1] + 1 if number else self.start
        return self.text.column(start, self.separators[at])


def _cell(text: str) -> Cell:
    cell = None if text.split() != [text] else parse_cell(text)
    if cell is None:
        raise Irregular
    return cell
