"""Contribution of a chain to a score: exact numbers and the formula in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from cdec.arrays import Ints
from cdec.metadocument import OTHER, Side
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts
from cdec.metrics.sheet import Chain, Part, Sheet
from cdec.metrics.terms import TermsOf

LETTER: dict[Side, str] = {"key": "K", "response": "R"}
# The formula of a contribution, and the remarks that explain it.
Words: TypeAlias = tuple[str, tuple[str, ...]]
# Sums over chains of many sizes have unreadable denominators; decimals replace them.
_LARGEST_DENOMINATOR = 999


@dataclass(frozen=True)
class Share:
    """Exact numerator and denominator of precision or recall, or of a part of them.

    >>> (Share.of(1, 2) + Share.of(1, 3)).value
    Fraction(2, 5)
    """

    numerator: Fraction
    denominator: Fraction

    @classmethod
    def of(cls, numerator: Fraction | float, denominator: Fraction | float) -> Share:
        """Build from any numbers."""
        return cls(Fraction(numerator), Fraction(denominator))

    def __add__(self, other: Share) -> Share:
        return Share(self.numerator + other.numerator, self.denominator + other.denominator)

    def __sub__(self, other: Share) -> Share:
        return Share(self.numerator - other.numerator, self.denominator - other.denominator)

    @classmethod
    def sum(cls, shares: Iterable[Share]) -> Share:
        """Return the sum; 0 of 0 if empty."""
        return sum(shares, start=cls.of(0, 0))

    @property
    def value(self) -> Fraction:
        """The quotient; 0/0 is 0, as in the scorer."""
        return self.numerator / self.denominator if self.denominator else Fraction(0)


@dataclass(frozen=True)
class Contribution:
    """Contribution of ``chain`` to the recall (key chain) or precision (response chain).

    ``formula`` is the sum written out, ``remarks`` are lines that explain it. As in the papers,
    the chain is K and the chains of the other side are R; for a response chain the letters are
    swapped.

    >>> from cdec.metrics.sheet import Part
    >>> chain = Chain("key", 0, "m", "fire", ("a", "b"), (Part(0, ("a", "b")),), ())
    >>> Contribution(chain, Share.of(1, 1), "2 − 1 = 1 of 2 − 1 = 1").share.value
    Fraction(1, 1)
    """

    chain: Chain
    share: Share
    formula: str
    remarks: tuple[str, ...] = ()


def share_of(of: TermsOf, chain: Chain, sheet: Sheet) -> Share:
    """Return the terms of ``chain``, exactly.

    These are the terms of its cells, of the chain, and its mentions' part of the terms of the
    chains of the other side and of the meta-document. Over all chains the sum is the count.
    """
    terms, meta = sheet.terms(of).of(chain.side), sheet.numbers[chain.meta]
    numerator = sum((_of_part(of, chain, part, sheet) for part in chain.parts), Fraction(0))
    denominator = _at(terms.chains, chain.number)
    if terms.metas is not None:
        within = _at(terms.metas, meta) / sheet.mentions[chain.side, chain.meta]
        denominator += within * chain.size
    if chain.common:
        numerator += _at(terms.common, chain.number)
        within = _at(terms.metas_common, meta) / sheet.common[chain.meta]
        numerator += within * chain.common
    return Share(numerator, denominator)


def _of_part(of: TermsOf, chain: Chain, part: Part, sheet: Sheet) -> Fraction:
    """Return the terms of a cell, and its part of that of the chain of the other side."""
    own, other = sheet.terms(of).of(chain.side), sheet.terms(of).of(OTHER[chain.side])
    pair = (chain.number, part.other) if chain.side == "key" else (part.other, chain.number)
    cell = sheet.cells[pair]
    within = sum((_at(ratio.part, cell, ratio.whole) for ratio in own.cells), Fraction(0))
    partner = sheet.other(chain, part)
    return within + _at(other.common, part.other) * Fraction(part.size, partner.common)


def _at(part: Ints | None, at: int, whole: Ints | None = None) -> Fraction:
    if part is None:
        return Fraction(0)
    return Fraction(int(part[at]), 1 if whole is None else int(whole[at]))


def alone(count: Callable[[Contingency], Counts], chain: Chain, sheet: Sheet) -> Contribution:
    """Count ``chain`` together with the chains that overlap it, ignoring all others.

    Over all chains the sum is the count of the metric, unless it depends on several chains at
    once.
    """
    counts = count(_around(chain, sheet))
    halves = (counts.r_num, counts.r_den) if chain.side == "key" else (counts.p_num, counts.p_den)
    share = Share.of(*halves)
    formula, _ = plain(chain, sheet, share)
    return Contribution(
        chain, share, f"{formula}, counted on {LETTER[chain.side]} and the chains that overlap it"
    )


def plain(chain: Chain, sheet: Sheet, share: Share) -> Words:
    """Return the two numbers of ``share``, for a metric without words of its own."""
    return f"{full(share.numerator)} of {full(share.denominator)}", ()


def _around(chain: Chain, sheet: Sheet) -> Contingency:
    """Return the contingency of ``chain`` and the chains of the other side that overlap it."""
    shared = [part.size for part in chain.parts]
    beyond = [sheet.other(chain, part).size - part.size for part in chain.parts]
    numbers = np.arange(len(shared))
    none = np.full(len(chain.twinless), -1)
    own = np.repeat([0, -1], [chain.size, sum(beyond)])
    other = np.concatenate([np.repeat(numbers, shared), none, np.repeat(numbers, beyond)])
    return Contingency.from_labels(*((own, other) if chain.side == "key" else (other, own)))


def mean_line(head: str, sign: str, terms: Mapping[str, float], result: float) -> str:
    """Return the line that computes the ``sign`` (P, R, F) of ``head`` as mean of ``terms``.

    >>> mean_line("BLANC", "F", {"BLANC PW": 0.5, "BLANC PWN": 1.0}, 0.75)
    'BLANC F = (F(BLANC PW) + F(BLANC PWN)) / 2 = (0.5000 + 1.0000) / 2 = 0.7500'
    """
    if not terms:
        return f"{head} {sign} = {decimal(result)}: there is no value to average"
    names = total(f"{sign}({name})" for name in terms)
    if len(terms) == 1:
        return f"{head} {sign} = {names} = {decimal(result)}"
    numbers = total(decimal(value) for value in terms.values())
    return (
        f"{head} {sign} = ({names}) / {len(terms)} = ({numbers}) / {len(terms)} = {decimal(result)}"
    )


def decimal(number: Fraction | float) -> str:
    """Return four decimals."""
    return f"{float(number):.4f}"


def brief(number: Fraction) -> str:
    """Return ``2``, ``4/3``, or decimals if the denominator is large."""
    return str(number) if number.denominator <= _LARGEST_DENOMINATOR else decimal(number)


def full(number: Fraction) -> str:
    """Return ``2``, ``4/3 = 1.3333``, or decimals if the denominator is large."""
    exact = 1 < number.denominator <= _LARGEST_DENOMINATOR
    return f"{number} = {decimal(number)}" if exact else brief(number)


def total(terms: Iterable[object]) -> str:
    """Return the terms joined by plus signs; ``0`` if there are none."""
    return " + ".join(map(str, terms)) or "0"


def bracketed(terms: Iterable[object]) -> str:
    """Return ``total``, in brackets if it has more than one term."""
    listed = list(terms)
    return f"({total(listed)})" if len(listed) > 1 else total(listed)


def braces(mentions: Iterable[str]) -> str:
    """Return the mentions as a set: ``{a b}``."""
    return "{" + " ".join(mentions) + "}"


def fault(chain: Chain) -> str:
    """Return the name of an error in a link of ``chain``: missed (key) or wrong (response)."""
    return "missed" if chain.side == "key" else "wrong"
