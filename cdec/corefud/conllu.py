"""CoNLL-U with coreference in MISC (``Entity=``), as in CorefUD: read and write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.corefud.entities import read_mentions
from cdec.corefud.heads import tree_heads
from cdec.corefud.nodes import ENTITY, Nodes, read_nodes
from cdec.corefud.spans import Spans, identities
from cdec.corefud.treebank import Treebank
from cdec.errors import FormatError, Log, Notice
from cdec.files.input import TextFile
from cdec.formats.annotation import Annotation, object_array
from cdec.formats.reading import Choice

_HEADER = "# global.Entity = eid-etype-head-other"
_RESERVED = re.compile(r"[\s\x00-\x1f\x7f-\x9f()\[\]|=%-]")
_BARE = "\t".join(["_"] * 4)
_NO_HEADS = (
    "the file names no heads ('# global.Entity' has no field 'head'): the first word of each "
    "mention counts as its head"
)


def read(source: TextFile) -> Annotation:
    """Read a CoNLL-U file; raises FormatError with ``file:line``."""
    bank, chains = read_mentions(source, read_nodes(source))
    table = bank.table(chains)
    notices = irregularities(source, bank, table)
    if chains and not bank.has_heads:
        notices.insert(
            0, Notice("heads-assumed", len(chains), _NO_HEADS, (source.name,))
        )
    reading = {}
    if bank.identity is not None:
        reading = {"labels": Choice("document", "file")}
    return Annotation(
        name=source.name,
        format="conllu",
        mentions=table,
        documents=bank.nodes.texts,
        notices=tuple(notices),
        trees=bank,
        names_tokens=True,
        reading=reading,
    )


def irregularities(
    source: TextFile, bank: Treebank, table: pd.DataFrame
) -> list[Notice]:
    """Return the notice on mentions with the words of another.

    An entity in two documents is no fault here: it is a chain across documents if the scope is the
    corpus.
    """
    (words,) = identities(bank.spans)
    repeats = table[pd.Series(words).duplicated().to_numpy()]
    cases = [
        f"{chain} at {source.place(line)}"
        for chain, line in zip(repeats["chain"], repeats["line"].tolist(), strict=True)
    ]
    log = Log()
    rest = "with the words of another"
    log.report("mention-duplicate", cases, "mention", rest, warning=False)
    return log


def over_nodes(annotation: Annotation, nodes: Nodes) -> Treebank:
    """Return the mentions of a table on these nodes, whose documents must have the same words.

    Heads are those of the tree. Raises FormatError for a mention outside the nodes.
    """
    table = annotation.mentions
    words = np.flatnonzero(nodes.is_word)
    before = nodes.before[nodes.starts[:-1]].tolist()
    words_before = dict(zip(nodes.names, before, strict=True))
    has_words = (table["doc"].isin(words_before) & (table["start"] >= 0)).to_numpy()
    if not has_words.all():
        raise unsuitable(
            annotation,
            "a mention has no words in the trees",
            "give the trees of these documents",
            int(table["line"].iloc[int(has_words.argmin())]),
        )
    columns = (table[name] for name in ("doc", "start", "end", "tokens"))
    mentions = []
    for doc, start, end, tokens in zip(*columns, strict=True):
        in_document = np.array(tokens or range(start, end + 1))
        mentions.append(words[words_before[doc] + in_document])
    spans = Spans.of(mentions)
    return Treebank(nodes, replace(spans, head=tree_heads(nodes, spans)))


def over_words(annotation: Annotation) -> Treebank:
    """Return the mentions on nodes without trees; raises FormatError without words."""
    texts = {}
    if not annotation.documents:
        raise unsuitable(
            annotation, "without documents the file would be empty", "use csv"
        )
    for name, words in annotation.documents.items():
        if words is None:
            raise unsuitable(
                annotation,
                f"the words of '{name}' are not known",
                "write another format",
            )
        texts[name] = ["".join(word.split()) for word in words]
    return over_nodes(annotation, bare_nodes(annotation.name, texts))


def bare_nodes(file: str, texts: Mapping[str, Sequence[str]], empty: str = "") -> Nodes:
    """Return nodes without trees: each document is one sentence of its words.

    A word that begins with ``empty`` is an empty node, whose parent is the word before. Raises
    FormatError for a name that cannot be the id of a document.
    """
    lines = []
    for name, words in texts.items():
        is_missing = not name and len(texts) > 1
        if is_missing or not name.isprintable() or name != name.strip():
            raise FormatError(
                "format-unsuitable",
                f"'{name[:60]}' cannot be the id of a document",
                place=file,
                hint="rename the document",
            )
        if name:
            lines.append(f"# newdoc id = {name}")
        number = 0
        sub = 0
        for word in words:
            if empty and word.startswith(empty):
                sub += 1
                form = word.removeprefix(empty) or "_"
                lines.append(f"{number}.{sub}\t{form}\t{_BARE}\t_\t_\t{number}:_\t_")
                continue
            relation = "dep" if number else "root"
            head = number
            number += 1
            sub = 0
            lines.append(f"{number}\t{word or '_'}\t{_BARE}\t{head}\t{relation}\t_\t_")
        lines.append("")
    return read_nodes(TextFile(file, "\n".join(lines) + "\n"))


def unsuitable(
    annotation: Annotation, message: str, hint: str, line: int = 0
) -> FormatError:
    """Return the error for an annotation that a format cannot express, at a line if it is known."""
    return FormatError(
        "format-unsuitable", message, place=annotation.place(line), hint=hint
    )


def escaped(chain: str, reserved: re.Pattern[str]) -> str:
    """Return an entity id for a chain label: reserved signs are written as in an address."""
    return reserved.sub(
        lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), chain
    )


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the file; raises FormatError without words, and for mentions that cross."""
    bank = annotation.trees or over_words(annotation)
    values = _values(annotation, bank)
    node_of = {line: node for node, line in enumerate(bank.nodes.line.tolist())}
    has_header = False
    for number, line in enumerate(bank.nodes.lines, start=1):
        node = node_of.get(number, -1)
        if line.startswith("# global.Entity"):
            continue
        if not has_header and (node >= 0 or line.startswith(("# sent_id", "# text"))):
            yield f"{_HEADER}\n"
            has_header = True
        if node >= 0:
            *cells, misc = line.split("\t")
            items = [
                i for i in misc.split("|") if i != "_" and not i.startswith(ENTITY)
            ]
            if node in values:
                items.insert(0, f"{ENTITY}{values[node]}")
            yield "\t".join([*cells, "|".join(items) or "_"]) + "\n"
        else:
            yield f"{line}\n"


def _values(annotation: Annotation, bank: Treebank) -> dict[int, str]:
    """Return the value of Entity= at each node that has one.

    At a node, mentions that began before are closed first, then the longest is opened first; those
    of one place are sorted, so that the result does not depend on the order of mentions. Raises
    FormatError for two parts of an entity that cross, or are in each other: its brackets could not
    tell them apart.
    """
    spans = bank.spans
    rows = spans.rows()
    labels = [escaped(chain, _RESERVED) for chain in annotation.mentions["chain"]]
    heads = np.bincount(
        rows[spans.places <= spans.head[rows]], minlength=len(spans)
    ).tolist()
    mention, first, last = spans.runs()
    parts = pd.DataFrame(
        {
            "label": object_array(labels)[mention],
            "start": first,
            "end": last,
            "number": pd.Series(mention).groupby(mention).cumcount() + 1,
            "total": np.bincount(mention)[mention],
            "mention": mention,
        }
    )
    parts = parts.sort_values(
        [*parts], ascending=[name != "end" for name in parts], ignore_index=True
    )
    opened: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    closed: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    ends: defaultdict[str, list[int]] = defaultdict(list)
    # Label and number of parts → number of the next part.
    expected: defaultdict[tuple[str, int], int] = defaultdict(lambda: 1)
    for label, start, end, number, total, row in parts.itertuples(index=False):
        open_ends = ends[label]
        while open_ends and open_ends[-1] < start:
            open_ends.pop()
        is_mixed = total > 1 and (bool(open_ends) or expected[label, total] != number)
        if is_mixed or (open_ends and open_ends[-1] < end):
            raise unsuitable(
                annotation,
                f"two mentions of the chain '{label}' cross: Entity= cannot express it",
                "use jsonl",
                int(annotation.mentions["line"].iloc[row]),
            )
        expected[label, total] = number % total + 1
        open_ends.append(end)
        name = f"{label}[{number}/{total}]" if total > 1 else label
        opening = f"({name}--{heads[row]}-"
        if start == end:
            opening += ")"
        else:
            closed[end].append((-start, f"{name})"))
        opened[start].append((-end, opening))
    values = {}
    for node in {*opened, *closed}:
        brackets = [*sorted(closed[node]), *sorted(opened[node])]
        values[node] = "".join(text for _, text in brackets)
    return values
