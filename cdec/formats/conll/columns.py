"""The columns of a CoNLL-like file: which names the document, the sentence, the token.

Only what can be told from the columns themselves is told; where it cannot, the file counts as
one without text, which costs no more than the check of the texts against each other:

==========================================  =========================================
columns before the brackets                  read as
==========================================  =========================================
… name, integer, integer, **x** …            document, sentence (or part), token number, text
… name, integer, **x** …                     document, token number, text
integer, **x** / integer, integer, **x**     the same without document
name, **x** where the name never changes     document, text
**x** that changes                           text
anything else                                nothing
==========================================  =========================================
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conll.blocks import Block, TokenLines
from cdec.formats.conll.brackets import EMPTY, Brackets, parse_cell
from cdec.formats.conll.escape import unescape

_LEADING = 8
_SAMPLE = 2000
# How rows without a mention end, by what separates their last column.
_NO_MENTION = {
    separator: frozenset(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}
_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})


@dataclass(frozen=True)
class Columns:
    """How rows fall into fields: the separator (None: white space), and the columns' numbers.

    ``brackets`` is the separator before the last column: white space also in a file of tabs where
    tokens stand before the last blank. A column is None where the file has none.
    """

    separator: str | None = None
    brackets: str | None = None
    document: int | None = None
    sentence: int | None = None
    text: int | None = None

    def field(self, row: str, column: int) -> str:
        """Return a field of a row; '' where the row is too short to have it and brackets."""
        fields = row.split(self.separator, column + 1)
        return fields[column] if len(fields) == column + 2 else ""

    def head(self, row: str) -> tuple[str, str]:
        """Return the document's name and the sentence's number in a row, '' where there is none."""
        document = "" if self.document is None else self.field(row, self.document)
        return document, "" if self.sentence is None else self.field(row, self.sentence)

    def prefix(self, row: str) -> str:
        """Return the part of a row up to and with the columns of document and sentence."""
        last = max(-1 if c is None else c for c in (self.document, self.sentence))
        rest = row.split(self.separator, last + 1)
        return row[: len(row) - len(rest[-1])] if len(rest) == last + 2 else row


def find_columns(rows: Sequence[str]) -> Columns:
    """Return the columns of a file, told from rows spread evenly over it."""
    if not rows:
        return Columns()
    separator = "\t" if all("\t" in row for row in rows) else None
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    fields = [row.rstrip().split(separator) for row in sample]
    width = len(fields[0])
    usable = [row for row in fields if len(row) >= width]
    before = min(width - 1, _LEADING - 1)
    document, sentence, text = _roles(usable, before)
    return Columns(separator, _before_brackets(sample, separator), document, sentence, text)


def _before_brackets(rows: Sequence[str], separator: str | None) -> str | None:
    """Return the separator before the last column, as rows whose last field has blanks show it."""
    if separator is None:
        return None
    last = (row.rpartition(separator)[2].split() for row in rows)
    words = any(
        parse_cell(piece) is None for field in last for piece in field if piece not in EMPTY
    )
    return None if words else separator


def _roles(rows: Sequence[Sequence[str]], before: int) -> tuple[int | None, int | None, int | None]:
    """Return the columns of document, sentence and text among the first ``before``."""
    integer = [all(_is_number(row[k]) for row in rows) for k in range(before)]
    pairs = [k for k in range(before - 1) if integer[k] and integer[k + 1]]
    if pairs:
        first = next((k for k in pairs if k > 0), pairs[0])
        return _before(first), first, _inside(first + 2, before)
    if any(integer):
        first = integer.index(True)
        return _before(first), None, _inside(first + 1, before)
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1:
        return None, None, None if constant else 0
    return (0, None, 1) if constant and before == 2 else (None, None, None)


def _is_number(field: str) -> bool:
    return field.isdecimal() and len(field) < 10


def _before(column: int) -> int | None:
    return column - 1 if column > 0 else None


def _inside(column: int, before: int) -> int | None:
    return column if column < before else None


def says_nothing(tokens: Sequence[str]) -> bool:
    """Tell whether the text column holds only a placeholder."""
    return len(tokens) > 0 and set(tokens) <= _PLACEHOLDERS


class LastColumn:
    """The coreference column: which rows have anything in it.

    A row that ends in a separator has an empty last field or a separator too many. The width of
    the rows that end in none decides, of the same sentence or else of the file: CoNLL-2012 has
    columns such as ``(V*)`` before the brackets, as many as a sentence has verbs.
    """

    def __init__(self, tokens: TokenLines, columns: Columns) -> None:
        self._rows, self._columns = tokens.rows, columns
        gaps = np.flatnonzero(np.diff(tokens.lines) > 1) + 1
        self._bounds = [0, *gaps.tolist(), len(tokens.rows)]
        self._widths: dict[tuple[int, int], Counter[int]] = {}

    def marked(self, block: Block) -> Iterator[tuple[int, str]]:
        """Yield (row, last field) where that is neither empty nor a sign for no mention."""
        ends = _NO_MENTION[self._columns.brackets]
        rows = self._rows
        for row in [k for k in range(block.first, block.stop) if rows[k][-2:] not in ends]:
            field = self._field(rows[row])
            if field not in EMPTY and not self._is_empty(row):
                yield row, field

    def _field(self, row: str) -> str:
        """Return the last field that is not blank; blanks inside it separate like ``|``."""
        if self._columns.brackets is None:
            return row.rsplit(None, 1)[-1]
        field = row.rstrip().rpartition(self._columns.brackets)[2]
        return "|".join(piece for piece in field.split() if piece not in EMPTY)

    def _is_empty(self, row: int) -> bool:
        text, separator = self._rows[row], self._columns.separator
        if not text[-1].isspace():
            return False
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


class Run(NamedTuple):
    """The rows ``first`` up to ``stop`` of a block, which the document column calls ``name``."""

    name: str
    block: Block
    first: int
    stop: int


def find_runs(tokens: TokenLines, columns: Columns) -> tuple[list[Run], Ints | None]:
    """Return the runs of rows of one document name, and the sentence number of every row."""
    heads = [head for block in tokens.blocks for head in _heads(tokens.rows, block, columns)]
    runs: list[Run] = []
    for name, _, block, first, stop in heads:
        if runs and runs[-1].block is block and runs[-1].name == name:
            runs[-1] = runs[-1]._replace(stop=stop)
        else:
            runs.append(Run(name, block, first, stop))
    numbers = [number for _, number, _, first, stop in heads if stop > first]
    if columns.sentence is None or not all(n.isdecimal() and len(n) < 10 for n in numbers):
        return runs, None
    sizes = [stop - first for *_, first, stop in heads if stop > first]
    return runs, np.repeat(np.array(list(map(int, numbers)), dtype=np.int64), sizes)


def _heads(
    rows: list[str], block: Block, columns: Columns
) -> list[tuple[str, str, Block, int, int]]:
    """Return (document, sentence, block, first, stop) of each stretch of rows that begin alike."""
    if (columns.document is None and columns.sentence is None) or block.first == block.stop:
        return [(block.id, "0", block, block.first, block.stop)]
    starts, prefix = [], None
    for row in range(block.first, block.stop):
        if prefix is None or not rows[row].startswith(prefix):
            starts.append(row)
            prefix = columns.prefix(rows[row])
    found = []
    for first, stop in zip(starts, [*starts[1:], block.stop], strict=True):
        document, sentence = columns.head(rows[first])
        name = block.id if columns.document is None else unescape(document)
        found.append((name, sentence, block, first, stop))
    return found


def are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Tell whether the column names documents: each in one run, no parts, no mention across."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())
