"""A file of one token a line, cut at its ``#begin document`` and ``#end document`` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conll.escape import escape_name, unescape
from cdec.io.source import Source

BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
_DIRECTIVE = re.compile(rf"{BEGIN.pattern}|#\s*end document\b.*")
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
    texts = source.lines
    found = [(k, _DIRECTIVE.fullmatch(line)) for k, line in enumerate(texts) if line[:1] == "#"]
    directives = [(k, match.group(1)) for k, match in found if match]
    rows: list[int] = []
    blocks: dict[str, Block] = {}
    open_id, last = "", 0
    for index, begins in [*directives, (len(texts), None)]:
        inside = [k for k in range(last, index) if texts[k] and not texts[k].isspace()]
        stray = [] if open_id else [k for k in inside if texts[k][0] != "#"]
        if stray:
            message = f"token outside a document: '{texts[stray[0]].strip()[:40]}'"
            raise source.error(stray[0] + 1, message, "tokens stand below a '#begin document'")
        if open_id:
            rows.extend(inside)
            blocks[open_id] = blocks[open_id]._replace(stop=len(rows))
        unfinished, last = bool(open_id), index + 1
        if begins is not None:
            block = _begin(source, blocks, open_id, index + 1, begins)
            blocks[block.id] = block._replace(first=len(rows), stop=len(rows))
        open_id = block.id if begins is not None else ""
    lines = np.array(rows, dtype=np.int64) + 1
    return TokenLines([texts[k] for k in rows], lines, list(blocks.values()), unfinished)


def _begin(source: Source, blocks: dict[str, Block], open_id: str, line: int, rest: str) -> Block:
    """Return the block of what follows ``#begin document``; without brackets that is the name."""
    match = _NAMED.fullmatch(rest)
    name, part = (match.group(1), int(match.group(2) or 0)) if match else (rest.rstrip(";"), 0)
    id_ = block_id(unescape(name), part)
    if open_id:
        message = f"document '{id_}' begins inside document '{open_id}'"
        raise source.error(line, message, "write '#end document' before it")
    if id_ in blocks:
        message = f"document '{id_}' begins a second time, first in line {blocks[id_].line}"
        raise source.error(line, message, "keep one of the two, or name the parts")
    if not id_:
        raise source.error(line, "the document has no name", "write '#begin document (name)'")
    return Block(id_, part, line, 0, 0)
