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
from itertools import chain
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

    def error(
        node: int, message: str, hint: str = "as in (e1-person-2 … e1)"
    ) -> FormatError:
        return source.error("brackets-invalid", int(nodes.line[node]), message, hint)

    chunks = list(_chunks(nodes, error))
    fields, id_field = _fields(source, nodes, is_needed=bool(chunks))
    chains: list[str] = []  # of the mentions
    heads = []  # of the mentions: the number of the head; 0 if none is given
    names = []  # of the mentions: the name across documents
    parts: list[list[int]] = []  # of mentions: mention, first and last node
    # Name → the parts that are open. Entity, number, total → the part before that one.
    opened: defaultdict[str, list[int]] = defaultdict(list)
    waiting: dict[tuple[str, int, int], int] = {}
    for node, chunk in chunks:
        if chunk[0] != "(":
            open_parts = opened[chunk[:-1]]
            if not open_parts:
                raise error(
                    node,
                    f"'{chunk[:40]}' closes a mention that is not open",
                    "open it before, or remove it",
                )
            parts[open_parts.pop()][2] = node
            continue
        texts = chunk[1:].removesuffix(")").split("-", len(fields) - 1)
        values = dict(zip(fields, texts, strict=False))
        name = values.get(id_field, "")
        if not name:
            raise error(node, f"'{chunk[:40]}' has no entity")
        entity, number, total = _part(name)
        part_before = waiting.pop((entity, number, total), None)
        if part_before is not None:
            mention = parts[part_before][0]
        elif number > 1:
            raise error(
                node,
                f"part {number} of {total} of entity '{entity}' does not follow part {number - 1}",
                "number the parts 1, 2, … in text order",
            )
        else:
            mention = len(chains)
            chains.append(unquote(entity))
            heads.append(0)
            names.append(values.get(_IDENTITY, ""))
        if number < total:
            waiting[entity, number + 1, total] = len(parts)
        head = values.get("head")
        if head:  # of a mention with parts the head is that of the last that has one
            heads[mention] = integer(head, _DIGITS) or -1
        if chunk[-1] != ")":
            opened[name].append(len(parts))
        parts.append([mention, node, node])
    # Part → its fault.
    faults = {
        **dict.fromkeys(waiting.values(), "its next part is missing"),
        **dict.fromkeys(chain.from_iterable(opened.values()), "it is not closed"),
    }
    if faults:
        part = min(faults)
        mention, node, _ = parts[part]
        raise error(
            node,
            f"a mention of '{chains[mention]}' opens here, but {faults[part]}",
            "close each mention, and write all its parts",
        )
    spans = _spans(
        nodes, np.array(parts, np.int64).reshape(-1, 3), chains, heads, error
    )
    identity = None
    if _IDENTITY in fields:
        identity = _identities(nodes, spans, chains, names, error)
    has_heads = "head" in fields and (any(heads) or not heads)
    return Treebank(nodes, spans, has_heads, identity), chains


def _fields(
    source: TextFile, nodes: Nodes, *, is_needed: bool
) -> tuple[list[str], str]:
    """Return the names of the fields of a bracket, and that of the field of the entity.

    Raises FormatError if the file needs these names and does not have them.
    """
    headers = filter(None, map(_HEADER.match, nodes.lines))
    header = next(headers, None)
    fields = header[1].split("-") if header else []
    id_field = next((name for name in fields if name in ("eid", "GRP")), "")
    if is_needed and not id_field:
        raise source.error(
            "brackets-invalid",
            0,
            "the file has Entity= but no '# global.Entity' that names its fields",
            "add # global.Entity = eid-etype-head-other",
        )
    return fields, id_field


def _part(name: str) -> tuple[str, int, int]:
    """Return the entity, the number of the part, and the number of all parts: e1[2/3] is e1, 2, 3.

    A mention without parts is one part.
    """
    match = _PART.fullmatch(name)
    if match is None:
        return name, 1, 1
    return match[1], int(match[2]), int(match[3])


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
            raise error(
                int(spans.first[mention]),
                f"entity '{entity[1]}' has the identities '{first_name}' and '{name}'",
                "give all mentions of an entity one identity",
            )
    return object_array(name_of.get(entity, "") for entity in entities)


def _chunks(
    nodes: Nodes, error: Callable[..., FormatError]
) -> Iterator[tuple[int, str]]:
    """Yield the node and the text of each bracket; raises FormatError for a text without any."""
    for node, line in enumerate(nodes.line.tolist()):
        text = nodes.lines[line - 1]
        if ENTITY not in text:
            continue
        for item in text.rpartition("\t")[2].split("|"):
            if not item.startswith(ENTITY):
                continue
            value = item.removeprefix(ENTITY)
            chunks = _CHUNK.findall(value)
            if not chunks or "".join(chunks) != value:
                raise error(node, f"'{item[:60]}' cannot be read")
            for chunk in chunks:
                yield node, chunk


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
    beyond = np.flatnonzero(nodes.sentence[lowest] != nodes.sentence[last])
    if len(beyond):
        part = beyond[0]
        raise error(
            lowest[part],
            f"a mention of '{chains[mention[part]]}' goes beyond its sentence",
            "a mention begins and ends in one sentence",
        )
    overlapping = np.flatnonzero(~is_new[1:] & (first[1:] <= last[:-1]))
    if len(overlapping):
        raise error(
            first[overlapping[0] + 1],
            "the parts of a mention overlap",
            "give each word to one part",
        )
    spans = Spans.ranges(first, last - first + 1)
    bounds = np.append(spans.bounds[:-1][is_new], spans.bounds[-1])
    sizes = np.diff(bounds)
    numbers = np.array(heads, np.int64)
    wrong = np.flatnonzero((numbers < 0) | (numbers > sizes))
    if len(wrong):
        row = wrong[0]
        raise error(
            spans.places[bounds[row]],
            f"the head of a mention of '{chains[row]}' is no number from 1 to {sizes[row]}",
            f"it has {counted(int(sizes[row]), 'word')}",
        )
    head = spans.places[bounds[:-1] + np.maximum(numbers, 1) - 1]
    return Spans(bounds, spans.places, head)
