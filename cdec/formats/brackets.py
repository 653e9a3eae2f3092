"""Files with a token on each line: their ``#begin document`` blocks, and brackets in a column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.files.input import Fail
from cdec.formats.escape import escape_label, escape_name, unescape

BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
EMPTY = frozenset({"-", "_", "*", ""})
_DIRECTIVE = re.compile(rf"{BEGIN.pattern}|#\s*end document\b.*")
_NAMED = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]{1,9}))?")
_WITH_PART = re.compile(r"(.*); part ([0-9]{3,9})", re.DOTALL)
_PIECE = re.compile(r"\(([^()|]++)\)|\(([^()|]++)|([^()|]++)\)|([^()|]++|[()])")
_SEPARATOR = re.compile(r"[|\s]+")
_DOUBLE_ANTECEDENT = re.compile(r"[0-9]+\+[0-9]")
_BALANCE = "balance the brackets of this chain"


class Block(NamedTuple):
    """The rows between two directives: ``first`` (inclusive) to ``stop`` (exclusive).

    ``id`` is the name for part 0, else ``name; part 003``; ``line`` is that of ``#begin document``.
    """

    id: str
    part: int
    line: int
    first: int
    stop: int


@dataclass(frozen=True)
class Blocks:
    """The source line of each token row of a file, and the blocks.

    ``outside`` is the line of the first comment or ``#end document`` outside of a block, 0 without;
    ``unfinished`` is true if the last block has no ``#end document``, ``unnamed`` if the first has
    the name of the file because it lacks one.
    """

    lines: Ints = field(repr=False)
    blocks: list[Block] = field(repr=False)
    outside: int = 0
    unfinished: bool = False
    unnamed: bool = False

    @cached_property
    def sentences(self) -> list[int]:
        """The bounds of the sentences: rows with no other line between them."""
        gaps = np.flatnonzero(np.diff(self.lines) > 1) + 1
        return [0, *gaps.tolist(), len(self.lines)]


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


def split_id(id_: str) -> tuple[str, int]:
    """Return (name, part) of the id of a block."""
    match = _WITH_PART.fullmatch(id_)
    whole = match is not None and id_ == _id(match[1], int(match[2]))
    return (match[1], int(match[2])) if match and whole else (id_, 0)


def begin_line(id_: str) -> str:
    """Return the ``#begin document`` line of the block ``id_``."""
    name, part = split_id(id_)
    return f"#begin document ({escape_name(name)}); part {part:03d}"


def _id(name: str, part: int) -> str:
    return f"{name}; part {part:03d}" if part else name


def find_blocks(lines: Sequence[str], fail: Fail, stem: str = "") -> Blocks:
    """Return the blocks of a file; ``stem`` is the name of its first document if it has none.

    Raises the error that ``fail`` builds for a line: a token outside a document, a duplicate
    document, one without a name, and one that begins inside another.
    """
    rows: list[int] = []
    blocks: dict[str, Block] = {}
    block: Block | None = None
    outside, unnamed = 0, False

    def close() -> None:
        if block is not None:
            blocks[block.id] = block._replace(stop=len(rows))

    for number, line in enumerate(lines, start=1):
        match = _DIRECTIVE.fullmatch(line) if line[:1] == "#" else None
        if match is None:
            if not line or line.isspace():
                continue
            if block is not None:
                rows.append(number)
            elif line[0] == "#":
                outside = outside or number
            else:
                message = f"token outside a document: '{line.strip()[:40]}'"
                hint = "write '#begin document (name)' before the first token"
                raise fail("conll-structure", number, message, hint)
        elif match[1] is None:
            outside = outside or (0 if block else number)
            close()
            block = None
        else:
            named = _NAMED.fullmatch(match[1])
            part = int(named[2] or 0) if named else 0
            name = unescape(named[1] if named else match[1].rstrip(";"))
            # The only document of a file may lack a name, as in OntoGUM: it is that of the file.
            unnamed = unnamed or not name
            name = name or ("" if blocks else stem)
            id_ = _id(name, part)
            if not name or block or id_ in blocks:
                message, hint = "the document has no name", "write '#begin document (name)'"
                if block:
                    message = f"document '{id_}' begins inside document '{block.id}'"
                    hint = "write '#end document' before it"
                elif name:
                    message = f"duplicate document '{id_}', first in line {blocks[id_].line}"
                    hint = "keep one, or number the parts"
                raise fail("conll-structure", number, message, hint)
            block = Block(id_, part, number, len(rows), len(rows))
    close()
    found = np.array(rows, dtype=np.int64)
    return Blocks(found, list(blocks.values()), outside, block is not None, unnamed)


def labels_of(cell: str) -> tuple[list[str], ...] | None:
    """Return the labels of a cell by kind; None for "(" or ")" alone.

    Kinds: one-token mentions, opening and closing brackets, labels without a bracket (tokens inside
    a mention), and double antecedents (digits, ``+`` and one digit), which the reference scorer
    discards. White space and ``|`` separate labels, but ``|`` is optional: ``(1(2`` is ``(1|(2``.
    """
    kinds: tuple[list[str], ...] = ([], [], [], [], [])
    for piece in _SEPARATOR.split(cell):
        for match in _PIECE.finditer(piece) if piece not in EMPTY else ():
            kind, text = match.lastindex or 1, match[match.lastindex or 1]
            if kind == 1 and "+" in text and _DOUBLE_ANTECEDENT.fullmatch(text):
                kind = 5
            kinds[kind - 1].append(unescape(text))
    return None if {"(", ")"} & {*kinds[3]} else kinds


def parse_column(
    cells: Iterable[tuple[int, str]], result: Brackets, fail: Fail, *, discard: bool = True
) -> None:
    """Add the mentions of a block, given as (row, cell) pairs, to ``result``.

    As in the reference scorer (v8.01), a cell is read in the order one-token, opening, closing
    brackets, and a closing bracket ends the innermost open mention of its chain. Without
    ``discard``, double antecedents are labels like others. Raises the error that ``fail`` builds
    for a label without a bracket that is not that of an open mention, and unbalanced brackets.
    """
    places: dict[str, int] = {}
    half: dict[str, list[int]] = {}
    parsed = cache(labels_of)
    for row, cell in cells:
        found = parsed(cell)
        single, opening, closing, inside, double = found or ([], [], [], [cell], [])
        for label in inside:
            if not half.get(label):
                message = f"'{label[:40]}' in the last column is not a coreference annotation"
                hint = "write brackets such as (12|(3), or '-' for no mention"
                raise fail("brackets-invalid", row, message, hint)
        single = single if discard else [*single, *double]
        if double and discard:
            result.discarded.append(row)
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
    for label, rows in half.items():
        if rows:
            message = f"'({label}' opens a mention that is not closed in the document"
            raise fail("brackets-invalid", rows[0], message, _BALANCE)


def render_column(size: int, spans: Sequence[Span], fail: Fail) -> list[str]:
    """Return ``size`` cells with the brackets of ``spans``: the inverse of ``parse_column``.

    Raises the error that ``fail`` builds if two mentions of a chain cross: with a single label,
    brackets cannot distinguish crossing from nesting.
    """
    cells: list[list[str]] = [[] for _ in range(size)]
    longer = [span for span in spans if span.start < span.end]
    ends: dict[str, list[int]] = {}
    for start, end, chain, _ in sorted(longer, key=lambda span: (span.start, -span.end)):
        around = ends.setdefault(chain, [])
        while around and around[-1] < start:
            around.pop()
        if around and around[-1] < end:
            message = f"brackets cannot express crossing mentions of chain '{chain}', token {start}"
            raise fail("format-unsuitable", start, message, "use jsonl, csv or json")
        around.append(end)
    for start, _, chain, _ in sorted(longer, key=lambda span: -span.end):
        cells[start].append(f"({escape_label(chain)}")
    for start, end, chain, _ in spans:
        if start == end:
            cells[start].append(f"({escape_label(chain)})")
    for _, end, chain, _ in sorted(longer, key=lambda span: -span.start):
        cells[end].append(f"{escape_label(chain)})")
    return ["|".join(cell) or "-" for cell in cells]
