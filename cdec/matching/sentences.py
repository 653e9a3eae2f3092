"""Token numbers that count in the sentence, as numbers in the document.

Some files give a mention as sentence, first and last token. Whether the tokens count in the
sentence or in the document, and whether sentence 0 is the URL of the page (``text_start``), is not
in the file. Of the four readings under which every mention is inside its sentence, the one with
most mentions of the key is used; of several, the first in this order: numbers in the document,
then in the sentence, each with the URL counted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Document
from cdec.errors import ScoringError
from cdec.formats.annotation import object_array
from cdec.matching.view import View
from cdec.notices import Notice

# Sentence → its first token in the document, and its number of tokens.
Bounds = Mapping[int, tuple[int, int]]
_NONE = (0, 0)


@dataclass(frozen=True)
class _Reading:
    """One reading of the mentions: the number to add to each token, and which are inside."""

    relative: bool
    url: bool
    shift: Ints
    inside: Bools


def in_document(
    view: View, documents: Mapping[str, Document], key: pd.DataFrame
) -> tuple[View, list[Notice]]:
    """Return the view with token numbers that count in the documents of a corpus, and notices.

    ``key`` has the mentions of the corpus. Raises ScoringError with ``file:line`` for a mention
    that is not inside its sentence.
    """
    rows = np.flatnonzero(view.mentions["sentence"].to_numpy() >= 0)
    if not rows.size:
        return view, []
    table = view.mentions.iloc[rows]
    bounds = {str(doc): _bounds(documents[str(doc)]) for doc in table["doc"].unique()}
    skipped = {doc: documents[doc].text_start for doc in bounds}
    chosen = _choose(list(_readings(table, bounds, skipped)), table, key)
    if not chosen.inside.all():
        raise _outside(view, table.iloc[int(np.flatnonzero(~chosen.inside)[0])], bounds)
    shift = np.zeros(len(view.mentions), dtype=np.int64)
    shift[rows] = chosen.shift
    return _shifted(view, shift), list(_notices(chosen, len(rows)))


def in_files(key: View, response: View) -> tuple[View, View]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
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
    rows = np.flatnonzero(table["sentence"].to_numpy() >= 0)
    known = {d: _of_column(a.sentences) for d, a in layout.items() if a.sentences is not None}
    if not rows.size or not set(table["doc"].iloc[rows]) <= known.keys():
        return view
    chosen = _choose(list(_readings(table.iloc[rows], known, {})), table.iloc[rows], other.mentions)
    if not chosen.inside.all():
        return view
    shift = np.zeros(len(table), dtype=np.int64)
    shift[rows] = chosen.shift
    return _shifted(view, shift)


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
                bounds[doc].get(sentence + more, _NONE)
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


def _shifted(view: View, shift: Ints) -> View:
    table = view.mentions
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


def _notices(chosen: _Reading, size: int) -> Iterator[Notice]:
    if chosen.relative:
        without = "" if chosen.url else ", and the URL is no sentence"
        message = f"token numbers count in the sentence{without} (inferred from {size:,} mentions)"
        yield Notice("sentence-tokens", size, message, (), warning=False)
