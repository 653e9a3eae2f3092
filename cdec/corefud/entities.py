"""The mentions of ``Entity=`` in MISC: opening and closing chunks, parts, fields.

``(e1-person-2`` opens a mention of entity e1, ``e1)`` closes the one opened last, ``(e1-person-1)``
is a mention of one node. ``e1[1/2]`` is the first part of a mention with two. A reserved sign in an
id is written as in an address (``%28``). The comment ``# global.Entity`` names the fields.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from urllib.parse import unquote

import numpy as np

from cdec.corefud.nodes import ENTITY, Nodes
from cdec.corefud.treebank import Treebank
from cdec.errors import FormatError, counted
from cdec.files.input import Source, integer
from cdec.formats.annotation import object_array
from cdec.matching.align import Spans

_HEADER = re.compile(r"#[ \t]*global\.Entity[ \t]*=[ \t]*(.*\S)")
_CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(.+)\[([1-9][0-9]{0,8})/([1-9][0-9]{0,8})\]")
_IDENTITY = "identity"  # the field that names a chain across documents
_HINT = "as in Entity=(e1-person-2 … e1)"
_DIGITS = 8  # of the number of a head


def read_mentions(source: Source, nodes: Nodes) -> tuple[Treebank, list[str]]:
    """Return the mentions in order of their first bracket, and the chain of each.

    Raises FormatError with the line of a fault.
    """
    values = [
        (node, item.removeprefix(ENTITY))
        for node, line in enumerate(nodes.line.tolist())
        if ENTITY in nodes.lines[line - 1]
        for item in nodes.lines[line - 1].rpartition("\t")[2].split("|")
        if item.startswith(ENTITY)
    ]
    headers = (match[1] for line in nodes.lines if (match := _HEADER.match(line)))
    fields = next(headers, "").split("-")
    if values and not {"eid", "GRP"} & {*fields}:
        message = "the file has Entity= but no '# global.Entity' that names its fields"
        hint = "add a line such as '# global.Entity = eid-etype-head-other'"
        raise source.error("brackets-invalid", 0, message, hint)
    brackets = _Brackets(source, nodes, fields)
    for node, value in values:
        chunks = _CHUNK.findall(value)
        if not chunks or "".join(chunks) != value:
            message = f"'{ENTITY}{value[:60]}' cannot be read"
            raise brackets.error("brackets-invalid", node, message, _HINT)
        for chunk in chunks:
            if chunk[0] == "(":
                brackets.open(node, chunk)
            else:
                brackets.close(node, chunk)
    spans = brackets.spans()
    has_heads = "head" in fields and (any(brackets.heads) or not brackets.heads)
    identity = object_array(brackets.identities) if _IDENTITY in fields else None
    return Treebank(nodes, spans, has_heads, identity), brackets.chains


class _Brackets:
    """The brackets of a file, paired by the names of their entities.

    Mentions are numbered as they are opened; most have one part, from a first to a last node.
    """

    def __init__(self, source: Source, nodes: Nodes, fields: list[str]) -> None:
        self.source, self.nodes, self.last_field = source, nodes, len(fields) - 1
        # The places of the fields in a chunk; beyond its end for a field that the file lacks.
        at = {name: number for number, name in reversed([*enumerate(fields)])}
        self.eid = min(at.get(name, len(fields)) for name in ("eid", "GRP"))
        self.head, self.identity = (at.get(name, len(fields)) for name in ("head", _IDENTITY))
        # Of each mention: its chain, the number of its head (0: none), its name across documents.
        self.chains, self.heads, self.identities = list[str](), list[int](), list[str]()
        # Of each part: its mention, its first and its last node.
        self.mention, self.first, self.last = array("q"), array("q"), array("q")
        # Name → the parts that are open. Entity, number, total → the last part before that one.
        self.opened: defaultdict[str, list[int]] = defaultdict(list)
        self.waiting: dict[tuple[str, int, int], int] = {}

    def error(self, code: str, node: int, message: str, hint: str) -> FormatError:
        """Return the FormatError at the line of a node."""
        return self.source.error(code, int(self.nodes.line[node]), message, hint)

    def close(self, node: int, chunk: str) -> None:
        """Close the part that was opened last."""
        if not self.opened[chunk[:-1]]:
            message = f"'{chunk[:40]}' closes a mention that is not open"
            raise self.error("brackets-invalid", node, message, "open it before, or remove it")
        self.last[self.opened[chunk[:-1]].pop()] = node

    def open(self, node: int, chunk: str) -> None:
        """Open a mention or a part of one, which may be closed at the same node."""
        pieces = [*chunk[1:].removesuffix(")").split("-", self.last_field), *[""] * 3]
        pieces += [""] * (self.last_field + 2 - len(pieces))
        name = pieces[self.eid]
        if not name:
            raise self.error("brackets-invalid", node, f"'{chunk[:40]}' has no entity", _HINT)
        part = _PART.fullmatch(name) if name[-1] == "]" else None
        entity, number, total = (part[1], int(part[2]), int(part[3])) if part else (name, 1, 1)
        before = self.waiting.pop((entity, number, total), None) if number > 1 else None
        if number > 1 and before is None:
            message = f"part {number} of {total} of entity '{entity}' does not follow part "
            hint = "number the parts 1, 2, … in text order"
            raise self.error("brackets-invalid", node, f"{message}{number - 1}", hint)
        if before is None:
            self.chains.append(unquote(entity))
            self.heads.append(0)
            self.identities.append(pieces[self.identity])
        mention = len(self.chains) - 1 if before is None else self.mention[before]
        if number < total:
            self.waiting[entity, number + 1, total] = len(self.mention)
        if pieces[self.head]:  # of a mention with parts the head comes with the last that has one
            self.heads[mention] = integer(pieces[self.head], _DIGITS) or -1
        if chunk[-1] != ")":
            self.opened[name].append(len(self.mention))
        self.mention.append(mention)
        self.first.append(node)
        self.last.append(node)

    def spans(self) -> Spans:
        """Return the nodes of the mentions; raises FormatError for one that is irregular."""
        if unclosed := [(parts[0], name) for name, parts in self.opened.items() if parts]:
            part, name = min(unclosed)
            message = f"the mention of '{name}' that opens here is not closed"
            raise self.error("brackets-invalid", self.first[part], message, f"close it: '{name})'")
        for (entity, number, total), part in self.waiting.items():
            message = f"part {number} of {total} of entity '{entity}' is missing"
            hint = "write all parts of the mention"
            raise self.error("brackets-invalid", self.first[part], message, hint)
        order = np.argsort(np.array(self.mention), kind="stable")
        mention, first, last = (
            np.array(values, np.int64)[order] for values in (self.mention, self.first, self.last)
        )
        is_new = np.diff(mention, prepend=-1) > 0
        lowest = first[is_new][mention]
        for at in np.flatnonzero(self.nodes.sentence[lowest] != self.nodes.sentence[last])[:1]:
            documents = self.nodes.document[[lowest[at], last[at]]]
            unit = "sentence" if documents[0] == documents[1] else "document"
            message = f"a mention of '{self.chains[mention[at]]}' goes beyond its {unit}"
            hint = "a mention begins and ends in one sentence"
            raise self.error("brackets-invalid", int(lowest[at]), message, hint)
        for at in np.flatnonzero(~is_new[1:] & (first[1:] <= last[:-1]))[:1]:
            message, hint = "the parts of a mention overlap", "give each word to one part"
            raise self.error("brackets-invalid", int(first[at + 1]), message, hint)
        parts = Spans.ranges(first, last - first + 1)
        bounds = np.append(parts.bounds[:-1][is_new], parts.bounds[-1])
        heads, sizes = np.array(self.heads, np.int64), np.diff(bounds)
        for row in np.flatnonzero((heads < 0) | (heads > sizes))[:1]:
            words = counted(int(sizes[row]), "word")
            has = "not a number" if heads[row] < 0 else f"word {heads[row]}, but it has {words}"
            message = f"the head of a mention of '{self.chains[row]}' is {has}"
            node, hint = int(parts.places[bounds[row]]), f"a number from 1 to {sizes[row]}"
            raise self.error("brackets-invalid", node, message, hint)
        at_head = bounds[:-1] + np.maximum(heads, 1) - 1
        return Spans(bounds, parts.places, parts.places[at_head])
