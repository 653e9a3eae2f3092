"""What reviewers decided, and how well they agree: Cohen's κ and Gwet's AC1, with intervals.

Agreement is on the verdict, and on both verdict and correction: then reviewers agree if their
verdicts are equal and, for an error, their corrections. The chance agreement is computed from
the verdicts. That of a correction is unknown but smaller, so that the coefficients on both are
lower bounds.

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

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from cdec.arrays import Floats
from cdec.auditing.case import WORDS
from cdec.auditing.claims import origin_of
from cdec.auditing.questions import FINE, REASONS, VERDICTS
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.render.page import Form, Page, Table, percent
from cdec.signature import Signature, in_json

VERDICT = "verdict"
BOTH = "both"
# What readers agree on: the column of the votes, and words.
_ON = {
    VERDICT: ("verdict", "the verdict"),
    BOTH: ("answer", "verdict and correction"),
}
_MEASURES = (
    "cases",
    "agreed",
    "ac1",
    "low",
    "high",
    "kappa",
    "kappa_low",
    "kappa_high",
)
_NO_REASON = "none given"
_NAN = float("nan")


def report_page(votes: pd.DataFrame, corpus: Corpus) -> Page:
    """Return the verdicts by reader and kind; notes and JSON have agreement and reasons."""
    rows = votes.rename(columns={"reader": "reviewer"})
    verdicts = rows.value_counts(
        ["reviewer", "kind", "verdict"], sort=False
    ).reset_index()
    reasons = _reasons(rows)
    pairs = agreement(votes)
    table = verdicts.pivot(
        index=["reviewer", "kind"], columns="verdict", values="count"
    )
    table = table.fillna(0).astype(int).reset_index()
    columns: dict[str, str | tuple[str, Form]] = {
        str(name): str(name) for name in table
    }
    columns["kind"] = ("kind", WORDS)
    notes = [*_notes_on_agreement(pairs), *_notes_on_reasons(reasons)]
    grid = Table(_title(votes), columns, heads=0).grid(table, *notes)
    facts = in_json(Signature(origin_of(corpus)))
    measures = pairs.astype(object).where(pairs.notna(), None)
    facts["agreement"] = measures.to_dict("records")
    facts["reasons"] = reasons.to_dict("records")
    return Page.of(grid, verdicts, facts)


def _title(votes: pd.DataFrame) -> str:
    counts = votes["verdict"].value_counts()
    texts = [f"{verdict} {count}" for verdict, count in counts.items()]
    return f"decisions: {', '.join(texts)}"


def _reasons(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how often each reviewer gave each reason why a case is not an error."""
    fine = votes[votes["verdict"] == FINE]
    fine = fine.assign(reason=fine["reason"].map(REASONS).fillna(_NO_REASON))
    return fine.value_counts(["reviewer", "reason"], sort=False).reset_index()


def _notes_on_reasons(reasons: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each reviewer who gave a reason."""
    for reviewer, rows in reasons.groupby("reviewer", sort=False):
        if rows["reason"].ne(_NO_REASON).any():
            counts = zip(rows["reason"], rows["count"], strict=True)
            text = ", ".join(f"{reason} {count}" for reason, count in counts)
            yield f"reasons for not an error, {reviewer}: {text}"


def _notes_on_agreement(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each pair of readers."""
    for names, rows in pairs.groupby(["one", "two"], sort=False):
        measured = rows[rows["cases"] > 0].to_dict("records")
        texts = [_agreement_in_words(row) for row in measured]
        readers = " and ".join(map(str, names))
        yield f"agreement of {readers}: {'; '.join(texts) or 'no common case'}"


def _agreement_in_words(row: Mapping[Any, Any]) -> str:
    _, subject = _ON[row["on"]]
    share = percent(row["agreed"])
    cases = counted(row["cases"], "case")
    ac1 = _with_interval(row["ac1"], row["low"], row["high"])
    kappa = _with_interval(row["kappa"], row["kappa_low"], row["kappa_high"])
    return f"on {subject} {share} % of {cases}, AC1 {ac1}, Cohen's κ {kappa}"


def _with_interval(value: float, low: float, high: float) -> str:
    if isnan(value):
        return "undefined"
    if isnan(low):
        return f"{value:.2f}"
    return f"{value:.2f} ({low:.2f}–{high:.2f})"


# ---- the coefficients ----


def agreement(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of each pair of readers on the cases that both decided.

    Columns: ``one, two, on`` (verdict or both), ``cases``, ``agreed`` (the share with equal
    values), ``ac1, low, high, kappa, kappa_low, kappa_high``. Undefined values (no common cases; κ
    if all values are the same) are missing.
    """
    rows = []
    for first, second in combinations(votes["reader"].unique(), 2):
        first_votes = votes[votes["reader"] == first]
        second_votes = votes[votes["reader"] == second]
        pairs = first_votes.merge(second_votes, on="case", suffixes=("", "_2"))
        for subject, (column, _) in _ON.items():
            rows.append((first, second, subject, *_measures(pairs, column)))
    return pd.DataFrame(rows, columns=["one", "two", "on", *_MEASURES])


def _measures(pairs: pd.DataFrame, column: str) -> tuple[float, ...]:
    """Return number of cases, share of agreement, AC1 and κ with their intervals."""
    if pairs.empty:
        return (0, *[_NAN] * 7)
    verdicts = np.array(VERDICTS)
    first = (pairs[["verdict"]].to_numpy() == verdicts).astype(float)
    second = (pairs[["verdict_2"]].to_numpy() == verdicts).astype(float)
    mean = (first + second) / 2
    # The part of each case in the chance agreement of AC1, and of Cohen's κ.
    chance_of_ac1 = mean @ (1 - mean.mean(axis=0)) / (len(VERDICTS) - 1)
    chance_of_kappa = (first @ second.mean(axis=0) + second @ first.mean(axis=0)) / 2
    equal = np.array(pairs[column] == pairs[f"{column}_2"], dtype=np.float64)
    return (
        len(pairs),
        float(equal.mean()),
        *_coefficient(equal, chance_of_ac1),
        *_coefficient(equal, chance_of_kappa),
    )


def _coefficient(agreed: Floats, chance_of_case: Floats) -> tuple[float, float, float]:
    """Return a coefficient and its 95 % interval.

    ``chance_of_case``: the part of each case in the chance agreement.
    """
    chance = float(chance_of_case.mean())
    if chance >= 1:
        return _NAN, _NAN, _NAN
    cases = len(agreed)
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if cases < 2:
        return value, _NAN, _NAN
    of_agreement = (agreed - chance) / (1 - chance)
    of_chance = 2 * (1 - value) * (chance_of_case - chance) / (1 - chance)
    contributions = of_agreement - of_chance
    squares = float(((contributions - value) ** 2).sum())
    variance = squares / (cases * (cases - 1))
    half = float(t.ppf(0.975, cases - 1)) * variance**0.5
    low = max(-1.0, value - half)
    high = min(1.0, value + half)
    return value, low, high
