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
from itertools import product, zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats.annotation import Annotation, Layout, object_array
from cdec.matching.names import ids_of

# A document, and its words in the response and in the key; both have the same length.
Texts = tuple[str, Sequence[str], Sequence[str]]
_TOKENS = "give all tokens in both files, with the same tokenisation"
_SPAN = ["doc", "start", "end"]


class _Reading(NamedTuple):
    """The mentions with sentences (rows), the number to add to each token, and what is inside."""

    rows: Ints
    shift: Ints
    inside: Bools
    relative: bool
    url: bool


def renamed(given: Annotation, names: Mapping[str, str]) -> Annotation:
    """Return the mentions in the documents in ``names`` (old → new name), with the new names."""
    if all(old == new for old, new in names.items()) and names.keys() == given.documents.keys():
        return given
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
    # In a file whose first token has the number 1 the numbers count from 1.
    numbers = [at.numbers for at in given.layout.values() if at.numbers is not None]
    least = min((1, *(int(some.min()) for some in numbers if len(some))))
    texts, moves = [], {}
    for doc in pairs.values():
        text, tokens, layout = placed.documents[doc], documents[doc].tokens, placed.layout.get(doc)
        size = len(text) if text is not None else len(layout.lines) if layout else len(tokens)
        if size != len(tokens):
            moves[doc] = _moves(placed, documents[doc], least)
        elif text is not None:
            texts.append((doc, text, tokens))
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
    for name, rows in table.groupby("doc", sort=False).indices.items() if moves else ():
        if (move := moves.get(str(name))) is not None:
            start[rows], end[rows] = move[start[rows]], move[end[rows]]
    table = table.assign(start=start, end=end)
    if (table["start"] < 0).any():
        ids, by_number = ids_of(placed, corpus)
        notices, table = [*notices, *by_number], table.assign(mention=ids)
    return replace(placed, mentions=table), notices


def _moves(given: Annotation, document: Document, least: int) -> Ints:
    """Return the token number in the corpus of each token of a file with other tokens.

    A file may omit whole sentences if its sentence or token numbers are those of the corpus;
    ``least`` is the number of the first token of a document.
    """
    text, layout = given.documents[document.id], given.layout.get(document.id)
    for moves in _placements(document, layout, least) if layout and text is not None else ():
        words = zip_longest(text or (), (document.tokens[k] for k in moves))
        if all(a is not None and b is not None and _is_same_word(a, b) for a, b in words):
            return moves
    raise _differing(given, document.id, document.tokens)


def _placements(document: Document, layout: Layout, least: int) -> Iterator[Ints]:
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
            numbers = layout.numbers - least + starts[skipped]
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
    homes = {doc: documents[doc] for doc in given.mentions["doc"].unique()}
    sentences = {
        doc: np.repeat(np.arange(len(home.sentences)), [len(one) for one in home.sentences])
        for doc, home in homes.items()
    }
    skipped = {doc: home.text_start for doc, home in homes.items()}
    chosen = _best_reading(given, sentences, key, skipped)
    for row in chosen.rows[~chosen.inside][:1]:
        doc, sentence, start, end, line = given.mentions.iloc[row][
            ["doc", "sentence", "start", "end", "line"]
        ]
        message = f"tokens {start} to {end} are not in sentence {sentence} of '{doc}'"
        hint = "count tokens from 0 in the sentence or in the document, or leave sentences out"
        raise ScoringError("tokens-invalid", message, place=given.place(int(line)), hint=hint)
    size, notices = len(chosen.rows), []
    if chosen.relative:
        without = "" if chosen.url else ", not counting the URL as a sentence"
        how = f"inferred from {size:,} mentions"
        message = f"token numbers count in the sentence{without} ({how})"
        notices = [Notice("reading-assumed", size, message, (), warning=False)]
    return _shifted(given, chosen.rows, chosen.shift), notices


def in_files(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
    sides = (key, response)
    for number, other in enumerate((response, key)):
        given = sides[number]
        layouts = {doc: at.sentences for doc, at in other.layout.items()}
        known = {doc: numbers for doc, numbers in layouts.items() if numbers is not None}
        inside = given.mentions["doc"].isin(list(other.documents)) & (
            given.mentions["sentence"] >= 0
        )
        if inside.any() and set(given.mentions["doc"][inside]) <= known.keys():
            chosen = _best_reading(given, known, other.mentions)
            if chosen.inside.all():
                moved = _shifted(given, chosen.rows, chosen.shift)
                sides = (moved, response) if number == 0 else (sides[0], moved)
    both = pd.concat([side.mentions for side in sides])
    if (both["sentence"] < 0).any():
        return sides
    ends = both.groupby(["doc", "sentence"])["start"].agg(["min", "max"])
    if (ends["min"] > ends.groupby(level="doc")["max"].shift().fillna(-1)).all():
        return sides
    # The lengths of the sentences are unknown, so each counts as the longest.
    size, rows = int(both["end"].max()) + 1, slice(None)
    key, response = (_shifted(s, rows, s.mentions["sentence"].to_numpy() * size) for s in sides)
    return key, response


def _best_reading(
    given: Annotation,
    sentences: Mapping[str, Ints],
    key: pd.DataFrame,
    skipped: Mapping[str, int] | None = None,
) -> _Reading:
    """Return the first of the readings with most mentions inside, then with most of the key.

    ``sentences`` has the sentence of each token of the documents that count.
    """
    has_sentence = (given.mentions["sentence"] >= 0) & given.mentions["doc"].isin(list(sentences))
    rows = np.flatnonzero(has_sentence)
    table, bounds = given.mentions.iloc[rows], dict[tuple[str, int], tuple[int, int]]()
    for doc, numbers in sentences.items():
        unique = np.unique(numbers, return_index=True, return_counts=True)
        for number, first, size in zip(*(values.tolist() for values in unique), strict=True):
            bounds[doc, number] = first, size
    docs, known = table["doc"].tolist(), pd.MultiIndex.from_frame(key[_SPAN])
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    beyond = np.array([(skipped or {}).get(doc, 0) for doc in docs])
    found = []
    for relative, url in product((False, True), (True, False) if beyond.any() else (True,)):
        number = (table["sentence"].to_numpy() + (0 if url else beyond)).tolist()
        places = [bounds.get(pair, (0, 0)) for pair in zip(docs, number, strict=True)]
        first, size = np.array(places, dtype=np.int64).T
        # In a document a mention may continue in the next sentence.
        low, high, last = (0, size, end) if relative else (first, first + size, start)
        shift = first if relative else np.zeros_like(first)
        inside = (start >= low) & (last < high)
        moved = table[_SPAN].assign(start=start + shift, end=end + shift)
        hits = int(pd.MultiIndex.from_frame(moved).isin(known).sum())
        found.append((int(inside.sum()), hits, _Reading(rows, shift, inside, relative, url)))
    return max(found, key=lambda one: one[:2])[2]


def _shifted(given: Annotation, rows: Ints | slice, added: Ints) -> Annotation:
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
                raise _differing(response, doc, ours)
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
        (doc, at)
        for doc, text, known in texts
        if tuple(text) != tuple(known)
        for at, (here, ours) in enumerate(zip(text, known, strict=True))
        if here != ours and not _is_same_word(here, ours)
    ]
    if not differences:
        return
    known = {doc: ours for doc, _, ours in texts}
    pairs = (pair for _, text, ours in texts for pair in zip(text, ours, strict=True))
    compared = sum(not _is_placeholder(*pair) for pair in pairs)
    if 10 * len(differences) >= compared:
        columns = (key[name] for name in (*_SPAN, "tokens"))
        inside = {
            (doc, number)
            for doc, start, end, tokens in zip(*columns, strict=True)
            for number in tokens or range(start, end + 1)
        }
        if 2 * len(differences) >= compared or not inside.isdisjoint(differences):
            doc = differences[0][0]
            raise _differing(response, doc, known[doc], "use the text of the key")
    words = counted(len(differences), "word differs", "words differ")
    message = f"{words} from the key (of {compared:,}): mentions are matched by token number"
    cases = [_difference(response, doc, at, known[doc])[::-1] for doc, at in differences]
    yield notice("text-mismatch", message, [f"{said} at {place}" for said, place in cases])


def _differing(
    response: Annotation, doc: str, ours: Sequence[str], hint: str = _TOKENS
) -> ScoringError:
    """Return the error for another text of a document, at the first token that differs."""
    pairs = enumerate(zip_longest(response.documents[doc] or (), ours))
    at = next(k for k, (a, b) in pairs if a is None or b is None or not _is_same_word(a, b))
    place, said = _difference(response, doc, at, ours)
    message = f"token {at} of '{doc}' is {said}"
    if response.documents[doc] is None:
        has = counted(len(response.layout[doc].lines), "token")
        message = f"document '{doc}' has {has}, in the key {len(ours):,}"
    return ScoringError("text-mismatch", message, place=place, hint=hint)


def _difference(response: Annotation, doc: str, at: int, ours: Sequence[str]) -> tuple[str, str]:
    """Return ``file:line`` of a token (of the last if it is beyond it), and its two words."""
    lines = response.layout[doc].lines if doc in response.layout else np.empty(0, np.int64)
    place = response.place(int(lines[min(at, len(lines) - 1)]) if len(lines) else 0)
    words = ((text or ())[at : at + 1] for text in (response.documents[doc], ours))
    here, there = (repr(one[0][:40]) if one else "missing" for one in words)
    return place, f"{here}, in the key {there}"


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
