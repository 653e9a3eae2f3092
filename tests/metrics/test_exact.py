"""Sums of fractions are exact and rounded once."""

from fractions import Fraction
from math import inf, nextafter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdec.metrics.terms import sum_of_ratios

RATIO = st.tuples(st.integers(0, 10**9), st.integers(1, 10**6))


@given(st.lists(RATIO, max_size=40))
def test_the_sum_is_the_nearest_float(ratios: list[tuple[int, int]]) -> None:
    numerators, denominators = np.array(ratios, dtype=np.int64).reshape(-1, 2).T
    total = sum_of_ratios(numerators, denominators)
    exact = sum((Fraction(*ratio) for ratio in ratios), start=Fraction(0))
    error = abs(Fraction(total) - exact)
    assert all(error <= abs(Fraction(nextafter(total, end)) - exact) for end in (-inf, inf))


def test_many_large_denominators_are_fast() -> None:
    sizes = np.arange(1, 2001)
    assert round(sum_of_ratios(np.ones_like(sizes), sizes), 9) == 8.178368104
