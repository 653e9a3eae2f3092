"""Split a file at its ``#begin document`` and ``#end document`` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.formats.conll.escape import escape_name, unescape
from cdec.io.source import STDIN, Source

BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
_DIRECTIVE = re.compile(rf"{BEGIN.pattern}|#\s*end document\b.*")
_NAMED = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]{1,9}))?")
_WITH_PART = re.compile(r"(.*); part ([0-9]{3,9})", re.DOTALL)


class Block(NamedTuple):
    """The rows between two directives: ``first`` (inclusive) to ``stop`` (exclusive).

    ``id`` is ``name`` for part 0, else ``name; part 003``; ``line`` is that of ``#begin document``.
    """

    id: str
    part: int
    line: int
    first: int
    stop: int


@dataclass(frozen=True)
class TokenLines:
    """The token rows of a file, the source line of each, and the blocks.

    ``unfinished`` is true if the last block has no ``#end document``, ``unnamed`` if the first has
    the name of the file because it lacks one.
    """

    rows: list[str] = field(repr=False)
    lines: Ints = field(repr=False)
    blocks: list[Block] = field(repr=False)
    unfinished: bool
    unnamed: bool = False

    @cached_property
    def sentences(self) -> list[int]:
        """The bounds of the sentences: rows with no other line between them."""
        gaps = np.flatnonzero(np.diff(self.lines) > 1) + 1
        return [0, *gaps.tolist(), len(self.rows)]


def block_id(name: str, part: int) -> str:
    """Return the id of a part of a document: the name alone for part 0."""
    return f"{name}; part {part:03d}" if part else name


def split_id(id_: str) -> tuple[str, int]:
    """Return (name, part) of an id: the inverse of ``block_id``."""
    match = _WITH_PART.fullmatch(id_)
    if match and block_id(match.group(1), int(match.group(2))) == id_:
        return match.group(1), int(match.group(2))
    return id_, 0


def begin_line(id_: str) -> str:
    """Return the ``#begin document`` line of the document ``id_``."""
    name, part = split_id(id_)
    return f"#begin document ({escape_name(name)}); part {part:03d}"


def read_blocks(source: Source) -> TokenLines:
    """Return the token rows of the file by block.

    Blank lines are ignored, and outside documents also lines that start with ``#``. Raises
    FormatError for a token outside a document, a duplicate document, and a document that begins
    inside another.
    """
    texts = source.lines
    matches = [(k, _DIRECTIVE.fullmatch(line)) for k, line in enumerate(texts) if line[:1] == "#"]
    directives = [(k, match.group(1)) for k, match in matches if match]
    rows: list[int] = []
    blocks: dict[str, Block] = {}
    open_id, last = "", 0
    for index, begins in [*directives, (len(texts), None)]:
        inside = [k for k in range(last, index) if texts[k] and not texts[k].isspace()]
        stray = [] if open_id else [k for k in inside if texts[k][0] != "#"]
        if stray:
            message = f"token outside a document: '{texts[stray[0]].strip()[:40]}'"
            hint = "write '#begin document (name)' before the first token"
            raise source.error("document-structure", stray[0] + 1, message, hint)
        if open_id:
            rows.extend(inside)
            blocks[open_id] = blocks[open_id]._replace(stop=len(rows))
        unfinished, last = bool(open_id), index + 1
        if begins is not None:
            block = _begin(source, blocks, open_id, index + 1, begins)
            blocks[block.id] = block._replace(first=len(rows), stop=len(rows))
        open_id = block.id if begins is not None else ""
    lines = np.array(rows, dtype=np.int64) + 1
    unnamed = any(rest.strip(" ;()") == "" for _, rest in directives if rest is not None)
    return TokenLines([texts[k] for k in rows], lines, list(blocks.values()), unfinished, unnamed)


def _stem(source: Source, blocks: dict[str, Block], line: int) -> str:
    """Return the name of the file for its first document; raises FormatError for another."""
    stem = PurePath(source.name).stem
    if blocks or source.name == STDIN or not stem:
        hint = "write '#begin document (name)'"
        raise source.error("document-structure", line, "the document has no name", hint)
    return stem


def _begin(source: Source, blocks: dict[str, Block], open_id: str, line: int, rest: str) -> Block:
    """Return the block that ``rest`` (of the ``#begin document`` line) names."""
    match = _NAMED.fullmatch(rest)
    name, part = (match.group(1), int(match.group(2) or 0)) if match else (rest.rstrip(";"), 0)
    # The only document of a file may lack a name, as in OntoGUM: it is that of the file.
    id_ = block_id(unescape(name) or _stem(source, blocks, line), part)
    if open_id:
        message = f"document '{id_}' begins inside document '{open_id}'"
        raise source.error("document-structure", line, message, "write '#end document' before it")
    if id_ in blocks:
        message = f"duplicate document '{id_}', first in line {blocks[id_].line}"
        hint = "keep one, or number the parts"
        raise source.error("conll-document-duplicate", line, message, hint)
    return Block(id_, part, line, 0, 0)
