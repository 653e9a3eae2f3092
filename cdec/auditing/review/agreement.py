"""Agreement of two reviewers: Cohen's κ, and Gwet's AC1 with its interval.

Reviewers agree on a case if their verdicts are equal and, for an error, their corrections. The
chance agreement is computed from the verdicts alone. For verdict and correction it is unknown but
smaller, so that both coefficients are lower bounds if corrections differ.

κ is unstable if nearly all verdicts are the same, as at the top of a good list; AC1 is not. Gwet
(2008), "Computing inter-rater reliability and its variance in the presence of high agreement",
British Journal of Mathematical and Statistical Psychology 61: for two raters, q categories,
observed agreement p_a and mean shares π_k, the chance agreement is p_e = Σ π_k (1 − π_k) / (q − 1),
AC1 = (p_a − p_e) / (1 − p_e). The variance is that of the mean of linearised contributions of
single cases, with n − 1 in the denominator, and the interval is that of Student's t with n − 1
degrees of freedom, both as in the author's R package irrCAC for ratings by case (``gwet.ac1.raw``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import t

from cdec.arrays import Floats, Ints
from cdec.auditing.review.decisions import ERROR, VERDICTS, Decision, Review, correction

ALL = "all"
_CATEGORIES = len(VERDICTS)


def agreement(reviews: Sequence[Review]) -> pd.DataFrame:
    """Return the agreement of each pair of reviewers on the cases that both decided.

    Columns: ``one, two, kind`` (``all``, then each kind of case), ``cases``, ``errors`` (cases that
    both call an error), ``corrections`` (share of these with equal corrections), ``agreed`` (share
    of cases with equal verdict and correction), ``kappa, ac1, low, high``. Undefined values (no
    common cases; κ if all verdicts are the same) are missing.
    """
    rows: list[tuple[object, ...]] = []
    for one, two in combinations(reviews, 2):
        pairs = [(own, two.by_case[own.case]) for own in one.decisions if own.case in two.by_case]
        kinds = dict.fromkeys(left.kind for left, _ in pairs)
        for kind in (ALL, *kinds):
            chosen = [pair for pair in pairs if kind in (ALL, pair[0].kind)]
            rows.append((one.reviewer, two.reviewer, kind, len(chosen), *_measures(chosen)))
    names = ["one", "two", "kind", "cases", "errors", "corrections"]
    return pd.DataFrame(rows, columns=[*names, "agreed", "kappa", "ac1", "low", "high"])


def _measures(pairs: Sequence[tuple[Decision, Decision]]) -> tuple[float, ...]:
    if not pairs:
        return (0, *(float("nan"),) * 6)
    left, right = (np.array([VERDICTS.index(pair[at].verdict) for pair in pairs]) for at in (0, 1))
    same = np.array([correction(a.operation) == correction(b.operation) for a, b in pairs])
    errors = (left == right) & (left == VERDICTS.index(ERROR))
    agreed = ((left == right) & (same | ~errors)).astype(float)
    equal = float(same[errors].mean()) if errors.any() else float("nan")
    chance_corrected = (_kappa(left, right, agreed), *ac1(left, right, _CATEGORIES, agreed))
    return (int(errors.sum()), equal, float(agreed.mean()), *chance_corrected)


def _kappa(left: Ints, right: Ints, agreed: Floats) -> float:
    shares = (np.bincount(side, minlength=_CATEGORIES) / len(side) for side in (left, right))
    chance = float(np.prod(list(shares), axis=0).sum())
    return (float(agreed.mean()) - chance) / (1 - chance) if chance < 1 else float("nan")


def ac1(
    left: Ints, right: Ints, categories: int, agreed: Floats | None = None
) -> tuple[float, float, float]:
    """Return AC1 of two raters and its 95 % interval; ratings are 0 … categories − 1.

    ``agreed``: 1 for each case on which they agree, else 0; by default, if the ratings are equal.
    """
    agreed = (left == right).astype(float) if agreed is None else agreed
    chosen = np.arange(categories)
    one, two = (np.equal.outer(side, chosen).astype(float) for side in (left, right))
    shares = ((one + two) / 2).mean(axis=0)
    chance = float((shares * (1 - shares)).sum() / (categories - 1))
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if len(left) < 2:
        return value, float("nan"), float("nan")
    own = ((one + two) / 2) @ (1 - shares) / (categories - 1)
    single = (agreed - chance) / (1 - chance)
    linear = single - 2 * (1 - value) * (own - chance) / (1 - chance)
    variance = float(((linear - value) ** 2).sum() / (len(left) * (len(left) - 1)))
    half = float(t.ppf(0.975, len(left) - 1)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)
