"""How numbers and sets are written: exact where that can be read, with the decimals beside it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

# A larger denominator tells a reader nothing; it comes of summing over chains of many sizes.
_LARGEST_DENOMINATOR = 999


def decimal(number: Fraction | float) -> str:
    """Return four decimals."""
    return f"{float(number):.4f}"


def brief(number: Fraction) -> str:
    """Return ``2``, ``4/3``, or decimals where the fraction is unwieldy."""
    return str(number) if number.denominator <= _LARGEST_DENOMINATOR else decimal(number)


def full(number: Fraction) -> str:
    """Return ``2``, ``4/3 = 1.3333``, or decimals where the fraction is unwieldy."""
    exact = 1 < number.denominator <= _LARGEST_DENOMINATOR
    return f"{number} = {decimal(number)}" if exact else brief(number)


def total(terms: Iterable[object]) -> str:
    """Return the terms with plus signs between them; ``0`` for none."""
    return " + ".join(map(str, terms)) or "0"


def bracketed(terms: Iterable[object]) -> str:
    """Return ``total``, in brackets where it has more than one term."""
    listed = list(terms)
    return f"({total(listed)})" if len(listed) > 1 else total(listed)


def braces(mentions: Iterable[str]) -> str:
    """Return a set of mentions, as in ``{a b}``."""
    return "{" + " ".join(mentions) + "}"
