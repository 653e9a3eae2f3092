"""A response in the coordinates of the corpus: its documents, its token numbers, its ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation
from cdec.matching.ids import ID, whole_id, with_documents
from cdec.matching.names import align
from cdec.matching.tokens import check_text, first_difference
from cdec.matching.view import View, by_document
from cdec.wording import counted


def corpus_view(response: Annotation, corpus: Corpus) -> tuple[View, dict[str, int]]:
    """Return the response in the corpus' coordinates, and document → mentions left out.

    Left out are documents that the corpus lacks. A file whose tokens are mention ids is read by
    these. Raises ScoringError with ``file:line`` where texts, token numbers or ids do not fit.
    """
    view = with_documents(by_document(response))
    if not align(view.texts, corpus.documents, response.name):
        view = _by_token_ids(view)
    names = align(view.texts, corpus.documents, response.name)
    counts = view.mentions["doc"].value_counts()
    left_out = {doc: int(counts.get(doc, 0)) for doc in view.texts if doc not in names}
    sentences = {
        new: layout.sentences
        for old, new in names.items()
        if (layout := response.layout.get(old)) is not None and layout.sentences is not None
    }
    return _placed(view.renamed(names), sentences, corpus), left_out


def _by_token_ids(view: View) -> View:
    """Return the view by the ids that stand as tokens (``36_1ecb.xml_17``), or as it is."""
    table = view.mentions
    texts = [view.texts[doc] for doc in table["doc"]]
    if (
        not len(table)
        or any(text is None for text in texts)
        or (table["start"] < table["end"]).any()
    ):
        return view
    tokens = [text[at] for text, at in zip(texts, table["start"], strict=True) if text is not None]
    split = [ID.fullmatch(token) for token in tokens]
    if any(match is None for match in split):
        return view
    docs = [match.group(1) for match in split if match is not None]
    named = table.assign(doc=docs, mention=tokens, start=-1, end=-1)
    return View(view.source, named, dict.fromkeys(docs), {})


def _placed(view: View, sentences: Mapping[str, Ints], corpus: Corpus) -> View:
    """Return the view with the corpus' token numbers and mention ids, all of them checked."""
    table = view.mentions
    moves = {
        doc: _move(view, corpus.documents[doc], text, sentences.get(doc))
        for doc, text in view.texts.items()
    }
    start, end = table["start"].to_numpy(copy=True), table["end"].to_numpy(copy=True)
    for doc, found in table.groupby("doc", sort=False).indices.items():
        rows = np.asarray(found, dtype=np.int64)
        document = corpus.documents[str(doc)]
        _check_range(view, document, rows)
        move = moves[str(doc)]
        if move is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    ids = [
        _resolve(view, corpus, *row) if row[1] < 0 else ""
        for row in table[["doc", "start", "mention", "line"]].itertuples(index=False, name=None)
    ]
    return replace(view, mentions=table.assign(start=start, end=end, mention=ids))


def _move(
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
    if text is None or first_difference(text, tokens) is None:
        return None
    move = None if sentences is None else _by_sentence(document, sentences)
    if move is None or first_difference(text, [tokens[k] for k in move]) is not None:
        check_text(view, document.id, tuple(text), tokens)
    return move


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
