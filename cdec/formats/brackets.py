"""Files with a token on each line: their ``#begin document`` blocks, and brackets in a column."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.files.input import Fail
from cdec.formats.escape import escape_label, escape_name, unescape
from cdec.records import Tokens

BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
EMPTY = frozenset({"-", "_", "*", ""})
_DIRECTIVE = re.compile(rf"{BEGIN.pattern}|#\s*end document\b.*")
_NAMED = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]{1,9}))?")
_WITH_PART = re.compile(r"(.*); part ((?!000)[0-9]{3}|[1-9][0-9]{3,8})", re.DOTALL)
# "-" between blanks or |, a label with its brackets, or a bracket without a label.
_PIECE = re.compile(r"(?<![^|\s])[-_*](?![^|\s])|(\(?)([^()|\s]++)(\)?)|([()])")
_DOUBLE_ANTECEDENT = re.compile(r"[0-9]+\+[0-9]")
_READING_ORDER = ("", "+", "()", "(", ")")


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

    ``unfinished`` is true if the last block has no ``#end document``, ``unnamed`` if the first has
    the name of the file because it lacks one.
    """

    lines: Ints = field(repr=False)
    blocks: list[Block] = field(repr=False)
    unfinished: bool = False
    unnamed: bool = False


class Span(NamedTuple):
    """A mention: its first and last token (inclusive), and its chain.

    ``tokens`` are all of its tokens if it has a gap.
    """

    start: int
    end: int
    chain: str
    tokens: Tokens = ()


def split_id(id_: str) -> tuple[str, int]:
    """Return (name, part) of the id of a block."""
    match = _WITH_PART.fullmatch(id_)
    return (match[1], int(match[2])) if match else (id_, 0)


def begin_line(id_: str) -> str:
    """Return the ``#begin document`` line of the block ``id_``."""
    name, part = split_id(id_)
    return f"#begin document ({escape_name(name)}); part {part:03d}"


def find_blocks(lines: Sequence[str], fail: Fail, stem: str = "") -> Blocks:
    """Return the blocks of a file; ``stem`` is the name of its first document if it has none.

    Raises the error that ``fail`` builds for a line: a token outside a document, a duplicate
    document, one without a name, and one that begins inside another.
    """
    rows = []
    blocks = {}
    block: Block | None = None
    unnamed = False
    for number, line in enumerate(lines, start=1):
        directive = _DIRECTIVE.fullmatch(line) if line[:1] == "#" else None
        if directive is None:
            if not line or line.isspace():
                continue
            if block is not None:
                rows.append(number)
            elif line[0] != "#":
                raise fail(
                    "conll-structure",
                    number,
                    f"token outside a document: '{line.strip()[:40]}'",
                    "write '#begin document (name)' before the first token",
                )
            continue
        title = directive[1]
        if title is None:  # the end of a document
            if block is not None:
                blocks[block.id] = block._replace(stop=len(rows))
            block = None
            continue
        match = _NAMED.fullmatch(title)
        name = title.rstrip(";") if match is None else match[1]
        part = 0 if match is None else int(match[2] or 0)
        if "&#" in name:
            name = unescape(name)
        # The only document of a file may lack a name, as in OntoGUM: it is that of the file.
        unnamed = unnamed or not name
        name = name or ("" if blocks else stem)
        id_ = f"{name}; part {part:03d}" if part else name
        if block is not None or not name or id_ in blocks:
            problem = (
                "a second time" if block is None else f"inside document '{block.id}'"
            )
            if not name:
                problem = "without a name"
            raise fail(
                "conll-structure",
                number,
                f"document '{id_}' begins {problem}",
                "end each document with '#end document', and give it its own name",
            )
        block = Block(id_, part, number, len(rows), len(rows))
    if block is not None:
        blocks[block.id] = block._replace(stop=len(rows))
    row_lines = np.array(rows, dtype=np.int64)
    return Blocks(row_lines, list(blocks.values()), block is not None, unnamed)


@lru_cache(maxsize=2**16)
def labels_of(cell: str) -> list[tuple[str, str]]:
    """Return kind and label of what is in a cell, in the order in which it is read.

    Kinds: ``()`` a mention of one token, ``(`` and ``)`` an opening and a closing bracket, ``+`` a
    double antecedent (digits, ``+`` and one digit), which the reference scorer discards, and ``''``
    a label without a bracket (a token inside a mention), or a bracket without a label. White space
    and ``|`` separate labels, but ``|`` is optional: ``(1(2`` is ``(1|(2``.
    """
    pieces = []
    for opening, label, closing, bracket in _PIECE.findall(cell):
        if label:
            kind = opening + closing
            if kind == "()" and "+" in label and _DOUBLE_ANTECEDENT.fullmatch(label):
                kind = "+"
            pieces.append((kind, unescape(label) if "&#" in label else label))
        elif bracket:
            pieces.append(("", bracket))
    if len(pieces) == 1:
        return pieces
    return [piece for kind in _READING_ORDER for piece in pieces if piece[0] == kind]


def parse_column(
    cells: Iterable[tuple[int, str]],
    fail: Fail,
    doubles: set[int] | None = None,
    *,
    is_truncated: bool = False,
) -> list[Span]:
    """Return the mentions of a block, given as (row, cell) pairs, in the order of their chains.

    As in the reference scorer (v8.01), a cell is read in the order one-token, opening, closing
    brackets, and a closing bracket ends the innermost open mention of its chain. Double antecedents
    are discarded and their rows added to ``doubles``; without it, they are labels like others.
    Raises the error that ``fail`` builds for a label without a bracket that is not that of an open
    mention, and unbalanced brackets; ``is_truncated``: mentions that are not closed are left out.
    """
    chains: defaultdict[str, list[Span]] = defaultdict(list)
    open_rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, cell in cells:
        for kind, label in labels_of(cell):
            if kind == "+" and doubles is not None:
                doubles.add(row)
            elif kind in ("()", "+"):
                chains[label].append(Span(row, row, label))
            elif kind == "(":
                chains.setdefault(label, [])
                open_rows[label].append(row)
            elif not open_rows[label]:
                raise fail(
                    "brackets-invalid",
                    row,
                    f"'{label[:40]}{kind}' in the last column is in no open mention",
                    "write balanced brackets such as (12|(3), or '-' for no mention",
                )
            elif kind == ")":
                chains[label].append(Span(open_rows[label].pop(), row, label))
    for label, rows in open_rows.items():
        if rows and not is_truncated:
            raise fail(
                "brackets-invalid",
                rows[0],
                f"'({label}' opens a mention that is not closed in the document",
                "balance the brackets of this chain",
            )
    return [span for spans in chains.values() for span in spans]


def render_column(size: int, spans: Sequence[Span], fail: Fail) -> list[str]:
    """Return ``size`` cells with the brackets of ``spans``: the inverse of ``parse_column``.

    Raises the error that ``fail`` builds if two mentions of a chain cross: with a single label,
    brackets cannot distinguish crossing from nesting.
    """
    longer = [span for span in spans if span.start < span.end]
    longer.sort(key=lambda span: (span.start, -span.end))
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for start, end, chain, _ in longer:
        around = ends[
            chain
        ]  # of the mentions of the chain in which this one may be, outermost first
        while around and around[-1] < start:
            around.pop()
        if around and around[-1] < end:
            raise fail(
                "format-unsuitable",
                start,
                f"brackets cannot express crossing mentions of chain '{chain}', token {start}",
                "use jsonl, csv or json",
            )
        around.append(end)
    cells: list[list[str]] = [[] for _ in range(size)]
    for span in longer:
        cells[span.start].append(f"({escape_label(span.chain)}")
    for span in spans:
        if span.start == span.end:
            cells[span.start].append(f"({escape_label(span.chain)})")
    longer.sort(key=lambda span: (-span.start, -span.end))
    for span in longer:
        cells[span.end].append(f"{escape_label(span.chain)})")
    return ["|".join(cell) or "-" for cell in cells]
