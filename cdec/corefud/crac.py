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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from urllib.parse import unquote

import numpy as np
import pandas as pd

from cdec.corefud.conllu import bare_nodes, escaped, irregularities, over_words, unsuitable
from cdec.corefud.formats import CLUSTERS, TAGGED
from cdec.corefud.heads import written_order
from cdec.corefud.spans import Spans
from cdec.corefud.treebank import Treebank
from cdec.errors import Notice
from cdec.files.input import TextFile
from cdec.formats import documents
from cdec.formats.annotation import Annotation
from cdec.matching.notices import said

EMPTY = "##"
_MOST = 100  # empty nodes that follow one another
_HEADS = "the format has no heads: the first word of each mention counts as its head"
_BLANKS = re.compile("[ \t\r\n]+")  # those inside a token are written as _
_RESERVED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\[\]|,%-]")
# Of a mention: document, first and last token, chain, and whether a bracket has no partner: then it
# has the token of the other.
_COLUMNS = ["doc", "first", "last", "chain", "broken"]


def token_of(form: str) -> str:
    """Return the token of a word: blanks are written as ``_``.

    >>> token_of("7 500")
    '7_500'
    """
    return _BLANKS.sub("_", form) or "_"


def read_text(source: TextFile) -> Annotation:
    """Read plain text. Documents are named by their numbers; one without tokens is left out."""
    texts: dict[str, list[str]] = {}
    mentions = []
    for number, line in enumerate(source.lines[source.declared_at :], start=1):
        tokens = _BLANKS.split(line.strip(" \t")) if line.strip(" \t") else []
        doc, words = str(number), list[str]()
        opened: defaultdict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(tokens):
            match = TAGGED.fullmatch(token) if "|" in token else None
            words.append(match[1] if match else token)
            for tag in re.split("[,-]", match[2]) if match else ():
                label = unquote(tag.strip("[]"))
                if tag[0] == "[":
                    opened[label].append(at)
                if tag[-1] == "]":
                    start = opened[label].pop() if opened[label] else None
                    mentions.append((doc, at if start is None else start, at, label, start is None))
        mentions += [(doc, n, n, label, True) for label, starts in opened.items() for n in starts]
        texts[doc] = words
    lines = {doc: source.declared_at + int(doc) for doc in texts}
    return _annotation(source, "crac", texts, pd.DataFrame(mentions, columns=_COLUMNS), lines)


def read_json(source: TextFile) -> Annotation:
    """Read JSON: chains are numbered, each in one document; texts of mentions are not read."""
    read = documents.read(source)
    response = _on_nodes(source, read)
    if read.gold is not None:
        return replace(response, gold=_on_nodes(source, read.gold))
    return response


def _on_nodes(source: TextFile, read: Annotation) -> Annotation:
    """Return the documents of one side on nodes."""
    table = read.mentions.rename(columns={"start": "first", "end": "last"}).assign(broken=False)
    table["chain"] = [f"e{code + 1}" for code in pd.factorize(table["chain"])[0]]
    texts = {doc: [*map(token_of, words or ())] for doc, words in read.documents.items()}
    made = _annotation(source, "crac-json", texts, table[_COLUMNS], dict.fromkeys(texts, 0))
    return replace(made, notices=(*read.notices, *made.notices))


def _annotation(
    source: TextFile,
    format_: str,
    texts: Mapping[str, Sequence[str]],
    mentions: pd.DataFrame,
    lines: Mapping[str, int],
) -> Annotation:
    """Return the documents on nodes without trees; raises FormatError for many empty nodes."""
    texts = {doc: tokens for doc, tokens in texts.items() if tokens}
    for doc, tokens in texts.items():
        runs = groupby(tokens, lambda token: token.startswith(EMPTY))
        if any(is_empty and len([*run]) > _MOST for is_empty, run in runs):
            message, hint = f"more than {_MOST} empty nodes follow one another", "check the text"
            raise source.error("tokens-invalid", lines[doc], message, hint)
    nodes = bare_nodes(source.name, texts, EMPTY)
    at = mentions["doc"].map(dict(zip(texts, nodes.starts.tolist(), strict=False))).astype(np.int64)
    table = mentions.assign(first=mentions["first"] + at, last=mentions["last"] + at)
    table = table.sort_values(["first", "last"], ascending=[True, False], kind="stable")
    first, last = table["first"].to_numpy(), table["last"].to_numpy()
    broken = table["broken"].to_numpy(np.bool_)
    words = np.append(np.flatnonzero(nodes.is_word), len(nodes))
    head = words[np.searchsorted(words, first)]  # the first word; without one, the first node
    spans = Spans.ranges(first, last - first + 1)
    bank = Treebank(nodes, replace(spans, head=np.where(head <= last, head, first)))
    read = bank.table(table["chain"].to_numpy()).assign(
        line=table["doc"].map(lines).to_numpy(np.int64)
    )
    assumed = [Notice("heads-assumed", len(table), _HEADS)] if len(table) else []
    return Annotation(
        name=source.name,
        format=format_,
        mentions=read,
        documents=nodes.texts,
        notices=(*assumed, *irregularities(source, bank.take(~broken), read[~broken])),
        trees=bank,
        names_tokens=True,
        broken=broken,
    )


def write_text(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError if brackets cannot express the mentions."""
    for name, tokens, mentions in _written(annotation)[0]:
        tags: defaultdict[int, list[str]] = defaultdict(list)
        ends: defaultdict[str, list[int]] = defaultdict(list)
        for first, last, chain in mentions:
            label, inside = escaped(chain, _RESERVED), ends[chain]
            while inside and inside[-1] <= first:
                inside.pop()
            if inside and inside[-1] < last:
                message = f"two mentions of the chain '{chain}' cross at token {first} of '{name}'"
                hint = "brackets cannot express it: use crac-json"
                raise unsuitable(annotation, message, hint)
            inside.append(last)
            tags[first].append(f"[{label}" + ("]" if first == last else ""))
            tags[last] += [f"{label}]"] if first < last else []
        written = []
        for at, token in enumerate(tokens):
            if TAGGED.fullmatch(token):
                message = f"the word '{token[:40]}' has a bracket"
                raise unsuitable(annotation, message, "use crac-json")
            # A mention ends before another of its chain begins.
            before = {tag for tag in tags[at] if f"[{tag[:-1]}" in tags[at]}
            ordered = sorted(tags[at], key=lambda tag: (tag not in before, tag))
            written.append(f"{token}|{','.join(ordered)}" if ordered else token)
        yield " ".join(written) + "\n"


def write_json(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError without documents."""
    before = "["
    for name, tokens, mentions in _written(annotation)[0]:
        clusters: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for first, last, chain in mentions:
            clusters[chain].append((first, last))
        texts = [[" ".join(tokens[a : b + 1]) for a, b in one] for one in clusters.values()]
        record = {"doc_id": name, "tokens": tokens, CLUSTERS: [*clusters.values()]}
        record["clusters_text_mentions"] = texts
        yield f"{before}\n{json.dumps(record, ensure_ascii=False)}"
        before = ","
    yield "\n]\n"


def reduced(annotation: Annotation) -> list[Notice]:
    """Return the notice on mentions with a gap: the part with the head is written."""
    rest = "with a gap, of which the part with the head is written"
    return said("format-unsuitable", _written(annotation)[1], "mention", rest)


def _written(
    annotation: Annotation,
) -> tuple[list[tuple[str, list[str], list[tuple[int, int, str]]]], list[str]]:
    """Return name, tokens and mentions of each document, and the places of mentions with a gap.

    Raises FormatError for a blank chain, and a word that would be read as an empty node.
    """
    bank = annotation.trees or over_words(annotation)
    nodes, spans, order = bank.nodes, bank.spans, written_order(bank.nodes)
    if not annotation.mentions["chain"].map(str.strip).all():
        raise unsuitable(annotation, "a mention has a blank chain", "number the chains")
    tokens = []
    for form, is_word in zip(map(token_of, nodes.forms), nodes.is_word, strict=True):
        if is_word and form.startswith(EMPTY):
            message = f"the word '{form[:40]}' would be an empty node"
            raise unsuitable(annotation, message, "use conllu")
        tokens.append(form if is_word else EMPTY + ("" if form == "_" else form))
    at = np.argsort(order)
    places, head = at[spans.places], at[spans.head]
    in_order = np.lexsort((places, spans.rows()))
    row, first, last = Spans(spans.bounds, places[in_order], head).runs()
    gapped = np.flatnonzero(np.bincount(row, minlength=len(spans)) > 1)
    runs = pd.DataFrame(
        {"first": first, "last": last, "chain": annotation.mentions["chain"].to_numpy()[row]}
    )
    runs = runs[(first <= head[row]) & (head[row] <= last)]
    runs = runs.sort_values(["first", "last"], ascending=[True, False], kind="stable")
    documents = []
    for name, start, end in zip(nodes.names, nodes.starts[:-1], nodes.starts[1:], strict=True):
        own = runs.iloc[slice(*np.searchsorted(runs["first"], [start, end]))]
        ends = (own["first"] - start).tolist(), (own["last"] - start).tolist()
        words = [tokens[node] for node in order[start:end]]
        documents.append((name, words, [*zip(*ends, own["chain"], strict=True)]))
    return documents, bank.places(gapped)
