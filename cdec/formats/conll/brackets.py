"""The coreference column: brackets that open and close the mentions of chains."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from cdec.arrays import Ints
from cdec.corpus.escape import escape_label, unescape
from cdec.formats.conll.blocks import Block
from cdec.io.source import Fail

Numbers = TypeVar("Numbers", list[int], Ints)
EMPTY = frozenset({"-", "_", "*", ""})
_BALANCE = "balance the brackets of this chain"
_PIECE = re.compile(r"\(([^()|]++)\)|\(([^()|]++)|([^()|]++)\)|([^()|]++|[()])")
_DOUBLE_ANTECEDENT = re.compile(r"[0-9]+\+[0-9]")
# Separator of the last column → the last two characters of a row without a mention.
_NO_MENTION = {
    separator: frozenset(f"{blank}{sign}" for blank in separator or "\t " for sign in "-_*")
    for separator in ("\t", None)
}


class Cell(NamedTuple):
    """The chain labels in one cell: one-token mentions, opening and closing brackets.

    ``inside`` has labels without a bracket: tokens inside a mention.
    """

    single: tuple[str, ...]
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    discarded: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


class Span(NamedTuple):
    """A mention: first and last row (inclusive), chain label."""

    start: int
    end: int
    chain: str


class Brackets(NamedTuple, Generic[Numbers]):
    """Mentions as parallel lists or arrays, in the order of their last tokens.

    ``chain`` has indices into ``labels``, which are in the order in which the chains of a block
    first occur. ``discarded`` has the rows with a discarded label.
    """

    start: Numbers
    end: Numbers
    chain: Numbers
    labels: list[str]
    discarded: list[int]


def parse_cell(cell: str) -> Cell | None:
    """Return the labels of the cell, or None if it does not consist of labels with brackets.

    ``|`` is optional: ``(1(2`` is ``(1|(2`` and ``1)2)`` is ``1)|2)``. A label of digits, ``+`` and
    one digit is a double antecedent, which the reference scorer discards.
    """
    parsed = parse_loose(cell)
    return None if parsed is None or parsed.inside else parsed


def parse_loose(cell: str) -> Cell | None:
    """Return the labels of the cell, also those without a bracket; None for "(" or ")" alone."""
    pieces = _PIECE.findall(cell)
    inside = tuple(unescape(rest) for *_, rest in pieces if rest)
    if not pieces or not {"(", ")"}.isdisjoint(inside):
        return None
    singles = [label for label, *_ in pieces if label]
    discarded = tuple(label for label in singles if _DOUBLE_ANTECEDENT.fullmatch(label))
    kept = tuple(unescape(label) for label in singles if label not in discarded)
    opening = tuple(unescape(label) for _, label, _, _ in pieces if label)
    closing = tuple(unescape(label) for _, _, label, _ in pieces if label)
    return Cell(kept, opening, closing, discarded, inside)


def parse_column(
    cells: Iterable[tuple[int, Cell]], result: Brackets[list[int]], fail: Fail
) -> None:
    """Add the mentions of a block, given as (row, cell) pairs, to ``result``.

    As in the reference scorer (v8.01), a cell is read in the order one-token, opening, closing
    brackets, and a closing bracket ends the innermost open mention of its chain. A label without a
    bracket must be that of an open mention. Raises the error that ``fail`` builds for another, and
    for an unbalanced bracket.
    """
    places: dict[str, int] = {}
    half: dict[str, list[int]] = {}
    for row, (single, opening, closing, dropped, inside) in cells:
        for label in inside:
            if not half.get(label):
                raise fail("brackets-invalid", row, *_no_brackets(label))
        for label in (*single, *opening):
            if label not in places:
                places[label] = len(result.labels)
                result.labels.append(label)
        closed = [(label, row) for label in single]
        for label in opening:
            half.setdefault(label, []).append(row)
        for label in closing:
            if not half.get(label):
                message = f"'{label})' closes a mention that is not open"
                raise fail("brackets-unbalanced", row, message, _BALANCE)
            closed.append((label, half[label].pop()))
        for label, start in closed:
            result.chain.append(places[label])
            result.start.append(start)
            result.end.append(row)
        if dropped:
            result.discarded.append(row)
    for label, rows in half.items():
        if rows:
            message = f"'({label}' opens a mention that is not closed in the document"
            raise fail("brackets-unbalanced", rows[0], message, _BALANCE)


class LastColumn:
    """The coreference column: which rows have a mention.

    A row that ends in a separator has either an empty last field or a superfluous separator. The
    number of fields of the rows without such an ending decides, in the same sentence or else in
    the file: CoNLL-2012 has one column such as ``(V*)`` per verb of the sentence.
    """

    def __init__(
        self, rows: list[str], bounds: list[int], separator: str | None, before: str | None
    ) -> None:
        """``bounds`` are those of the sentences, ``separator`` is that of all fields.

        ``before`` is the separator before the last field.
        """
        self._rows, self._separator, self._before = rows, separator, before
        self._bounds = bounds
        self._widths: dict[tuple[int, int], Counter[int]] = {}
        self._cells: dict[str, Cell | None] = {}

    def cells(self, block: Block, fail: Fail) -> Iterator[tuple[int, Cell]]:
        """Yield (row, cell) for the rows with brackets, read from the last non-blank field.

        White space inside the field separates like ``|``. Raises the error that ``fail`` builds
        for other text.
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
                self._cells[text] = parse_loose(text)
            cell = self._cells[text]
            if cell is None or (cell.inside and rows[row][0] == "#"):
                raise fail("brackets-invalid", row, *_no_brackets(text, rows[row]))
            yield row, cell

    def _is_empty(self, row: int) -> bool:
        """Return whether the last field of a row that ends in white space is empty."""
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


def _no_brackets(text: str, row: str = "") -> tuple[str, str]:
    """Return message and hint for a row whose last column ``text`` has no brackets."""
    if row.startswith("#"):
        return f"comment inside a document: '{row.strip()[:40]}'", "remove the comment"
    message = f"'{text[:40]}' in the last column is not a coreference annotation"
    return message, "write brackets such as (12|(3), or '-' for no mention"


def render_column(size: int, spans: Sequence[Span], fail: Fail) -> list[str]:
    """Return ``size`` cells with the brackets of ``spans``: the inverse of ``parse_column``.

    Raises the error that ``fail`` builds if two mentions of a chain cross: with a single label,
    brackets cannot distinguish crossing from nesting.
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
            message = f"brackets cannot express crossing mentions of chain '{chain}', token {start}"
            raise fail("format-unsuitable", start, message, "use jsonl, csv or json")
        ends.append(end)
