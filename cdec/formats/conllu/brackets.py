"""The mentions of ``Entity=`` in MISC: opening and closing chunks, parts, fields.

``(e1-person-2`` opens a mention of entity e1, ``e1)`` closes the one opened last, ``(e1-person-1)``
is a mention of one node. ``e1[1/2]`` is the first part of a mention with two. A reserved sign in an
id is written as in an address (``%28``). The fields behind the entity are named by the comment
``# global.Entity``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import FormatError, counted
from cdec.formats.conllu.chunks import Chunks, Values, bracketed
from cdec.formats.conllu.comments import gathered
from cdec.formats.conllu.entities import Entities
from cdec.formats.conllu.trees import Trees
from cdec.io.source import Source

_PART = re.compile(r"(.+)\[([1-9][0-9]*)/([1-9][0-9]*)\]")
_NAMES = ("eid", "GRP")
_HINT = "as in Entity=(e1-person-2 … e1)"


@dataclass(frozen=True, eq=False)
class _File:
    """One file: its chunks with their nodes, and the names of their entities as bytes."""

    source: Source
    trees: Trees
    values: Values
    chunks: Chunks
    node: Ints
    begin: Ints
    end: Ints

    def name(self, chunk: int) -> str:
        """Return the name of the entity of a chunk, with the number of its part."""
        return self.values.text(int(self.begin[chunk]), int(self.end[chunk]))

    def error(self, code: str, node: int, message: str, hint: str) -> FormatError:
        """Return the FormatError at the line of a node."""
        return self.source.error(code, int(self.trees.line[node]), message, hint)


def read_entities(source: Source, trees: Trees, header: bytes) -> Entities:
    """Return the mentions of a file; raises FormatError with the line of the fault."""
    values = Values(trees.values)
    fields = _fields(source, values, header)
    chunks = values.chunks()
    eid = next(i for i, name in enumerate(fields) if name in _NAMES)
    wanted = [eid, fields.index("head")] if "head" in fields else [eid]
    found = values.fields(chunks, wanted, len(fields))
    begin = np.where(chunks.opens, found[0][0], chunks.begin)
    end = np.where(chunks.opens, found[0][1], chunks.end)
    file = _File(source, trees, values, chunks, trees.value_nodes[chunks.value], begin, end)
    _check_chunks(file)
    opened, closed = _paired(file)
    names, codes, mention, new = _mentions(file, opened)
    bounds, nodes = _nodes(file, mention[opened], file.node[opened], file.node[closed])
    heads = _heads(file, found[1], mention) if len(wanted) > 1 else np.zeros(len(codes), np.int64)
    return Entities(
        names=names,
        code=codes,
        bounds=bounds,
        nodes=nodes,
        head=_head_nodes(file, heads, bounds, nodes, new),
        has_heads=len(wanted) > 1 and bool((heads > 0).any() or not len(heads)),
        fields=fields,
        values=values,
        opening=(chunks.begin[new], chunks.end[new]),
    )


def _fields(source: Source, values: Values, header: bytes) -> tuple[str, ...]:
    """Return the fields that the header names; raises FormatError if none is the entity."""
    fields = tuple(header.decode(errors="replace").split("-"))
    if any(name in fields for name in _NAMES):
        return fields
    if len(values.data):
        message = "the file has Entity= but no '# global.Entity' that names its fields"
        hint = "add a line such as '# global.Entity = eid-etype-head-other'"
        raise source.error("entity-header-missing", 0, message, hint)
    return ("eid",)


def _check_chunks(file: _File) -> None:
    """Raise FormatError for the first value with something that is no chunk, or no entity."""
    chunks, values = file.chunks, file.values
    wrong = (chunks.end <= chunks.begin) | ~(chunks.opens | chunks.closes)
    empty = values.empty()
    faulty = np.concatenate([chunks.value[wrong], empty])
    if len(faulty):
        at = int(faulty.min())
        value = values.data.split(b"\n", at + 1)[at].decode(errors="replace")
        message = f"'Entity={value[:60]}' cannot be read"
        raise file.error("entity-malformed", int(file.trees.value_nodes[at]), message, _HINT)
    nameless = np.flatnonzero(file.end <= file.begin)
    if len(nameless):
        at = int(nameless[0])
        body = values.text(int(chunks.begin[at]), int(chunks.end[at]))
        message = f"'({body[:40]}' has no entity"
        raise file.error("entity-malformed", int(file.node[at]), message, _HINT)


def _paired(file: _File) -> tuple[Ints, Ints]:
    """Return the opening chunk of each mention or part, in text order, and its closing chunk."""
    chunks = file.chunks
    alone = chunks.opens & chunks.closes
    rows = np.flatnonzero(~alone)
    codes = file.values.codes(file.begin[rows], file.end[rows])
    opened, closed, unopened, unclosed = bracketed(codes, chunks.opens[rows])
    if len(unopened):
        at = int(rows[unopened[0]])
        message = f"'{file.name(at)[:40]})' closes a mention that is not open"
        hint = "open it before, or remove it"
        raise file.error("entity-unopened", int(file.node[at]), message, hint)
    if len(unclosed):
        at = int(rows[unclosed[0]])
        message = f"the mention of '{file.name(at)}' that opens here is not closed"
        hint = f"close it with '{file.name(at)})'"
        raise file.error("entity-unclosed", int(file.node[at]), message, hint)
    closing = np.full(len(alone), -1)
    closing[alone] = np.flatnonzero(alone)
    closing[rows[opened]] = rows[closed]
    first = np.flatnonzero(closing >= 0)
    return first, closing[first]


def _mentions(file: _File, opened: Ints) -> tuple[tuple[str, ...], Ints, Ints, Ints]:
    """Return the entities, that of each mention, the mention of each chunk, and the new ones.

    A later part belongs to the mention of its first part; all other opening chunks are new.
    """
    is_new = file.chunks.opens.copy()
    end = file.end.copy()
    parts = opened[file.values.content[end[opened] - 1] == ord("]")]
    owner = _parts(file, parts, end)
    is_new[[chunk for chunk, first in owner.items() if chunk != first]] = False
    mention = np.cumsum(is_new) - 1
    for chunk, first in owner.items():
        mention[chunk] = mention[first]
    new = np.flatnonzero(is_new)
    codes = file.values.codes(file.begin[new], end[new])
    at = np.unique(codes, return_index=True)[1]
    begin = file.begin[new[at]]
    joined = gathered(file.values.content, begin, end[new[at]] - begin, b"\n").decode()
    texts = [unquote(t) if "%" in t else t for t in joined.split("\n")[:-1]]
    shown, names = pd.factorize(np.array(texts, dtype=object))
    return tuple(names), shown.astype(np.int64)[codes], mention, new


def _parts(file: _File, chunks: Ints, end: Ints) -> dict[int, int]:
    """Return part → first part of the mention (chunks); ``end`` becomes that of the bare entity."""
    owner: dict[int, int] = {}
    waiting: dict[tuple[str, int, int], int] = {}
    for chunk in chunks.tolist():
        part = _PART.fullmatch(file.name(chunk))
        if part is None:
            continue
        entity, number, total = part[1], int(part[2]), int(part[3])
        first = chunk if number == 1 else waiting.pop((entity, number, total), -1)
        if first < 0 or number > total:
            message = f"part {number} of {total} of entity '{entity}' does not follow part "
            hint = "number the parts 1, 2, … in text order"
            node = int(file.node[chunk])
            raise file.error("entity-part", node, f"{message}{number - 1}", hint)
        if number < total:
            waiting[entity, number + 1, total] = first
        owner[chunk] = first
        end[chunk] = file.begin[chunk] + len(entity.encode())
    for (entity, number, total), first in waiting.items():
        message = f"part {number} of {total} of entity '{entity}' is missing"
        hint = "write all parts of the mention"
        raise file.error("entity-part", int(file.node[first]), message, hint)
    return owner


def _nodes(file: _File, mention: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return bounds and nodes of the mentions, from the first and last node of their parts."""
    trees = file.trees
    order = np.lexsort((first, mention))
    mention, first, last = mention[order], first[order], last[order]
    starts = np.flatnonzero(np.diff(mention, prepend=-1))
    lowest = np.repeat(first[starts], np.diff(starts, append=len(first)))
    across = np.flatnonzero(trees.sentence[lowest] != trees.sentence[last])
    if across.size:
        raise _too_long(file, int(lowest[across[0]]), int(last[across[0]]))
    sizes = last - first + 1
    ends = np.cumsum(sizes)
    nodes = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes - first, sizes)
    bounds = np.append(ends[starts] - sizes[starts], ends[-1:] if len(ends) else 0)
    overlaps = np.flatnonzero((mention[1:] == mention[:-1]) & (first[1:] <= last[:-1]))
    if overlaps.size:
        message = "the parts of a mention overlap"
        node = int(first[overlaps[0] + 1])
        raise file.error("entity-parts-overlap", node, message, "give each word to one part")
    return bounds, nodes


def _too_long(file: _File, first: int, last: int) -> FormatError:
    """Return the error for a mention that ends in another sentence, or in another document."""
    document = file.trees.document
    inside = document[first] == document[last]
    unit = "sentence" if inside else "document"
    code = "entity-across-sentences" if inside else "entity-across-documents"
    rows = np.flatnonzero(file.chunks.opens & (file.node == first))
    names = ", ".join(f"'{file.name(row)}'" for row in rows.tolist())
    message = f"a mention of {names} goes beyond its {unit}"
    hint = "a mention begins and ends in one sentence"
    return file.error(code, first, message, hint)


def _heads(file: _File, place: tuple[Ints, Ints], mention: Ints) -> Ints:
    """Return the number of the head of each mention, 0 without; −1 for what is no number.

    The head of a mention with parts comes with the last part that has one.
    """
    begin, end = place
    rows = np.flatnonzero(file.chunks.opens)
    given = rows[end[rows] > begin[rows]]
    numbers = file.values.numbers(begin[given], end[given])
    numbers[numbers == 0] = -1
    heads = np.zeros(int(mention.max(initial=-1)) + 1, dtype=np.int64)
    heads[mention[given]] = numbers
    return heads


def _head_nodes(file: _File, heads: Ints, bounds: Ints, nodes: Ints, new: Ints) -> Ints:
    """Return the node of each head; raises FormatError for a head outside its mention."""
    sizes = np.diff(bounds)
    wrong = np.flatnonzero((heads < 0) | (heads > sizes))
    if wrong.size:
        row = int(wrong[0])
        whose = f"of a mention of '{file.name(int(new[row]))}'"
        node, hint = int(nodes[bounds[row]]), f"a number from 1 to {sizes[row]}"
        if heads[row] < 0:
            raise file.error("entity-head", node, f"the head {whose} is no number", hint)
        words = counted(int(sizes[row]), "word")
        message = f"the head {whose} is word {heads[row]}, but it has {words}"
        raise file.error("entity-head-range", node, message, hint)
    return nodes[bounds[:-1] + np.maximum(heads, 1) - 1] if len(nodes) else heads[:0]
