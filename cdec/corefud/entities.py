"""The mentions of ``Entity=`` in MISC: opening and closing chunks, parts, fields.

``(e1-person-2`` opens a mention of entity e1, ``e1)`` closes the one opened last, ``(e1-person-1)``
is a mention of one node. ``e1[1/2]`` is the first part of a mention with two. A reserved sign in an
id is written as in an address (``%28``). The comment ``# global.Entity`` names the fields. If one
is ``identity``, it names chains across documents, and the ids of entities are local to a document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints
from cdec.clustering import is_no_chain
from cdec.corefud.nodes import ENTITY, Nodes
from cdec.corefud.spans import Spans
from cdec.corefud.treebank import Treebank
from cdec.errors import FormatError, counted
from cdec.files.input import TextFile, integer
from cdec.formats.annotation import object_array

_HEADER = re.compile(r"#[ \t]*global\.Entity[ \t]*=[ \t]*(.*\S)")
_CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(.+)\[([1-9][0-9]{0,8})/([1-9][0-9]{0,8})\]")
_IDENTITY = "identity"  # the field that names a chain across documents
_DIGITS = 8  # of the number of a head


def read_mentions(source: TextFile, nodes: Nodes) -> tuple[Treebank, list[str]]:
    """Return the mentions in order of their first bracket, and the chain of each.

    Raises FormatError with the line of a fault.
    """

    def error(node: int, message: str, hint: str = "as in (e1-person-2 … e1)") -> FormatError:
        return source.error("brackets-invalid", int(nodes.line[node]), message, hint)

    fields = next((m[1] for line in nodes.lines if (m := _HEADER.match(line))), "").split("-")
    id_field = next((name for name in fields if name in ("eid", "GRP")), "")
    chunks = list(_chunks(nodes, error))
    if chunks and not id_field:
        message = "the file has Entity= but no '# global.Entity' that names its fields"
        raise source.error(
            "brackets-invalid", 0, message, "add # global.Entity = eid-etype-head-other"
        )
    # Of each mention: its chain, the number of its head (0: none), its name across documents.
    chains, heads, names = list[str](), list[int](), list[str]()
    parts: list[list[int]] = []  # of mentions: mention, first and last node
    # Name → the parts that are open. Entity, number, total → the part before that one.
    opened: defaultdict[str, list[int]] = defaultdict(list)
    waiting: dict[tuple[str, int, int], int] = {}
    for node, chunk in chunks:
        if chunk[0] != "(":
            if not opened[chunk[:-1]]:
                message = f"'{chunk[:40]}' closes a mention that is not open"
                raise error(node, message, "open it before, or remove it")
            parts[opened[chunk[:-1]].pop()][2] = node
            continue
        texts = chunk[1:].removesuffix(")").split("-", len(fields) - 1)
        own = dict(zip(fields, texts, strict=False))
        name = own.get(id_field, "")
        if not name:
            raise error(node, f"'{chunk[:40]}' has no entity")
        part = _PART.fullmatch(name) if name[-1] == "]" else None
        entity, number, total = (part[1], int(part[2]), int(part[3])) if part else (name, 1, 1)
        before = waiting.pop((entity, number, total), None)
        if before is not None:
            mention = parts[before][0]
        elif number > 1:
            message = f"part {number} of {total} of entity '{entity}' does not follow part "
            raise error(node, f"{message}{number - 1}", "number the parts 1, 2, … in text order")
        else:
            mention = len(chains)
            chains.append(unquote(entity))
            heads.append(0)
            names.append(own.get(_IDENTITY, ""))
        if number < total:
            waiting[entity, number + 1, total] = len(parts)
        if own.get("head"):  # of a mention with parts the head is that of the last that has one
            heads[mention] = integer(own["head"], _DIGITS) or -1
        if chunk[-1] != ")":
            opened[name].append(len(parts))
        parts.append([mention, node, node])
    lost = dict.fromkeys(waiting.values(), "its next part is missing") | {
        at: "it is not closed" for still in opened.values() for at in still
    }
    for at in sorted(lost)[:1]:
        message = f"a mention of '{chains[parts[at][0]]}' opens here, but {lost[at]}"
        raise error(parts[at][1], message, "close each mention, and write all its parts")
    spans = _spans(nodes, np.array(parts, np.int64).reshape(-1, 3), chains, heads, error)
    has_heads = "head" in fields and (any(heads) or not heads)
    identity = _identities(nodes, spans, chains, names, error) if _IDENTITY in fields else None
    return Treebank(nodes, spans, has_heads, identity), chains


def _identities(
    nodes: Nodes,
    spans: Spans,
    chains: Sequence[str],
    names: Sequence[str],
    error: Callable[..., FormatError],
) -> npt.NDArray[np.object_]:
    """Return the name across documents of the entity of each mention, '' for none.

    ``names`` are those at the mentions; some mentions of an entity may have none. Raises
    FormatError for an entity with two names.
    """
    documents = nodes.document[spans.first].tolist()
    entities = list(zip(documents, chains, strict=True))
    name_of: dict[tuple[int, str], str] = {}
    for mention, entity in enumerate(entities):
        name = unquote(names[mention])
        if is_no_chain(name):
            continue
        first_name = name_of.setdefault(entity, name)
        if first_name != name:
            message = f"entity '{entity[1]}' has the identities '{first_name}' and '{name}'"
            hint = "give all mentions of an entity one identity"
            raise error(int(spans.first[mention]), message, hint)
    return object_array(name_of.get(entity, "") for entity in entities)


def _chunks(nodes: Nodes, error: Callable[..., FormatError]) -> Iterator[tuple[int, str]]:
    """Yield the node and the text of each bracket; raises FormatError for a text without any."""
    for node, line in enumerate(nodes.line.tolist()):
        text = nodes.lines[line - 1]
        for item in text.rpartition("\t")[2].split("|") if ENTITY in text else ():
            if item.startswith(ENTITY):
                value = item.removeprefix(ENTITY)
                chunks = _CHUNK.findall(value)
                if not chunks or "".join(chunks) != value:
                    raise error(node, f"'{item[:60]}' cannot be read")
                yield from ((node, chunk) for chunk in chunks)


def _spans(
    nodes: Nodes,
    parts: Ints,
    chains: list[str],
    heads: list[int],
    error: Callable[..., FormatError],
) -> Spans:
    """Return the nodes of the mentions; raises FormatError for one that is irregular."""
    mention, first, last = parts[np.argsort(parts[:, 0], kind="stable")].T
    is_new = np.diff(mention, prepend=-1) > 0
    lowest = first[is_new][mention]
    for at in np.flatnonzero(nodes.sentence[lowest] != nodes.sentence[last])[:1]:
        message = f"a mention of '{chains[mention[at]]}' goes beyond its sentence"
        raise error(lowest[at], message, "a mention begins and ends in one sentence")
    for at in np.flatnonzero(~is_new[1:] & (first[1:] <= last[:-1]))[:1]:
        message = "the parts of a mention overlap"
        raise error(first[at + 1], message, "give each word to one part")
    spans = Spans.ranges(first, last - first + 1)
    bounds = np.append(spans.bounds[:-1][is_new], spans.bounds[-1])
    numbers, sizes = np.array(heads, np.int64), np.diff(bounds)
    for row in np.flatnonzero((numbers < 0) | (numbers > sizes))[:1]:
        message = f"the head of a mention of '{chains[row]}' is no number from 1 to {sizes[row]}"
        hint = f"it has {counted(int(sizes[row]), 'word')}"
        raise error(spans.places[bounds[row]], message, hint)
    at_head = bounds[:-1] + np.maximum(numbers, 1) - 1
    return Spans(bounds, spans.places, spans.places[at_head])
