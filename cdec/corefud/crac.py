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
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from cdec.arrays import Ints
from cdec.corefud.entities import Entities
from cdec.corefud.formats import CLUSTERS, TAGGED
from cdec.corefud.heads import written_order
from cdec.corefud.reader import irregularities, table_of
from cdec.corefud.treebank import Treebank
from cdec.corefud.trees import FORM, Trees
from cdec.corefud.writer import bare_trees, escaped, over_bare, runs_of
from cdec.errors import FormatError, counted
from cdec.errors.notices import Notice, notice
from cdec.files.input import Source
from cdec.files.strict_json import parse_at
from cdec.formats.annotation import Annotation

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


@dataclass(frozen=True)
class _Text:
    """A document: its name, its line (0: unknown), its tokens, and its mentions in text order."""

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
    lines = [line.strip(" \t") for line in source.lines[source.declared_at :]]
    texts = [
        _bracketed(str(number), source.declared_at + number, _BLANKS.split(line))
        for number, line in enumerate(lines, start=1)
        if line
    ]
    return _annotation(source, "crac", texts)


def _bracketed(name: str, line: int, tokens: Sequence[str]) -> _Text:
    """Return a document with its brackets paired."""
    words, spans = [], list[_Span]()
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for at, token in enumerate(tokens):
        match = TAGGED.fullmatch(token) if "|" in token else None
        words.append(match[1] if match else token)
        for tag in re.split("[,-]", match[2]) if match else ():
            label = unquote(tag.strip("[]"))
            if tag[0] == "[":
                opened[label].append(at)
            if tag[-1] == "]":
                starts = opened[label]
                lacks = not starts
                spans.append(_Span(at if lacks else starts.pop(), at, label, lacks))
    spans += [_Span(at, at, label, True) for label, starts in opened.items() for at in starts]
    return _Text(name, line, words, sorted(spans, key=_in_text))


def _in_text(span: _Span) -> tuple[int, int]:
    return span.first, -span.last


def read_json(source: Source) -> Annotation:
    """Read JSON: chains are numbered, each in one document; texts of mentions are not read."""
    value, numbers = parse_at(source.text, 1, source.error), count(1)
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise source.error("format-undetected", 0, "expected a list of documents [ … ]", _DOCUMENT)
    texts = []
    for number, record in enumerate(value, start=1):
        name, tokens, clusters = _fields(source, number, record)
        labelled = [(f"e{next(numbers)}", cluster) for cluster in clusters]
        spans = [_Span(a, b, label) for label, cluster in labelled for a, b in cluster]
        words = [token_of(token) for token in tokens]
        texts.append(_Text(name, 0, words, sorted(spans, key=_in_text)))
    return _annotation(source, "crac-json", texts)


def _fields(
    source: Source, number: int, record: dict[str, Any]
) -> tuple[str, list[str], list[list[list[int]]]]:
    """Return name, tokens and clusters of a document; raises FormatError."""
    name = record.get("doc_id", str(number))
    tokens, clusters = record.get("tokens"), record.get(CLUSTERS)
    named = isinstance(name, str) and name == name.strip() and name.isprintable() and bool(name)
    message = f"document {number} is not valid"
    if not named or not isinstance(tokens, list) or not isinstance(clusters, list):
        raise source.error("field-invalid", 0, message, _DOCUMENT)
    if not all(isinstance(token, str) for token in tokens):
        raise source.error("field-invalid", 0, message, _DOCUMENT)
    for cluster in clusters:
        for span in cluster if isinstance(cluster, list) else [cluster]:
            whole = isinstance(span, list) and [type(at) for at in span] == [int, int]
            if not whole or not 0 <= span[0] <= span[1] < len(tokens):
                message = f"document '{name[:60]}': {json.dumps(span)[:40]} is not a mention"
                hint = f"first and last token, counted from 0; it has {len(tokens)} tokens"
                raise source.error("tokens-invalid", 0, message, hint)
    return name, tokens, clusters


def _annotation(source: Source, format_: str, texts: Sequence[_Text]) -> Annotation:
    """Return the documents over trees without structure; raises FormatError."""
    texts = [text for text in texts if text.tokens]
    _check(source, texts)
    trees = bare_trees(source.name, {text.name: text.tokens for text in texts}, EMPTY)
    before = np.cumsum([0, *(len(text.tokens) for text in texts)]).tolist()
    placed = [(at, span) for at, text in zip(before, texts, strict=False) for span in text.spans]
    sets = [np.arange(start + span.first, start + span.last + 1) for start, span in placed]
    bare = Entities.of(sets, [span.label for _, span in placed])
    broken = np.array([span.is_broken for _, span in placed], np.bool_)
    whole = np.flatnonzero(~broken)
    paired = Entities.of([sets[row] for row in whole], [placed[row][1].label for row in whole])
    bank = Treebank(trees, replace(bare, head=_first_words(trees, bare)))
    lines = np.array([text.line for text in texts], np.int64)[trees.document[bare.first]]
    assumed = [Notice("heads-assumed", len(placed), _HEADS)] if placed else []
    return Annotation(
        name=source.name,
        format=format_,
        mentions=table_of(bank).assign(line=lines),
        documents=trees.texts,
        notices=(*assumed, *irregularities(source, paired, lines[whole])),
        trees=bank,
        names_tokens=True,
        broken=broken,
    )


def _check(source: Source, texts: Sequence[_Text]) -> None:
    """Raise FormatError for a document twice, and for too many empty nodes in a row."""
    for name, number in Counter(text.name for text in texts).items():
        if number > 1:
            message, hint = f"the document '{name[:60]}' occurs twice", "give each its own id"
            raise source.error("conll-structure", 0, message, hint)
    for text in texts:
        runs = groupby(text.tokens, lambda token: token.startswith(EMPTY))
        if any(is_empty and len(list(run)) > _MOST for is_empty, run in runs):
            message, hint = f"more than {_MOST} empty nodes follow one another", "check the text"
            raise source.error("tokens-invalid", text.line, message, hint)


def _first_words(trees: Trees, entities: Entities) -> Ints:
    """Return the first word of each mention, or its first node if it has none."""
    words = np.append(np.flatnonzero(trees.is_word), len(trees))
    found = words[np.searchsorted(words, entities.first)]
    heads: Ints = np.where(found <= entities.last, found, entities.first)
    return heads


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
                where = f"at token {first} of '{text.name}'"
                message = f"two mentions of the chain '{chain}' cross {where}: brackets cannot"
                raise _unsuitable(annotation, f"{message} express it", "use crac-json")
            inside.append(last)
            tags[first].append(f"[{label}" + ("]" if first == last else ""))
            tags[last] += [f"{label}]"] if first < last else []
        tagged = next((token for token in text.tokens if TAGGED.fullmatch(token)), None)
        if tagged is not None:
            message = f"the word '{tagged[:40]}' has a bracket"
            raise _unsuitable(annotation, message, "use crac-json")
        tokens = (_with_tags(token, tags.get(at, [])) for at, token in enumerate(text.tokens))
        yield " ".join(tokens) + "\n"


def _with_tags(token: str, tags: Sequence[str]) -> str:
    """Return a token with its brackets; a mention ends before another of its chain begins."""
    before = {tag for tag in tags if f"[{tag[:-1]}" in tags}
    ordered = sorted(tags, key=lambda tag: (tag not in before, tag))
    return f"{token}|{','.join(ordered)}" if tags else token


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
    """Return the documents to be written, and the places of mentions that have a gap in them."""
    bank = annotation.trees or over_bare(annotation)
    if not annotation.mentions["chain"].map(str.strip).all():
        raise _unsuitable(annotation, "a mention has a blank chain", "number the chains")
    trees, entities = bank.trees, bank.entities
    order, tokens = written_order(trees), _tokens(annotation, trees)
    at = np.argsort(order)
    start = np.searchsorted(trees.document, np.arange(len(trees.names) + 1))
    spans: list[list[_Span]] = [[] for _ in trees.names]
    cut = []
    for row, chain in enumerate(annotation.mentions["chain"]):
        runs = runs_of(np.sort(at[entities.nodes[entities.bounds[row] : entities.bounds[row + 1]]]))
        head, document = at[entities.head[row]], trees.document[entities.first[row]]
        first, last = next(run for run in runs if run[0] <= head <= run[1])
        before = int(start[document])
        spans[document].append(_Span(first - before, last - before, chain))
        cut += [bank.spans_of(np.array([row]))[0]] if len(runs) > 1 else []
    texts = [
        _Text(
            name,
            0,
            [tokens[node] for node in order[start[k] : start[k + 1]]],
            sorted(spans[k], key=_in_text),
        )
        for k, name in enumerate(trees.names)
    ]
    return texts, cut


def _tokens(annotation: Annotation, trees: Trees) -> list[str]:
    """Return the token of each node; raises FormatError for a word that reads as an empty node."""
    tokens = []
    for form, is_word in zip(map(token_of, trees.column(FORM)), trees.is_word, strict=True):
        if is_word and form.startswith(EMPTY):
            message = f"the word '{form[:40]}' would be an empty node"
            raise _unsuitable(annotation, message, "use conllu")
        tokens.append(form if is_word else EMPTY + ("" if form == "_" else form))
    return tokens


def _unsuitable(annotation: Annotation, message: str, hint: str) -> FormatError:
    return FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
