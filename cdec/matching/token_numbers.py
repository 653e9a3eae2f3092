"""Token numbers of a file, as numbers in the documents of the corpus or of the other file.

A CoNLL file may omit whole sentences of a document. Its column of sentence numbers, or in the
eight-column layout that of token numbers, identifies the tokens; the numbers may start after the
URL or date of the document (``text_start``).

Some files give a mention as sentence, first and last token. Whether the tokens count in the
sentence or in the document, and whether sentence 0 is the URL, is not in the file. Of the four
readings under which every mention is inside its sentence, the one with most mentions of the key is
used; of several, the first in this order: numbers in the document, then in the sentence, each with
the URL counted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice
from cdec.formats.annotation import Layout, object_array
from cdec.matching.mention_names import ids_of
from cdec.matching.view import View
from cdec.matching.words import HINT, are_same_words, check_words, differing

# Sentence → its first token in the document, and its number of tokens.
Bounds = Mapping[int, tuple[int, int]]


class _Reading(NamedTuple):
    """One reading of the mentions: the number to add to each token, and which are inside."""

    relative: bool
    url: bool
    shift: Ints
    inside: Bools


def in_corpus(view: View, pairs: Mapping[str, str], corpus: Corpus) -> tuple[View, list[Notice]]:
    """Return the view with the documents, token numbers and mention ids of the corpus, and notices.

    ``pairs`` maps documents of the file to those of the corpus; others are left out. Raises
    ScoringError with ``file:line`` if texts, token numbers or ids differ from the corpus.
    """
    placed, documents, layout = view.renamed(pairs), corpus.documents, view.source.layout
    texts, others = [], []
    for old, doc in pairs.items():
        text, tokens = placed.texts[doc], documents[doc].tokens
        if len(placed.lines.get(doc, tokens) if text is None else text) != len(tokens):
            others.append((doc, layout.get(old)))
        elif text is not None:
            texts.append((doc, text, tokens))
    first = _first_number(layout) if others else 0
    moves = {doc: _moves(placed, documents[doc], at, first) for doc, at in others}
    notices = list(check_words(placed, texts, corpus.selected))
    if (placed.mentions["sentence"] >= 0).any():
        placed, inferred = in_document(placed, documents, corpus.mentions)
        notices += inferred
    table = placed.mentions
    lasts = {doc: max(len(documents[doc].tokens), 1) - 1 for doc in pairs.values()}
    if (table["end"] > table["doc"].map(lasts).astype(np.int64)).any():
        raise _out_of_range(placed, documents)
    if moves:
        table = _moved(table, moves)
    if (placed.mentions["start"] < 0).any():
        ids, by_number = ids_of(placed, corpus)
        notices, table = [*notices, *by_number], table.assign(mention=ids)
    return replace(placed, mentions=table), notices


def _moved(table: pd.DataFrame, moves: Mapping[str, Ints]) -> pd.DataFrame:
    start, end = table["start"].to_numpy(copy=True), table["end"].to_numpy(copy=True)
    for doc, rows in table.groupby("doc", sort=False).indices.items():
        if (move := moves.get(str(doc))) is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    return table.assign(start=start, end=end)


def _out_of_range(view: View, documents: Mapping[str, Document]) -> ScoringError:
    """Return the error for the first token out of range, of the document that occurs first."""
    table = view.mentions
    sizes = np.array([len(documents[doc].tokens) for doc in table["doc"]])
    beyond = np.flatnonzero(table["end"].to_numpy() > np.maximum(sizes, 1) - 1)
    row = beyond[pd.factorize(table["doc"])[0][beyond].argmin()]
    doc, end, line = table.iloc[row][["doc", "end", "line"]]
    message = f"token {end} is out of range: '{doc}' has {counted(int(sizes[row]), 'token')}"
    hint = "count tokens from 0, and give the last token as end"
    return ScoringError("tokens-invalid", message, place=view.place(int(line)), hint=hint)


def _moves(view: View, document: Document, layout: Layout | None, first: int) -> Ints:
    """Return the token number in the corpus of each token of a file with other tokens.

    A file may omit whole sentences if its sentence or token numbers are those of the corpus;
    ``first`` is the number of the first token of a document.
    """
    text, tokens = view.texts[document.id], document.tokens
    if text is None:
        lines = view.lines[document.id]
        has = counted(len(lines), "token")
        message = f"document '{document.id}' has {has} in the response, {len(tokens)} in the corpus"
        place = view.place(int(lines[0]))
        raise ScoringError("text-mismatch", message, place=place, hint=HINT)
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


def in_document(
    view: View, documents: Mapping[str, Document], key: pd.DataFrame
) -> tuple[View, list[Notice]]:
    """Return the view with token numbers that count in the documents of a corpus, and notices.

    ``key`` has the mentions of the corpus. Raises ScoringError with ``file:line`` for a mention
    that is not inside its sentence.
    """
    rows = np.flatnonzero(view.mentions["sentence"].to_numpy() >= 0)
    table = view.mentions.iloc[rows]
    bounds = {str(doc): _bounds(documents[str(doc)]) for doc in table["doc"].unique()}
    skipped = {doc: documents[doc].text_start for doc in bounds}
    chosen = _choose(list(_readings(table, bounds, skipped)), table, key)
    if not chosen.inside.all():
        raise _outside(view, table.iloc[int(np.flatnonzero(~chosen.inside)[0])], bounds)
    notices = []
    if chosen.relative:
        without = "" if chosen.url else ", not counting the URL as a sentence"
        how = f"inferred from {len(rows):,} mentions"
        message = f"token numbers count in the sentence{without} ({how})"
        notices.append(Notice("sentence-tokens", len(rows), message, (), warning=False))
    return _shifted(view, chosen.shift, rows), notices


def in_files(key: View, response: View) -> tuple[View, View]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
    if not any((side.mentions["sentence"] >= 0).any() for side in (key, response)):
        return key, response
    sides = _in_file(key, response), _in_file(response, key)
    columns = ["doc", "sentence", "start", "end"]
    both = pd.concat([side.mentions[columns] for side in sides])
    if (both["sentence"] < 0).all():
        return sides
    needed = (both["sentence"] >= 0).all() and not _rises(both)
    # The lengths of the sentences are unknown, so each counts as the longest.
    size = int(both["end"].max()) + 1 if needed else 0
    key, response = (_shifted(v, v.mentions["sentence"].to_numpy() * size) for v in sides)
    return key, response


def _in_file(view: View, other: View) -> View:
    """Return the view with token numbers that count in the documents, if the other file is CoNLL.

    The view is unchanged if the other file has no sentences, or mentions are outside them.
    """
    table, layout = view.mentions, other.source.layout
    inside = table["doc"].isin(list(other.texts)).to_numpy()
    rows = np.flatnonzero(inside & (table["sentence"].to_numpy() >= 0))
    known = {d: _of_column(a.sentences) for d, a in layout.items() if a.sentences is not None}
    if not rows.size or not set(table["doc"].iloc[rows]) <= known.keys():
        return view
    chosen = _choose(list(_readings(table.iloc[rows], known, {})), table.iloc[rows], other.mentions)
    if not chosen.inside.all():
        return view
    return _shifted(view, chosen.shift, rows)


def _rises(table: pd.DataFrame) -> bool:
    """Return whether all tokens of a sentence are after those of the sentences before it."""
    ends = table.groupby(["doc", "sentence"])["start"].agg(["min", "max"])
    after = ends["min"] > ends.groupby(level="doc")["max"].shift().fillna(-1)
    return bool(after.all())


def _bounds(document: Document) -> Bounds:
    starts = document.sentence_starts
    sizes = np.diff([*starts, len(document.tokens)]).tolist()
    return dict(enumerate(zip(starts, sizes, strict=True)))


def _of_column(sentences: Ints) -> Bounds:
    numbers, first, sizes = np.unique(sentences, return_index=True, return_counts=True)
    places = zip(first.tolist(), sizes.tolist(), strict=True)
    return dict(zip(numbers.tolist(), places, strict=True))


def _readings(
    table: pd.DataFrame, bounds: Mapping[str, Bounds], skipped: Mapping[str, int]
) -> Iterator[_Reading]:
    docs, sentences = table["doc"].tolist(), table["sentence"].tolist()
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    offsets = [0 for _ in docs], [skipped.get(doc, 0) for doc in docs]
    for relative in (False, True):
        for url, offset in zip((True, False), offsets, strict=True):
            if not url and not any(offset):
                continue
            places = [
                bounds[doc].get(sentence + more, (0, 0))
                for doc, sentence, more in zip(docs, sentences, offset, strict=True)
            ]
            first, size = np.array(places, dtype=np.int64).T
            shift = first if relative else np.zeros_like(first)
            last = end if relative else start  # a mention may continue in the next sentence
            low, high = (0, size) if relative else (first, first + size)
            yield _Reading(relative, url, shift, (start >= low) & (last < high))


def _choose(readings: list[_Reading], table: pd.DataFrame, key: pd.DataFrame) -> _Reading:
    """Return the first of the readings with most mentions inside, then with most of the key."""
    most = max(int(reading.inside.sum()) for reading in readings)
    best = [reading for reading in readings if reading.inside.sum() == most]
    if len(best) == 1:
        return best[0]
    columns = (key[name].tolist() for name in ("doc", "start", "end"))
    places = set(zip(*columns, strict=True))

    def matches(reading: _Reading) -> int:
        sides = ((table[name].to_numpy() + reading.shift).tolist() for name in ("start", "end"))
        return sum(place in places for place in zip(table["doc"], *sides, strict=True))

    return max(best, key=matches)


def _shifted(view: View, added: Ints, rows: Ints | slice = slice(None)) -> View:
    """Return the view with numbers ``added`` to the tokens of these mentions."""
    table = view.mentions
    shift = np.zeros(len(table), dtype=np.int64)
    shift[rows] = added
    tokens = [
        tuple(token + more for token in gap)
        for gap, more in zip(table["tokens"], shift.tolist(), strict=True)
    ]
    moved = {name: table[name] + shift for name in ("start", "end")}
    return replace(view, mentions=table.assign(**moved, tokens=object_array(tokens), sentence=-1))


def _outside(view: View, row: pd.Series, bounds: Mapping[str, Bounds]) -> ScoringError:
    doc, sentence, start, end = row[["doc", "sentence", "start", "end"]]
    size = bounds[doc].get(sentence, (0, None))[1]
    has = "is not in the corpus" if size is None else f"has {size} tokens"
    message = f"tokens {start} to {end} are out of range: sentence {sentence} of '{doc}' {has}"
    hint = "count tokens from 0 in the sentence or in the document, or leave sentences out"
    return ScoringError("tokens-invalid", message, place=view.place(int(row["line"])), hint=hint)
