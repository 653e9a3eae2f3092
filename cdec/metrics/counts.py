"""Counts of a metric, and precision, recall and F1 from them; also for arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdec.arrays import Floats


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole``; 0/0 is 0, as in the CoNLL reference scorer."""
    return part / whole if whole else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1 of ``precision`` and ``recall``; 0 where both are 0."""
    return ratio(2 * precision * recall, precision + recall)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numerator and denominator of precision and of recall.

    Counts of several meta-documents are summed (``+``, ``Counts.sum``), which is micro-averaging.
    0/0 is 0: without key links (or response links) the score is 0, not 1.

    >>> (Counts(1, 2, 1, 4) + Counts(1, 2, 1, 4)).precision
    0.5
    >>> Counts.sum([Counts(1, 2, 1, 4)]).recall, round(Counts(1, 2, 1, 4).f1, 4)
    (0.25, 0.3333)
    """

    p_num: float
    p_den: float
    r_num: float
    r_den: float

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.p_num + other.p_num,
            self.p_den + other.p_den,
            self.r_num + other.r_num,
            self.r_den + other.r_den,
        )

    @classmethod
    def sum(cls, parts: Iterable[Counts]) -> Counts:
        """Return the sum; four zeros if empty."""
        return sum(parts, start=cls(0, 0, 0, 0))

    @property
    def precision(self) -> float:
        """p_num / p_den."""
        return ratio(self.p_num, self.p_den)

    @property
    def recall(self) -> float:
        """r_num / r_den."""
        return ratio(self.r_num, self.r_den)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return harmonic_mean(self.precision, self.recall)


class Value(NamedTuple):
    """A score in [0, 1]; precision and recall of a mean over metrics are None.

    >>> Value(precision=None, recall=None, f1=0.5).f1
    0.5
    """

    precision: float | None
    recall: float | None
    f1: float


class UnitValue(NamedTuple):
    """The score of a part of the corpus; None where it is undefined (0/0).

    >>> UnitValue.of(Counts(0, 0, 0, 1))
    UnitValue(precision=None, recall=0.0, f1=0.0)
    """

    precision: float | None
    recall: float | None
    f1: float | None

    @classmethod
    def of(cls, counts: Counts) -> UnitValue:
        """Return the value of these counts; F1 is undefined where precision and recall are."""
        precision = counts.precision if counts.p_den else None
        recall = counts.recall if counts.r_den else None
        return cls(precision, recall, counts.f1 if counts.p_den or counts.r_den else None)


def places(needs: Sequence[str], names: Sequence[str]) -> slice | list[int]:
    """Return the positions of ``needs`` in ``names``, as a slice if possible (no copy of arrays).

    >>> places(["b", "c"], ["a", "b", "c"]), places(["c", "a"], ["a", "b", "c"])
    (slice(1, 3, None), [2, 0])
    """
    at = [names.index(need) for need in needs]
    run = slice(at[0], at[0] + len(at))
    return run if at == list(range(run.start, run.stop)) else at


def chosen(values: Floats, at: slice | list[int]) -> Floats:
    """Return the values at these positions of the second last axis."""
    return values[..., at, :] if isinstance(at, slice) else values.take(at, axis=-2)


def ratios(part: Floats, whole: Floats) -> Floats:
    """Return ``ratio`` for arrays."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def scores_of(counts: Floats) -> Floats:
    """Return precision, recall and F1 (…, 3) of counts (…, 4) in the order of ``Counts``.

    >>> scores_of(np.array([[1.0, 1.0, 1.0, 2.0]])).round(4).tolist()
    [[1.0, 0.5, 0.6667]]
    """
    halves = ratios(counts[..., 0::2], counts[..., 1::2])
    f1 = ratios(2 * halves[..., 0] * halves[..., 1], halves.sum(axis=-1))
    return np.concatenate([halves, f1[..., None]], axis=-1)
