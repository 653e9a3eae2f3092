"""Counts of a metric, and precision, recall and F1 from them; also for arrays."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints

N = TypeVar("N", int, Ints, "pd.Series[Any]")


class Value(NamedTuple):
    """Precision, recall and F1 in [0, 1]: numbers, or arrays of them.

    None where a metric has none, as the precision of a mean over metrics, and where the score of a
    part of the corpus is undefined (0/0).

    >>> Value(precision=None, recall=None, f1=0.5).f1
    0.5
    """

    precision: Any
    recall: Any
    f1: Any

    def filled(self, undefined: float) -> Value:
        """Return the value with a number in place of each NaN."""
        return Value(*(x if x is None else np.where(np.isnan(x), undefined, x)[()] for x in self))

    def plain(self) -> Value:
        """Return the value with numbers of Python, and None in place of each NaN."""
        return Value(*(None if x is None or np.isnan(x) else float(x) for x in self))


class Counts(NamedTuple):
    """Numerator and denominator of precision and of recall.

    0/0 is 0: without key links (or response links) the score is 0, not 1.

    >>> Counts.sum([Counts(1, 2, 1, 4), Counts(1, 2, 1, 4)])
    Counts(p_num=2, p_den=4, r_num=2, r_den=8)
    >>> Counts(1, 2, 1, 4).recall, round(Counts(1, 2, 1, 4).f1, 4)
    (0.25, 0.3333)
    """

    p_num: float
    p_den: float
    r_num: float
    r_den: float

    @classmethod
    def sum(cls, parts: Iterable[Counts]) -> Counts:
        """Return the sum, of several meta-documents: micro-averaging; four zeros if empty."""
        return cls(*map(sum, zip(cls(0, 0, 0, 0), *parts, strict=True)))

    @property
    def precision(self) -> float:
        """p_num / p_den."""
        return float(self.value.precision)

    @property
    def recall(self) -> float:
        """r_num / r_den."""
        return float(self.value.recall)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return float(self.value.f1)

    @property
    def value(self) -> Value:
        """Precision, recall and F1; 0/0 is 0, as in the CoNLL reference scorer."""
        return value_of(np.array(self, np.float64)).filled(0).plain()


COUNT_COLUMNS = Counts._fields


def value_of(counts: Floats) -> Value:
    """Return precision, recall and F1, each (…), of counts (…, 4); NaN where they are undefined.

    F1 is undefined where precision and recall are, and 0 where one of them is.

    >>> value_of(np.array([0.0, 0.0, 0.0, 1.0])).plain()
    Value(precision=None, recall=0.0, f1=0.0)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = counts[..., 0] / counts[..., 1], counts[..., 2] / counts[..., 3]
        p, r = np.nan_to_num(precision), np.nan_to_num(recall)
        f1 = np.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    undefined = np.isnan(precision) & np.isnan(recall)
    return Value(precision, recall, np.where(undefined, np.nan, f1)[()])


def links(mentions: N) -> N:
    """Return the number of unordered pairs of n mentions, n (n − 1) / 2, elementwise.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2


def exact_sum(part: Ints, whole: Ints) -> float:
    """Return Σ part / whole, correctly rounded; ``whole`` is positive.

    A sum of floats depends on the order of its terms, so that the order of lines could change the
    last digit of a score. For each denominator, the numerators must sum to less than 2⁵³; in a
    metric this is so for fewer than 94 million mentions.

    >>> exact_sum(np.full(10, 1), np.full(10, 10)), sum([1 / 10] * 10)
    (1.0, 0.9999999999999999)
    """
    totals = np.bincount(whole, weights=part)
    sizes = np.flatnonzero(totals).tolist()
    common = lcm(*sizes)
    # The division of Python's integers is correctly rounded, whatever their size.
    return sum(int(totals[size]) * (common // size) for size in sizes) / common
