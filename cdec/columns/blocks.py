"""Split a file at its ``#begin document`` and ``#end document`` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count, repeat
from operator import lt
from typing import NamedTuple

import numpy as np

from cdec.arrays import Ints
from cdec.columns.escape import escape_name, unescape
from cdec.files.input import Fail

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


def find_blocks(lines: Sequence[str], fail: Fail, stem: str = "") -> Blocks:
    """Return the blocks of a file; ``stem`` is the name of its first document if it has none.

    Raises the error that ``fail`` builds for a line: a token outside a document, a duplicate
    document, one without a name, and one that begins inside another.
    """
    filled = np.fromiter(compress(count(), map(str.strip, lines)), np.int64)
    # Few lines sort before "$", which follows "#": to compare is faster than ``startswith``.
    hashes = [k for k in compress(count(), map(lt, lines, repeat("$"))) if lines[k][:1] == "#"]
    rows: list[Ints] = []
    blocks: dict[str, Block] = {}
    open_id, last, size, outside, unnamed = "", 0, 0, 0, False
    for index, stop, match in _directives(lines, filled, hashes):
        inside = filled[last:stop]
        begins = match is not None and match.group(1) is not None
        if open_id:
            rows.append(inside)
            size += len(inside)
            blocks[open_id] = blocks[open_id]._replace(stop=size)
        else:
            _refuse_stray(lines, inside.tolist(), fail)
            end = [index] if match and not begins else []
            outside = outside or next((k + 1 for k in [*inside.tolist(), *end]), 0)
        unfinished, last, before, open_id = bool(open_id), stop + 1, open_id, ""
        if match and begins:
            unnamed = unnamed or match.group(1).strip(" ;()") == ""
            block = _begun(index + 1, match.group(1), fail, stem, blocks=blocks, open_id=before)
            blocks[block.id] = block._replace(first=size, stop=size)
            open_id = block.id
    found = np.concatenate([np.array([], dtype=np.int64), *rows]) + 1
    return Blocks(found, list(blocks.values()), outside, unfinished, unnamed)


def _directives(
    lines: Sequence[str], filled: Ints, hashes: list[int]
) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """Yield index, position in ``filled`` and match of each directive, then those of the end."""
    for index in hashes:
        match = _DIRECTIVE.fullmatch(lines[index])
        if match:
            yield index, int(np.searchsorted(filled, index)), match
    yield len(lines), len(filled), None


def _refuse_stray(lines: Sequence[str], inside: list[int], fail: Fail) -> None:
    """Raise the error of the first line outside of a document that is no comment."""
    stray = next((k for k in inside if lines[k][0] != "#"), None)
    if stray is not None:
        message = f"token outside a document: '{lines[stray].strip()[:40]}'"
        hint = "write '#begin document (name)' before the first token"
        raise fail("conll-structure", stray + 1, message, hint)


def _begun(
    line: int, rest: str, fail: Fail, stem: str, *, blocks: Mapping[str, Block], open_id: str
) -> Block:
    """Return the block that ``rest`` (of the ``#begin document`` line) names.

    Raises the error of a document that begins inside another, or has the name of another.
    """
    match = _NAMED.fullmatch(rest)
    name, part = (match.group(1), int(match.group(2) or 0)) if match else (rest.rstrip(";"), 0)
    # The only document of a file may lack a name, as in OntoGUM: it is that of the file.
    name = unescape(name) or ("" if blocks else stem)
    if not name:
        hint = "write '#begin document (name)'"
        raise fail("conll-structure", line, "the document has no name", hint)
    id_ = block_id(name, part)
    if open_id:
        message = f"document '{id_}' begins inside document '{open_id}'"
        raise fail("conll-structure", line, message, "write '#end document' before it")
    if id_ in blocks:
        message = f"duplicate document '{id_}', first in line {blocks[id_].line}"
        raise fail("conll-structure", line, message, "keep one, or number the parts")
    return Block(id_, part, line, 0, 0)
