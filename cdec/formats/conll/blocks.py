"""A file of one token a line, cut at its ``#begin document`` and ``#end document`` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conll.escape import escape_name, unescape
from cdec.io.source import Source

BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
_END = re.compile(r"#\s*end document\b.*")
_NAMED = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]{1,9}))?")
_WITH_PART = re.compile(r"(.*); part ([0-9]{3,9})", re.DOTALL)


class Block(NamedTuple):
    """What stands between two directives: the rows ``first`` up to, not including, ``stop``.

    ``id`` is ``name``, or ``name; part 003`` for a part that is not 0; ``line`` is that of the
    ``#begin document``.
    """

    id: str
    part: int
    line: int
    first: int
    stop: int


@dataclass(frozen=True)
class TokenLines:
    """All rows of a file that are tokens, the source line of each, and the blocks they are in.

    ``unfinished`` tells that the last block lacks its ``#end document``.
    """

    rows: list[str] = field(repr=False)
    lines: Ints = field(repr=False)
    blocks: list[Block] = field(repr=False)
    unfinished: bool


def block_name(rest: str) -> tuple[str, int]:
    """Return (name, part) of what follows ``#begin document``; without brackets it is the name."""
    match = _NAMED.fullmatch(rest)
    if match is None:
        return unescape(rest.rstrip(";")), 0
    return unescape(match.group(1)), int(match.group(2) or 0)


def block_id(name: str, part: int) -> str:
    """Return the id of a part of a document: the bare name for part 0."""
    return f"{name}; part {part:03d}" if part else name


def split_id(id_: str) -> tuple[str, int]:
    """Return the (name, part) of which ``block_id`` makes ``id_``."""
    match = _WITH_PART.fullmatch(id_)
    if match and block_id(match.group(1), int(match.group(2))) == id_:
        return match.group(1), int(match.group(2))
    return id_, 0


def begin_line(id_: str) -> str:
    """Return the directive that opens the document ``id_``."""
    name, part = split_id(id_)
    return f"#begin document ({escape_name(name)}); part {part:03d}"


def read_blocks(source: Source) -> TokenLines:
    """Return the tokens of the file by block.

    Blank lines and, outside documents, lines with a leading ``#`` say nothing. Raises FormatError
    for a token outside a document and for a document that begins twice or inside another.
    """
    rows: list[int] = []
    blocks: dict[str, Block] = {}
    open_id, last = "", 0
    for index, begins in [*_directives(source.lines), (len(source.lines), None)]:
        inside = _tokens(source.lines, last, index)
        if open_id:
            rows.extend(inside)
            blocks[open_id] = blocks[open_id]._replace(stop=len(rows))
        else:
            _refuse_stray(source, inside)
        if begins is not None:
            block = _begin(source, blocks, open_id, index + 1, begins)
            blocks[block.id] = block._replace(first=len(rows), stop=len(rows))
        unfinished, open_id = bool(open_id), block.id if begins is not None else ""
        last = index + 1
    lines = np.array(rows, dtype=np.int64) + 1
    texts = [source.lines[k] for k in rows]
    return TokenLines(texts, lines, list(blocks.values()), unfinished)


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """Yield (index, what follows ``#begin document`` or None for an end) of each directive."""
    for index in [k for k, line in enumerate(lines) if line[:1] == "#"]:
        if match := BEGIN.fullmatch(lines[index]):
            yield index, match.group(1)
        elif _END.fullmatch(lines[index]):
            yield index, None


def _tokens(lines: Sequence[str], start: int, stop: int) -> list[int]:
    return [k for k in range(start, stop) if lines[k] and not lines[k].isspace()]


def _begin(source: Source, blocks: dict[str, Block], open_id: str, line: int, rest: str) -> Block:
    name, part = block_name(rest)
    id_ = block_id(name, part)
    if open_id:
        message = f"document '{id_}' begins inside document '{open_id}'"
        raise source.error(line, message, "write '#end document' before it")
    if id_ in blocks:
        message = f"document '{id_}' begins a second time, first in line {blocks[id_].line}"
        raise source.error(line, message, "keep one of the two, or name the parts")
    if not id_:
        raise source.error(line, "the document has no name", "write '#begin document (name)'")
    return Block(id_, part, line, 0, 0)


def _refuse_stray(source: Source, indices: Sequence[int]) -> None:
    for index in indices:
        row = source.lines[index]
        if row[0] != "#":
            message = f"token outside a document: '{row.strip()[:40]}'"
            raise source.error(index + 1, message, "tokens stand below a '#begin document'")
