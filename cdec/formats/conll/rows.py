"""The token rows of a CoNLL file: its blocks, and the columns that the reader uses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count, repeat
from operator import contains, ne, not_
from pathlib import PurePath
from sys import intern

import numpy as np

from cdec.arrays import Ints
from cdec.columns.blocks import Block, Blocks, find_blocks
from cdec.columns.brackets import EMPTY, Brackets, Cell, no_brackets, parse_column, parse_loose
from cdec.columns.escape import unescape
from cdec.formats.conll.columns import Columns, Part, as_numbers, find_columns, sampled
from cdec.io.source import STDIN, Fail, Source

_TOGETHER = 4096  # rows that are split at a time: so few lists of fields take little memory
# Separator of the last column → the last two characters of a row without a mention.
_NO_MENTION = {
    separator: tuple(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}


@dataclass(frozen=True)
class Rows:
    """The token rows of a file, one string each.

    ``starts`` has the rows whose document or sentence is not that of the row before, ``tokens`` the
    text of each row, and ``numbers`` its token number, −1 without; '' and −1 where a row is short.
    """

    found: Blocks
    columns: Columns
    rows: list[str] = field(repr=False)
    starts: list[int] = field(default_factory=list, repr=False)
    tokens: list[str] = field(default_factory=list, repr=False)
    numbers: list[Ints] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, source: Source) -> Rows:
        """Raise FormatError as ``find_blocks`` does."""
        stem = "" if source.name == STDIN else PurePath(source.name).stem
        texts = source.lines
        found = find_blocks(texts, source.error, stem)
        rows = [texts[line - 1] for line in found.lines.tolist()]
        tabs = all(map(contains, rows, repeat("\t")))
        result = cls(found, find_columns(rows[sampled(len(rows))], tabs), rows)
        for first in range(0, len(rows), _TOGETHER):
            result._add(first, rows[max(first - 1, 0) : first + _TOGETHER])
        return result

    def _add(self, first: int, rows: list[str]) -> None:
        """Add the fields of the ``rows`` from ``first`` on; the row before them is in front."""
        roles, new = self.columns, min(first, 1)
        used = (roles.document, roles.sentence, roles.text, roles.number)
        stop = 1 + max(-1 if k is None else k for k in used)
        if not stop:
            return
        columns = _columns(rows, roles.separator, stop)
        changed: set[int] = set()
        for k in (roles.document, roles.sentence):
            if k is not None:
                differs = map(ne, columns[k], columns[k][1:])
                changed.update(compress(count(first + 1 - new), differs))
        self.starts.extend(sorted(changed))
        if roles.text is not None:
            # Equal tokens are one object: a file has far fewer words than rows.
            self.tokens.extend(map(intern, columns[roles.text][new:]))
        if roles.number is not None:
            self.numbers.append(as_numbers(columns[roles.number][new:]))

    def brackets(self, fail: Fail) -> Brackets:
        """Return the mentions; raises the error that ``fail`` builds for invalid brackets."""
        result = Brackets()
        last = _LastColumn(self.rows, self.found.sentences, self.columns)
        for block in self.found.blocks:
            parse_column(last.cells(block, fail), result, fail)
        return result

    def widths(self) -> Ints:
        """Return a number for each row that grows with its number of fields."""
        separator = self.columns.separator
        if separator is None:
            return np.fromiter((len(row.split()) for row in self.rows), np.int64)
        bare = map(str.rstrip, self.rows)
        return np.fromiter(map(str.count, bare, repeat(separator)), np.int64, len(self.rows))

    def heads(self, block: Block) -> list[tuple[str, str, int]]:
        """Return (document, sentence, first row) for each group of rows with these fields equal.

        A field is '' if the row is too short.
        """
        document, sentence = self.columns.document, self.columns.sentence
        if block.first == block.stop or (document is None and sentence is None):
            return [(block.id, "0", block.first)]
        inside = slice(bisect_right(self.starts, block.first), bisect_left(self.starts, block.stop))
        heads = []
        for row in (block.first, *self.starts[inside]):
            name = block.id if document is None else unescape(self._field(row, document))
            heads.append((name, "" if sentence is None else self._field(row, sentence), row))
        return heads

    def _field(self, row: int, column: int) -> str:
        fields = self.rows[row].split(self.columns.separator, column + 1)
        return fields[column] if len(fields) > column + 1 else ""

    def part(self, first: int, stop: int) -> Part:
        """Return the tokens of the rows."""
        if self.columns.text is None:
            return Part(None)
        tokens = self.tokens[first:stop]
        if self._has_escapes:
            tokens = [unescape(token) if "&#" in token else token for token in tokens]
        numbers = self._all_numbers[first:stop] if self.columns.in_document else None
        return Part.of(tokens, numbers)

    def order(self) -> Ints | None:
        """Return the token number of each row; None if the file has none or a row lacks it."""
        numbers = self._all_numbers
        return None if self.columns.number is None or numbers.min(initial=0) < 0 else numbers

    @cached_property
    def _all_numbers(self) -> Ints:
        return np.concatenate([np.array([], dtype=np.int64), *self.numbers])

    @cached_property
    def _has_escapes(self) -> bool:
        return any(map(contains, self.rows, repeat("&#")))


def _columns(rows: list[str], separator: str | None, size: int) -> Sequence[Sequence[str]]:
    """Return the first ``size`` columns, or more, of the rows; '' where a row is short."""
    if separator and len(widths := set(map(str.count, rows, repeat(separator)))) == 1:
        # Rows of one width are split at once, which takes a third of the time.
        fields, width = separator.join(rows).split(separator), widths.pop() + 1
        if width > size:
            return [fields[k::width] for k in range(size)]
    split = [row.split(separator, size) for row in rows]
    if min(map(len, split)) <= size:
        split = [[*row[:-1], *[""] * (size + 1 - len(row)), row[-1]] for row in split]
    return list(zip(*split, strict=True))


class _LastColumn:
    """The coreference column: which rows have a mention.

    A row that ends in a separator has either an empty last field or a superfluous separator. The
    number of fields of the rows without such an ending decides, in the same sentence or else in
    the file: CoNLL-2012 has one column such as ``(V*)`` per verb of the sentence.
    """

    def __init__(self, rows: list[str], bounds: list[int], columns: Columns) -> None:
        """``bounds`` are those of the sentences."""
        self._rows, self._columns, self._bounds = rows, columns, bounds
        self._widths: dict[tuple[int, int], Counter[int]] = {}
        self._cells: dict[str, Cell | None] = {}

    def cells(self, block: Block, fail: Fail) -> Iterator[tuple[int, Cell]]:
        """Yield (row, cell) for the rows with brackets, read from the last non-blank field.

        White space inside the field separates like ``|``. Raises the error that ``fail`` builds
        for other text.
        """
        rows, separator = self._rows, self._columns.brackets
        ends = _NO_MENTION[separator]
        none = map(str.endswith, rows[block.first : block.stop], repeat(ends))
        for row in compress(count(block.first), map(not_, none)):
            if separator is None:
                text = rows[row].rsplit(None, 1)[-1]
            else:
                pieces = rows[row].rstrip().rpartition(separator)[2].split()
                more = len(pieces) != 1  # most fields have no blank inside
                text = "|".join(p for p in pieces if p not in EMPTY) if more else pieces[0]
            if text in EMPTY or (rows[row][-1].isspace() and self._is_empty(row)):
                continue
            if text not in self._cells:
                self._cells[text] = parse_loose(text)
            cell = self._cells[text]
            if cell is None or (cell.inside and rows[row][0] == "#"):
                raise fail("brackets-invalid", row, *no_brackets(text, rows[row]))
            yield row, cell

    def _is_empty(self, row: int) -> bool:
        """Return whether the last field of a row that ends in white space is empty."""
        text, separator = self._rows[row], self._columns.separator
        kept = len(text.rstrip().split(separator))
        whole = kept + 1 if separator is None else text.count(separator) + 1
        after = bisect_right(self._bounds, row)
        sentence = self._bounds[after - 1], self._bounds[after]
        for first, stop in (sentence, (0, len(self._rows))):
            widths = self._widths_of(first, stop)
            if widths[whole] != widths[kept]:
                return widths[whole] > widths[kept]
        return False

    def _widths_of(self, first: int, stop: int) -> Counter[int]:
        if (first, stop) not in self._widths:
            closed = (row for row in self._rows[first:stop] if not row[-1].isspace())
            widths = Counter(len(row.split(self._columns.separator)) for row in closed)
            self._widths[first, stop] = widths
        return self._widths[first, stop]
