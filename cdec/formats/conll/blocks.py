"""Split a file at its ``#begin document`` and ``#end document`` lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.escape import escape_name, unescape
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
class Blocks:
    """The source line of each token row of a file, and the blocks.

    ``unfinished`` is true if the last block has no ``#end document``, ``unnamed`` if the first has
    the name of the file because it lacks one.
    """

    lines: Ints = field(repr=False)
    blocks: list[Block] = field(repr=False)
    unfinished: bool
    unnamed: bool = False

    @cached_property
    def sentences(self) -> list[int]:
        """The bounds of the sentences: rows with no other line between them."""
        gaps = np.flatnonzero(np.diff(self.lines) > 1) + 1
        return [0, *gaps.tolist(), len(self.lines)]


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


def find_blocks(source: Source, filled: Ints, hashes: Ints, text: Callable[[int], str]) -> Blocks:
    """Return the blocks of a file.

    ``filled`` are the lines (from 0) that are not blank, ``hashes`` those that start with ``#``,
    which are ignored outside documents; ``text`` returns a line. Raises FormatError for a token
    outside a document, a duplicate document, and a document that begins inside another.
    """
    matches = [(k, _DIRECTIVE.fullmatch(text(k))) for k in hashes.tolist()]
    directives = [(k, match.group(1)) for k, match in matches if match]
    bounds = np.searchsorted(filled, [k for k, _ in directives]).tolist()
    rows: list[Ints] = []
    blocks: dict[str, Block] = {}
    open_id, last, size = "", 0, 0
    for stop, (index, begins) in zip([*bounds, len(filled)], [*directives, (0, None)], strict=True):
        inside = filled[last:stop]
        if open_id:
            rows.append(inside)
            size += len(inside)
            blocks[open_id] = blocks[open_id]._replace(stop=size)
        elif len(inside):
            _refuse_stray(source, inside[~np.isin(inside, hashes)], text)
        unfinished, last = bool(open_id), stop + 1
        if begins is not None:
            block = _begin(source, blocks, open_id, index + 1, begins)
            blocks[block.id] = block._replace(first=size, stop=size)
        open_id = block.id if begins is not None else ""
    lines = np.concatenate([np.array([], dtype=np.int64), *rows]) + 1
    unnamed = any(rest.strip(" ;()") == "" for _, rest in directives if rest is not None)
    return Blocks(lines, list(blocks.values()), unfinished, unnamed)


def _refuse_stray(source: Source, lines: Ints, text: Callable[[int], str]) -> None:
    if len(lines):
        message = f"token outside a document: '{text(int(lines[0])).strip()[:40]}'"
        hint = "write '#begin document (name)' before the first token"
        raise source.error("document-structure", int(lines[0]) + 1, message, hint)


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
