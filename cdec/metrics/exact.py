"""Exact sums of fractions.

A sum of floats depends on the order of its terms, so the order of lines, chains or documents could
change the last digit of a score. Metrics therefore sum integers and round once.
"""

from math import lcm

import numpy as np

from cdec.arrays import Ints


def sum_of_ratios(numerators: Ints, denominators: Ints) -> float:
    """Return Σ numerator / denominator, correctly rounded; denominators are positive.

    For each denominator, the numerators must sum to less than 2⁵³. In a metric this is so for
    fewer than 94 million mentions.

    >>> sum_of_ratios(np.full(10, 1), np.full(10, 10)), sum([1 / 10] * 10)
    (1.0, 0.9999999999999999)
    """
    totals = np.bincount(denominators, weights=numerators)
    distinct = np.flatnonzero(totals).tolist()
    whole = lcm(*distinct)
    pairs = zip(totals[distinct].tolist(), distinct, strict=True)
    # The division of Python's integers is correctly rounded, whatever their size.
    return sum(int(total) * (whole // size) for total, size in pairs) / whole
