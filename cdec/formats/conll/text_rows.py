"""The token rows of any CoNLL file as strings: the general reader, which explains errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.escape import unescape
from cdec.formats.conll.blocks import Block, Blocks, find_blocks
from cdec.formats.conll.brackets import Brackets, LastColumn, parse_column
from cdec.formats.conll.columns import Columns, Part, as_numbers, find_columns, sampled
from cdec.io.source import Fail, Source


@dataclass(frozen=True)
class TextRows:
    """The token rows of a file, one string each."""

    found: Blocks
    columns: Columns
    rows: list[str] = field(repr=False)

    @classmethod
    def of(cls, source: Source) -> TextRows:
        """Raise FormatError as ``find_blocks`` does."""
        texts = source.lines
        filled = [k for k, line in enumerate(texts) if line and not line.isspace()]
        hashes = [k for k in filled if texts[k][0] == "#"]
        found = find_blocks(source, _ints(filled), _ints(hashes), texts.__getitem__)
        rows = [texts[k - 1] for k in found.lines.tolist()]
        tabs = all("\t" in row for row in rows)
        return cls(found, find_columns(rows[sampled(len(rows))], tabs), rows)

    def brackets(self, fail: Fail) -> Brackets[list[int]]:
        """Return the mentions; raises the error that ``fail`` builds for invalid brackets."""
        result: Brackets[list[int]] = Brackets([], [], [], [], [])
        columns, bounds = self.columns, self.found.sentences
        last = LastColumn(self.rows, bounds, columns.separator, columns.brackets)
        for block in self.found.blocks:
            parse_column(last.cells(block, fail), result, fail)
        return result

    def widths(self) -> Ints:
        """Return a number for each row that grows with its number of fields."""
        separator = self.columns.separator
        if separator is None:
            return _ints([len(row.split()) for row in self.rows])
        return _ints([row.rstrip().count(separator) for row in self.rows])

    def heads(self, block: Block) -> list[tuple[str, str, int]]:
        """Return (document, sentence, first row) for each group of rows with these fields equal.

        A field is '' if the row is too short.
        """
        rows, columns = self.rows, self.columns
        places = (columns.document, columns.sentence)
        size = 1 + max(-1 if column is None else column for column in places)
        if not size or block.first == block.stop:
            return [(block.id, "0", block.first)]
        heads, prefix = [], None
        for row in range(block.first, block.stop):
            if prefix is not None and rows[row].startswith(prefix):
                continue
            fields = rows[row].split(columns.separator, size)
            prefix = rows[row].removesuffix(fields[-1]) if len(fields) > size else rows[row]
            document, sentence = (
                fields[column] if column is not None and len(fields) > column + 1 else ""
                for column in places
            )
            name = block.id if columns.document is None else unescape(document)
            heads.append((name, sentence, row))
        return heads

    def part(self, first: int, stop: int) -> Part:
        """Return the tokens of the rows, '' where a row is too short."""
        columns, column = self.columns, self.columns.text
        if column is None:
            return Part(None)
        split = (row.split(columns.separator, column + 1) for row in self.rows[first:stop])
        full = [f if len(f) == column + 2 else [""] * (column + 1) for f in split]
        fields = [f[column] for f in full]
        tokens = [unescape(field) if "&#" in field else field for field in fields]
        number = columns.number
        return Part.of(tokens, None if number is None else as_numbers([f[number] for f in full]))

    def order(self) -> Ints | None:
        """Return the token number of each row; None if the file has none or a row lacks it."""
        column = self.columns.order
        if column is None:
            return None
        split = (row.split(self.columns.separator, column + 1) for row in self.rows)
        return as_numbers([fields[column] if len(fields) > column else "" for fields in split])


def _ints(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)
