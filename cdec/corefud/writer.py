"""Write an annotation as CoNLL-U with ``Entity=``: over trees, or over bare words.

``over_trees`` gives the mentions of a response the trees of another file, as of the key.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from cdec.arrays import Ints
from cdec.corefud.entities import Entities
from cdec.corefud.heads import tree_heads
from cdec.corefud.lines import Lines
from cdec.corefud.treebank import Treebank
from cdec.corefud.trees import Trees, lines_of
from cdec.errors import FormatError
from cdec.files.input import decode
from cdec.formats.annotation import Annotation

_FIELDS = ("eid", "etype", "head", "other")
_HEADER = f"# global.Entity = {'-'.join(_FIELDS)}"
_RESERVED = re.compile(r"[\s\x00-\x1f\x7f-\x9f()\[\]|=%-]")
_BARE = "\t".join(["_"] * 4)


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the file; raises FormatError without trees and words."""
    bank = annotation.trees or over_bare(annotation)
    trees, entities = bank.trees, bank.entities
    labels = [escaped(chain, _RESERVED) for chain in annotation.mentions["chain"]]
    _check(annotation, entities, labels)
    values = _values(entities, labels)
    first = True
    for node, line in node_lines(trees):
        if line.startswith("# global.Entity"):
            continue
        if first and (node >= 0 or line.startswith(("# sent_id", "# text"))):
            yield f"{_HEADER}\n"
            first = False
        yield (line if node < 0 else _with_entity(line, values.get(node, ""))) + "\n"


def over_trees(annotation: Annotation, trees: Trees) -> Annotation:
    """Return the annotation with these trees, whose documents must have the same words.

    Heads are those of the tree. Raises FormatError for a mention outside the trees.
    """
    return replace(annotation, trees=_bank(annotation, trees))


def over_bare(annotation: Annotation) -> Treebank:
    """Return the mentions over trees without structure; raises FormatError without words."""
    return _bank(annotation, _bare(annotation))


def _bank(annotation: Annotation, trees: Trees) -> Treebank:
    words = np.flatnonzero(trees.is_word)
    first = {
        name: int(np.searchsorted(trees.document[words], n)) for n, name in enumerate(trees.names)
    }
    table = annotation.mentions
    inside = table["doc"].isin(first) & (table["start"] >= 0)
    if not inside.all():
        row = int(np.flatnonzero(~inside)[0])
        place = annotation.place(int(table["line"].iloc[row]))
        message = "a mention has no words in the trees"
        hint = "give the trees of the same documents"
        raise FormatError("format-unsuitable", message, place=place, hint=hint)
    sets = [
        words[[first[doc] + k for k in tokens or range(start, end + 1)]]
        for doc, start, end, tokens in table[["doc", "start", "end", "tokens"]].itertuples(
            index=False
        )
    ]
    bare = Entities.of(sets, table["chain"].tolist())
    return Treebank(trees, replace(bare, head=tree_heads(trees, bare)))


def _bare(annotation: Annotation) -> Trees:
    texts: dict[str, Sequence[str]] = {}
    if not annotation.documents:
        message = "without documents the file would be empty"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint="use csv")
    several = len(annotation.documents) > 1
    for name, words in annotation.documents.items():
        if name != name.strip() or not name.isprintable() or (several and not name):
            message = f"'{name}' cannot be the id of a document in CoNLL-U"
            hint = "rename the document"
            raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
        if words is None:
            message = f"the words of '{name}' are not known"
            hint = "write another format"
            raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
        texts[name] = ["".join(word.split()) for word in words]
    return bare_trees(annotation.name, texts)


def bare_trees(name: str, texts: Mapping[str, Sequence[str]], empty: str = "") -> Trees:
    """Return trees in which each document is one sentence of its words.

    A word that begins with ``empty`` is an empty node, whose parent is the word before.
    """
    lines: list[str] = []
    for document, words in texts.items():
        lines += [f"# newdoc id = {document}"] if document else []
        number = sub = 0
        for word in words:
            if empty and word.startswith(empty):
                sub += 1
                form = word.removeprefix(empty) or "_"
                lines.append(f"{number}.{sub}\t{form}\t{_BARE}\t_\t_\t{number}:_\t_")
                continue
            head = f"{number}\t{'dep' if number else 'root'}"
            number, sub = number + 1, 0
            lines.append(f"{number}\t{word or '_'}\t{_BARE}\t{head}\t_\t_")
        lines.append("")
    return Lines(decode(name, ("\n".join(lines) + "\n").encode())).trees()


def escaped(chain: str, reserved: re.Pattern[str]) -> str:
    """Return an entity id for a chain label: reserved signs are written as in an address."""
    return reserved.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), chain)


def _values(entities: Entities, labels: list[str]) -> dict[int, str]:
    """Return the value of Entity= at each node that has one.

    At a node, mentions that began before are closed first, then the longest is opened first.
    """
    opened: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    closed: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for row, label in enumerate(labels):
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]]
        head = int(np.searchsorted(nodes, entities.head[row])) + 1
        parts = runs_of(nodes)
        for number, (start, end) in enumerate(parts, start=1):
            name = f"{label}[{number}/{len(parts)}]" if len(parts) > 1 else label
            single = ")" if start == end else ""
            opened[start].append((-end, f"({name}--{head}-{single}"))
            if end > start:
                closed[end].append((-start, f"{name})"))
    # Brackets of one place are sorted: the result does not depend on the order of mentions.
    return {
        node: "".join(text for side in (closed, opened) for _, text in sorted(side[node]))
        for node in {*opened, *closed}
    }


def _check(annotation: Annotation, entities: Entities, labels: list[str]) -> None:
    """Raise FormatError for mentions of one entity that its brackets could not tell apart."""
    parts = [
        (label, start, -end, number, len(runs), row)
        for row, label in enumerate(labels)
        for runs in [runs_of(entities.nodes[entities.bounds[row] : entities.bounds[row + 1]])]
        for number, (start, end) in enumerate(runs, start=1)
    ]
    ends: list[int] = []
    last: tuple[str, int] = ("", 0)
    expected: dict[int, int] = {}
    for label, start, end, number, total, row in sorted(parts):
        if label != last[0]:
            ends, expected = [], {}
        while ends and ends[-1] < start:
            ends.pop()
        crossing = bool(ends) and ends[-1] < -end
        mixed = total > 1 and expected.get(total, 1) != number
        if crossing or mixed or (total > 1 and ends):
            place = annotation.place(int(annotation.mentions["line"].iloc[row]))
            message = f"two mentions of the chain '{label}' cross: Entity= cannot express it"
            raise FormatError("format-unsuitable", message, place=place, hint="use jsonl")
        expected[total] = number % total + 1
        ends.append(-end)
        last = (label, start)


def runs_of(nodes: Ints) -> list[tuple[int, int]]:
    """Return the first and the last node of each run of consecutive nodes."""
    runs = np.split(nodes, np.flatnonzero(np.diff(nodes) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs]


def node_lines(trees: Trees) -> Iterator[tuple[int, str]]:
    """Yield all lines of the file with their node, −1 for any other line."""
    numbers = dict(zip(trees.line.tolist(), range(len(trees)), strict=True))
    for number, line in enumerate(lines_of(trees.again()), start=1):
        yield numbers.get(number, -1), line.rstrip("\n")


def _with_entity(line: str, value: str) -> str:
    cells = line.split("\t")
    kept = [item for item in cells[9].split("|") if item != "_" and not item.startswith("Entity=")]
    cells[9] = "|".join([f"Entity={value}", *kept] if value else kept) or "_"
    return "\t".join(cells)
