"""Mentions at characters of a text: their tokens, and what offsets that do not fit may count.

A mention has ``from_char`` and ``to_char``, the first character and the one after the last, or
lists of these if it has a gap; ``text``, if given, must be what is there, but for white space and
the Unicode normal form. A mention whose offsets cut a token has the whole token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.texts import TextDocument
from cdec.errors import CorpusError
from cdec.errors.notices import Notice, notice
from cdec.files.input import FileKind, integer

BEGIN, END = "from_char", "to_char"
_COUNTED = "count Unicode characters of the file from 0; to_char is the one after the last; "
_COUNTED += "columns start and end count tokens"
_KIND = FileKind("a place in the text", CorpusError, "offsets-invalid", _COUNTED)
_LARGEST = 10**12
_CLEAR = 0.95  # of the mentions must fit another reading of the offsets
Pieces = tuple[tuple[int, int], ...]
Place = Callable[[int], str]


class _Mention(NamedTuple):
    """The mention of a row: its pieces, and the text that the row gives."""

    row: int
    document: TextDocument
    pieces: Pieces
    text: str | None

    def fits(self, pieces: Pieces | None, *, whole_tokens: bool) -> bool:
        """Return whether the mention may be at ``pieces``; without a text, what tokens say."""
        limit = len(self.document.text)
        if pieces is None or not all(0 <= begin < end <= limit for begin, end in pieces):
            return False
        if self.text is not None:
            return _plain(self.text) == _plain(self.at(pieces))
        tokens = [self.document.tokens_at(*piece) for piece in pieces]
        return all(tokens) and not (whole_tokens and self.cuts(pieces))

    def at(self, pieces: Pieces) -> str:
        """Return the text at ``pieces``."""
        return " ".join(self.document.text[begin:end] for begin, end in pieces)

    def cuts(self, pieces: Pieces) -> bool:
        """Return whether the pieces begin or end inside a token."""
        text = self.document
        for begin, end in pieces:
            tokens = text.tokens_at(begin, end)
            if tokens and (text.begin[tokens[0]] < begin or text.end[tokens[-1]] > end):
                return True
        return False


def with_tokens(
    rows: list[dict[str, Any]], documents: Mapping[str, TextDocument], place: Place
) -> tuple[list[dict[str, Any]], list[Notice]]:
    """Return the rows with ``tokens`` instead of ``text``, and a notice of tokens that are cut.

    A row may have ``tokens`` instead of offsets, or those of its offsets. Raises CorpusError with
    the place of a row for a document that is not among ``documents``, and for offsets that are not
    in the text, or have another text or other tokens.
    """
    mentions = [_mention(n, row, documents, place(n)) for n, row in enumerate(rows, start=1)]
    placed = [mention for mention in mentions if mention is not None]
    wrong = [m for m in placed if not m.fits(m.pieces, whole_tokens=False)]
    if wrong:
        raise _misplaced(wrong, placed, place)
    for mention in placed:
        row = rows[mention.row - 1]
        row.pop("text", None)
        if BEGIN in row:  # as numbers, however the row has them
            _add_tokens(row, mention, place(mention.row))
            begin, end = map(list, zip(*mention.pieces, strict=True))
            row |= {BEGIN: begin, END: end} if len(begin) > 1 else {BEGIN: begin[0], END: end[0]}
    cut = [mention for mention in placed if mention.cuts(mention.pieces)]
    if not cut:
        return rows, []
    message = f"{len(cut):,} of {len(placed):,} mentions begin or end inside a token, and have all "
    message += f"of it{_explained(placed, '; {}')}"
    return rows, [notice("token-cut", message, [place(mention.row) for mention in cut])]


def _add_tokens(row: dict[str, Any], mention: _Mention, place: str) -> None:
    """Add the tokens of the offsets; raise CorpusError if the row has others."""
    pieces = (mention.document.tokens_at(*piece) for piece in mention.pieces)
    found = sorted({token for tokens in pieces for token in tokens})
    given = row.setdefault("tokens", found)
    if type(given) is not list or len(given) != len(found) or not all(t in given for t in found):
        why = f"the tokens are {str(given)[:40]}, but those at the offsets {str(found)[:40]}"
        raise _KIND.refuse(place, why, "correct or remove one of them")


def _mention(
    number: int, row: Mapping[str, Any], documents: Mapping[str, TextDocument], place: str
) -> _Mention | None:
    """Return the mention of a row; None if the row has no place, which is refused later."""
    document = documents.get(str(row.get("doc", "")))
    offsets = BEGIN in row or END in row
    if document is None:
        if not offsets:
            return None
        message = f"document '{row.get('doc', '')}' of the mention is not among the texts"
        hint = f"their ids are such as {', '.join(list(documents)[:3])}"
        raise CorpusError("corpus-record-invalid", message, place=place, hint=hint)
    text = row.get("text")
    given = text if isinstance(text, str) else None
    if offsets:
        return _Mention(number, document, _pieces(row, place), given)
    tokens, size = row.get("tokens"), len(document.begin)
    if type(tokens) is not list or not all(type(t) is int and 0 <= t < size for t in tokens):
        return None
    pieces = ((int(document.begin[token]), int(document.end[token])) for token in tokens)
    return _Mention(number, document, tuple(pieces), given)


def _pieces(row: Mapping[str, Any], place: str) -> Pieces:
    both = [_integers(row.get(name), name, place) for name in (BEGIN, END)]
    if len(both[0]) != len(both[1]):
        raise _KIND.refuse(place, f"{len(both[0])} values of {BEGIN}, {len(both[1])} of {END}")
    pieces = tuple(zip(*both, strict=True))
    if any(after[0] < before[1] for before, after in pairwise(sorted(pieces))):
        raise _KIND.refuse(place, f"pieces overlap: {str(pieces)[:60]}", "give each character once")
    return pieces


def _integers(value: Any, name: str, place: str) -> list[int]:
    """Return the integers of a field: a number, a list, or text such as ``5`` and ``5 12``."""
    items = value.replace(";", " ").split() if isinstance(value, str) else value
    items = items if isinstance(items, list) else [items]
    try:
        given = (integer(i.removesuffix(".0"), 15) if isinstance(i, str) else i for i in items)
        numbers = list(map(float, given))
    except (TypeError, ValueError, OverflowError):
        numbers = []
    whole = all(n.is_integer() and 0 <= n < _LARGEST for n in numbers)
    if not numbers or not whole or bool in map(type, items):
        what = "is missing" if value is None else f"is '{str(value)[:40]}', not a whole number"
        raise _KIND.refuse(place, f"'{name}' {what}")
    return list(map(int, numbers))


def _plain(text: str) -> str:
    return "".join(normalize("NFC", text).split())


def _misplaced(wrong: list[_Mention], placed: list[_Mention], place: Place) -> CorpusError:
    """Return the error for the first mention that does not fit its place."""
    first = wrong[0]
    pieces = " and ".join(f"{begin} to {end}" for begin, end in first.pieces)
    size, name = len(first.document.text), first.document.id
    if not all(0 <= begin < end <= size for begin, end in first.pieces):
        what = f"no characters {pieces} in document '{name}', which has {size:,}"
    elif first.text is None:
        what = f"no word at characters {pieces} of document '{name}'"
    else:
        actual = first.at(first.pieces)
        what = f"the text is '{first.text[:60]}', but '{actual[:60]}' at characters {pieces} of "
        what += f"document '{name}'"
    share = f"{len(wrong):,} of {len(placed):,} rows do not fit ({len(wrong) / len(placed):.1%})"
    hint = _explained(placed, "{}: ") + _COUNTED
    return CorpusError("offsets-invalid", f"{what}; {share}", place=place(first.row), hint=hint)


def _explained(placed: list[_Mention], form: str) -> str:
    """Return what the offsets seem to count, '' if no reading fits much better."""
    fitting = sum(mention.fits(mention.pieces, whole_tokens=True) for mention in placed)
    counts = {
        name: sum(mention.fits(pieces_of(mention), whole_tokens=True) for mention in placed)
        for name, pieces_of in _READINGS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    if counts[best] <= fitting or counts[best] < _CLEAR * len(placed):
        return ""
    return form.format(
        f"the offsets {best} ({counts[best]:,} of {len(placed):,} mentions fit then)"
    )


def _moved(first: int, last: int) -> Callable[[_Mention], Pieces]:
    return lambda mention: tuple((begin + first, end + last) for begin, end in mention.pieces)


def _in_units(size: Callable[[str, str], int]) -> Callable[[_Mention], Pieces | None]:
    """Return the reading in units of which a character (with this one after it) has ``size``."""

    @lru_cache(maxsize=64)
    def starts(text: str) -> Ints:
        return np.cumsum([0, *map(size, text, f"{text[1:]} ")])

    def pieces_of(mention: _Mention) -> Pieces | None:
        known, given = starts(mention.document.text), np.array(mention.pieces)
        found = np.searchsorted(known, given).clip(max=len(known) - 1)
        exact = (known[found] == given).all()
        return tuple((int(a), int(b)) for a, b in found) if exact else None

    return pieces_of


# What offsets may count → the pieces that are then meant; of several that fit, the first.
_READINGS: Mapping[str, Callable[[_Mention], Pieces | None]] = {
    "count UTF-16 code units, as Java and JavaScript do": _in_units(
        lambda sign, _: 1 + (sign > "\uffff")
    ),
    "count bytes of UTF-8": _in_units(lambda sign, _: len(sign.encode("utf-8", "surrogatepass"))),
    "count CR LF as one character": _in_units(lambda sign, after: sign + after != "\r\n"),
    "are all one too large: they count from 1, or count a byte-order mark": _moved(-1, -1),
    "have the last character as to_char, not the one after it": _moved(0, 1),
    "count from 1 and have the last character as to_char": _moved(-1, 0),
}
