"""Do two sides speak of the same tokens? Checked before any mention is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import pandas as pd

from cdec.arrays import Ints
from cdec.errors import ScoringError, counted
from cdec.matching.view import View
from cdec.notices import Notice, notice

_CURE = "both must be tokenised alike and have all tokens"


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
                raise differing(response, doc, text, ours)
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
    found = [difference for pair in texts for difference in _differences(response, pair)]
    if not found:
        return
    compared = sum(not _says_nothing(a, b) for t in texts for a, b in t.pairs())
    if words == "error" or (words is None and not _is_same_text(found, compared, key)):
        doc, number, line, here, ours = found[0]
        message = f"token {number} of '{doc}' is {_shown(here)} here and {_shown(ours)} in the key"
        cure = "both must have the same words; --words warn compares token numbers alone"
        raise ScoringError(message, place=response.place(line), cure=cure)
    what = counted(len(found), "word")
    verb = "differs" if len(found) == 1 else "differ"
    message = f"{what} of {compared:,} {verb} from the key: mentions are matched by token number"
    cases = [f"{_shown(d.here)} for {_shown(d.key)} at {response.place(d.line)}" for d in found]
    yield notice("words-differ", message, cases)


def _differences(response: View, texts: Texts) -> list[_Difference]:
    if tuple(texts.here) == tuple(texts.key):
        return []
    return [
        _Difference(texts.doc, at, line_of(response, texts.doc, at), one, other)
        for at, (one, other) in enumerate(texts.pairs())
        if one != other and not _alike(one, other)
    ]


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


def differing(response: View, doc: str, text: Sequence[str], ours: Sequence[str]) -> ScoringError:
    """Return the error of a text of another length, at the first token in which it differs."""
    pairs = enumerate(zip_longest(text, ours))
    at = next(k for k, (a, b) in pairs if a is None or b is None or not _alike(a, b))
    here, other = (_shown(side[at] if at < len(side) else None) for side in (text, ours))
    message = f"token {at} of '{doc}' is {here} here and {other} in the key"
    return ScoringError(message, place=response.place(line_of(response, doc, at)), cure=_CURE)


def alike(text: Sequence[str], ours: Sequence[str]) -> bool:
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


def line_of(view: View, doc: str, token: int) -> int:
    """Return the source line of a token (of the last one for what lies behind it), 0 if unknown."""
    lines: Ints | None = view.lines.get(doc)
    return 0 if lines is None or not len(lines) else int(lines[min(token, len(lines) - 1)])


def _shown(word: str | None) -> str:
    return "missing" if word is None else repr(word[:40])


def _lengths_differ(key: View, response: View, doc: str) -> bool:
    if doc not in key.lines or doc not in response.lines:
        return False
    return len(key.lines[doc]) != len(response.lines[doc])
