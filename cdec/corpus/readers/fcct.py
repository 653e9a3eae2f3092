"""FCC-T (Bugert et al. 2021): the keys of its test part; the text is not public.

Two files give two readings of the key, from the same authors:

* eight columns with masked tokens (HyperCoref), 1,043 mentions on test;
* a mention in each line, ``document_sentence_start_end`` and its chain, 1,046 mentions.

With both in one folder, they are two variants of the key; a mention that only one reading has, or
puts in another chain, is in the state of that reading.

The topic is the tournament in the document id. The files have no sub-topics.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from cdec.corpus.build import build, mentions_at
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import ANNOTATED, Corpus, Document, Variants
from cdec.corpus.readers.columns import MASKED, eight_columns, first_token
from cdec.corpus.source import HINT, Source, error
from cdec.errors import CorpusError
from cdec.formats.brackets import Span

MASKED_ONLY, SPANS_ONLY = "hypercoref-only", "bugert-only"
VARIANTS: Variants = {"hypercoref": {SPANS_ONLY: "drop"}, "bugert": {MASKED_ONLY: "drop"}}
_DOCUMENT = re.compile(r"(?:football-tournaments_)?(?P<tournament>[a-z0-9_-]+)_d[0-9a-f]{8}")
_MENTION = re.compile(r"(.+)_([0-9]{1,6})_([0-9]{1,6})_([0-9]{1,6})\s+\(([^()|\s]+)\)\s*")
_LONGEST = 10_000  # tokens of a sentence and sentences of a document: more is a wrong number

Place = tuple[str, int, int, int]
"""A mention: document, sentence, first and last token in the sentence."""


@dataclass
class _Key:
    """One reading of the key: the sentences of each document, and mention → chain."""

    sentences: dict[str, list[list[str]]] = field(default_factory=dict)
    chains: dict[Place, str] = field(default_factory=dict)


def is_fcct(source: Source) -> bool:
    """Return whether any file is a key of FCC-T."""
    return any(_is_masked(source, file) or _is_spans(source, file) for file in source.files)


def _is_masked(source: Source, file: str) -> bool:
    row = first_token(source, file)
    return bool(row) and _DOCUMENT.fullmatch(row[2]) is not None


def _is_spans(source: Source, file: str) -> bool:
    match = _MENTION.fullmatch("".join(source.head(file)[1:2]))
    return match is not None and _DOCUMENT.fullmatch(match[1]) is not None


def read(source: Source) -> Corpus:
    """Return the corpus, with one reading of the key or both."""
    masked, spans = _Key(), _Key()
    for file, _ in source:
        if _is_masked(source, file):
            _read_masked(source, file, masked)
        elif _is_spans(source, file):
            _read_spans(source, file, spans)
    key, variants = (masked, VARIANTS) if masked.sentences else (spans, {"bugert": {}})
    if masked.sentences and spans.sentences:
        states = _merged(masked, spans)
    else:
        variants = {next(iter(variants)): {}}
        states = dict.fromkeys(key.chains.items(), ANNOTATED)
    documents = {id_: _document(id_, sentences) for id_, sentences in key.sentences.items()}
    found: dict[str, dict[Span, str]] = {id_: {} for id_ in documents}
    for ((id_, sentence, start, end), chain), state in states.items():
        if id_ not in documents or sentence >= len(documents[id_].sentences):
            raise CorpusError("corpus-invalid", f"sentence {sentence}", place=id_, hint=HINT)
        first = documents[id_].sentence_starts[sentence]
        found[id_][Span(first + start, first + end, chain)] = state
    mentions: list[dict[str, Any]] = []
    for id_, of in found.items():
        rows = mentions_at(source, documents[id_], sorted(of))
        mentions += ({**row, "state": of[one]} for row, one in zip(rows, sorted(of), strict=True))
    if masked.sentences and spans.sentences:
        # A mention in another chain of the other reading is no defect.
        source.defects[:] = [each for each in source.defects if each[0] != "span-in-two-chains"]
    levels = {"topic": "tournament"}
    return build(documents.values(), mentions, levels=levels, text="none", variants=variants)


def _document(id_: str, sentences: list[list[str]]) -> Document:
    match = _DOCUMENT.fullmatch(id_)
    text = tuple(map(tuple, sentences))
    return Document(id_, match["tournament"] if match else "", "", text)


def _read_masked(source: Source, file: str, key: _Key) -> None:
    for columns in eight_columns(source, file):
        key.sentences[columns.id] = columns.sentences
        starts = list(accumulate(map(len, columns.sentences), initial=0))
        for start, end, chain, _ in columns.spans():
            sentence = bisect_right(starts, start) - 1
            first = starts[sentence]
            key.chains[columns.id, sentence, start - first, end - first] = chain


def _read_spans(source: Source, file: str, key: _Key) -> None:
    for at, line in enumerate(source.text(file).split("\n"), start=1):
        if line.startswith("#") or not line.strip():
            continue
        match = _MENTION.fullmatch(line)
        if match is None:
            message = "expected document_sentence_start_end and (chain)"
            raise error(file, "corpus-invalid", at, message)
        sentence, start, end = map(int, match.groups()[1:4])
        if start > end or max(sentence, end) > _LONGEST:
            message = f"tokens {start} to {end} of sentence {sentence}"
            raise error(file, "tokens-invalid", at, message)
        place = (match[1], sentence, start, end)
        if place in key.chains:
            raise error(file, "mention-duplicate", at, f"the mention {line.split()[0]} is repeated")
        key.chains[place] = match[5]
        # The file has no tokens: a sentence is as long as its mentions require.
        sentences = key.sentences.setdefault(match[1], [])
        sentences.extend([] for _ in range(sentence + 1 - len(sentences)))
        sentences[sentence].extend([MASKED] * (end + 1 - len(sentences[sentence])))


def _merged(masked: _Key, spans: _Key) -> Mapping[tuple[Place, str], str]:
    """Return (mention, chain) → state, for the mentions of both readings.

    The readings number the chains differently: a chain of ``spans`` has the label of the one of
    ``masked`` with most of its mentions, if no other has more of them.
    """
    both = masked.chains.keys() & spans.chains.keys()
    shared = Counter((spans.chains[place], masked.chains[place]) for place in both)
    labels: dict[str, str] = {}
    for theirs, ours in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if theirs not in labels and ours not in labels.values():
            labels[theirs] = ours
    states = dict.fromkeys(masked.chains.items(), MASKED_ONLY)
    for place, theirs in spans.chains.items():
        key = (place, labels.get(theirs, f"bugert-{theirs}"))
        states[key] = ANNOTATED if key in states else SPANS_ONLY
    return states


FORMAT = CorpusFormat(
    "fcc-t",
    "FCC-T",
    patterns=("*.conll", "*.conll.gz"),
    expected="the masked test key (8 columns), or the test key as spans",
    sniff=is_fcct,
    read=read,
    splits=("fcc-t",),
    release="FCC-T",
)
