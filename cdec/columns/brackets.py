"""The coreference column: brackets that open and close the mentions of chains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cdec.columns.escape import escape_label, unescape
from cdec.files.input import Fail

EMPTY = frozenset({"-", "_", "*", ""})
_BALANCE = "balance the brackets of this chain"
_PIECE = re.compile(r"\(([^()|]++)\)|\(([^()|]++)|([^()|]++)\)|([^()|]++|[()])")
_DOUBLE_ANTECEDENT = re.compile(r"[0-9]+\+[0-9]")


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
    """A mention: its first and last token (inclusive), and its chain.

    ``tokens`` are all of its tokens if it has a gap.
    """

    start: int
    end: int
    chain: str
    tokens: tuple[int, ...] = ()


@dataclass
class Brackets:
    """Mentions as parallel lists, in the order of their last tokens.

    ``chain`` has indices into ``labels``, which are in the order in which the chains of a block
    first occur. ``discarded`` has the rows with a discarded label.
    """

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    chain: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)


def parse_cell(cell: str) -> Cell | None:
    """Return the labels of the cell, or None if it does not consist of labels with brackets.

    ``|`` is optional: ``(1(2`` is ``(1|(2`` and ``1)2)`` is ``1)|2)``. A label of digits, ``+`` and
    one digit is a double antecedent, which the reference scorer discards.
    """
    parsed = parse_loose(cell)
    return None if parsed is None or parsed.inside else parsed


def parse_loose(cell: str) -> Cell | None:
    """Return the labels of the cell, also those without a bracket; None for "(" or ")" alone."""
    kinds: tuple[list[str], ...] = ([], [], [], [])
    discarded: list[str] = []
    for match in _PIECE.finditer(cell):
        kind = match.lastindex or 0
        text = match[kind]
        double = kind == 1 and "+" in text and _DOUBLE_ANTECEDENT.fullmatch(text)
        (discarded if double else kinds[kind - 1]).append(unescape(text))
    single, opening, closing, inside = kinds
    if not (single or opening or closing or inside or discarded):
        return None
    if inside and not {"(", ")"}.isdisjoint(inside):
        return None
    return Cell(tuple(single), tuple(opening), tuple(closing), tuple(discarded), tuple(inside))


def parse_column(cells: Iterable[tuple[int, Cell]], result: Brackets, fail: Fail) -> None:
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
                raise fail("brackets-invalid", row, *no_brackets(label))
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
                raise fail("brackets-invalid", row, message, _BALANCE)
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
            raise fail("brackets-invalid", rows[0], message, _BALANCE)


def no_brackets(text: str, row: str = "") -> tuple[str, str]:
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
    for start, _, chain, _ in sorted(longer, key=lambda span: -span.end):
        cells[start].append(f"({escape_label(chain)}")
    for start, end, chain, _ in spans:
        if start == end:
            cells[start].append(f"({escape_label(chain)})")
    for _, end, chain, _ in sorted(longer, key=lambda span: -span.start):
        cells[end].append(f"{escape_label(chain)})")
    return ["|".join(cell) or "-" for cell in cells]


def _refuse_crossing(longer: Sequence[Span], fail: Fail) -> None:
    around: dict[str, list[int]] = {}
    for start, end, chain, _ in sorted(longer, key=lambda span: (span.start, -span.end)):
        ends = around.setdefault(chain, [])
        while ends and ends[-1] < start:
            ends.pop()
        if ends and ends[-1] < end:
            message = f"brackets cannot express crossing mentions of chain '{chain}', token {start}"
            raise fail("format-unsuitable", start, message, "use jsonl, csv or json")
        ends.append(end)
