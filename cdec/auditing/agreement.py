"""Agreement of two reviewers: Cohen's κ and Gwet's AC1, with their intervals.

Agreement is on the verdict; on the correction, of cases that both call an error; and on both, where
reviewers agree if their verdicts are equal and, for an error, their corrections. The chance
agreement is computed from the verdicts, or from the forms of the corrections (merge, move, …).
For a correction itself it is unknown but smaller, so that the coefficients on corrections and on
both are lower bounds.

κ is unstable if nearly all verdicts are the same, as at the top of a good list; AC1 is not. Gwet
(2008), "Computing inter-rater reliability and its variance in the presence of high agreement",
British Journal of Mathematical and Statistical Psychology 61: for two raters, q categories,
observed agreement p_a and mean shares π_k, the chance agreement is p_e = Σ π_k (1 − π_k) / (q − 1),
AC1 = (p_a − p_e) / (1 − p_e). The variance is that of the mean of linearised contributions of
single cases, with n − 1 in the denominator, and the interval is that of Student's t with n − 1
degrees of freedom, both as in the author's R package irrCAC for ratings by case (``gwet.ac1.raw``,
``conger.kappa.raw``, which for two raters is Cohen's κ).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain as flat
from itertools import combinations
from operator import attrgetter
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import t

from cdec.arrays import Floats, Ints
from cdec.auditing.decisions import (
    ERROR,
    FINE,
    REASONS,
    VERDICTS,
    Decision,
    Known,
    Review,
    decided,
    vote,
)
from cdec.corpus.claims import NONE

ALL = "all"
VERDICT, CORRECTION, BOTH = MEASURED = ("verdict", "correction", "both")
NO_REASON = "none given"
_Pair: TypeAlias = tuple[Decision, Decision]


def agreement(reviews: Sequence[Review]) -> pd.DataFrame:
    """Return the agreement of each pair of reviewers on the cases that both decided.

    Columns: ``one, two, kind`` (``all``, then each kind of case), ``on`` (one of ``MEASURED``),
    ``cases`` (on ``correction``: those that both call an error), ``agreed`` (their share with equal
    values), ``ac1, low, high, kappa, kappa_low, kappa_high``. Undefined values (no common cases; κ
    if all values are the same) are missing.
    """
    rows: list[tuple[object, ...]] = []
    chains = Known.of_reviews(reviews).chains
    for one, two in combinations(reviews, 2):
        pairs = [(own, two.by_case[own.case]) for own in one.decisions if own.case in two.by_case]
        kinds = dict.fromkeys(left.kind for left, _ in pairs)
        for kind in (ALL, *kinds):
            chosen = [pair for pair in pairs if kind in (ALL, pair[0].kind)]
            both = [pair for pair in chosen if {d.verdict for d in pair} == {ERROR}]
            for on in MEASURED:
                asked = both if on == CORRECTION else chosen
                rows.append((one.reviewer, two.reviewer, kind, on, *_measures(asked, on, chains)))
    names = ["one", "two", "kind", "on", "cases", "agreed", "ac1", "low", "high"]
    return pd.DataFrame(rows, columns=[*names, "kappa", "kappa_low", "kappa_high"])


def _measures(pairs: Sequence[_Pair], on: str, chains: Mapping[str, str]) -> tuple[float, ...]:
    """Return number of cases, share of agreement, AC1 and κ with their intervals."""
    if not pairs:
        return (0, *(float("nan"),) * 7)
    rating = _form if on == CORRECTION else attrgetter("verdict")
    values = [tuple(map(rating, pair)) for pair in pairs]
    used = dict.fromkeys(flat.from_iterable(values))
    categories: list[Hashable] = [*used] if on == CORRECTION else [*VERDICTS]
    left, right = (np.array([categories.index(pair[at]) for pair in values]) for at in (0, 1))
    agreed = (left == right).astype(float)
    if on != VERDICT:
        agreed *= np.array([vote(a, chains) == vote(b, chains) for a, b in pairs])
    coefficients = (one(left, right, max(2, len(categories)), agreed) for one in (ac1, kappa))
    return (len(pairs), float(agreed.mean()), *flat.from_iterable(coefficients))


def _form(decision: Decision) -> Hashable:
    """Return the form of a correction: what it claims of mentions and chains, without names."""
    forms = {
        (bool(c.chain), bool(c.add), c.is_new, c.to == NONE, bool(c.tokens), bool(c.tag))
        for c in decision.claims
    }
    return frozenset(forms), len(decision.claims) > 1 and decision.claims[0].is_new


def ac1(
    left: Ints, right: Ints, categories: int, agreed: Floats | None = None
) -> tuple[float, float, float]:
    """Return AC1 of two raters and its 95 % interval; ratings are 0 … categories − 1.

    ``agreed``: 1 for each case on which they agree, else 0; by default, if the ratings are equal.
    """
    mean = _shares(left, right, categories).mean(axis=0)
    own = mean @ (1 - mean.mean(axis=0)) / (categories - 1)
    return _coefficient(left, right, agreed, own)


def kappa(
    left: Ints, right: Ints, categories: int, agreed: Floats | None = None
) -> tuple[float, float, float]:
    """Return Cohen's κ of two raters and its 95 % interval, as ``ac1``; NaN if undefined."""
    one, two = _shares(left, right, categories)
    own = (one @ two.mean(axis=0) + two @ one.mean(axis=0)) / 2
    return _coefficient(left, right, agreed, own)


def _shares(left: Ints, right: Ints, categories: int) -> Floats:
    """Return whether each rater gave each case each rating: an array rater × case × rating."""
    return np.array([np.equal.outer(side, np.arange(categories)) for side in (left, right)], float)


def _coefficient(
    left: Ints, right: Ints, agreed: Floats | None, own: Floats
) -> tuple[float, float, float]:
    """Return a coefficient and its interval; ``own``: each case's part of the chance agreement."""
    chance = float(own.mean())
    agreed = (left == right).astype(float) if agreed is None else agreed
    if chance >= 1:
        return (float("nan"),) * 3
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if len(left) < 2:
        return value, float("nan"), float("nan")
    linear = (agreed - chance) / (1 - chance) - 2 * (1 - value) * (own - chance) / (1 - chance)
    variance = float(((linear - value) ** 2).sum() / (len(left) * (len(left) - 1)))
    half = float(t.ppf(0.975, len(left) - 1)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)


def given_reasons(reviews: Sequence[Review]) -> pd.DataFrame:
    """Return how often each reviewer gave each reason for *not an error*.

    Columns: ``reviewer, reason`` (the words of ``REASONS``, or ``NO_REASON``), ``count``.
    """
    table = decided(reviews)
    fine = table[table["verdict"] == FINE]
    words = fine.assign(reason=[REASONS.get(code, NO_REASON) for code in fine["reason"]])
    return words[["reviewer", "reason"]].value_counts(sort=False).reset_index(name="count")
