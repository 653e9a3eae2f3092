"""The mentions of ``Entity=`` in MISC: opening and closing chunks, parts, fields.

``(e1-person-2`` opens a mention of entity e1, ``e1)`` closes the one opened last, ``(e1-person-1)``
is a mention of one node. ``e1[1/2]`` is the first part of a mention with two. A reserved sign in an
id is written as in an address (``%28``). The fields behind the entity are named by the comment
``# global.Entity``.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Ints
from cdec.corefud.trees import Trees
from cdec.errors import FormatError, counted
from cdec.files.input import Source, integer
from cdec.formats.annotation import object_array

_CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(.+)\[([1-9][0-9]{0,8})/([1-9][0-9]{0,8})\]")
_NAMES = ("eid", "GRP")
_HINT = "as in Entity=(e1-person-2 … e1)"
_DIGITS = 8  # of the number of a head


@dataclass(frozen=True, eq=False)
class Entities:
    """The mentions of a file in order of their first bracket.

    ``code`` has the entity of each mention, as a number in ``names``; ``bounds`` and ``nodes`` its
    nodes in text order, as numbers of ``Trees``. ``head`` is the node of the head; ``has_heads``:
    whether the file gives heads (else the head is the first node). ``bodies`` has what the opening
    chunk of each mention says, divided by ``-`` into ``fields``.
    """

    names: tuple[str, ...] = field(repr=False)
    code: Ints = field(repr=False)
    bounds: Ints = field(repr=False)
    nodes: Ints = field(repr=False)
    head: Ints = field(repr=False)
    has_heads: bool
    fields: tuple[str, ...] = ()
    bodies: Sequence[str] = field(default=(), repr=False)

    @classmethod
    def of(cls, sets: Sequence[Ints], labels: Sequence[str]) -> Entities:
        """Return mentions with these nodes and entities; the head is the first node."""
        bounds = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        nodes = np.concatenate([np.empty(0, np.int64), *sets])
        codes, names = pd.factorize(object_array(labels))
        return cls(tuple(names), codes, bounds, nodes, nodes[bounds[:-1]], has_heads=False)

    def __len__(self) -> int:
        return len(self.code)

    @property
    def entity(self) -> npt.NDArray[np.object_]:
        """The entity of each mention, as a string."""
        names = np.array(self.names, dtype=object)
        found: npt.NDArray[np.object_] = names[self.code] if len(names) else names
        return found

    @property
    def first(self) -> Ints:
        """The first node of each mention."""
        return self.nodes[self.bounds[:-1]]

    @property
    def last(self) -> Ints:
        """The last node of each mention."""
        return self.nodes[self.bounds[1:] - 1]

    def take(self, rows: Ints) -> Entities:
        """Return the mentions at these rows, in the same order."""
        sizes = np.diff(self.bounds)
        kept = np.isin(np.repeat(np.arange(len(self)), sizes), rows)
        return replace(
            self,
            code=self.code[rows],
            bounds=np.concatenate([[0], np.cumsum(sizes[rows])]),
            nodes=self.nodes[kept],
            head=self.head[rows],
            bodies=[self.bodies[row] for row in rows.tolist()] if self.bodies else (),
        )

    def column(self, name: str) -> list[str]:
        """Return a field of each mention, '' if it has none."""
        if name not in self.fields or not self.bodies:
            return [""] * len(self)
        at, last = self.fields.index(name), len(self.fields) - 1
        divided = (body.split("-", last) for body in self.bodies)
        return [pieces[at] if at < len(pieces) else "" for pieces in divided]


def read_entities(
    source: Source, trees: Trees, header: str, values: Iterable[tuple[int, str]]
) -> Entities:
    """Return the mentions of a file; raises FormatError with the line of the fault.

    ``values`` has each ``Entity=…`` with its node, ``header`` the names of the fields.
    """
    fields = tuple(header.split("-"))
    is_named = any(name in fields for name in _NAMES)
    brackets = _Brackets(source, trees, fields if is_named else ("eid",))
    for node, value in values:
        if not is_named:
            message = "the file has Entity= but no '# global.Entity' that names its fields"
            hint = "add a line such as '# global.Entity = eid-etype-head-other'"
            raise source.error("entity-invalid", 0, message, hint)
        brackets.read(node, value.removeprefix("Entity="))
    return brackets.entities()


class _Brackets:
    """The brackets of a file, paired by the names of their entities.

    Mentions are numbered as they are opened; most have one part, from a first to a last node.
    """

    def __init__(self, source: Source, trees: Trees, fields: tuple[str, ...]) -> None:
        self.source, self.trees, self.fields = source, trees, fields
        self.eid = next(at for at, name in enumerate(fields) if name in _NAMES)
        self.head = fields.index("head") if "head" in fields else len(fields)
        self.names: dict[str, int] = {}
        # Of each mention: its entity, the number of its head (0: none given), its opening chunk.
        self.code, self.heads, self.bodies = array("q"), array("q"), list[str]()
        # Of each part: its mention, its first and its last node.
        self.mention, self.first, self.last = array("q"), array("q"), array("q")
        # Name → the parts that are open. Entity, number, total → the last part before that one.
        self.open: defaultdict[str, list[int]] = defaultdict(list)
        self.waiting: dict[tuple[str, int, int], int] = {}

    def error(self, code: str, node: int, message: str, hint: str) -> FormatError:
        """Return the FormatError at the line of a node."""
        return self.source.error(code, int(self.trees.line[node]), message, hint)

    def read(self, node: int, value: str) -> None:
        """Read the value of Entity= at a node."""
        chunks = _CHUNK.findall(value)
        if not chunks or "".join(chunks) != value:
            message = f"'Entity={value[:60]}' cannot be read"
            raise self.error("brackets-invalid", node, message, _HINT)
        for chunk in chunks:
            if chunk[0] == "(":
                self._open(node, chunk)
            elif not self.open[chunk[:-1]]:
                message = f"'{chunk[:40]}' closes a mention that is not open"
                raise self.error("brackets-invalid", node, message, "open it before, or remove it")
            else:
                self.last[self.open[chunk[:-1]].pop()] = node

    def _open(self, node: int, chunk: str) -> None:
        """Open a mention or a part, which may be closed at the same node."""
        is_closed = chunk[-1] == ")"
        body = chunk[1:-1] if is_closed else chunk[1:]
        pieces = body.split("-", len(self.fields) - 1)
        name = pieces[self.eid] if self.eid < len(pieces) else ""
        if not name:
            raise self.error("brackets-invalid", node, f"'{chunk[:40]}' has no entity", _HINT)
        part = _PART.fullmatch(name) if name[-1] == "]" else None
        mention = self._part(node, body, part) if part else self._new(name, body)
        # The head of a mention with parts comes with the last part that has one.
        if self.head < len(pieces) and (text := pieces[self.head]):
            self.heads[mention] = integer(text, _DIGITS) or -1
        if not is_closed:
            self.open[name].append(len(self.mention))
        self.mention.append(mention)
        self.first.append(node)
        self.last.append(node)

    def _new(self, entity: str, body: str) -> int:
        """Begin a mention; returns its number."""
        label = unquote(entity) if "%" in entity else entity
        self.code.append(self.names.setdefault(label, len(self.names)))
        self.heads.append(0)
        self.bodies.append(body)
        return len(self.code) - 1

    def _part(self, node: int, body: str, part: re.Match[str]) -> int:
        """Return the mention of a part: a new one for part 1, else that of the part before."""
        entity, number, total = part[1], int(part[2]), int(part[3])
        before = self.waiting.pop((entity, number, total), None) if number > 1 else None
        if number > 1 and before is None:
            message = f"part {number} of {total} of entity '{entity}' does not follow part "
            hint = "number the parts 1, 2, … in text order"
            raise self.error("entity-invalid", node, f"{message}{number - 1}", hint)
        if number < total:
            self.waiting[entity, number + 1, total] = len(self.mention)
        return self._new(entity, body) if before is None else self.mention[before]

    def entities(self) -> Entities:
        """Return the mentions; raises FormatError for one that is open, incomplete or irregular."""
        self._check_complete()
        bounds, nodes = self._nodes()
        heads = np.array(self.heads)
        return Entities(
            names=tuple(self.names),
            code=np.array(self.code),
            bounds=bounds,
            nodes=nodes,
            head=self._head_nodes(heads, bounds, nodes),
            has_heads=self.head < len(self.fields) and bool(heads.any() or not len(heads)),
            fields=self.fields,
            bodies=self.bodies,
        )

    def _check_complete(self) -> None:
        unclosed = [(parts[0], name) for name, parts in self.open.items() if parts]
        if unclosed:
            part, name = min(unclosed)
            message = f"the mention of '{name}' that opens here is not closed"
            raise self.error("brackets-invalid", self.first[part], message, f"close it: '{name})'")
        for (entity, number, total), part in self.waiting.items():
            message = f"part {number} of {total} of entity '{entity}' is missing"
            hint = "write all parts of the mention"
            raise self.error("entity-invalid", self.first[part], message, hint)

    def _nodes(self) -> tuple[Ints, Ints]:
        """Return bounds and nodes of the mentions, from the first and last node of their parts."""
        mention, first, last = map(np.array, (self.mention, self.first, self.last))
        order = np.argsort(mention, kind="stable")
        mention, first, last = mention[order], first[order], last[order]
        is_new = np.diff(mention, prepend=-1) > 0
        lowest = first[is_new][mention]
        across = np.flatnonzero(self.trees.sentence[lowest] != self.trees.sentence[last])
        if len(across):
            at = across[0]
            raise self._across(int(mention[at]), int(lowest[at]), int(last[at]))
        overlapping = np.flatnonzero(~is_new[1:] & (first[1:] <= last[:-1]))
        if len(overlapping):
            message, hint = "the parts of a mention overlap", "give each word to one part"
            node = int(first[overlapping[0] + 1])
            raise self.error("entity-invalid", node, message, hint)
        sizes = last - first + 1
        before = np.cumsum(sizes) - sizes
        nodes = np.arange(sizes.sum()) + np.repeat(first - before, sizes)
        return np.append(before[is_new], len(nodes)), nodes

    def _across(self, mention: int, first: int, last: int) -> FormatError:
        """Return the error for a mention that ends in another sentence, or in another document."""
        document = self.trees.document
        unit = "sentence" if document[first] == document[last] else "document"
        message = f"a mention of '{self._entity(mention)}' goes beyond its {unit}"
        hint = "a mention begins and ends in one sentence"
        return self.error("brackets-invalid", first, message, hint)

    def _entity(self, mention: int) -> str:
        return list(self.names)[self.code[mention]]

    def _head_nodes(self, heads: Ints, bounds: Ints, nodes: Ints) -> Ints:
        """Return the node of each head; raises FormatError for a head outside its mention."""
        sizes = np.diff(bounds)
        wrong = np.flatnonzero((heads < 0) | (heads > sizes))
        if len(wrong):
            row = int(wrong[0])
            whose = f"of a mention of '{self._entity(row)}'"
            node, hint = int(nodes[bounds[row]]), f"a number from 1 to {sizes[row]}"
            if heads[row] < 0:
                raise self.error("entity-invalid", node, f"the head {whose} is not a number", hint)
            words = counted(int(sizes[row]), "word")
            message = f"the head {whose} is word {heads[row]}, but it has {words}"
            raise self.error("entity-invalid", node, message, hint)
        return nodes[bounds[:-1] + np.maximum(heads, 1) - 1]
