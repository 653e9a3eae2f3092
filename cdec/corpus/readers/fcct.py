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
from collections import Counter
from typing import TypeAlias

from cdec.corpus.model import ANNOTATED, Corpus, Document, Variants
from cdec.corpus.readers.columns import MASKED, corpus_at, eight_columns, first_token
from cdec.corpus.source import HINT, CorpusFormat, Source, error
from cdec.errors import CorpusError
from cdec.formats.brackets import Span

MASKED_ONLY, SPANS_ONLY = "hypercoref-only", "bugert-only"
VARIANTS: Variants = {"hypercoref": {SPANS_ONLY: "drop"}, "bugert": {MASKED_ONLY: "drop"}}
_DOCUMENT = re.compile(r"(?:football-tournaments_)?(?P<tournament>[a-z0-9_-]+)_d[0-9a-f]{8}")
_MENTION = re.compile(r"(.+)_([0-9]{1,6})_([0-9]{1,6})_([0-9]{1,6})\s+\(([^()|\s]+)\)\s*")
_LONGEST = 10_000  # tokens of a sentence and sentences of a document: more is a wrong number

Chains: TypeAlias = dict[tuple[str, int, int], str]
"""A reading of the key: document, first and last token in it → chain."""
Listed: TypeAlias = dict[tuple[str, int, int, int], str]
"""The same with document, sentence, first and last token in the sentence."""


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
    texts: dict[str, list[list[str]]] = {}
    masked: Chains = {}
    listed: Listed = {}
    for file, _ in source:
        if _is_masked(source, file):
            for columns in eight_columns(source, file):
                texts[columns.id] = columns.sentences
                masked |= {(columns.id, s.start, s.end): s.chain for s in columns.spans()}
        elif _is_spans(source, file):
            _read_spans(source, file, listed)
    readings = ["hypercoref"] * bool(texts) + ["bugert"] * bool(listed)
    if not texts:
        # The file has no tokens: a sentence is as long as its mentions require.
        for doc, sentence, _, end in listed:
            sentences = texts.setdefault(doc, [])
            sentences.extend([] for _ in range(sentence + 1 - len(sentences)))
            sentences[sentence].extend([MASKED] * (end + 1 - len(sentences[sentence])))
    documents = {}
    for doc, sentences in texts.items():
        match = _DOCUMENT.fullmatch(doc)
        topic = match["tournament"] if match else ""
        documents[doc] = Document(doc, topic, "", tuple(map(tuple, sentences)))
    spans: Chains = {}
    for (doc, sentence, start, end), chain in listed.items():
        if doc not in documents or sentence >= len(documents[doc].sentences):
            raise CorpusError("corpus-invalid", f"sentence {sentence}", place=doc, hint=HINT)
        first = documents[doc].sentence_starts[sentence]
        spans[doc, first + start, first + end] = chain
    if len(readings) == 2:
        states, variants = _merged(masked, spans), VARIANTS
    else:
        states = dict.fromkeys((masked or spans).items(), ANNOTATED)
        variants = {name: {} for name in readings}
    mentions = [
        (doc, Span(start, end, chain), {"state": states[(doc, start, end), chain]})
        for (doc, start, end), chain in sorted(states)
    ]
    facts = {
        "levels": {"topic": "tournament"},
        "text": "none",
        "variants": variants,
        "splits": ("fcc-t",),
    }
    corpus = corpus_at(source, documents.values(), mentions, **facts)
    if len(readings) == 2:
        # A mention in another chain of the other reading is no defect.
        source.defects[:] = [each for each in source.defects if each[0] != "span-in-two-chains"]
    return corpus


def _read_spans(source: Source, file: str, listed: Listed) -> None:
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
        if place in listed:
            raise error(file, "mention-duplicate", at, f"the mention {line.split()[0]} is repeated")
        listed[place] = match[5]


def _merged(masked: Chains, spans: Chains) -> dict[tuple[tuple[str, int, int], str], str]:
    """Return (mention, chain) → state, for the mentions of both readings.

    The readings number the chains differently: a chain of ``spans`` has the label of the one of
    ``masked`` with most of its mentions, if no other has more of them.
    """
    shared = Counter((spans[place], masked[place]) for place in masked.keys() & spans.keys())
    labels: dict[str, str] = {}
    for theirs, ours in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if theirs not in labels and ours not in labels.values():
            labels[theirs] = ours
    states = dict.fromkeys(masked.items(), MASKED_ONLY)
    for place, theirs in spans.items():
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
)
