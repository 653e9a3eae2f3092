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

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import t

from cdec.arrays import Floats
from cdec.auditing.questions import ERROR, FINE, REASONS, VERDICTS
from cdec.corpus.claims import NONE, Claim

ALL = "all"
VERDICT, CORRECTION, BOTH = MEASURED = ("verdict", "correction", "both")
NO_REASON = "none given"
_COLUMNS = ("ac1", "low", "high", "kappa", "kappa_low", "kappa_high")


def agreement(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of each pair of readers on the cases that both decided.

    Columns: ``one, two, kind`` (``all``, then each kind of case), ``on`` (one of ``MEASURED``),
    ``cases`` (on ``correction``: those that both call an error), ``agreed`` (their share with equal
    values), ``ac1, low, high, kappa, kappa_low, kappa_high``. Undefined values (no common cases; κ
    if all values are the same) are missing.
    """
    rows: list[tuple[object, ...]] = []
    rated = votes.assign(form=list(map(_form, votes["claims"])))
    for one, two in combinations(votes["reader"].unique(), 2):
        mine, other = (rated[rated["reader"] == name] for name in (one, two))
        both = mine.merge(other, on="case", suffixes=("", "_2"))
        for kind in (ALL, *both["kind"].unique()):
            chosen = both if kind == ALL else both[both["kind"] == kind]
            errors = chosen[(chosen["verdict"] == ERROR) & (chosen["verdict_2"] == ERROR)]
            for on, asked in zip(MEASURED, (chosen, errors, chosen), strict=True):
                rows.append((one, two, kind, on, *_measures(asked, on)))
    return pd.DataFrame(rows, columns=["one", "two", "kind", "on", "cases", "agreed", *_COLUMNS])


def _form(claims: Sequence[Claim]) -> str:
    """Return the form of a correction: what it claims of mentions and chains, without names."""
    forms = {
        (bool(c.chain), bool(c.add), c.is_new, c.to == NONE, bool(c.tokens), bool(c.tag))
        for c in claims
    }
    return f"{sorted(forms)}{len(claims) > 1 and claims[0].is_new}"


def _measures(pairs: pd.DataFrame, on: str) -> tuple[float, ...]:
    """Return number of cases, share of agreement, AC1 and κ with their intervals."""
    if pairs.empty:
        return (0, *(float("nan"),) * 7)
    name = "form" if on == CORRECTION else "verdict"
    values = pairs[[name, f"{name}_2"]].to_numpy()
    used = pd.unique(values.ravel()) if on == CORRECTION else np.array(VERDICTS)
    categories = max(2, len(used))
    codes = pd.Index(used).get_indexer(values.ravel()).reshape(-1, 2)
    one, two = np.eye(categories)[codes.T]
    mean = (one + two) / 2
    agreed = codes[:, 0] == codes[:, 1]
    if on != VERDICT:
        agreed &= (pairs["said"] == pairs["said_2"]).to_numpy()
    # The part of each case in the chance agreement of AC1, and of Cohen's κ.
    ac1 = mean @ (1 - mean.mean(axis=0)) / (categories - 1)
    kappa = (one @ two.mean(axis=0) + two @ one.mean(axis=0)) / 2
    coefficients = (_coefficient(agreed.astype(float), own) for own in (ac1, kappa))
    return (len(pairs), float(agreed.mean()), *(value for of in coefficients for value in of))


def _coefficient(agreed: Floats, own: Floats) -> tuple[float, float, float]:
    """Return a coefficient and its 95 % interval; ``own``: each case's part of the chance."""
    chance, cases = float(own.mean()), len(agreed)
    if chance >= 1:
        return (float("nan"),) * 3
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if cases < 2:
        return value, float("nan"), float("nan")
    linear = (agreed - chance) / (1 - chance) - 2 * (1 - value) * (own - chance) / (1 - chance)
    variance = float(((linear - value) ** 2).sum() / (cases * (cases - 1)))
    half = float(t.ppf(0.975, cases - 1)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)


def tally(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the number of verdicts of each reader: ``reviewer, kind, verdict, count``."""
    groups = votes.groupby(["reader", "kind", "verdict"], sort=False).size()
    return groups.rename_axis(["reviewer", "kind", "verdict"]).reset_index(name="count")


def given_reasons(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how often each reader gave each reason for *not an error*.

    Columns: ``reviewer, reason`` (the words of ``REASONS``, or ``NO_REASON``), ``count``.
    """
    fine = votes[votes["verdict"] == FINE]
    words = fine["reason"].map(REASONS).fillna(NO_REASON)
    groups = pd.DataFrame({"reviewer": fine["reader"], "reason": words})
    return groups.value_counts(sort=False).reset_index(name="count")
