"""Documents, token numbers and mention ids of a file, as those of the corpus.

A CoNLL file may omit whole sentences of a document. Its column of sentence numbers, or in the
eight-column layout that of token numbers, identifies the tokens; the numbers may start after the
URL or date of the document (``text_start``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import ScoringError, counted
from cdec.formats.annotation import Layout
from cdec.matching.mention_names import ids_of
from cdec.matching.sentences import in_document
from cdec.matching.view import View
from cdec.matching.words import HINT, Texts, are_same_words, check_words, differing
from cdec.notices import Notice


def in_corpus(
    view: View, pairs: Mapping[str, str], corpus: Corpus, words: str | None
) -> tuple[View, list[Notice]]:
    """Return the view with the documents, token numbers and mention ids of the corpus, and notices.

    ``pairs`` maps documents of the file to those of the corpus; others are left out. Raises
    ScoringError with ``file:line`` if texts, token numbers or ids differ from the corpus.
    """
    layout = view.source.layout
    first = _first_number(layout)
    layouts = {new: layout.get(old) for old, new in pairs.items()}
    placed = view.renamed(pairs)
    moves = {
        doc: _moves(placed, text, corpus.documents[doc], layouts[doc], first)
        for doc, text in placed.texts.items()
    }
    texts = [
        Texts(doc, text, corpus.documents[doc].tokens)
        for doc, text in placed.texts.items()
        if text is not None and moves[doc] is None
    ]
    notices = list(check_words(placed, texts, corpus.selected, words))
    whole, counted_in = in_document(placed, corpus.documents, corpus.mentions)
    numbered, by_number = _numbered(whole, moves, corpus)
    return numbered, [*notices, *counted_in, *by_number]


def _numbered(
    view: View, moves: Mapping[str, Ints | None], corpus: Corpus
) -> tuple[View, list[Notice]]:
    """Return the view with the token numbers and mention ids of the corpus; raises ScoringError."""
    table = view.mentions
    sizes = {doc: len(corpus.documents[doc].tokens) for doc in moves}
    lasts = np.array([max(sizes[doc], 1) - 1 for doc in table["doc"]], dtype=np.int64)
    beyond = np.flatnonzero(table["end"].to_numpy() > lasts)
    if beyond.size:
        row = beyond[pd.factorize(table["doc"])[0][beyond].argmin()]
        doc, end, line = table.iloc[row][["doc", "end", "line"]]
        message = f"token {end} is out of range: '{doc}' has {counted(sizes[doc], 'token')}"
        hint = "count tokens from 0, and give the last token as end"
        raise ScoringError("tokens-invalid", message, place=view.place(int(line)), hint=hint)
    start, end = table["start"].to_numpy(copy=True), table["end"].to_numpy(copy=True)
    for doc, rows in table.groupby("doc", sort=False).indices.items():
        if (move := moves[str(doc)]) is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    ids, notices = ids_of(view, corpus)
    return replace(view, mentions=table.assign(start=start, end=end, mention=ids)), notices


def _moves(
    view: View, text: Sequence[str] | None, document: Document, layout: Layout | None, first: int
) -> Ints | None:
    """Return the token number in the corpus of each token of the file; None if all are the same.

    A file may omit whole sentences if its sentence or token numbers are those of the corpus;
    ``first`` is the number of the first token of a document.
    """
    tokens = document.tokens
    lines = view.lines.get(document.id)
    if text is None and lines is not None and len(lines) != len(tokens):
        has = counted(len(lines), "token")
        message = f"document '{document.id}' has {has} in the response, {len(tokens)} in the corpus"
        place = view.place(int(lines[0]))
        raise ScoringError("text-mismatch", message, place=place, hint=HINT)
    if text is None or len(text) == len(tokens):
        return None
    for moves in _placements(document, layout, first):
        if are_same_words(text, [tokens[k] for k in moves]):
            return moves
    raise differing(view, document.id, text, tokens)


def _placements(document: Document, layout: Layout | None, first: int) -> Iterator[Ints]:
    """Yield the token numbers by sentence, then by token number, if these fit the document.

    ``first`` is the number of the first token of a document.
    """
    if layout is None:
        return
    for skipped in dict.fromkeys((0, document.text_start)):
        if layout.sentences is not None:
            yield from _by_sentence(document, layout.sentences + skipped)
        if layout.numbers is not None and skipped < len(document.sentence_starts):
            before = document.sentence_starts[skipped]
            yield from _by_number(document, layout.numbers - first + before)


def _first_number(layout: Mapping[str, Layout]) -> int:
    """Return 0 if any token of the file has the number 0, else 1."""
    given = [at.numbers for at in layout.values() if at.numbers is not None]
    return min((1, *(int(numbers.min()) for numbers in given if len(numbers))))


def _by_sentence(document: Document, sentences: Ints) -> Iterator[Ints]:
    starts = np.array(document.sentence_starts, dtype=np.int64)
    if not len(sentences) or sentences.max() >= len(starts):
        return
    changes = np.flatnonzero(np.diff(sentences, prepend=-1))
    inside = np.arange(len(sentences)) - np.repeat(changes, np.diff(changes, append=len(sentences)))
    sizes = np.array([len(sentence) for sentence in document.sentences])
    if (np.diff(sentences) >= 0).all() and (inside < sizes[sentences]).all():
        yield starts[sentences] + inside


def _by_number(document: Document, numbers: Ints) -> Iterator[Ints]:
    if len(numbers) and (np.diff(numbers) > 0).all() and numbers[-1] < len(document.tokens):
        yield numbers
