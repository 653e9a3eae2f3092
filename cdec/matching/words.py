"""Do two sides speak of the same tokens? Checked before any mention is compared.

A response to a corpus also gets the corpus' token numbers, for it may leave out whole sentences.
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
from cdec.matching.names import whole_id
from cdec.matching.view import View
from cdec.notices import Notice, notice

_HINT = "both must be tokenised alike and have all tokens"


class Texts(NamedTuple):
    """The words of a document in response and key, as many on both sides."""

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

    Raises ScoringError also where texts differ in length. Without a text the reference scorer's
    way is enough, which counts lines and would not mind: a notice says which documents differ.
    """
    pairs, odd = [], []
    for doc, text in response.texts.items():
        ours = key.texts.get(doc)
        if text is not None and ours is not None:
            if len(text) != len(ours):
                raise _differing(response, doc, text, ours)
            pairs.append(Texts(doc, text, ours))
        elif _lengths_differ(key, response, doc):
            odd.append(f"{doc}: {len(key.lines[doc])} and {len(response.lines[doc])}")
    yield from check_words(response, pairs, key.mentions, words)
    if odd:
        what = counted(len(odd), "document has", "documents have")
        message = f"{what} another number of tokens in key and response: do lines match?"
        yield notice("length-mismatch", message, odd)


def check_words(
    response: View, texts: Sequence[Texts], key: pd.DataFrame, words: str | None
) -> Iterator[Notice]:
    """Yield a notice on the words in which response and key differ.

    Mentions are compared by token numbers, so other words are no harm if the text is the same;
    ``words`` (see FilePolicy) says what to do. ``key`` holds the key's mentions. Raises
    ScoringError with ``file:line`` of the first difference.
    """
    if words == "ignore":
        return
    found = [
        _Difference(text.doc, at, _line_of(response, text.doc, at), one, other)
        for text in texts
        if tuple(text.here) != tuple(text.key)
        for at, (one, other) in enumerate(text.pairs())
        if one != other and not _alike(one, other)
    ]
    if not found:
        return
    compared = sum(not _says_nothing(a, b) for t in texts for a, b in t.pairs())
    if words == "error" or (words is None and not _is_same_text(found, compared, key)):
        doc, number, line, here, ours = found[0]
        message = f"token {number} of '{doc}' is {_shown(here)} here and {_shown(ours)} in the key"
        hint = "both must have the same words; --words warn compares token numbers alone"
        raise ScoringError(message, place=response.place(line), hint=hint)
    what = counted(len(found), "word")
    verb = "differs" if len(found) == 1 else "differ"
    message = f"{what} of {compared:,} {verb} from the key: mentions are matched by token number"
    cases = [f"{_shown(d.here)} for {_shown(d.key)} at {response.place(d.line)}" for d in found]
    yield notice("words-differ", message, cases)


def _is_same_text(found: Sequence[_Difference], compared: int, key: pd.DataFrame) -> bool:
    """Tell whether the words that differ are so few that the text can be no other."""
    if 10 * len(found) < compared:
        return True
    columns = (key[name] for name in ("doc", "start", "end", "tokens"))
    inside = {
        (doc, number)
        for doc, start, end, tokens in zip(*columns, strict=True)
        for number in tokens or range(start, end + 1)
    }
    return 2 * len(found) < compared and not any((d.doc, d.number) in inside for d in found)


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
    sizes = {doc: len(corpus.documents[doc].tokens) for doc in moves}
    lasts = np.array([max(sizes[doc], 1) - 1 for doc in table["doc"]], dtype=np.int64)
    beyond = np.flatnonzero(table["end"].to_numpy() > lasts)
    if beyond.size:
        row = beyond[pd.factorize(table["doc"])[0][beyond].argmin()]
        doc, end, line = table.iloc[row][["doc", "end", "line"]]
        message = f"token {end} of '{doc}', which has {counted(sizes[doc], 'token')}"
        raise ScoringError(message, place=view.place(int(line)), hint="tokens count from 0")
    start, end = table["start"].to_numpy(copy=True), table["end"].to_numpy(copy=True)
    for doc, rows in table.groupby("doc", sort=False).indices.items():
        if (move := moves[str(doc)]) is not None:
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
        raise ScoringError(message, place=view.place(int(lines[0])), hint="give all its tokens")
    if text is None or len(text) == len(tokens):
        return None
    moves = None if sentences is None else _by_sentence(document, sentences)
    if moves is None or not _is_alike(text, [tokens[k] for k in moves]):
        raise _differing(view, document.id, text, tokens)
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


def _resolve(view: View, corpus: Corpus, doc: str, _: int, mention: str, line: int) -> str:
    """Return the corpus' id of a mention that the file names by an id."""
    id_ = whole_id(doc, mention)
    if id_ not in corpus.mentions.index:
        message = f"there is no mention '{mention}' in '{doc}'"
        raise ScoringError(message, place=view.place(line), hint="ids are those of the corpus")
    return id_


def _differing(response: View, doc: str, text: Sequence[str], ours: Sequence[str]) -> ScoringError:
    """Return the error of a text of another length, at the first token in which it differs."""
    pairs = enumerate(zip_longest(text, ours))
    at = next(k for k, (a, b) in pairs if a is None or b is None or not _alike(a, b))
    here, other = (_shown(side[at] if at < len(side) else None) for side in (text, ours))
    message = f"token {at} of '{doc}' is {here} here and {other} in the key"
    return ScoringError(message, place=response.place(_line_of(response, doc, at)), hint=_HINT)


def _is_alike(text: Sequence[str], ours: Sequence[str]) -> bool:
    """Tell whether two texts are as long and have the same words."""
    pairs = zip_longest(text, ours)
    return all(a is not None and b is not None and _alike(a, b) for a, b in pairs)


def _alike(one: str, other: str) -> bool:
    """Tell whether two words are the same, or one of them holds the place of a word.

    White space inside a token does not count, for most systems lose it (ECB+ has eight such
    tokens): ``7 ½`` is like ``7½`` and, as cut off in a file separated by blanks, like ``7``.
    """
    if one == other or _says_nothing(one, other):
        return True
    pieces, others = one.split(), other.split()
    cut_off = min(len(pieces), len(others)) == 1 and pieces[:1] == others[:1]
    return cut_off or "".join(pieces) == "".join(others)


def _says_nothing(one: str, other: str) -> bool:
    """Tell whether one of two words is empty or a placeholder such as ``_`` or ``___``."""
    return not (one.strip("_").strip() and other.strip("_").strip())


def _line_of(view: View, doc: str, token: int) -> int:
    """Return the source line of a token (of the last one for what lies behind it), 0 if unknown."""
    lines: Ints | None = view.lines.get(doc)
    return 0 if lines is None or not len(lines) else int(lines[min(token, len(lines) - 1)])


def _shown(word: str | None) -> str:
    return "missing" if word is None else repr(word[:40])


def _lengths_differ(key: View, response: View, doc: str) -> bool:
    if doc not in key.lines or doc not in response.lines:
        return False
    return len(key.lines[doc]) != len(response.lines[doc])
