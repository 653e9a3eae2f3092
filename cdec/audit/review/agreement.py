"""Agreement of two reviewers: Cohen's κ, and Gwet's AC1 with its interval.

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

from cdec.arrays import Floats
from cdec.audit.review.decisions import VERDICTS, Review

ALL = "all"


def agreement(reviews: Sequence[Review]) -> pd.DataFrame:
    """Return the agreement of each pair of reviewers on the cases that both decided.

    Columns: ``one, two, kind`` (``all``, then each kind of case), ``cases, agreed`` (share of equal
    verdicts), ``kappa, ac1, low, high``. Undefined values (no common cases; κ if all verdicts are
    the same) are missing.
    """
    rows: list[tuple[object, ...]] = []
    for one, two in combinations(reviews, 2):
        shared = [case for case in one.decisions if case in two.decisions]
        kinds = pd.Series([one.decisions[case].kind for case in shared], dtype=str)
        left, right = (
            np.array([VERDICTS.index(review.decisions[case].verdict) for case in shared], dtype=int)
            for review in (one, two)
        )
        for kind in (ALL, *dict.fromkeys(kinds)):
            mask = np.ones(len(shared), dtype=bool) if kind == ALL else (kinds == kind).to_numpy()
            names = (one.reviewer, two.reviewer, kind, int(mask.sum()))
            rows.append((*names, *_measures(left[mask], right[mask])))
    columns = ["one", "two", "kind", "cases", "agreed", "kappa", "ac1", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _measures(left: Floats, right: Floats) -> tuple[float, ...]:
    from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415

    if not len(left):
        return (float("nan"),) * 5
    varied = len({*left.tolist(), *right.tolist()}) > 1
    kappa = float(cohen_kappa_score(left, right)) if varied else float("nan")
    return (float((left == right).mean()), kappa, *ac1(left, right, len(VERDICTS)))


def ac1(left: Floats, right: Floats, categories: int) -> tuple[float, float, float]:
    """Return AC1 of two raters and its 95 % interval; ratings are 0 … categories − 1."""
    chosen = np.arange(categories)
    one, two = (np.equal.outer(side, chosen).astype(float) for side in (left, right))
    shares = ((one + two) / 2).mean(axis=0)
    chance = float((shares * (1 - shares)).sum() / (categories - 1))
    agreed = (left == right).astype(float)
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if len(left) < 2:
        return value, float("nan"), float("nan")
    own = ((one + two) / 2) @ (1 - shares) / (categories - 1)
    single = (agreed - chance) / (1 - chance)
    linear = single - 2 * (1 - value) * (own - chance) / (1 - chance)
    variance = float(((linear - value) ** 2).sum() / (len(left) * (len(left) - 1)))
    half = float(t.ppf(0.975, len(left) - 1)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)
