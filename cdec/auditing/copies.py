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
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.corpus.model import LEVELS, Corpus
from cdec.formats.annotation import runs
from cdec.language.similarity import similar_pairs
from cdec.pairs.candidates import joined
from cdec.records import Tokens, Words

_LEAST = (
    5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
)
_IDENTITY = 0.8  # share of common tokens of nearly identical sentences, at least
_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
Span = Tokens  # of token positions in the sentence


def scopes(corpus: Corpus) -> dict[str, str]:
    """Return document id → its unit of ``corpus.linked_within``; '' for all documents without one.

    No chain is of two units: the annotators, or the construction of the corpus, had no such links.

    >>> from dataclasses import replace
    >>> from cdec import load_corpus
    >>> corpus = replace(load_corpus("sample", "test"), linked_within="topic")
    >>> sorted(set(scopes(corpus).values()))
    ['4', '5', '6']
    """
    depth = [*LEVELS].index(corpus.linked_within) + 1 if corpus.linked_within else 0
    documents = corpus.documents.values()
    return {one.id: "/".join((one.topic, one.subtopic)[:depth]) for one in documents}


class _Sentence(NamedTuple):
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    unit: str
    doc: str
    start: int
    words: Words
    mentions: dict[Span, int]


def _annotated(corpus: Corpus) -> Iterator[_Sentence]:
    """Yield the sentences with event mentions."""
    unit = scopes(corpus)
    events = corpus.selected
    columns = (events["doc"].tolist(), events["sentence"].tolist(), events["tokens"])
    places: dict[tuple[str, int], dict[Tokens, int]] = defaultdict(dict)
    for row, (doc, number, tokens) in enumerate(zip(*columns, strict=True)):
        places[doc, number][tokens] = row
    for (doc, number), mentions in places.items():
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        rows = {
            tuple(token - start for token in tokens): row
            for tokens, row in mentions.items()
        }
        yield _Sentence(unit[doc], doc, start, words, rows)


def duplicates(corpus: Corpus) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and ``right`` (rows
    of mentions, ascending) and ``identity``: 1 for identical sentences, else the share of common
    tokens (2 × common / total), at least .8. Sentences of fewer than five tokens must be
    identical, and none that contradict each other in a number are compared.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    sentences = list(_annotated(corpus))
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([s.words for s in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    pairs = joined(similar_pairs(bags, _IDENTITY * _MARGIN))
    rows: list[tuple[int, int, float]] = []
    for first, second in zip(pairs.left, pairs.right, strict=True):
        rows += _at_same_position(sentences[first], sentences[second])
    return pd.DataFrame(rows, columns=[*_DTYPES]).astype(_DTYPES)


def _at_same_position(
    first: _Sentence, second: _Sentence
) -> Iterator[tuple[int, int, float]]:
    """Yield the rows of ``duplicates`` of two sentences."""
    if first.doc == second.doc or first.unit != second.unit:
        return
    length = min(len(first.words), len(second.words))
    if first.words != second.words and length < _LEAST:
        return
    matcher = SequenceMatcher(None, first.words, second.words, autojunk=False)
    share = matcher.ratio()
    if share < _IDENTITY or _contradict(first.words, second.words):
        return
    moved = {}
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            moved[block.a + offset] = block.b + offset
    for span, row in first.mentions.items():
        other = second.mentions.get(tuple(moved.get(token, -1) for token in span))
        if other is not None:
            yield row, other, share


def _contradict(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether each sentence has a number that the other one lacks.

    If only one has a further number, such as a date, that is no objection.
    """
    numbers = _numbers(first)
    other_numbers = _numbers(second)
    return bool(numbers - other_numbers and other_numbers - numbers)


def _numbers(words: Sequence[str]) -> Counter[str]:
    numbers = Counter[str]()
    for word in words:
        numbers.update(re.findall(r"\d+", _NUMBERS.get(word, word)))
    return numbers


class Difference(NamedTuple):
    """Copies that differ in one annotation.

    ``name``: ``missing``, ``span`` or ``tag``; ``first``: mentions of the first annotation;
    ``places``: where a mention is missing; ``new``: mention of the other annotation → the tokens or
    tag of the first; ``back``: mention of the first → those of the other.
    """

    name: str
    first: tuple[str, ...]
    places: tuple[str, ...] = ()
    new: Mapping[str, str] = {}
    back: Mapping[str, str] = {}


def differences(corpus: Corpus) -> Iterator[Difference]:
    """Yield the differences between identical sentences of two documents of one of ``scopes``."""
    groups: dict[tuple[str, Words], list[_Sentence]] = defaultdict(list)
    for sentence in _annotated(corpus):
        groups[sentence.unit, sentence.words].append(sentence)
    ids = corpus.selected.index.tolist()
    tags = corpus.selected["tag"].tolist()
    for (_, words), copies in groups.items():
        if len(words) >= _LEAST and len({copy.doc for copy in copies}) > 1:
            yield from _among(copies, ids, tags)


def _among(
    copies: list[_Sentence], ids: list[str], tags: list[str]
) -> Iterator[Difference]:
    """Yield the differences between copies of one sentence, span by span, the usual ones first."""
    counts = Counter(span for copy in copies for span in copy.mentions)
    done: set[str] = set()  # mentions that are named as the other one
    for span in sorted(counts, key=lambda span: (-counts[span], span)):
        holders = {
            ids[copy.mentions[span]]: copy for copy in copies if span in copy.mentions
        }
        if done.issuperset(holders):
            continue
        first = tuple(holders)
        places = []
        new = {}
        spans = []  # of the mentions in ``new``
        for copy in copies:
            overlapping = [
                other for other in copy.mentions if not {*span}.isdisjoint(other)
            ]
            if not overlapping:
                places.append(f"{copy.doc}/{_tokens(copy, span)}")
            elif len(overlapping) == 1 and overlapping[0] != span:
                rival = ids[copy.mentions[overlapping[0]]]
                if rival not in done:
                    done.add(rival)
                    new[rival] = _tokens(copy, span)
                    spans.append(overlapping[0])
        if new:
            back = {id_: _tokens(copy, spans[0]) for id_, copy in holders.items()}
            yield Difference("span", first, (), new, back)
        if places:
            yield Difference("missing", first, tuple(places))
        yield from _difference_of_tags(
            {id_: tags[copy.mentions[span]] for id_, copy in holders.items()}
        )


def _difference_of_tags(tags: Mapping[str, str]) -> Iterator[Difference]:
    """Yield the difference if the same mention of copies has several tags: mention → tag."""
    usual, _ = Counter(sorted(tags.values())).most_common(1)[0]
    new = {id_: usual for id_, tag in tags.items() if tag != usual}
    if new:
        rare = tags[next(iter(new))]
        back = {id_: rare for id_ in tags if id_ not in new}
        yield Difference("tag", tuple(back), (), new, back)


def _tokens(copy: _Sentence, span: Span) -> str:
    return runs([copy.start + at for at in span])
