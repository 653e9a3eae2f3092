"""Token numbers of a file, as numbers in the documents of its home; and the words there.

A CoNLL file may omit whole sentences of a document. Its column of sentence numbers identifies the
tokens; the numbers may start after the URL or date of the document (``text_start``).

Some files give a mention as sentence, first and last token. Whether the tokens count in the
sentence or in the document, and whether sentence 0 is the URL, is not in the file. Of these four
readings the one with most mentions inside their sentences is used; of equal ones, the one with most
mentions of the key; then the first in this order: numbers in the document, then in the sentence,
each with the URL counted first.

Words that differ are harmless if the text is the same, as mentions are compared by token numbers:
the same number of tokens, and fewer than half of the words of each document differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np
import pandas as pd

from cdec.arrays import Ints, IntSeries
from cdec.corpus.model import Corpus, Document
from cdec.errors import Log, Notice, ScoringError, counted, notice
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.formats.reading import is_placeholder, is_same_word
from cdec.matching.home import NO_TOKENS, sentences_of, text_starts_of
from cdec.matching.offsets import place_by_words

MOST_WORDS = 0.5
"""The share of the words of a document from which on their differences are another text."""
_ENDS = ["start", "end"]
_SPAN = ["doc", *_ENDS]
_ID_ON_LINE = re.compile(r"(?s).+[/_][^/_]+")


# ---- in a corpus ----


def fitted(file: Annotation, corpus: Corpus, log: Log) -> Annotation:
    """Return a file with token numbers of its documents in a corpus; report words that differ.

    A file may omit whole sentences if its sentence numbers are those of the corpus. Raises
    ScoringError with ``file:line`` for another text.
    """
    texts = {}
    table = file.mentions.copy()
    for doc, text in file.documents.items():
        text_of_key = corpus.documents[doc].tokens
        layout = file.layout.get(doc)
        size = len(text_of_key)
        if text is not None:
            size = len(text)
        elif layout:
            size = len(layout.lines)
        if size == len(text_of_key):
            if text is not None:
                texts[doc] = text_of_key
            continue
        numbers = None
        if layout and text:
            numbers = _in_sentences(text, layout, corpus.documents[doc])
        if numbers is None:
            raise _other_text(file, doc, text_of_key)
        rows = table["doc"] == doc
        for side in _ENDS:
            table.loc[rows, side] = numbers[table.loc[rows, side].to_numpy()]
    _check_words(file, texts, log)
    return replace(file, mentions=table)


def _in_sentences(text: Sequence[str], layout: Layout, home: Document) -> Ints | None:
    """Return the number in its document of each token of a file that omits sentences.

    The sentences of the file may be numbered from the text of the document on, without its URL and
    date. None if they do not fit.
    """
    if layout.sentences is None:
        return None
    starts = np.array(home.sentence_starts, dtype=np.int64)
    sizes = np.diff(starts, append=len(home.tokens))
    for skipped in (0, home.text_start):
        sentences = layout.sentences + skipped
        if sentences.max() >= len(starts) or (np.diff(sentences) < 0).any():
            continue
        position = pd.Series(sentences).groupby(sentences).cumcount().to_numpy()
        if (position >= sizes[sentences]).any():
            continue
        numbers: Ints = starts[sentences] + position
        words = [home.tokens[number] for number in numbers]
        if not _differences(text, words):
            return numbers
    return None


# ---- in a key file ----


def counted_alike(
    key: Annotation, response: Annotation, log: Log
) -> tuple[Annotation, Annotation]:
    """Return both files with token numbers that count in the same unit; compare their words.

    Raises ScoringError for texts that differ.
    """
    if _lines_have_ids(key) and _lines_have_ids(response):
        response = _by_ids(key, response, log)
    if have_words(key.mentions) or have_words(response.mentions):
        key = _by_words(key, response, log)
        response = _by_words(response, key, log)
    key, response = _in_same_unit(key, response)
    _compare_texts(key, response, log)
    return key, response


def have_words(mentions: pd.DataFrame) -> bool:
    """Return whether a file repeats words, or names, of its mentions."""
    return bool((mentions.filter(["mention", "words"]) != "").any(axis=None))


def _by_words(file: Annotation, other: Annotation, log: Log) -> Annotation:
    """Return a file with the places that the words of its mentions show.

    The text is that of the file, or of the other if it has none.
    """
    texts = {
        doc: text or other.documents.get(doc) for doc, text in file.documents.items()
    }
    sentences = {
        **sentences_of(other, other.documents),
        **sentences_of(file, file.documents),
    }
    return place_by_words(file, texts, sentences, {}, log)


# ---- ids on lines ----


def _lines_have_ids(file: Annotation) -> bool:
    """Return whether each line of a file is a mention whose word is its id."""
    identity = file.reading.get(reading.IDENTITY)
    if identity is None or identity.value != "names":
        return False
    words = [word for text in file.documents.values() for word in text or ("",)]
    return all(_ID_ON_LINE.fullmatch(word) for word in words)


def _by_ids(key: Annotation, response: Annotation, log: Log) -> Annotation:
    """Return a response whose lines have the numbers of those with the same ids in the key.

    Both files have a mention and its id on each line; other ids follow those of the key.
    """
    table = response.mentions.copy()
    documents = dict(response.documents)
    layout = dict(response.layout)
    changed = []
    for doc, text in response.documents.items():
        key_ids = key.documents.get(doc)
        if text is None or key_ids is None or text == key_ids:
            continue
        lines = {id_: line for line, id_ in reversed([*enumerate(key_ids)])}
        new_ids = [id_ for id_ in dict.fromkeys(text) if id_ not in lines]
        lines |= {id_: line for line, id_ in enumerate(new_ids, len(key_ids))}
        rows = table["doc"] == doc
        for side in _ENDS:
            table.loc[rows, side] = [
                lines[text[line]] for line in table.loc[rows, side]
            ]
        documents[doc] = None
        layout.pop(doc, None)
        changed.append(doc)
    if not changed:
        return response
    log.append(
        notice(
            "reading-assumed",
            "mentions are paired by their ids: key and response have other lines",
            changed,
            warning=False,
        )
    )
    return replace(response, mentions=table, documents=documents, layout=layout)


# ---- sentences ----


def in_sentences_of(corpus: Corpus, file: Annotation, log: Log) -> Annotation:
    """Return a file with token numbers that count in the documents of a corpus.

    Mentions outside their sentences are NO_TOKENS.
    """
    documents = file.mentions["doc"][file.mentions["unknown"] == ""].unique()
    sentences = sentences_of(corpus, documents)
    text_starts = text_starts_of(corpus)
    table, unit = _read_sentences(file, sentences, corpus.mentions, text_starts)
    if unit:
        size = len(table)
        message = f"token numbers count in {unit} (inferred from {size:,} mentions)"
        log.append(Notice("reading-assumed", size, message, (), warning=False))
    outside = table.index[~table["inside"]]
    unknown = file.mentions["unknown"].copy()
    unknown[outside] = NO_TOKENS
    marked = replace(file, mentions=file.mentions.assign(unknown=unknown))
    return _shifted(marked, table["shift"].drop(outside))


def _in_same_unit(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
    both = pd.concat([key.mentions, response.mentions])
    if (both["sentence"] < 0).all():
        return key, response
    key = _by_sentences_of(response, key)
    response = _by_sentences_of(key, response)
    both = pd.concat([key.mentions, response.mentions])
    if (both["sentence"] < 0).any():
        return key, response
    ends = both.groupby(["doc", "sentence"])["start"].agg(["min", "max"])
    last_before = ends.groupby(level="doc")["max"].shift().fillna(-1)
    if (ends["min"] > last_before).all():
        return key, response
    # The lengths of the sentences are unknown, so each counts as the longest.
    size = int(both["end"].max()) + 1
    return (
        _shifted(key, key.mentions["sentence"] * size),
        _shifted(response, response.mentions["sentence"] * size),
    )


def _by_sentences_of(other: Annotation, file: Annotation) -> Annotation:
    """Return the file with token numbers that count in documents, if another knows sentences."""
    table = file.mentions
    documents = {*table["doc"][table["sentence"] >= 0]} & other.documents.keys()
    sentences = sentences_of(other, other.layout)
    if not documents or not documents <= sentences.keys():
        return file
    placed, _ = _read_sentences(file, sentences, other.mentions, {})
    if not placed["inside"].all():
        return file
    return _shifted(file, placed["shift"])


def _read_sentences(
    file: Annotation,
    sentences: Mapping[str, Ints],
    key: pd.DataFrame,
    text_starts: Mapping[str, int],
) -> tuple[pd.DataFrame, str]:
    """Return what to add to the tokens of mentions with a sentence, and whether they are inside it.

    ``sentences`` has the sentence of each token of the documents that count, ``text_starts`` the
    number of sentences before the text. The second value says how tokens count, '' in the document.
    """
    tokens = pd.concat({doc: pd.Series(numbers) for doc, numbers in sentences.items()})
    places = tokens.rename_axis(["doc", "token"]).rename("sentence").reset_index()
    bounds = places.groupby(["doc", "sentence"])["token"].agg(["min", "size"])
    spans_of_key = pd.MultiIndex.from_frame(key[_SPAN])
    table = file.mentions
    table = table[(table["sentence"] >= 0) & table["doc"].isin(list(sentences))]
    before_text = table["doc"].map(dict(text_starts)).fillna(0)
    readings = [("", table["sentence"]), ("the sentence", table["sentence"])]
    if before_text.any():
        without_url = table["sentence"] + before_text
        readings.insert(1, ("", without_url))
        unit = "the sentence, not counting the URL as a sentence"
        readings.append((unit, without_url))
    best = (-1, -1)
    best_table = table
    best_unit = ""
    for unit, numbers in readings:
        sentence = pd.MultiIndex.from_arrays([table["doc"], numbers.astype(np.int64)])
        first, size = bounds.reindex(sentence, fill_value=0).to_numpy(np.int64).T
        shift = np.zeros_like(first)
        last = table[
            "start"
        ]  # in a document a mention may continue in the next sentence
        if unit:
            shift = first
            last = table["end"]
        is_inside = (table["start"] + shift >= first) & (last + shift < first + size)
        moved = table[_SPAN].assign(
            start=table["start"] + shift, end=table["end"] + shift
        )
        of_key = int(pd.MultiIndex.from_frame(moved).isin(spans_of_key).sum())
        fit = (int(is_inside.sum()), of_key)
        if fit > best:
            best = fit
            best_table = table.assign(shift=shift, inside=is_inside)
            best_unit = unit
    return best_table, best_unit


def _shifted(file: Annotation, shift: IntSeries) -> Annotation:
    """Return the file with these numbers added to the tokens of mentions, 0 for others."""
    table = file.mentions
    shift = shift.reindex(table.index, fill_value=0)
    tokens = [
        tuple(token + number for token in gap)
        for gap, number in zip(table["tokens"], shift.tolist(), strict=True)
    ]
    moved = table.assign(
        start=table["start"] + shift,
        end=table["end"] + shift,
        tokens=object_array(tokens),
        sentence=-1,
    )
    return replace(file, mentions=moved)


# ---- words ----


def _compare_texts(key: Annotation, response: Annotation, log: Log) -> None:
    """Compare the documents that both files have (under the key's names), as ``_check_words`` does.

    Without texts a difference in length is a notice only: the reference scorer accepts it.
    """
    texts = {}
    lengths = []
    for doc, text in response.documents.items():
        key_text = key.documents.get(doc)
        if text is not None and key_text is not None:
            texts[doc] = key_text
        elif doc in key.layout and doc in response.layout:
            size_in_key = len(key.layout[doc].lines)
            size = len(response.layout[doc].lines)
            if size != size_in_key:
                lengths.append(f"{doc}: {size_in_key} and {size}")
    _check_words(response, texts, log)
    log.report(
        "text-mismatch",
        lengths,
        "document",
        "with different numbers of tokens in key and response",
    )


def _check_words(
    response: Annotation, texts: Mapping[str, Sequence[str]], log: Log
) -> None:
    """Report words of the response that differ from the ``texts`` of the key.

    Of the words of each document that are compared, fewer than half may differ. Raises ScoringError
    otherwise, with ``file:line`` of the first difference, and for texts that differ in length.
    """
    cases = []
    compared = 0
    for doc, key_text in texts.items():
        text = response.documents[doc] or ()
        if len(text) != len(key_text):
            raise _other_text(response, doc, key_text)
        compared += len(text)
        if text == key_text:
            continue
        placeholders = sum(map(is_placeholder, text, key_text))
        compared -= placeholders
        differing = _differences(text, key_text)
        if differing and len(differing) >= MOST_WORDS * (len(text) - placeholders):
            raise _other_text(response, doc, key_text)
        for number in differing:
            difference, place = _difference(response, doc, number, key_text)
            cases.append(f"{difference} at {place}")
    rest = f"unlike the key (of {compared:,}): mentions are matched by token number"
    log.report("text-mismatch", cases, "word", rest)


def _other_text(
    response: Annotation, doc: str, key_text: Sequence[str]
) -> ScoringError:
    """Return the error for another text of a document, at the first token that differs."""
    text = response.documents[doc] or ()
    size = len(text)
    if doc in response.layout:
        size = len(response.layout[doc].lines)
    differing = _differences(text, key_text)
    difference, place = _difference(response, doc, differing[0], key_text)
    message = f"token {differing[0]} of '{doc}' is {difference}"
    hint = "use the text of the key: all tokens, with the same tokenisation"
    if size == len(key_text):
        differ = counted(len(differing), "token differs", "tokens differ")
        message += f": {differ} of {size:,}, and half are too many"
    else:
        message = f"'{doc}' has {counted(size, 'token')}, in the key {len(key_text):,}; {message}"
    return ScoringError("text-mismatch", message, place=place, hint=hint)


def _difference(
    response: Annotation, doc: str, number: int, key_text: Sequence[str]
) -> tuple[str, str]:
    """Return the two words of a token, and its ``file:line`` (of the last if it is beyond it)."""
    line = 0
    if doc in response.layout:
        lines = response.layout[doc].lines.tolist()
        line = (lines[: number + 1] or [0])[-1]
    word = _shown_word(response.documents[doc] or (), number)
    word_of_key = _shown_word(key_text, number)
    return f"{word}, in the key {word_of_key}", response.place(line)


def _shown_word(text: Sequence[str], number: int) -> str:
    return repr(text[number][:40]) if number < len(text) else "missing"


def _differences(text: Sequence[str], key_text: Sequence[str]) -> list[int]:
    """Return the numbers of the tokens that are not the same word, or in one text only."""
    numbers = []
    for number, (word, word_of_key) in enumerate(zip_longest(text, key_text)):
        is_in_both = word is not None and word_of_key is not None
        if not is_in_both or not is_same_word(word, word_of_key):
            numbers.append(number)
    return numbers
