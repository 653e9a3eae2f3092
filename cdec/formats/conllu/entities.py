"""The mentions of ``Entity=`` in MISC: opening and closing chunks, parts, fields.

``(e1-person-2`` opens a mention of entity e1, ``e1)`` closes the one opened last, ``(e1-person-1)``
is a mention of one node. ``e1[1/2]`` is the first part of a mention with two. A reserved sign in an
id is written as in an address (``%28``). The fields behind the entity are named by the comment
``# global.Entity``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from urllib.parse import unquote

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.formats.conllu.trees import Trees
from cdec.io.source import Source

_ENTITY = re.compile(rb"Entity=([^|\n\t]*)")
_BEFORE = b"\t|"
_BATCH = 4096  # values of Entity= that are divided into chunks at a time
_CHUNK = re.compile(r"(\(?)([^()\n]+)(\)?)|(\n)")
_PART = re.compile(r"(.+)\[([1-9][0-9]*)/([1-9][0-9]*)\]")
_NAMES = ("eid", "GRP")
_HINT = "as in Entity=(e1-person-2 … e1)"


@dataclass(frozen=True, eq=False)
class Entities:
    """The mentions of a file in order of their first bracket.

    ``entity`` has the entity of each mention; ``bounds`` and ``nodes`` its nodes in text order, as
    numbers of ``Trees``. ``head`` is the node of the head; ``has_heads``: whether the file gives
    heads (else the head is the first node). ``opening`` has the fields of the opening chunk.
    """

    entity: tuple[str, ...] = field(repr=False)
    bounds: Ints = field(repr=False)
    nodes: Ints = field(repr=False)
    head: Ints = field(repr=False)
    has_heads: bool
    fields: tuple[str, ...]
    opening: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.entity)

    def take(self, rows: Ints) -> Entities:
        """Return the mentions at these rows, in the same order."""
        sizes = np.diff(self.bounds)
        kept = np.isin(np.repeat(np.arange(len(self)), sizes), rows)
        bounds = np.concatenate([[0], np.cumsum(sizes[rows])])
        numbers = rows.tolist()
        return replace(
            self,
            entity=tuple(self.entity[row] for row in numbers),
            bounds=bounds,
            nodes=self.nodes[kept],
            head=self.head[rows],
            opening=tuple(self.opening[row] for row in numbers),
        )

    def values(self, name: str) -> list[str]:
        """Return a field of each mention, '' if it has none."""
        if name not in self.fields:
            return [""] * len(self)
        at, last = self.fields.index(name), len(self.fields) - 1
        split = (chunk.split("-", last) for chunk in self.opening)
        return [pieces[at] if at < len(pieces) else "" for pieces in split]


class _Parser:
    """The state of one file: mentions, their parts, and those that are open."""

    def __init__(self, source: Source, trees: Trees, fields: Sequence[str]) -> None:
        self.source, self.trees, self.fields = source, trees, fields
        self.entity: list[str] = []
        self.opening: list[str] = []
        self.heads: list[str] = []
        self.parts: list[tuple[int, int, int]] = []  # mention, first node, last node
        self.open: dict[str, list[tuple[int, int]]] = {}  # mention, first node
        self.waiting: dict[tuple[str, int, int], int] = {}
        self.last = len(fields) - 1
        self.eid = next(i for i, name in enumerate(fields) if name in _NAMES)
        self.head = fields.index("head") if "head" in fields else -1

    def read(self, nodes: list[int], values: list[str]) -> None:
        """Read the values of Entity= at these nodes; the usual chunks here, for speed."""
        text = "\n".join(values)
        chunks = _CHUNK.findall(text)
        entity, opening, heads, parts = self.entity, self.opening, self.heads, self.parts
        length, row, node = 0, 0, nodes[0] if nodes else 0
        eid, head, last = self.eid, self.head, self.last
        for opens, body, closes, end in chunks:
            if end:
                row += 1
                node = nodes[row]
                continue
            length += len(opens) + len(body) + len(closes)
            if not opens:
                self._close(node, body, closes)
                continue
            pieces = body.split("-", last)
            name = pieces[eid] if eid < len(pieces) else ""
            if not name or name[-1] == "]":
                mention = self._part(node, name, body, pieces)
            else:
                mention = len(entity)
                entity.append(name)
                opening.append(body)
                heads.append(pieces[head] if 0 <= head < len(pieces) else "")
            if closes:
                parts.append((mention, node, node))
            else:
                self.open.setdefault(name, []).append((mention, node))
        if length + len(values) - 1 < len(text) or not all(values):
            self._refuse(nodes, values)

    def _refuse(self, nodes: list[int], values: list[str]) -> None:
        """Raise FormatError for the first value with something that is no chunk."""
        for node, value in zip(nodes, values, strict=True):
            read = "".join("".join(chunk) for chunk in _CHUNK.findall(value))
            if read != value or not value:
                message = f"'Entity={value[:60]}' cannot be read"
                raise self.error("entity-malformed", node, message, _HINT)

    def _new(self, entity: str, body: str, head: str) -> int:
        self.entity.append(entity)
        self.opening.append(body)
        self.heads.append(head)
        return len(self.entity) - 1

    def _part(self, node: int, name: str, body: str, pieces: list[str]) -> int:
        """Return the mention of a part such as ``e1[2/3]``, or of an id that ends with ``]``."""
        if not name:
            raise self.error("entity-malformed", node, f"'({body[:40]}' has no entity", _HINT)
        head = pieces[self.head] if 0 <= self.head < len(pieces) else ""
        part = _PART.fullmatch(name)
        if part is None:
            return self._new(name, body, head)
        entity, number, total = part[1], int(part[2]), int(part[3])
        mention = self._new(entity, body, head) if number == 1 else -1
        if number > 1:
            mention = self.waiting.pop((entity, number, total), -1)
        if mention < 0 or number > total:
            message = f"part {number} of {total} of entity '{entity}' does not follow part "
            hint = "number the parts 1, 2, … in text order"
            raise self.error("entity-part", node, f"{message}{number - 1}", hint)
        if number < total:
            self.waiting[entity, number + 1, total] = mention
        if head:  # it comes with the last part
            self.heads[mention] = head
        return mention

    def _close(self, node: int, name: str, closes: str) -> None:
        if not closes:
            raise self.error("entity-malformed", node, f"'{name[:40]}' has no bracket", _HINT)
        stack = self.open.get(name)
        if not stack:
            message = f"'{name[:40]})' closes a mention that is not open"
            raise self.error("entity-unopened", node, message, "open it before, or remove it")
        mention, first = stack.pop()
        self.parts.append((mention, first, node))

    def finish(self) -> None:
        """Raise FormatError for mentions and parts that are open at the end."""
        for name, stack in self.open.items():
            for _, node in stack[:1]:
                message = f"the mention of '{name}' that opens here is not closed"
                raise self.error("entity-unclosed", node, message, f"close it with '{name})'")
        for (entity, number, total), mention in self.waiting.items():
            node = next(first for owner, first, _ in self.parts if owner == mention)
            message = f"part {number} of {total} of entity '{entity}' is missing"
            raise self.error("entity-part", node, message, "write all parts of the mention")

    def error(self, code: str, node: int, message: str, hint: str):  # type: ignore[no-untyped-def]
        """Return the FormatError at the line of a node."""
        return self.source.error(code, int(self.trees.line[node]), message, hint)


def read_entities(source: Source, trees: Trees, header: bytes) -> Entities:
    """Return the mentions of a file; raises FormatError with the line of the fault."""
    fields = tuple(header.decode(errors="replace").split("-")) if header else ()
    data = trees.data
    found = [(m.start(), m[1]) for m in _ENTITY.finditer(data)]
    found = [(at, value) for at, value in found if data[at - 1] in _BEFORE]
    if found and not any(name in fields for name in _NAMES):
        message = "the file has Entity= but no '# global.Entity' that names its fields"
        hint = "add a line such as '# global.Entity = eid-etype-head-other'"
        raise source.error("entity-header-missing", 0, message, hint)
    parser = _Parser(source, trees, fields or ("eid",))
    nodes = _nodes(source, trees, np.array([at for at, _ in found], dtype=np.int64))
    values = b"\n".join(value for _, value in found).decode().split("\n") if found else []
    for start in range(0, len(nodes), _BATCH):
        part = slice(start, start + _BATCH)
        parser.read(nodes[part], values[part])
    parser.finish()
    return _entities(parser)


def _nodes(source: Source, trees: Trees, offsets: Ints) -> list[int]:
    """Return the node at each byte of ``Entity=``; a multiword range is none."""
    nodes = np.searchsorted(trees.start, offsets, side="right") - 1
    wrong = np.flatnonzero((nodes < 0) | (offsets > trees.end[nodes]))
    if wrong.size:
        line = trees.data.count(b"\n", 0, int(offsets[wrong[0]])) + 1
        message = "Entity= is at a multiword range or in a comment"
        raise source.error("entity-misplaced", line, message, "write it at the words")
    found: list[int] = nodes.tolist()
    return found


def _entities(parser: _Parser) -> Entities:
    parts = np.fromiter(chain.from_iterable(parser.parts), dtype=np.int64).reshape(-1, 3)
    mention, first, last = parts[np.lexsort((parts[:, 1], parts[:, 0]))].T
    _check_sentences(parser, mention, first, last)
    sizes = last - first + 1
    ends = np.cumsum(sizes)
    nodes = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes - first, sizes)
    counts = np.bincount(np.repeat(mention, sizes), minlength=len(parser.entity))
    bounds = np.concatenate([[0], np.cumsum(counts)])
    if (np.diff(nodes) <= 0)[~np.isin(np.arange(1, len(nodes)), bounds)].any():
        row = int(np.flatnonzero(np.diff(nodes) <= 0)[0])
        message = "the parts of a mention overlap"
        raise parser.error("entity-part", int(nodes[row]), message, "give each word to one part")
    head, known = _heads(parser, bounds, nodes)
    return Entities(
        entity=tuple(unquote(name) if "%" in name else name for name in parser.entity),
        bounds=bounds,
        nodes=nodes,
        head=head,
        has_heads=parser.head >= 0 and bool(known.any() or not len(known)),
        fields=tuple(parser.fields),
        opening=tuple(parser.opening),
    )


def _check_sentences(parser: _Parser, mention: Ints, first: Ints, last: Ints) -> None:
    sentence = parser.trees.sentence
    lowest = np.full(len(parser.entity), len(parser.trees))
    np.minimum.at(lowest, mention, first)
    across = np.flatnonzero(sentence[lowest[mention]] != sentence[last])
    if across.size:
        row = int(across[0])
        entity = parser.entity[mention[row]]
        message = f"a mention of '{entity}' goes beyond its sentence"
        hint = "a mention begins and ends in one sentence"
        raise parser.error("entity-across-sentences", int(first[row]), message, hint)


def _heads(parser: _Parser, bounds: Ints, nodes: Ints) -> tuple[Ints, Bools]:
    """Return the node of each head, and which mentions name theirs."""
    texts = parser.heads
    # Few texts are distinct: each is read once; −1 is no number.
    read = {text: int(text) if text.isdecimal() and len(text) < 9 else -1 for text in set(texts)}
    read[""] = 1
    numbers = np.fromiter(map(read.__getitem__, texts), dtype=np.int64, count=len(texts))
    known = np.fromiter(map(bool, texts), dtype=np.bool_, count=len(texts))
    sizes = np.diff(bounds)
    wrong = np.flatnonzero((numbers < 1) | (numbers > sizes))
    if wrong.size:
        row = int(wrong[0])
        size = f"{sizes[row]} word{'s' if sizes[row] > 1 else ''}"
        message = f"head '{texts[row][:20]}' of a mention of '{parser.entity[row]}' with {size}"
        hint = f"a number from 1 to {sizes[row]}"
        raise parser.error("entity-head", int(nodes[bounds[row]]), message, hint)
    return nodes[bounds[:-1] + numbers - 1] if len(nodes) else numbers[:0], known
