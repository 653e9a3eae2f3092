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
from cdec.formats.conll.brackets import EMPTY, Brackets, Cell, parse_cell
from cdec.formats.conll.escape import unescape
from cdec.io.source import Fail

_LEADING = 8
_SAMPLE = 2000
# How rows without a mention end, by what separates their last column.
_NO_MENTION = {
    separator: frozenset(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}


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
    # A last field with blanks shows whether brackets stand in it, or tokens before the last blank.
    last = [row.rpartition("\t")[2].split() for row in sample] if separator else []
    pieces = {piece for field in last for piece in field if piece not in EMPTY}
    words = any(parse_cell(piece) is None for piece in pieces)
    return Columns(separator, None if words else separator, document, sentence, text)


def _roles(rows: Sequence[Sequence[str]], before: int) -> tuple[int | None, int | None, int | None]:
    """Return the columns of document, sentence and text among the first ``before``."""
    integer = [all(r[k].isdecimal() and len(r[k]) < 10 for r in rows) for k in range(before)]
    if any(integer):
        pairs = [k for k in range(before - 1) if integer[k] and integer[k + 1]]
        first = next((k for k in pairs if k > 0), pairs[0] if pairs else integer.index(True))
        text = first + 2 if pairs else first + 1
        document, sentence = first - 1 if first else None, first if pairs else None
        return document, sentence, text if text < before else None
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1:
        return None, None, None if constant else 0
    return (0, None, 1) if constant and before == 2 else (None, None, None)


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
        self._cells: dict[str, Cell | None] = {}

    def cells(self, block: Block, fail: Fail) -> Iterator[tuple[int, Cell]]:
        """Yield (row, cell) of the rows with brackets; raises what ``fail`` makes of other text.

        The last field that is not blank is looked at; blanks inside it separate like ``|``.
        """
        rows, separator = self._rows, self._columns.brackets
        ends = _NO_MENTION[separator]
        for row in [k for k in range(block.first, block.stop) if rows[k][-2:] not in ends]:
            if separator is None:
                text = rows[row].rsplit(None, 1)[-1]
            else:
                pieces = rows[row].rstrip().rpartition(separator)[2].split()
                text = "|".join(piece for piece in pieces if piece not in EMPTY)
            if text in EMPTY or (rows[row][-1].isspace() and self._is_empty(row)):
                continue
            if text not in self._cells:
                self._cells[text] = parse_cell(text)
            cell = self._cells[text]
            if cell is None:
                raise fail(row, *_no_brackets(rows[row], text))
            yield row, cell

    def _is_empty(self, row: int) -> bool:
        """Tell whether the last field of a row that ends in white space is empty."""
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


def _no_brackets(row: str, text: str) -> tuple[str, str]:
    """Return what is wrong with a row whose last column says nothing of mentions, and the cure."""
    if row.startswith("#"):
        return f"'{row.strip()[:40]}' inside a document", "there are no comments among tokens"
    message = f"'{text[:40]}' in the last column is not coreference"
    return message, "brackets such as (12|(3), or '-' for none"


class Run(NamedTuple):
    """The rows ``first`` up to ``stop`` of a block, which the document column calls ``name``."""

    name: str
    block: Block
    first: int
    stop: int


def find_runs(tokens: TokenLines, columns: Columns) -> tuple[list[Run], Ints | None]:
    """Return the runs of rows of one document name, and the sentence number of every row."""
    runs: list[Run] = []
    numbers: list[str] = []
    sizes: list[int] = []
    for block in tokens.blocks:
        heads = _heads(tokens.rows, block, columns)
        stops = [*(first for *_, first in heads[1:]), block.stop]
        for (name, number, first), stop in zip(heads, stops, strict=True):
            if runs and runs[-1].block is block and runs[-1].name == name:
                runs[-1] = runs[-1]._replace(stop=stop)
            else:
                runs.append(Run(name, block, first, stop))
            numbers.append(number)
            sizes.append(stop - first)
    if columns.sentence is None or not all(n.isdecimal() and len(n) < 10 for n in numbers):
        return runs, None
    return runs, np.repeat(np.array(list(map(int, numbers)), dtype=np.int64), sizes)


def _heads(rows: list[str], block: Block, columns: Columns) -> list[tuple[str, str, int]]:
    """Return (document, sentence, first row) of each stretch of rows that begin alike.

    A field is '' where its row is too short to have it and brackets.
    """
    places = (columns.document, columns.sentence)
    size = 1 + max(-1 if column is None else column for column in places)
    if not size or block.first == block.stop:
        return [(block.id, "0", block.first)]
    found, prefix = [], None
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
        found.append((name, sentence, row))
    return found


def are_documents(runs: list[Run], brackets: Brackets) -> bool:
    """Tell whether the column names documents: each in one run, no parts, no mention across."""
    names = {run.name for run in runs}
    if len(names) < len(runs) or "" in names or any(run.block.part for run in runs):
        return False
    starts = [run.first for run in runs]
    sides = [np.searchsorted(starts, side, "right") for side in (brackets.start, brackets.end)]
    return bool((sides[0] == sides[1]).all())
