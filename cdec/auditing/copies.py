"""Copies of sentences: the same mention in two documents, and the annotations that differ.

Newspapers reprint the sentences of news agencies. Letter case is ignored. Reports of the stock
exchange on two days differ in their numbers only, so sentences that contradict each other in a
number are not compared.

For other annotations than links only identical sentences are compared, so that each mention has a
place in every copy. A sentence without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.corpus.model import LEVELS, Corpus
from cdec.language.similarity import similar_pairs
from cdec.matching.names import runs

SHORTEST = (
    5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
)
_IDENTITY = 0.8  # share of common tokens of nearly identical sentences, at least
_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
Span: TypeAlias = tuple[int, ...]  # of token positions in the sentence


def scopes(corpus: Corpus) -> dict[str, str]:
    """Return document id → its unit of ``corpus.linked_within``; '' for all documents without one.

    No chain is of two units: the annotators, or the construction of the corpus, had no such links.

    >>> from dataclasses import replace
    >>> from cdec import load_corpus
    >>> corpus = replace(load_corpus("sample", "test"), linked_within="topic")
    >>> sorted(set(scopes(corpus).values()))
    ['4', '5', '6']
    """
    documents = corpus.documents.values()
    if not corpus.linked_within:
        return {document.id: "" for document in documents}
    depth = 1 + list(LEVELS).index(corpus.linked_within)
    units = {}
    for document in documents:
        levels = (document.topic, document.subtopic)
        units[document.id] = "/".join(levels[:depth])
    return units


class _Sentence(NamedTuple):
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    unit: str
    doc: str
    start: int
    words: tuple[str, ...]
    mentions: dict[Span, int]

    def tokens(self, span: Span) -> str:
        """Return the tokens of a span in the document, such as ``3-4``."""
        return runs([self.start + position for position in span])


def _annotated_sentences(corpus: Corpus) -> Iterator[_Sentence]:
    """Yield the sentences with event mentions."""
    unit = scopes(corpus)
    events = corpus.selected.assign(row=np.arange(len(corpus.selected)))
    by_sentence: Any = events.groupby(["doc", "sentence"], sort=False)
    for (doc, number), mentions in by_sentence:
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        rows = {}
        for tokens, row in zip(
            mentions["tokens"], mentions["row"].tolist(), strict=True
        ):
            rows[tuple(token - start for token in tokens)] = row
        yield _Sentence(unit[doc], doc, start, words, rows)


# ---- mentions at the same position ----


def duplicates(corpus: Corpus, identity: float = _IDENTITY) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and ``right`` (rows
    of mentions, ascending) and ``identity``: 1 for identical sentences, else the share of common
    tokens (2 × common / total), at least ``identity``. Sentences of fewer than five tokens must be
    identical, and none that contradict each other in a number are compared.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    sentences = list(_annotated_sentences(corpus))
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([s.words for s in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    blocks = list(similar_pairs(bags, identity * _MARGIN))
    left = np.concatenate([block.left for block in blocks])
    right = np.concatenate([block.right for block in blocks])
    rows = []
    for first, second in sorted(zip(left.tolist(), right.tolist(), strict=True)):
        rows += _at_same_position(sentences[first], sentences[second], identity)
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


def _at_same_position(
    first: _Sentence, second: _Sentence, identity: float
) -> list[tuple[int, int, float]]:
    """Return the rows of ``duplicates`` of two sentences."""
    if first.doc == second.doc or first.unit != second.unit:
        return []
    length = min(len(first.words), len(second.words))
    if first.words != second.words and length < SHORTEST:
        return []
    share, position_in_second = _align(first.words, second.words, identity)
    if not share:
        return []
    rows = []
    for span, row in first.mentions.items():
        span_in_second = tuple(position_in_second.get(token, -1) for token in span)
        row_in_second = second.mentions.get(span_in_second)
        if row_in_second is not None:
            rows.append((row, row_in_second, share))
    return rows


def _align(
    first: Sequence[str], second: Sequence[str], identity: float
) -> tuple[float, Mapping[int, int]]:
    """Return the share of common tokens, and for each the position in the second sentence.

    The share is 0 if it is below ``identity``, or if the sentences contradict each other.
    """
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    share = matcher.ratio()
    if share < identity or _contradict(first, second):
        return 0.0, {}
    positions = {}
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            positions[block.a + offset] = block.b + offset
    return share, positions


def _contradict(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether each sentence has a number that the other one lacks.

    If only one has a further number, such as a date, that is no objection.
    """
    first_numbers = _numbers(first)
    second_numbers = _numbers(second)
    return bool(first_numbers - second_numbers and second_numbers - first_numbers)


def _numbers(words: Sequence[str]) -> Counter[str]:
    numbers = Counter[str]()
    for word in words:
        numbers.update(re.findall(r"\d+", _NUMBERS.get(word, word)))
    return numbers


# ---- annotations that differ ----


class Difference(NamedTuple):
    """Copies that differ in one annotation.

    ``name``: ``missing``, ``span`` or ``tag``. ``first``: mentions of the first annotation.
    ``places``: where a mention is missing. ``new``: mention of the other annotation → the tokens or
    tag of the first. ``back``: mention of the first → those of the other.
    """

    name: str
    first: tuple[str, ...]
    places: tuple[str, ...] = ()
    new: Mapping[str, str] = {}
    back: Mapping[str, str] = {}

    @property
    def mentions(self) -> tuple[str, ...]:
        """The mentions of the first annotation, then of the other."""
        return (*self.first, *self.new)


def differences(corpus: Corpus) -> Iterator[Difference]:
    """Yield the differences between identical sentences of two documents of one of ``scopes``."""
    copies_of: dict[tuple[str, tuple[str, ...]], list[_Sentence]] = defaultdict(list)
    for sentence in _annotated_sentences(corpus):
        copies_of[sentence.unit, sentence.words].append(sentence)
    ids = corpus.selected.index.tolist()
    tags = corpus.selected["tag"].tolist()
    for (_, words), copies in copies_of.items():
        documents = {copy.doc for copy in copies}
        if len(words) >= SHORTEST and len(documents) > 1:
            yield from _differences_among(copies, ids, tags)


def _differences_among(
    copies: Sequence[_Sentence], ids: Sequence[str], tags: Sequence[str]
) -> Iterator[Difference]:
    """Yield the differences between copies of one sentence, the most frequent spans first."""
    frequency = Counter(span for copy in copies for span in copy.mentions)
    # Document, sentence and span of each mention that was compared with a more frequent span.
    compared = set()
    for span in sorted(frequency, key=lambda span: (-frequency[span], span)):
        holders = {
            ids[copy.mentions[span]]: copy for copy in copies if span in copy.mentions
        }
        if all((copy.doc, copy.start, span) in compared for copy in holders.values()):
            continue
        places = []
        rivals = {}  # mention with another span → its span
        for copy in copies:
            overlapping = [
                other for other in copy.mentions if not set(span).isdisjoint(other)
            ]
            if not overlapping:
                places.append(f"{copy.doc}/{copy.tokens(span)}")
            elif len(overlapping) == 1 and overlapping[0] != span:
                rival = overlapping[0]
                if (copy.doc, copy.start, rival) not in compared:
                    compared.add((copy.doc, copy.start, rival))
                    rivals[ids[copy.mentions[rival]]] = (copy, rival)
        if rivals:
            yield _difference_of_spans(span, holders, rivals)
        if places:
            yield Difference("missing", tuple(holders), tuple(places))
        tag_of = {
            mention: tags[copy.mentions[span]] for mention, copy in holders.items()
        }
        if len(set(tag_of.values())) > 1:
            yield _difference_of_tags(tag_of)


def _difference_of_spans(
    span: Span,
    holders: Mapping[str, _Sentence],
    rivals: Mapping[str, tuple[_Sentence, Span]],
) -> Difference:
    """Return the difference between mentions of a span and mentions of rival spans."""
    new = {mention: copy.tokens(span) for mention, (copy, _) in rivals.items()}
    _, first_rival = next(iter(rivals.values()))
    back = {mention: copy.tokens(first_rival) for mention, copy in holders.items()}
    return Difference("span", tuple(holders), (), new, back)


def _difference_of_tags(tag_of: Mapping[str, str]) -> Difference:
    """Return the difference between mentions with the most frequent tag and others."""
    votes = Counter(tag_of.values())
    majority = max(sorted(votes), key=lambda tag: votes[tag])
    new = {mention: majority for mention, tag in tag_of.items() if tag != majority}
    first_rival = tag_of[next(iter(new))]
    back = {mention: first_rival for mention, tag in tag_of.items() if tag == majority}
    return Difference("tag", tuple(back), (), new, back)
