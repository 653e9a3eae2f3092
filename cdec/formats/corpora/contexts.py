"""The text around a mention, as WEC and uCDCR have it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from cdec.corpus.model import Document


@dataclass(frozen=True)
class Context:
    """Whole sentences around a mention: first and last token, and their text."""

    first: int
    last: int
    text: tuple[str, ...]


def around(document: Document, tokens: tuple[int, ...], size: int) -> Context:
    """Return at least ``size`` tokens before and after the mention, in whole sentences."""
    starts, words = document.sentence_starts, document.tokens
    first = starts[max(bisect_right(starts, max(tokens[0] - size, 0)) - 1, 0)]
    stop = bisect_left(starts, min(tokens[-1] + size, len(words) - 1) + 1)
    last = (starts[stop] if stop < len(starts) else len(words)) - 1
    return Context(first, last, words[first : last + 1])


def sentence_of(document: Document, token: int) -> int:
    """Return the number of the sentence of a token."""
    return bisect_right(document.sentence_starts, token) - 1
