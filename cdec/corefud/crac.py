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
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from cdec.corefud.conllu import bare_nodes, escaped, irregularities, over_words, unsuitable
from cdec.corefud.formats import CLUSTERS, TAGGED
from cdec.corefud.heads import written_order
from cdec.corefud.nodes import FORM
from cdec.corefud.treebank import Treebank
from cdec.errors import Notice, counted, notice
from cdec.files.input import Source
from cdec.files.strict_json import parse_at
from cdec.formats.annotation import Annotation
from cdec.matching.align import Spans

EMPTY = "##"
_TEXTS = "clusters_text_mentions"
_MOST = 100  # empty nodes that follow one another
_HEADS = "the format has no heads: the first word of each mention counts as its head"
_BLANKS = re.compile("[ \t\r\n]+")  # those inside a token are written as _
_RESERVED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\[\]|,%-]")
_DOCUMENT = f'a document is {{"doc_id": "d", "tokens": ["She", "left"], "{CLUSTERS}": [[[0, 0]]]}}'


class _Span(NamedTuple):
    """A mention: its first and last token, and its label.

    Of one that is broken a bracket is missing: it has the token of the other.
    """

    first: int
    last: int
    label: str
    is_broken: bool = False


class _Text(NamedTuple):
    """A document: its name, its line (0: unknown), its tokens, and its mentions."""

    name: str
    line: int
    tokens: Sequence[str]
    spans: Sequence[_Span]


def token_of(form: str) -> str:
    """Return the token of a word: blanks are written as ``_``.

    >>> token_of("7 500")
    '7_500'
    """
    return _BLANKS.sub("_", form) or "_"


def read_text(source: Source) -> Annotation:
    """Read plain text. Documents are named by their numbers; one without tokens is left out."""
    texts = []
    for number, line in enumerate(source.lines[source.declared_at :], start=1):
        if not line.strip(" \t"):
            continue
        words, spans = list[str](), list[_Span]()
        opened: defaultdict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(_BLANKS.split(line.strip(" \t"))):
            match = TAGGED.fullmatch(token) if "|" in token else None
            words.append(match[1] if match else token)
            for tag in re.split("[,-]", match[2]) if match else ():
                label = unquote(tag.strip("[]"))
                if tag[0] == "[":
                    opened[label].append(at)
                if tag[-1] == "]":
                    start = opened[label].pop() if opened[label] else None
                    spans.append(_Span(at if start is None else start, at, label, start is None))
        spans += [_Span(at, at, label, True) for label, starts in opened.items() for at in starts]
        texts.append(_Text(str(number), source.declared_at + number, words, spans))
    return _annotation(source, "crac", texts)


def read_json(source: Source) -> Annotation:
    """Read JSON: chains are numbered, each in one document; texts of mentions are not read."""
    value = parse_at(source.text, 1, source.error)
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise source.error("format-undetected", 0, "expected a list of documents [ … ]", _DOCUMENT)
    texts, before = list[_Text](), 0
    for number, record in enumerate(value, start=1):
        name, tokens, clusters = _fields(source, number, record)
        spans = []
        for chain, cluster in enumerate(clusters, start=before + 1):
            spans += [_Span(first, last, f"e{chain}") for first, last in cluster]
        before += len(clusters)
        texts.append(_Text(name, 0, [token_of(token) for token in tokens], spans))
    return _annotation(source, "crac-json", texts)


def _fields(
    source: Source, number: int, record: dict[str, Any]
) -> tuple[str, list[str], list[list[list[int]]]]:
    """Return name, tokens and clusters of a document; raises FormatError."""
    name: Any = record.get("doc_id", str(number))
    tokens: Any = record.get("tokens")
    clusters: Any = record.get(CLUSTERS)
    is_named = isinstance(name, str) and name == name.strip() and name.isprintable() and name
    is_whole = isinstance(tokens, list) and isinstance(clusters, list)
    if not is_named or not is_whole or not all(isinstance(token, str) for token in tokens):
        raise source.error("field-invalid", 0, f"document {number} is not valid", _DOCUMENT)
    for cluster in clusters:
        for span in cluster if isinstance(cluster, list) else [cluster]:
            is_span = isinstance(span, list) and [type(at) for at in span] == [int, int]
            if not is_span or not 0 <= span[0] <= span[1] < len(tokens):
                message = f"document '{name[:60]}': {json.dumps(span)[:40]} is not a mention"
                hint = f"first and last token, counted from 0; it has {len(tokens)} tokens"
                raise source.error("tokens-invalid", 0, message, hint)
    return name, tokens, clusters


def _annotation(source: Source, format_: str, texts: Sequence[_Text]) -> Annotation:
    """Return the documents on nodes without trees.

    Raises FormatError for a document twice, and for too many empty nodes in a row.
    """
    texts = [text for text in texts if text.tokens]
    for name, number in Counter(text.name for text in texts).items():
        if number > 1:
            message, hint = f"the document '{name[:60]}' occurs twice", "give each its own id"
            raise source.error("conll-structure", 0, message, hint)
    for text in texts:
        runs = groupby(text.tokens, lambda token: token.startswith(EMPTY))
        if any(is_empty and len([*run]) > _MOST for is_empty, run in runs):
            message, hint = f"more than {_MOST} empty nodes follow one another", "check the text"
            raise source.error("tokens-invalid", text.line, message, hint)
    nodes = bare_nodes(source.name, {text.name: text.tokens for text in texts}, EMPTY)
    placed = [
        (int(start), span)
        for start, text in zip(nodes.starts, texts, strict=False)
        for span in sorted(text.spans, key=lambda span: (span.first, -span.last))
    ]
    spans = Spans.of([range(at + span.first, at + span.last + 1) for at, span in placed])
    words = np.append(np.flatnonzero(nodes.is_word), len(nodes))
    head = words[np.searchsorted(words, spans.first)]  # the first word; without one, the first node
    spans = replace(spans, head=np.where(head <= spans.last, head, spans.first))
    bank, labels = Treebank(nodes, spans), [span.label for _, span in placed]
    lines = np.array([text.line for text in texts], np.int64)[nodes.document[spans.first]]
    broken = np.array([span.is_broken for _, span in placed], np.bool_)
    whole = np.flatnonzero(~broken)
    return Annotation(
        name=source.name,
        format=format_,
        mentions=bank.table(labels).assign(line=lines),
        documents=nodes.texts,
        notices=(
            *([Notice("heads-assumed", len(placed), _HEADS)] if placed else ()),
            *irregularities(source, spans.take(whole), [labels[k] for k in whole], lines[whole]),
        ),
        trees=bank,
        names_tokens=True,
        broken=broken,
    )


def write_text(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError if brackets cannot express the mentions."""
    for text in _written(annotation)[0]:
        tags: defaultdict[int, list[str]] = defaultdict(list)
        ends: defaultdict[str, list[int]] = defaultdict(list)
        for first, last, chain, _ in text.spans:
            label, inside = escaped(chain, _RESERVED), ends[chain]
            while inside and inside[-1] <= first:
                inside.pop()
            if inside and inside[-1] < last:
                what = (
                    f"two mentions of the chain '{chain}' cross at token {first} of '{text.name}'"
                )
                message = f"{what}: brackets cannot express it"
                raise unsuitable(annotation, message, "use crac-json")
            inside.append(last)
            tags[first].append(f"[{label}" + ("]" if first == last else ""))
            tags[last] += [f"{label}]"] if first < last else []
        tokens = []
        for at, token in enumerate(text.tokens):
            if TAGGED.fullmatch(token):
                message = f"the word '{token[:40]}' has a bracket"
                raise unsuitable(annotation, message, "use crac-json")
            # A mention ends before another of its chain begins.
            before = {tag for tag in tags[at] if f"[{tag[:-1]}" in tags[at]}
            ordered = sorted(tags[at], key=lambda tag: (tag not in before, tag))
            tokens.append(f"{token}|{','.join(ordered)}" if ordered else token)
        yield " ".join(tokens) + "\n"


def write_json(annotation: Annotation) -> Iterator[str]:
    """Yield the documents; raises FormatError without documents."""
    before = "["
    for text in _written(annotation)[0]:
        clusters: dict[str, list[_Span]] = {}
        for span in text.spans:
            clusters.setdefault(span.label, []).append(span)
        record = {
            "doc_id": text.name,
            "tokens": text.tokens,
            CLUSTERS: [[[s.first, s.last] for s in spans] for spans in clusters.values()],
            _TEXTS: [
                [" ".join(text.tokens[s.first : s.last + 1]) for s in spans]
                for spans in clusters.values()
            ],
        }
        yield f"{before}\n{json.dumps(record, ensure_ascii=False)}"
        before = ","
    yield "\n]\n"


def reduced(annotation: Annotation) -> list[Notice]:
    """Return the notice on mentions with a gap: the part with the head is written."""
    cut = _written(annotation)[1]
    what = counted(len(cut), "mention has a gap: its part", "mentions have a gap: their part")
    message = f"{what} with the head is written"
    return [notice("format-unsuitable", message, cut)] if cut else []


def _written(annotation: Annotation) -> tuple[list[_Text], list[str]]:
    """Return the documents to be written, and the places of mentions that have a gap in them.

    Raises FormatError for a blank chain, and a word that would be read as an empty node.
    """
    bank = annotation.trees or over_words(annotation)
    nodes, spans, order = bank.nodes, bank.spans, written_order(bank.nodes)
    if not annotation.mentions["chain"].map(str.strip).all():
        raise unsuitable(annotation, "a mention has a blank chain", "number the chains")
    tokens = []
    for form, is_word in zip(map(token_of, nodes.column(FORM)), nodes.is_word, strict=True):
        if is_word and form.startswith(EMPTY):
            message = f"the word '{form[:40]}' would be an empty node"
            raise unsuitable(annotation, message, "use conllu")
        tokens.append(form if is_word else EMPTY + ("" if form == "_" else form))
    at = np.argsort(order)
    places = at[spans.places]
    in_order = np.lexsort((places, spans.rows()))
    row, first, last = Spans(spans.bounds, places[in_order], at[spans.head]).runs()
    has_head = (first <= at[spans.head][row]) & (at[spans.head][row] <= last)
    gapped = np.flatnonzero(np.bincount(row, minlength=len(spans)) > 1)
    document, starts = nodes.document[spans.first].tolist(), nodes.starts.tolist()
    chains = annotation.mentions["chain"].tolist()
    found: list[list[_Span]] = [[] for _ in nodes.names]
    kept = (values[has_head].tolist() for values in (row, first, last))
    for mention, start, end in zip(*kept, strict=True):
        before = starts[document[mention]]
        found[document[mention]].append(_Span(start - before, end - before, chains[mention]))
    texts = [
        _Text(
            name,
            0,
            [tokens[node] for node in order[start:end]],
            sorted(spans, key=lambda span: (span.first, -span.last)),
        )
        for name, start, end, spans in zip(nodes.names, starts[:-1], starts[1:], found, strict=True)
    ]
    return texts, bank.places(gapped)
