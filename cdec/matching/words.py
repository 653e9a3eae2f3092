"""Check that key and response have the same tokens, before mentions are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import pandas as pd

from cdec.arrays import Ints
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.matching.view import View

HINT = "give all tokens in both files, with the same tokenisation"


# A document, and its words in the response and in the key; both have the same length.
Texts = tuple[str, Sequence[str], Sequence[str]]


def file_words(key: View, response: View, words: str | None) -> Iterator[Notice]:
    """Compare the documents that both files have (under the key's names), as ``check_words`` does.

    Raises ScoringError also if texts differ in length. Without texts a difference in length is a
    notice only: the reference scorer accepts it.
    """
    pairs, lengths = [], []
    for doc, text in response.texts.items():
        ours = key.texts.get(doc)
        if text is not None and ours is not None:
            if len(text) != len(ours):
                raise differing(response, doc, text, ours)
            pairs.append((doc, text, ours))
        elif doc in key.lines and doc in response.lines:
            sizes = len(key.lines[doc]), len(response.lines[doc])
            if sizes[0] != sizes[1]:
                lengths.append(f"{doc}: {sizes[0]} and {sizes[1]}")
    yield from check_words(response, pairs, key.mentions, words)
    if lengths:
        what = counted(len(lengths), "document has", "documents have")
        message = f"{what} different numbers of tokens in key and response"
        yield notice("length-mismatch", message, lengths)


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
        (doc, at, here, ours)
        for doc, text, known in texts
        if tuple(text) != tuple(known)
        for at, (here, ours) in enumerate(zip(text, known, strict=True))
        if here != ours and not _is_same_word(here, ours)
    ]
    if not differences:
        return
    compared = sum(
        not _is_placeholder(*pair) for _, *both in texts for pair in zip(*both, strict=True)
    )
    if words == "error" or (words is None and not _is_same_text(differences, compared, key)):
        hint = "use the text of the key, or words=warn to compare token numbers only"
        place = response.place(_line_of(response, *differences[0][:2]))
        raise ScoringError("text-mismatch", _mismatch(*differences[0]), place=place, hint=hint)
    what = counted(len(differences), "word")
    verb = "differs" if len(differences) == 1 else "differ"
    message = f"{what} of {compared:,} {verb} from the key: mentions are matched by token number"
    cases = [
        f"{_shown(here)} for {_shown(ours)} at {response.place(_line_of(response, doc, at))}"
        for doc, at, here, ours in differences
    ]
    yield notice("words-differ", message, cases)


def _mismatch(doc: str, number: int, here: str | None, ours: str | None) -> str:
    return f"token {number} of '{doc}' is {_shown(here)} in the response, {_shown(ours)} in the key"


def _is_same_text(
    differences: Sequence[tuple[str, int, str, str]], compared: int, key: pd.DataFrame
) -> bool:
    """Return whether so few words differ that the text must be the same."""
    if 10 * len(differences) < compared:
        return True
    columns = (key[name] for name in ("doc", "start", "end", "tokens"))
    inside = {
        (doc, number)
        for doc, start, end, tokens in zip(*columns, strict=True)
        for number in tokens or range(start, end + 1)
    }
    outside = not any(difference[:2] in inside for difference in differences)
    return 2 * len(differences) < compared and outside


def differing(response: View, doc: str, text: Sequence[str], ours: Sequence[str]) -> ScoringError:
    """Return the error for a text of another length, at the first token that differs."""
    pairs = enumerate(zip_longest(text, ours))
    at = next(k for k, (a, b) in pairs if a is None or b is None or not _is_same_word(a, b))
    message = _mismatch(doc, at, *(side[at] if at < len(side) else None for side in (text, ours)))
    place = response.place(_line_of(response, doc, at))
    return ScoringError("text-mismatch", message, place=place, hint=HINT)


def are_same_words(text: Sequence[str], ours: Sequence[str]) -> bool:
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
