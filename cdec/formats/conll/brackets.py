"""The coreference column: brackets that open and close mentions of chains."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cdec.formats.conll.blocks import Block, TokenLines
from cdec.formats.conll.escape import escape_label, unescape
from cdec.io.source import Fail

EMPTY = frozenset({"-", "_", "*", ""})
_PIECE = re.compile(r"\(([^()|]++)\)|\(([^()|]++)|([^()|]++)\)|([^()|]++|[()])")
_DOUBLE_ANTECEDENT = re.compile(r"[0-9]+\+[0-9]")
# How rows without a mention end, by what separates their last column.
_NO_MENTION = {
    separator: frozenset(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}


class Cell(NamedTuple):
    """One cell: labels of one-token mentions, of opening and of closing brackets, as written."""

    single: tuple[str, ...]
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    discarded: tuple[str, ...] = ()


class Span(NamedTuple):
    """A mention: first and last row (included), chain label."""

    start: int
    end: int
    chain: str


class Brackets(NamedTuple):
    """Mentions as parallel lists, in the order in which they close, and rows of what was dropped.

    ``chain`` holds places in ``labels``; of two chains of a block the one that opens first has the
    smaller place.
    """

    start: list[int]
    end: list[int]
    chain: list[int]
    labels: list[str]
    discarded: list[int]


def parse_cell(cell: str) -> Cell | None:
    """Return what the cell says, or None if it is not made of brackets.

    Pieces need no ``|`` between them: ``(1(2`` and ``1)2)`` are what ``(1|(2`` and ``1)|2)`` are.
    A label of digits, ``+`` and one digit is a double antecedent, which the reference discards.
    """
    pieces = _PIECE.findall(cell)
    if not pieces or any(rest for *_, rest in pieces):
        return None
    singles = [label for label, *_ in pieces if label]
    discarded = tuple(label for label in singles if _DOUBLE_ANTECEDENT.fullmatch(label))
    kept = tuple(unescape(label) for label in singles if label not in discarded)
    opening = tuple(unescape(label) for _, label, _, _ in pieces if label)
    closing = tuple(unescape(label) for _, _, label, _ in pieces if label)
    return Cell(kept, opening, closing, discarded)


def parse_column(cells: Iterable[tuple[int, Cell]], found: Brackets, fail: Fail) -> None:
    """Add to ``found`` the mentions that the brackets of the (row, cell) pairs of a block make.

    As in the reference scorer (v8.01) one-token brackets come first in a cell, then opening, then
    closing ones, and a closing bracket ends the innermost open mention of its chain. Raises what
    ``fail`` makes for a row with a bracket without partner.
    """
    places: dict[str, int] = {}
    half: dict[str, list[int]] = {}
    for row, (single, opening, closing, dropped) in cells:
        for label in (*single, *opening):
            if label not in places:
                places[label] = len(found.labels)
                found.labels.append(label)
        ended = [(label, row) for label in single]
        for label in opening:
            half.setdefault(label, []).append(row)
        for label in closing:
            if not half.get(label):
                raise fail(row, f"'{label})' closes a mention that is not open", "balance it")
            ended.append((label, half[label].pop()))
        for label, start in ended:
            found.chain.append(places[label])
            found.start.append(start)
            found.end.append(row)
        if dropped:
            found.discarded.append(row)
    for label, rows in half.items():
        if rows:
            message = f"'({label}' opens a mention that the document does not close"
            raise fail(rows[0], message, "balance the brackets")


class LastColumn:
    """The coreference column: which rows have anything in it.

    A row that ends in a separator has an empty last field or a separator too many. The width of
    the rows that end in none decides, of the same sentence or else of the file: CoNLL-2012 has
    columns such as ``(V*)`` before the brackets, as many as a sentence has verbs.
    """

    def __init__(self, tokens: TokenLines, separator: str | None, before: str | None) -> None:
        """Take the rows, what separates their fields, and what stands before the brackets."""
        self._rows, self._separator, self._before = tokens.rows, separator, before
        gaps = np.flatnonzero(np.diff(tokens.lines) > 1) + 1
        self._bounds = [0, *gaps.tolist(), len(tokens.rows)]
        self._widths: dict[tuple[int, int], Counter[int]] = {}
        self._cells: dict[str, Cell | None] = {}

    def cells(self, block: Block, fail: Fail) -> Iterator[tuple[int, Cell]]:
        """Yield (row, cell) of the rows with brackets; raises what ``fail`` makes of other text.

        The last field that is not blank is looked at; blanks inside it separate like ``|``.
        """
        rows, separator = self._rows, self._before
        ends = _NO_MENTION[separator]
        for row in [k for k in range(block.first, block.stop) if rows[k][-2:] not in ends]:
            if separator is None:
                text = rows[row].rsplit(None, 1)[-1]
            else:
                pieces = rows[row].rstrip().rpartition(separator)[2].split()
                more = len(pieces) != 1  # most fields have no blank inside
                text = "|".join(p for p in pieces if p not in EMPTY) if more else pieces[0]
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
        text, separator = self._rows[row], self._separator
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
            widths = Counter(len(row.split(self._separator)) for row in closed)
            self._widths[first, stop] = widths
        return self._widths[first, stop]


def _no_brackets(row: str, text: str) -> tuple[str, str]:
    """Return what is wrong with a row whose last column says nothing of mentions, and the hint."""
    if row.startswith("#"):
        return f"'{row.strip()[:40]}' inside a document", "there are no comments among tokens"
    message = f"'{text[:40]}' in the last column is not coreference"
    return message, "brackets such as (12|(3), or '-' for none"


def render_column(size: int, spans: Sequence[Span], fail: Fail) -> list[str]:
    """Return ``size`` cells with the brackets of ``spans``; ``parse_column`` gives them back.

    Raises what ``fail`` makes for two mentions of one chain that overlap crosswise: brackets of
    one label cannot tell them from a mention inside another.
    """
    cells: list[list[str]] = [[] for _ in range(size)]
    longer = [span for span in spans if span.start < span.end]
    _refuse_crossing(longer, fail)
    for start, _, chain in sorted(longer, key=lambda span: -span.end):
        cells[start].append(f"({escape_label(chain)}")
    for start, end, chain in spans:
        if start == end:
            cells[start].append(f"({escape_label(chain)})")
    for _, end, chain in sorted(longer, key=lambda span: -span.start):
        cells[end].append(f"{escape_label(chain)})")
    return ["|".join(cell) or "-" for cell in cells]


def _refuse_crossing(longer: Sequence[Span], fail: Fail) -> None:
    around: dict[str, list[int]] = {}
    for start, end, chain in sorted(longer, key=lambda span: (span.start, -span.end)):
        ends = around.setdefault(chain, [])
        while ends and ends[-1] < start:
            ends.pop()
        if ends and ends[-1] < end:
            message = f"two mentions of chain '{chain}' overlap crosswise at token {start}"
            raise fail(start, message, "brackets cannot tell that: write jsonl, csv or json")
        ends.append(end)
