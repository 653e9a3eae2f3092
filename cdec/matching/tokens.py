"""Token numbers of a file, as numbers in the documents of the corpus or of the other file.

A CoNLL file may omit whole sentences of a document. Its column of sentence numbers, or in the
eight-column layout that of token numbers, identifies the tokens; the numbers may start after the
URL or date of the document (``text_start``).

Some files give a mention as sentence, first and last token. Whether the tokens count in the
sentence or in the document, and whether sentence 0 is the URL, is not in the file. Of the four
readings under which every mention is inside its sentence, the one with most mentions of the key is
used; of several, the first in this order: numbers in the document, then in the sentence, each with
the URL counted first.

Words that differ are harmless if the text is the same, as mentions are compared by token numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching.names import ids_of

# Sentence → its first token in the document, and its number of tokens.
Bounds = Mapping[int, tuple[int, int]]
# A document, and its words in the response and in the key; both have the same length.
Texts = tuple[str, Sequence[str], Sequence[str]]
_TOKENS = "give all tokens in both files, with the same tokenisation"


class _Reading(NamedTuple):
    """One reading of the mentions: the number to add to each token, and which are inside."""

    relative: bool
    url: bool
    shift: Ints
    inside: Bools


def renamed(given: Annotation, names: Mapping[str, str]) -> Annotation:
    """Return the mentions in the documents in ``names`` (old → new name), with the new names."""
    kept = given.mentions[given.mentions["doc"].isin(list(names))]
    layout = given.layout
    return replace(
        given,
        mentions=kept.assign(doc=kept["doc"].map(dict(names)).astype(object)),
        documents={new: given.documents.get(old) for old, new in names.items()},
        layout={new: layout[old] for old, new in names.items() if old in layout},
    )


def in_corpus(
    given: Annotation, pairs: Mapping[str, str], corpus: Corpus
) -> tuple[Annotation, list[Notice]]:
    """Return the file with documents, token numbers and mention ids of the corpus, and notices.

    ``pairs`` maps documents of the file to those of the corpus; others are left out. Raises
    ScoringError with ``file:line`` if texts, token numbers or ids differ from the corpus.
    """
    placed, documents = renamed(given, pairs), corpus.documents
    texts, others = [], []
    for doc in pairs.values():
        text, tokens, layout = placed.documents[doc], documents[doc].tokens, placed.layout.get(doc)
        size = len(text) if text is not None else len(layout.lines) if layout else len(tokens)
        if size != len(tokens):
            others.append(doc)
        elif text is not None:
            texts.append((doc, text, tokens))
    # In a file whose first token has the number 1 the numbers count from 1.
    numbers = [at.numbers for at in given.layout.values() if at.numbers is not None]
    first = min((1, *(int(some.min()) for some in numbers if len(some))))
    moves = {doc: _moves(placed, documents[doc], first) for doc in others}
    notices = list(check_words(placed, texts, corpus.selected))
    if (placed.mentions["sentence"] >= 0).any():
        placed, inferred = _in_document(placed, documents, corpus.mentions)
        notices += inferred
    table = placed.mentions
    sizes = table["doc"].map({doc: len(documents[doc].tokens) for doc in pairs.values()})
    beyond = np.flatnonzero(table["end"] > sizes.clip(lower=1).to_numpy(np.int64) - 1)
    if len(beyond):  # of the document that occurs first
        row = beyond[pd.factorize(table["doc"])[0][beyond].argmin()]
        doc, end, line = table.iloc[row][["doc", "end", "line"]]
        has = counted(int(sizes.iloc[row]), "token")
        message = f"token {end} is out of range: '{doc}' has {has}"
        hint = "count tokens from 0, and give the last token as end"
        raise ScoringError("tokens-invalid", message, place=placed.place(int(line)), hint=hint)
    start, end = (table[name].to_numpy(copy=True) for name in ("start", "end"))
    for name, rows in table.groupby("doc", sort=False).indices.items():
        if (move := moves.get(str(name))) is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    table = table.assign(start=start, end=end)
    if (placed.mentions["start"] < 0).any():
        ids, by_number = ids_of(placed, corpus)
        notices, table = [*notices, *by_number], table.assign(mention=ids)
    return replace(placed, mentions=table), notices


def _moves(given: Annotation, document: Document, first: int) -> Ints:
    """Return the token number in the corpus of each token of a file with other tokens.

    A file may omit whole sentences if its sentence or token numbers are those of the corpus;
    ``first`` is the number of the first token of a document.
    """
    text, layout, tokens = (
        given.documents[document.id],
        given.layout.get(document.id),
        document.tokens,
    )
    if text is None:
        lines = given.layout[document.id].lines
        has = counted(len(lines), "token")
        message = f"document '{document.id}' has {has} in the response, {len(tokens)} in the corpus"
        place = given.place(int(lines[0]))
        raise ScoringError("text-mismatch", message, place=place, hint=_TOKENS)
    for moves in _placements(document, layout, first) if layout else ():
        words = zip_longest(text, (tokens[k] for k in moves))
        if all(a is not None and b is not None and _is_same_word(a, b) for a, b in words):
            return moves
    raise _differing(given, document.id, text, tokens)


def _placements(document: Document, layout: Layout, first: int) -> Iterator[Ints]:
    """Yield the token numbers by sentence, then by token number, if these fit the document."""
    starts = np.array(document.sentence_starts, dtype=np.int64)
    sizes = np.diff(starts, append=len(document.tokens))
    for skipped in dict.fromkeys((0, document.text_start)):
        if layout.sentences is not None and len(layout.sentences):
            sentences = layout.sentences + skipped
            begins = np.flatnonzero(np.diff(sentences, prepend=-1))
            length = np.diff(begins, append=len(sentences))
            inside = np.arange(len(sentences)) - np.repeat(begins, length)
            rises = sentences.max() < len(starts) and (np.diff(sentences) >= 0).all()
            if rises and (inside < sizes[sentences]).all():
                yield starts[sentences] + inside
        if layout.numbers is not None and skipped < len(starts):
            numbers = layout.numbers - first + starts[skipped]
            fits = len(numbers) and (np.diff(numbers) > 0).all()
            if fits and numbers[-1] < len(document.tokens):
                yield numbers


# ---- sentences ----


def _in_document(
    given: Annotation, documents: Mapping[str, Document], key: pd.DataFrame
) -> tuple[Annotation, list[Notice]]:
    """Return the file with token numbers that count in the documents of a corpus, and notices.

    ``key`` has the mentions of the corpus. Raises ScoringError with ``file:line`` for a mention
    that is not inside its sentence.
    """
    rows = np.flatnonzero(given.mentions["sentence"].to_numpy() >= 0)
    table = given.mentions.iloc[rows]
    bounds: dict[str, Bounds] = {}
    for doc in table["doc"].unique():
        starts = documents[doc].sentence_starts
        sizes = np.diff([*starts, len(documents[doc].tokens)]).tolist()
        bounds[doc] = dict(enumerate(zip(starts, sizes, strict=True)))
    skipped = {doc: documents[doc].text_start for doc in bounds}
    chosen = _best_reading(table, bounds, skipped, key)
    for at in np.flatnonzero(~chosen.inside)[:1]:
        doc, sentence, start, end, line = table.iloc[at][
            ["doc", "sentence", "start", "end", "line"]
        ]
        size = bounds[doc].get(sentence, (0, None))[1]
        has = "is not in the corpus" if size is None else f"has {size} tokens"
        message = f"tokens {start} to {end} are out of range: sentence {sentence} of '{doc}' {has}"
        hint = "count tokens from 0 in the sentence or in the document, or leave sentences out"
        raise ScoringError("tokens-invalid", message, place=given.place(int(line)), hint=hint)
    notices = []
    if chosen.relative:
        without = "" if chosen.url else ", not counting the URL as a sentence"
        how = f"inferred from {len(rows):,} mentions"
        message = f"token numbers count in the sentence{without} ({how})"
        notices.append(Notice("reading-assumed", len(rows), message, (), warning=False))
    return _shifted(given, chosen.shift, rows), notices


def in_files(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
    if not any((side.mentions["sentence"] >= 0).any() for side in (key, response)):
        return key, response
    key, response = _in_file(key, response), _in_file(response, key)
    both = pd.concat([key.mentions, response.mentions])
    if (both["sentence"] < 0).all():
        return key, response
    ends = both.groupby(["doc", "sentence"])["start"].agg(["min", "max"])
    rises = (ends["min"] > ends.groupby(level="doc")["max"].shift().fillna(-1)).all()
    # The lengths of the sentences are unknown, so each counts as the longest.
    size = 0 if rises or (both["sentence"] < 0).any() else int(both["end"].max()) + 1
    sides = (key, response)
    key, response = (_shifted(s, s.mentions["sentence"].to_numpy() * size) for s in sides)
    return key, response


def _in_file(given: Annotation, other: Annotation) -> Annotation:
    """Return the file with token numbers that count in the documents, if the other is CoNLL.

    It is unchanged if the other file has no sentences, or mentions are outside them.
    """
    table, known = given.mentions, dict[str, Bounds]()
    for doc, at in other.layout.items():
        if at.sentences is not None:
            unique = np.unique(at.sentences, return_index=True, return_counts=True)
            numbers, first, sizes = (values.tolist() for values in unique)
            known[doc] = dict(zip(numbers, zip(first, sizes, strict=True), strict=True))
    inside = table["doc"].isin(list(other.documents)) & (table["sentence"] >= 0)
    rows = np.flatnonzero(inside)
    if not rows.size or not set(table["doc"].iloc[rows]) <= known.keys():
        return given
    chosen = _best_reading(table.iloc[rows], known, {}, other.mentions)
    return _shifted(given, chosen.shift, rows) if chosen.inside.all() else given


def _best_reading(
    table: pd.DataFrame, bounds: Mapping[str, Bounds], skipped: Mapping[str, int], key: pd.DataFrame
) -> _Reading:
    """Return the first of the readings with most mentions inside, then with most of the key."""
    docs, sentences = table["doc"].tolist(), table["sentence"].tolist()
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    beyond_url = [skipped.get(doc, 0) for doc in docs]
    readings = []
    for relative in (False, True):
        for url, offset in ((True, [0] * len(docs)), (False, beyond_url)):
            if not url and not any(offset):
                continue
            pairs = zip(docs, sentences, offset, strict=True)
            places = [bounds[doc].get(sentence + more, (0, 0)) for doc, sentence, more in pairs]
            first, size = np.array(places, dtype=np.int64).T
            # In a document a mention may continue in the next sentence.
            low, high, last = (0, size, end) if relative else (first, first + size, start)
            shift = first if relative else np.zeros_like(first)
            readings.append(_Reading(relative, url, shift, (start >= low) & (last < high)))
    most = max(int(reading.inside.sum()) for reading in readings)
    best = [reading for reading in readings if reading.inside.sum() == most]
    known = pd.MultiIndex.from_frame(key[["doc", "start", "end"]])

    def matches(reading: _Reading) -> int:
        moved = {"start": table["start"] + reading.shift, "end": table["end"] + reading.shift}
        spans = table[["doc"]].assign(**moved)
        return int(pd.MultiIndex.from_frame(spans).isin(known).sum())

    return max(best, key=matches) if len(best) > 1 else best[0]


def _shifted(given: Annotation, added: Ints, rows: Ints | slice = slice(None)) -> Annotation:
    """Return the file with numbers ``added`` to the tokens of these mentions."""
    table = given.mentions
    shift = np.zeros(len(table), dtype=np.int64)
    shift[rows] = added
    pairs = zip(table["tokens"], shift.tolist(), strict=True)
    tokens = object_array(tuple(token + more for token in gap) for gap, more in pairs)
    moved = {"start": table["start"] + shift, "end": table["end"] + shift}
    return replace(given, mentions=table.assign(**moved, tokens=tokens, sentence=-1))


# ---- words ----


def file_words(key: Annotation, response: Annotation) -> Iterator[Notice]:
    """Compare the documents that both files have (under the key's names), as ``check_words`` does.

    Raises ScoringError also if texts differ in length. Without texts a difference in length is a
    notice only: the reference scorer accepts it.
    """
    pairs, lengths = [], []
    for doc, text in response.documents.items():
        ours, sides = key.documents.get(doc), (key.layout.get(doc), response.layout.get(doc))
        if text is not None and ours is not None:
            if len(text) != len(ours):
                raise _differing(response, doc, text, ours)
            pairs.append((doc, text, ours))
        elif sides[0] and sides[1] and len(sides[0].lines) != len(sides[1].lines):
            lengths.append(f"{doc}: {len(sides[0].lines)} and {len(sides[1].lines)}")
    yield from check_words(response, pairs, key.mentions)
    if lengths:
        what = counted(len(lengths), "document has", "documents have")
        message = f"{what} different numbers of tokens in key and response"
        yield notice("text-mismatch", message, lengths)


def check_words(
    response: Annotation, texts: Sequence[Texts], key: pd.DataFrame
) -> Iterator[Notice]:
    """Yield a notice on words that differ between response and key.

    The text is the same if more than 90 % of all words agree, or more than half of them and all
    words of the mentions of the key, ``key``. Raises ScoringError otherwise, with ``file:line`` of
    the first difference.
    """
    differences = [
        (doc, at, here, ours)
        for doc, text, known in texts
        if tuple(text) != tuple(known)
        for at, (here, ours) in enumerate(zip(text, known, strict=True))
        if here != ours and not _is_same_word(here, ours)
    ]
    if not differences:
        return
    pairs = (pair for _, text, known in texts for pair in zip(text, known, strict=True))
    compared = sum(not _is_placeholder(*pair) for pair in pairs)
    if 10 * len(differences) >= compared:
        columns = (key[name] for name in ("doc", "start", "end", "tokens"))
        inside = {
            (doc, number)
            for doc, start, end, tokens in zip(*columns, strict=True)
            for number in tokens or range(start, end + 1)
        }
        is_in_mention = any(difference[:2] in inside for difference in differences)
        if is_in_mention or 2 * len(differences) >= compared:
            doc, at, *both = differences[0]
            raise _word_error(response, doc, at, (both[0], both[1]), "use the text of the key")
    what = counted(len(differences), "word")
    verb = "differs" if len(differences) == 1 else "differ"
    message = f"{what} of {compared:,} {verb} from the key: mentions are matched by token number"
    cases = [
        f"{_shown(here)} for {_shown(ours)} at {_place(response, doc, at)}"
        for doc, at, here, ours in differences
    ]
    yield notice("text-mismatch", message, cases)


def _differing(
    response: Annotation, doc: str, text: Sequence[str], ours: Sequence[str]
) -> ScoringError:
    """Return the error for a text of another length, at the first token that differs."""
    pairs = enumerate(zip_longest(text, ours))
    at, words = next(
        (k, (a, b)) for k, (a, b) in pairs if a is None or b is None or not _is_same_word(a, b)
    )
    return _word_error(response, doc, at, words, _TOKENS)


def _word_error(
    response: Annotation, doc: str, at: int, words: tuple[str | None, str | None], hint: str
) -> ScoringError:
    here, ours = words
    sides = f"{_shown(here)} in the response, {_shown(ours)} in the key"
    message, place = f"token {at} of '{doc}' is {sides}", _place(response, doc, at)
    return ScoringError("text-mismatch", message, place=place, hint=hint)


def _is_same_word(word: str, other: str) -> bool:
    """Return whether two words are the same, or one of them is a placeholder.

    White space inside a token is ignored because most systems lose it (ECB+ has eight such
    tokens): ``7 ½`` is the same as ``7½``, and as ``7``, which remains if blanks separate columns.
    """
    if word == other or _is_placeholder(word, other):
        return True
    pieces, others = word.split(), other.split()
    is_prefix = min(len(pieces), len(others)) == 1 and pieces[:1] == others[:1]
    return is_prefix or "".join(pieces) == "".join(others)


def _is_placeholder(word: str, other: str) -> bool:
    """Return whether one of two words is empty or a placeholder such as ``_`` or ``___``."""
    return not (word.strip("_").strip() and other.strip("_").strip())


def _place(given: Annotation, doc: str, token: int) -> str:
    """Return ``file:line`` of a token, that of the last token if it is beyond it."""
    lines = given.layout[doc].lines if doc in given.layout else np.empty(0, np.int64)
    return given.place(int(lines[min(token, len(lines) - 1)]) if len(lines) else 0)


def _shown(word: str | None) -> str:
    return "missing" if word is None else repr(word[:40])
