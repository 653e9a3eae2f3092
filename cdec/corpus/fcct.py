"""Reader for FCC-T (Bugert et al. 2021): the keys of its test part; the text is not public.

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

from cdec.columns.brackets import Span
from cdec.corpus.columns import MASKED, eight_columns, error, first_token, head_of, lines_of
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ANNOTATED, Document, Variants
from cdec.corpus.reading import HINT, Content, reader
from cdec.corpus.source import Source
from cdec.errors import CorpusError

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
    match = _MENTION.fullmatch("".join(head_of(source, file)[1:2]))
    return match is not None and _DOCUMENT.fullmatch(match[1]) is not None


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions, of one reading or of both."""
    masked, spans = _Key(), _Key()
    for file in source.files:
        if _is_masked(source, file):
            _read_masked(source, file, masked)
        elif _is_spans(source, file):
            _read_spans(source, file, spans)
        tick()
    content = Content(levels={"topic": "tournament"}, text="none")
    if masked.sentences and spans.sentences:
        content.variants = VARIANTS
        _add(content, masked, _merged(masked, spans))
        # A mention in another chain of the other reading is no defect.
        content.defects = [d for d in content.defects if d.kind != "span-in-two-chains"]
    else:
        one, name = (masked, "hypercoref") if masked.sentences else (spans, "bugert")
        content.variants = {name: {}}
        _add(content, one, dict.fromkeys(one.chains.items(), ANNOTATED))
    return content


def _read_masked(source: Source, file: str, key: _Key) -> None:
    for columns in eight_columns(source, file):
        key.sentences[columns.id] = columns.sentences
        starts = list(accumulate(map(len, columns.sentences), initial=0))
        for start, end, chain, _ in columns.spans():
            sentence = bisect_right(starts, start) - 1
            first = starts[sentence]
            key.chains[columns.id, sentence, start - first, end - first] = chain


def _read_spans(source: Source, file: str, key: _Key) -> None:
    for at, line in lines_of(source, file):
        if line.startswith("#"):
            continue
        match = _MENTION.fullmatch(line)
        if match is None:
            message = "expected document_sentence_start_end and (chain)"
            raise error("corpus-file-invalid", file, at, message)
        sentence, start, end = map(int, match.groups()[1:4])
        if start > end or max(sentence, end) > _LONGEST:
            raise error(
                "tokens-invalid", file, at, f"tokens {start} to {end} of sentence {sentence}"
            )
        place = (match[1], sentence, start, end)
        if place in key.chains:
            raise error("mention-duplicate", file, at, f"the mention {line.split()[0]} is repeated")
        key.chains[place] = match[5]
        # The file has no tokens: a sentence is as long as its mentions require.
        sentences = key.sentences.setdefault(match[1], [])
        sentences.extend([] for _ in range(sentence + 1 - len(sentences)))
        sentences[sentence].extend([MASKED] * (end + 1 - len(sentences[sentence])))


def _merged(masked: _Key, spans: _Key) -> dict[tuple[Place, str], str]:
    """Return (mention, chain) → state, for the mentions of both readings.

    The readings number the chains differently: a chain of ``spans`` has the label of the one of
    ``masked`` with most of its mentions, if no other has more of them.
    """
    shared = Counter(
        (chain, masked.chains[place])
        for place, chain in spans.chains.items()
        if place in masked.chains
    )
    labels: dict[str, str] = {}
    for theirs, ours in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if theirs not in labels and ours not in labels.values():
            labels[theirs] = ours
    states = dict.fromkeys(masked.chains.items(), MASKED_ONLY)
    for place, theirs in spans.chains.items():
        key = (place, labels.get(theirs, f"bugert-{theirs}"))
        states[key] = ANNOTATED if key in states else SPANS_ONLY
    return states


def _add(content: Content, key: _Key, states: Mapping[tuple[Place, str], str]) -> None:
    """Add the documents of ``key`` and these mentions to ``content``."""
    mentions: dict[str, list[tuple[Span, str]]] = {id_: [] for id_ in key.sentences}
    starts = {
        id_: list(accumulate(map(len, sentences), initial=0))
        for id_, sentences in key.sentences.items()
    }
    for ((id_, sentence, start, end), chain), state in states.items():
        if id_ not in starts or sentence + 1 >= len(starts[id_]):
            raise CorpusError("corpus-record-invalid", f"sentence {sentence}", place=id_, hint=HINT)
        first = starts[id_][sentence]
        mentions[id_].append((Span(first + start, first + end, chain), state))
    for id_, sentences in key.sentences.items():
        match = _DOCUMENT.fullmatch(id_)
        document = Document(id_, match["tournament"] if match else "", "", _frozen(sentences))
        states_here = {span: {"state": state} for span, state in mentions[id_]}
        content.add(document, sorted(states_here), states_here.__getitem__)


def _frozen(sentences: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, sentences))


ADAPTER = reader(LAYOUTS["fcc-t"], is_fcct, read, splits=("fcc-t",))
