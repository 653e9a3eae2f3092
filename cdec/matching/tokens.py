"""Do two sides speak of the same tokens? Checked before any mention is compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from cdec.arrays import Ints
from cdec.errors import ScoringError
from cdec.matching.view import View
from cdec.notices import Notice, notice
from cdec.wording import counted

_CURE = "both must be tokenised alike and have all tokens"


def check_texts(key: View, response: View) -> list[Notice]:
    """Compare the documents that both have (under the key's names).

    Raises ScoringError with ``file:line`` at the first token in which two texts differ. Returns a
    notice on documents without text whose numbers of tokens differ: the reference scorer counts
    lines and would not mind.
    """
    odd = []
    for doc, text in response.texts.items():
        ours = key.texts.get(doc)
        if text is not None and ours is not None:
            check_text(response, doc, text, ours)
        elif _lengths_differ(key, response, doc):
            odd.append(f"{doc}: {len(key.lines[doc])} and {len(response.lines[doc])}")
    if not odd:
        return []
    what = counted(len(odd), "document has", "documents have")
    message = f"{what} another number of tokens in key and response: do lines match?"
    return [notice("length-mismatch", message, odd)]


def check_text(response: View, doc: str, text: tuple[str, ...], ours: tuple[str, ...]) -> None:
    """Raise ScoringError at the first token in which the response's text differs from ours."""
    at = first_difference(text, ours)
    if at is None:
        return
    message = f"token {at} of '{doc}' is {_shown(text, at)} here and {_shown(ours, at)} in the key"
    raise ScoringError(message, place=response.place(line_of(response, doc, at)), cure=_CURE)


def first_difference(text: Sequence[str], ours: Sequence[str]) -> int | None:
    """Return the number of the first token in which two texts differ, None if they are alike.

    White space inside a token does not count, for most systems lose it (ECB+ has eight such
    tokens): ``7 ½`` is like ``7½`` and, as cut off in a file separated by blanks, like ``7``.
    """
    if tuple(text) == tuple(ours):
        return None
    pairs = enumerate(zip_longest(text, ours))
    return next((k for k, (a, b) in pairs if a != b and not _alike(a, b)), None)


def _alike(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return False
    pieces, others = one.split(), other.split()
    cut_off = min(len(pieces), len(others)) == 1 and pieces[:1] == others[:1]
    return cut_off or "".join(pieces) == "".join(others)


def line_of(view: View, doc: str, token: int) -> int:
    """Return the source line of a token (of the last one for what lies behind it), 0 if unknown."""
    lines: Ints | None = view.lines.get(doc)
    return 0 if lines is None or not len(lines) else int(lines[min(token, len(lines) - 1)])


def _shown(text: tuple[str, ...], at: int) -> str:
    return repr(text[at][:40]) if at < len(text) else "missing"


def _lengths_differ(key: View, response: View, doc: str) -> bool:
    if doc not in key.lines or doc not in response.lines:
        return False
    return len(key.lines[doc]) != len(response.lines[doc])
