"""Check that key and response have the same tokens, before mentions are compared.

A response to a corpus may omit whole sentences: its token numbers are mapped to the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import Corpus, Document
from cdec.errors import ScoringError, counted
from cdec.formats.annotation import Layout
from cdec.matching.mention_names import ids_of
from cdec.matching.partial import first_number, placements
from cdec.matching.sentences import in_document
from cdec.matching.view import View
from cdec.notices import Notice, notice

_HINT = "give all tokens in both files, with the same tokenisation"


class Texts(NamedTuple):
    """The words of a document in response and key; both have the same length."""

    doc: str
    here: Sequence[str]
    key: Sequence[str]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the two words of each token."""
        return zip(self.here, self.key, strict=True)


class _Difference(NamedTuple):
    doc: str
    number: int
    line: int
    here: str
    key: str


def file_words(key: View, response: View, words: str | None) -> Iterator[Notice]:
    """Compare the documents that both files have (under the key's names), as ``check_words`` does.

    Raises ScoringError also if texts differ in length. Without texts a difference in length is a
    notice only: the reference scorer accepts it.
    """
    pairs, differing = [], []
    for doc, text in response.texts.items():
        ours = key.texts.get(doc)
        if text is not None and ours is not None:
            if len(text) != len(ours):
                raise _differing(response, doc, text, ours)
            pairs.append(Texts(doc, text, ours))
        elif _lengths_differ(key, response, doc):
            differing.append(f"{doc}: {len(key.lines[doc])} and {len(response.lines[doc])}")
    yield from check_words(response, pairs, key.mentions, words)
    if differing:
        what = counted(len(differing), "document has", "documents have")
        message = f"{what} different numbers of tokens in key and response"
        yield notice("length-mismatch", message, differing)


def check_words(
    response: View, texts: Sequence[Texts], key: pd.DataFrame, words: str | None
) -> Iterator[Notice]:
    """Yield a notice on words that differ between response and key.

    Mentions are compared by token numbers, so different words are harmless if the text is the
    same. ``words`` is that of FilePolicy; ``key`` has the mentions of the key. Raises ScoringError
    with ``file:line`` of the first difference.
    """
    if words == "ignore":
        return
    differences = [
        _Difference(text.doc, at, _line_of(response, text.doc, at), here, ours)
        for text in texts
        if tuple(text.here) != tuple(text.key)
        for at, (here, ours) in enumerate(text.pairs())
        if here != ours and not _is_same_word(here, ours)
    ]
    if not differences:
        return
    compared = sum(not _is_placeholder(a, b) for t in texts for a, b in t.pairs())
    if words == "error" or (words is None and not _is_same_text(differences, compared, key)):
        first = differences[0]
        hint = "use the text of the key, or --words warn to compare token numbers only"
        message = _mismatch(first.doc, first.number, first.here, first.key)
        raise ScoringError("text-mismatch", message, place=response.place(first.line), hint=hint)
    what = counted(len(differences), "word")
    verb = "differs" if len(differences) == 1 else "differ"
    message = f"{what} of {compared:,} {verb} from the key: mentions are matched by token number"
    cases = [
        f"{_shown(d.here)} for {_shown(d.key)} at {response.place(d.line)}" for d in differences
    ]
    yield notice("words-differ", message, cases)


def _mismatch(doc: str, number: int, here: str | None, ours: str | None) -> str:
    return f"token {number} of '{doc}' is {_shown(here)} in the response, {_shown(ours)} in the key"


def _is_same_text(differences: Sequence[_Difference], compared: int, key: pd.DataFrame) -> bool:
    """Return whether so few words differ that the text must be the same."""
    if 10 * len(differences) < compared:
        return True
    columns = (key[name] for name in ("doc", "start", "end", "tokens"))
    inside = {
        (doc, number)
        for doc, start, end, tokens in zip(*columns, strict=True)
        for number in tokens or range(start, end + 1)
    }
    outside = not any((d.doc, d.number) in inside for d in differences)
    return 2 * len(differences) < compared and outside


def in_corpus(
    view: View, pairs: Mapping[str, str], corpus: Corpus, words: str | None
) -> tuple[View, list[Notice]]:
    """Return the view with the documents, token numbers and mention ids of the corpus, and notices.

    ``pairs`` maps documents of the file to those of the corpus; others are left out. Raises
    ScoringError with ``file:line`` if texts, token numbers or ids differ from the corpus.
    """
    layout = view.source.layout
    first = first_number(layout)
    homes = {new: layout.get(old) for old, new in pairs.items()}
    placed = view.renamed(pairs)
    moves = {
        doc: _moves(placed, text, corpus.documents[doc], homes[doc], first)
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
        raise ScoringError("token-range", message, place=view.place(int(line)), hint=hint)
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
        raise ScoringError("text-mismatch", message, place=place, hint=_HINT)
    if text is None or len(text) == len(tokens):
        return None
    for moves in placements(document, layout, first):
        if _are_same_words(text, [tokens[k] for k in moves]):
            return moves
    raise _differing(view, document.id, text, tokens)


def _differing(response: View, doc: str, text: Sequence[str], ours: Sequence[str]) -> ScoringError:
    """Return the error for a text of another length, at the first token that differs."""
    pairs = enumerate(zip_longest(text, ours))
    at = next(k for k, (a, b) in pairs if a is None or b is None or not _is_same_word(a, b))
    message = _mismatch(doc, at, *(side[at] if at < len(side) else None for side in (text, ours)))
    place = response.place(_line_of(response, doc, at))
    return ScoringError("text-mismatch", message, place=place, hint=_HINT)


def _are_same_words(text: Sequence[str], ours: Sequence[str]) -> bool:
    """Return whether two texts have the same length and the same words."""
    pairs = zip_longest(text, ours)
    return all(a is not None and b is not None and _is_same_word(a, b) for a, b in pairs)


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


def _line_of(view: View, doc: str, token: int) -> int:
    """Return the source line of a token, that of the last token if beyond it, 0 if unknown."""
    lines: Ints | None = view.lines.get(doc)
    return 0 if lines is None or not len(lines) else int(lines[min(token, len(lines) - 1)])


def _shown(word: str | None) -> str:
    return "missing" if word is None else repr(word[:40])


def _lengths_differ(key: View, response: View, doc: str) -> bool:
    if doc not in key.lines or doc not in response.lines:
        return False
    return len(key.lines[doc]) != len(response.lines[doc])
