"""A response in the coordinates of the corpus: its documents, its token numbers, its ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import ScoringError, counted
from cdec.matching.ids import whole_id
from cdec.matching.view import View
from cdec.matching.words import Texts, alike, check_words, differing
from cdec.notices import Notice


def in_corpus(
    view: View, pairs: Mapping[str, str], corpus: Corpus, words: str | None
) -> tuple[View, list[Notice]]:
    """Return the view with the corpus' documents, token numbers and mention ids, and notices.

    ``pairs`` maps the file's documents to the corpus'; the others are left out. Raises
    ScoringError with ``file:line`` where texts, token numbers or ids do not fit.
    """
    layout = view.source.layout
    sentences = {new: layout[old].sentences for old, new in pairs.items() if old in layout}
    placed = view.renamed(pairs)
    moves = {
        doc: _moves(placed, corpus.documents[doc], text, sentences.get(doc))
        for doc, text in placed.texts.items()
    }
    texts = [
        Texts(doc, text, corpus.documents[doc].tokens)
        for doc, text in placed.texts.items()
        if text is not None and moves[doc] is None
    ]
    notices = list(check_words(placed, texts, corpus.events, words))
    return _numbered(placed, moves, corpus), notices


def _numbered(view: View, moves: Mapping[str, Ints | None], corpus: Corpus) -> View:
    """Return the view with the corpus' token numbers and mention ids, all of them checked."""
    table = view.mentions
    start, end = table["start"].to_numpy(copy=True), table["end"].to_numpy(copy=True)
    for doc, found in table.groupby("doc", sort=False).indices.items():
        rows = np.asarray(found, dtype=np.int64)
        _check_range(view, corpus.documents[str(doc)], rows)
        move = moves[str(doc)]
        if move is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    ids = [
        _resolve(view, corpus, *row) if row[1] < 0 else ""
        for row in table[["doc", "start", "mention", "line"]].itertuples(index=False, name=None)
    ]
    return replace(view, mentions=table.assign(start=start, end=end, mention=ids))


def _moves(
    view: View, document: Document, text: Sequence[str] | None, sentences: Ints | None
) -> Ints | None:
    """Return the corpus' token number of each token of the file, None where they are the same.

    A file may leave out whole sentences if it numbers the others as the corpus does.
    """
    tokens = document.tokens
    lines = view.lines.get(document.id)
    if text is None and lines is not None and len(lines) != len(tokens):
        has = counted(len(lines), "token")
        message = f"document '{document.id}' has {has}, in the corpus {len(tokens)}"
        raise ScoringError(message, place=view.place(int(lines[0])), cure="give all its tokens")
    if text is None or len(text) == len(tokens):
        return None
    moves = None if sentences is None else _by_sentence(document, sentences)
    if moves is None or not alike(text, [tokens[k] for k in moves]):
        raise differing(view, document.id, text, tokens)
    return moves


def _by_sentence(document: Document, sentences: Ints) -> Ints | None:
    """Return the token number of each token of these sentences; None if there are not so many."""
    starts = np.array(document.sentence_starts, dtype=np.int64)
    if not len(sentences) or sentences.max() >= len(starts):
        return None
    changes = np.flatnonzero(np.diff(sentences, prepend=-1))
    inside = np.arange(len(sentences)) - np.repeat(changes, np.diff(changes, append=len(sentences)))
    sizes = np.array([len(sentence) for sentence in document.sentences])
    if (np.diff(sentences) < 0).any() or (inside >= sizes[sentences]).any():
        return None
    move: Ints = starts[sentences] + inside
    return move


def _check_range(view: View, document: Document, rows: Ints) -> None:
    table = view.mentions.iloc[rows]
    beyond = table[table["end"] >= max(len(document.tokens), 1)]
    if len(beyond):
        end, line = int(beyond["end"].iloc[0]), int(beyond["line"].iloc[0])
        has = counted(len(document.tokens), "token")
        message = f"token {end} of '{document.id}', which has {has}"
        raise ScoringError(message, place=view.place(line), cure="tokens count from 0")


def _resolve(view: View, corpus: Corpus, doc: str, _: int, mention: str, line: int) -> str:
    """Return the corpus' id of a mention that the file names by an id."""
    id_ = whole_id(doc, mention)
    if id_ not in corpus.mentions.index:
        message = f"there is no mention '{mention}' in '{doc}'"
        raise ScoringError(message, place=view.place(line), cure="ids are those of the corpus")
    return id_
