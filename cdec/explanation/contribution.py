"""What a chain brings to a score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from cdec.explanation.sheet import Chain


@dataclass(frozen=True)
class Share:
    """Numerator and denominator of precision or recall, or a part of them; both are exact."""

    numerator: Fraction
    denominator: Fraction

    def __add__(self, other: Share) -> Share:
        return Share(self.numerator + other.numerator, self.denominator + other.denominator)

    def __sub__(self, other: Share) -> Share:
        return Share(self.numerator - other.numerator, self.denominator - other.denominator)

    @classmethod
    def sum(cls, shares: Iterable[Share]) -> Share:
        """Return the sum; of none, 0 of 0."""
        return sum(shares, start=cls(Fraction(0), Fraction(0)))

    @property
    def value(self) -> Fraction:
        """The quotient; 0/0 is 0, as in the scorer."""
        return self.numerator / self.denominator if self.denominator else Fraction(0)


@dataclass(frozen=True)
class Contribution:
    """What ``chain`` adds to the recall (key chain) or precision (response chain) of a metric.

    ``formula`` is the sum written out; ``remarks`` are the lines that it needs to be understood.
    """

    chain: Chain
    share: Share
    formula: str
    remarks: tuple[str, ...] = ()
