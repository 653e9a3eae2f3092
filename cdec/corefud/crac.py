r"""The formats of the CRAC shared tasks for language models: plain text and JSON.

In plain text a line is a document, with a blank between two tokens. Behind ``|`` are brackets,
separated by commas: ``[e1`` opens a mention of entity e1, ``e1]`` closes the one opened last,
``[e1]`` is a mention of one token. In JSON a document is an object:

    {"doc_id": "d", "tokens": ["She", "left"], "clusters_token_offsets": [[[0, 0]]]}

A token that begins with ``##`` is an empty node; it follows its parent. Neither format has
sentences, trees, heads or mentions with a gap; plain text has no document names, JSON no labels.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TypeAlias
from urllib.parse import unquote

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corefud.conllu import (
    bare_nodes,
    escaped,
    irregularities,
    over_words,
    unsuitable,
)
from cdec.corefud.formats import CLUSTERS, TAGGED
from cdec.corefud.heads import written_order
from cdec.corefud.spans import Spans
from cdec.corefud.treebank import Treebank
from cdec.errors import Log, Notice
from cdec.files.input import TextFile
from cdec.formats import documents
from cdec.formats.annotation import Annotation

EMPTY = "##"
_MOST = 100  # empty nodes that follow one another
_HEADS = "the format has no heads: the first word of each mention counts as its head"
_BLANKS = re.compile("[ \t\r\n]+")  # those inside a token are written as _
_RESERVED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\[\]|,%-]")
# Of a mention: document, first and last token, chain, and whether a bracket has no partner: then it
# has the token of the other.
_COLUMNS = ["doc", "first", "last", "chain", "broken"]
Mention: TypeAlias = tuple[int, int, str]
"""First and last token in the document, and the chain."""


def token_of(form: str) -> str:
    """Return the token of a word: blanks are written as ``_``.

    >>> token_of("7 500")
    '7_500'
    """
    return _BLANKS.sub("_", form) or "_"


def read_text(source: TextFile) -> Annotation:
    """Read plain text. Documents are named by their numbers; one without tokens is left out."""
    texts: dict[str, list[str]] = {}
    lines = {}
    mentions = []
    for number, text in enumerate(source.lines[source.declared_at :], start=1):
        doc = str(number)
        texts[doc] = []
        lines[doc] = source.declared_at + number
        opened: defaultdict[str, list[int]] = defaultdict(list)
        for position, token in enumerate(_BLANKS.split(text.strip(" \t"))):
            match = TAGGED.fullmatch(token)
            if match is None:
                texts[doc].append(token)
                continue
            texts[doc].append(match[1])
            for tag in re.split("[,-]", match[2]):
                label = unquote(tag.strip("[]"))
                if tag[0] == "[":
                    opened[label].append(position)
                if tag[-1] == "]":
                    is_broken = not opened[label]
                    start = position if is_broken else opened[label].pop()
                    mentions.append((doc, start, position, label, is_broken))
        for label, starts in opened.items():
            mentions += [(doc, start, start, label, True) for start in starts]
        if texts[doc] == [""]:
            del texts[doc]
    return _annotation(
        source, "crac", texts, pd.DataFrame(mentions, columns=_COLUMNS), lines
    )


def read_json(source: TextFile) -> Annotation:
    """Read JSON: chains are numbered, each in one document; texts of mentions are not read."""
    annotation = documents.read(source)
    response = _on_nodes(source, annotation)
    if annotation.gold is not None:
        response = replace(response, gold=_on_nodes(source, annotation.gold))
    return response


def _on_nodes(source: TextFile, annotation: Annotation) -> Annotation:
    """Return the documents of one side on nodes."""
    table = annotation.mentions.rename(
        columns={"start": "first", "end": "last"}
    ).assign(broken=False)
    table["chain"] = [f"e{code + 1}" for code in pd.factorize(table["chain"])[0]]
    texts = {
        doc: [*map(token_of, words)]
        for doc, words in annotation.documents.items()
        if words
    }
    lines = dict.fromkeys(texts, 0)
    on_nodes = _annotation(source, "crac-json", texts, table[_COLUMNS], lines)
    return replace(on_nodes, notices=(*annotation.notices, *on_nodes.notices))


def _annotation(
    source: TextFile,
    format_: str,
    texts: Mapping[str, Sequence[str]],
    mentions: pd.DataFrame,
    lines: Mapping[str, int],
) -> Annotation:
    """Return the documents on nodes without trees; raises FormatError for many empty nodes."""
    for doc, tokens in texts.items():
        for is_empty, run in groupby(tokens, lambda token: token.startswith(EMPTY)):
            if is_empty and len([*run]) > _MOST:
                raise source.error(
                    "tokens-invalid",
                    lines[doc],
                    f"more than {_MOST} empty nodes follow one another",
                    "check the text",
                )
    nodes = bare_nodes(source.name, texts, EMPTY)
    start_of = dict(zip(texts, nodes.starts.tolist(), strict=False))
    start = mentions["doc"].map(start_of).astype(np.int64)
    table = mentions.assign(
        first=mentions["first"] + start, last=mentions["last"] + start
    )
    table = table.sort_values(["first", "last"], ascending=[True, False], kind="stable")
    first = table["first"].to_numpy()
    last = table["last"].to_numpy()
    broken = table["broken"].to_numpy(np.bool_)
    words = np.append(np.flatnonzero(nodes.is_word), len(nodes))
    first_word = words[np.searchsorted(words, first)]
    head = np.where(first_word <= last, first_word, first)
    bank = Treebank(nodes, replace(Spans.ranges(first, last - first + 1), head=head))
    on_nodes = bank.table(table["chain"].to_numpy())
    on_nodes["line"] = table["doc"].map(lines).to_numpy(np.int64)
    notices = irregularities(source, bank.take(~broken), on_nodes[~broken])
    if len(table):
        notices.insert(0, Notice("heads-assumed", len(table), _HEADS))
    return Annotation(
        name=source.name,
        format=format_,
        mentions=on_nodes,
        documents=nodes.texts,
        notices=tuple(notices),
        trees=bank,
        names_tokens=True,
        broken=broken,
    )


def write_text(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError if brackets cannot express the mentions."""
    for name, tokens, mentions in _documents(annotation):
        tags = _tags(annotation, name, mentions)
        line = []
        for position, token in enumerate(tokens):
            if TAGGED.fullmatch(token):
                raise unsuitable(
                    annotation,
                    f"the word '{token[:40]}' has a bracket",
                    "use crac-json",
                )
            of_token = ",".join(tags.get(position, ()))
            line.append(f"{token}|{of_token}" if of_token else token)
        yield " ".join(line) + "\n"


def _tags(
    annotation: Annotation, document: str, mentions: Iterable[Mention]
) -> dict[int, list[str]]:
    """Return position → brackets, in their order; raises FormatError for mentions that cross."""
    tags: defaultdict[int, list[str]] = defaultdict(list)
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for first, last, chain in mentions:
        label = escaped(chain, _RESERVED)
        open_ends = ends[chain]
        while open_ends and open_ends[-1] <= first:
            open_ends.pop()
        if open_ends and open_ends[-1] < last:
            raise unsuitable(
                annotation,
                f"two mentions of the chain '{chain}' cross at token {first} of '{document}'",
                "brackets cannot express it: use crac-json",
            )
        open_ends.append(last)
        if first == last:
            tags[first].append(f"[{label}]")
        else:
            tags[first].append(f"[{label}")
            tags[last].append(f"{label}]")
    for of_token in tags.values():
        # A mention ends before another of its chain begins.
        before = {tag for tag in of_token if f"[{tag[:-1]}" in of_token}
        of_token.sort(key=lambda tag: (tag not in before, tag))  # used at once
    return tags


def write_json(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError without documents."""
    separator = "["
    for name, tokens, mentions in _documents(annotation):
        clusters: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for first, last, chain in mentions:
            clusters[chain].append((first, last))
            texts[chain].append(" ".join(tokens[first : last + 1]))
        record = {
            "doc_id": name,
            "tokens": tokens,
            CLUSTERS: [*clusters.values()],
            "clusters_text_mentions": [*texts.values()],
        }
        yield f"{separator}\n{json.dumps(record, ensure_ascii=False)}"
        separator = ","
    yield "\n]\n"


def reduced(annotation: Annotation) -> list[Notice]:
    """Return the notice on mentions with a gap: the part with the head is written."""
    bank = annotation.trees or over_words(annotation)
    runs = _runs(bank, written_order(bank.nodes))
    number = np.bincount(runs["mention"], minlength=len(bank.spans))
    log = Log()
    log.report(
        "format-unsuitable",
        bank.places(np.flatnonzero(number > 1)),
        "mention",
        "with a gap, of which the part with the head is written",
    )
    return log


def _runs(bank: Treebank, order: Ints) -> pd.DataFrame:
    """Return the runs of consecutive tokens of the mentions, with nodes in this order."""
    position = np.argsort(order)
    spans = bank.spans
    places = position[spans.places]
    in_order = np.lexsort((places, spans.rows()))
    mention, first, last = Spans(spans.bounds, places[in_order], spans.head).runs()
    head = position[spans.head[mention]]
    has_head = (first <= head) & (head <= last)
    return pd.DataFrame(
        {"mention": mention, "first": first, "last": last, "has_head": has_head}
    )


def _documents(
    annotation: Annotation,
) -> Iterator[tuple[str, list[str], list[Mention]]]:
    """Yield name, tokens and mentions of each document.

    Raises FormatError for a blank chain, and a word that would be read as an empty node.
    """
    bank = annotation.trees or over_words(annotation)
    nodes = bank.nodes
    chains = annotation.mentions["chain"]
    if not chains.map(str.strip).all():
        raise unsuitable(annotation, "a mention has a blank chain", "number the chains")
    tokens = []
    for form, is_word in zip(map(token_of, nodes.forms), nodes.is_word, strict=True):
        if not is_word:
            tokens.append(EMPTY if form == "_" else EMPTY + form)
        elif form.startswith(EMPTY):
            raise unsuitable(
                annotation,
                f"the word '{form[:40]}' would be an empty node",
                "use conllu",
            )
        else:
            tokens.append(form)
    order = written_order(nodes)
    runs = _runs(bank, order)
    runs = runs[runs["has_head"]].sort_values(
        ["first", "last"], ascending=[True, False]
    )
    runs["chain"] = chains.to_numpy()[runs["mention"]]
    for name, (start, end) in zip(
        nodes.names, pairwise(nodes.starts.tolist()), strict=True
    ):
        in_document = runs.iloc[slice(*np.searchsorted(runs["first"], [start, end]))]
        first = in_document["first"] - start
        last = in_document["last"] - start
        mentions = [*zip(first, last, in_document["chain"], strict=True)]
        yield name, [tokens[node] for node in order[start:end]], mentions
