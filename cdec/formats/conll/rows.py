"""The token rows of a CoNLL file: its blocks, and the columns that the reader uses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, compress, count, repeat
from operator import contains, ne, not_
from pathlib import PurePath

import numpy as np

from cdec.arrays import Ints
from cdec.columns.blocks import Block, Blocks, find_blocks
from cdec.columns.brackets import EMPTY, Brackets, Cell, no_brackets, parse_column, parse_loose
from cdec.columns.escape import unescape
from cdec.files.input import STDIN, Fail, Source, integer
from cdec.formats.conll.columns import Columns, Part, find_columns, sampled

_TOGETHER = 1024  # rows that are split at a time: so few fields take little memory
# Separator of the last column → the last two characters of a row without a mention.
_NO_MENTION = {
    separator: tuple(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}


@dataclass(frozen=True)
class Rows:
    """The token rows of a file, one string each.

    ``starts`` has the rows whose document or sentence is not that of the row before, ``names``
    these two fields, ``tokens`` the text of each row, ``numbers`` its token number, −1 without, and
    ``counts`` its separators; a field is '' and a number −1 where a row is short. ``marked`` has
    the rows that may have a mention.
    """

    found: Blocks
    columns: Columns
    rows: list[str] = field(repr=False)
    starts: list[int] = field(default_factory=list, repr=False)
    names: list[tuple[str, str]] = field(default_factory=list, repr=False)
    tokens: list[str] = field(default_factory=list, repr=False)
    numbers: list[Ints] = field(default_factory=list, repr=False)
    counts: list[Ints] = field(default_factory=list, repr=False)
    marked: list[int] = field(default_factory=list, repr=False)
    _word: Callable[[str], str] = field(default_factory=partial(cache, unescape), repr=False)
    _number: Callable[[str], int] = field(default_factory=partial(cache, integer), repr=False)

    @classmethod
    def of(cls, source: Source) -> Rows:
        """Raise FormatError as ``find_blocks`` does."""
        stem = "" if source.name == STDIN else PurePath(source.name).stem
        texts = source.lines
        found = find_blocks(texts, source.error, stem)
        rows = [texts[index] for index in (found.lines - 1).tolist()]
        tabs = all(map(contains, rows, repeat("\t")))
        result = cls(found, find_columns(rows[sampled(len(rows))], tabs), rows)
        for first in range(0, len(rows), _TOGETHER):
            result._add(first, rows[first : first + _TOGETHER])
        return result

    def _add(self, first: int, rows: list[str]) -> None:
        """Add the fields of the ``rows`` from ``first`` on."""
        roles = self.columns
        used = (roles.document, roles.sentence, roles.text, roles.number)
        stop = 1 + max(-1 if k is None else k for k in used)
        columns, unmarked, counts = _split(rows, roles, stop)
        self.counts.append(counts)
        self.marked.extend(compress(count(first), map(not_, unmarked)))
        heads = [[""] * len(rows) if k is None else columns[k] for k in used[:2]]
        before = self.names[-1] if self.names else (None, None)
        changed: set[int] = set()
        for column, name in zip(heads, before, strict=True):
            changed.update(compress(count(), map(ne, column, chain((name,), column))))
        for row in sorted(changed):
            self.starts.append(first + row)
            self.names.append((heads[0][row], heads[1][row]))
        if roles.text is not None:
            # Equal tokens are one object: a file has far fewer words than rows.
            self.tokens.extend(map(self._word, columns[roles.text]))
        if roles.number is not None:
            numbers = map(self._number, columns[roles.number])
            self.numbers.append(np.fromiter(numbers, np.int64, len(rows)))

    def brackets(self, fail: Fail) -> Brackets:
        """Return the mentions; raises the error that ``fail`` builds for invalid brackets."""
        result = Brackets()
        last = _LastColumn(self.rows, self.found.sentences, self.columns)
        for block in self.found.blocks:
            inside = (bisect_left(self.marked, bound) for bound in (block.first, block.stop))
            parse_column(last.cells(self.marked[slice(*inside)], fail), result, fail)
        return result

    def widths(self) -> Ints:
        """Return a number for each row that grows with its number of fields."""
        separator, widths = self.columns.separator, _joined(self.counts)
        if separator:
            for row in self.marked:
                if self.rows[row][-1].isspace():
                    widths[row] = self.rows[row].rstrip().count(separator)
        return widths

    def heads(self, block: Block) -> list[tuple[str, str, int]]:
        """Return (document, sentence, first row) for each group of rows with these fields equal.

        A field is '' if the row is too short.
        """
        document, sentence = self.columns.document, self.columns.sentence
        if block.first == block.stop or (document is None and sentence is None):
            return [(block.id, "0", block.first)]
        first = bisect_right(self.starts, block.first) - 1
        inside = slice(first, bisect_left(self.starts, block.stop))
        return [
            (block.id if document is None else unescape(name), number, max(row, block.first))
            for row, (name, number) in zip(self.starts[inside], self.names[inside], strict=True)
        ]

    def part(self, first: int, stop: int) -> Part:
        """Return the tokens of the rows."""
        if self.columns.text is None:
            return Part(None)
        numbers = self._all_numbers[first:stop] if self.columns.in_document else None
        return Part.of(self.tokens[first:stop], numbers)

    def order(self) -> Ints | None:
        """Return the token number of each row; None if the file has none or a row lacks it."""
        numbers = self._all_numbers
        return None if self.columns.number is None or numbers.min(initial=0) < 0 else numbers

    @cached_property
    def _all_numbers(self) -> Ints:
        return _joined(self.numbers)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.array([], dtype=np.int64), *parts])


def _split(
    rows: list[str], roles: Columns, size: int
) -> tuple[Sequence[Sequence[str]], Iterator[bool], Ints]:
    """Return the first ``size`` columns of the rows, and the number of separators in each row.

    A column is '' where a row is short. Between them: whether a row ends in a sign for no mention.
    """
    separator = roles.separator
    if separator:
        # Rows of one width are split at once, with a line end between two: that takes a third of
        # the time.
        fields = f"{separator}\n{separator}".join(rows).split(separator)
        width = rows[0].count(separator) + 1
        same = len(fields) == len(rows) * (width + 1) - 1
        if same and width > size and fields[width :: width + 1] == ["\n"] * (len(rows) - 1):
            columns = [fields[k :: width + 1] for k in (*range(size), width - 1)]
            unmarked = map(frozenset("-_*").__contains__, columns[-1])
            return columns[:-1], unmarked, np.full(len(rows), width - 1)
    split = [row.split(separator) for row in rows]
    counts = np.fromiter(map(len, split), np.int64, len(rows)) - 1
    if counts.min() < size:
        split = [[*row[:-1], *[""] * (size + 1 - len(row))] for row in split]
    unmarked = map(str.endswith, rows, repeat(_NO_MENTION[roles.brackets]))
    return list(zip(*split, strict=False)), unmarked, counts


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

    def cells(self, marked: list[int], fail: Fail) -> Iterator[tuple[int, Cell]]:
        """Yield (row, cell) for those ``marked`` rows with brackets in the last non-blank field.

        White space inside the field separates like ``|``. Raises the error that ``fail`` builds
        for other text.
        """
        rows, separator = self._rows, self._columns.brackets
        for row in marked:
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
