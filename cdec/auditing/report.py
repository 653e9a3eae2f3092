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

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from math import isnan

import numpy as np
import pandas as pd
from scipy.stats import t

from cdec.api import evaluate
from cdec.arrays import Floats
from cdec.auditing.case import WORDS
from cdec.auditing.claims import Patch, corrected, origin_of
from cdec.auditing.questions import FINE, REASONS, VERDICTS
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.errors import counted, shown_by
from cdec.evaluation.response import Responses
from cdec.records import Row
from cdec.render.charts import draw_chart, draw_points
from cdec.render.page import Chart, Page, Table, percent
from cdec.signature import Signature, in_json

BOTH = "both"
_ON = {  # column of the votes, and words
    "verdict": ("verdict", "the verdict"),
    BOTH: ("said", "verdict and correction"),
}
_COEFFICIENTS = {  # name, and its columns
    "Gwet's AC1": ("ac1", "low", "high"),
    "Cohen's κ": ("kappa", "kappa_low", "kappa_high"),
}
_MEASURES = ("cases", "agreed", *chain(*_COEFFICIENTS.values()))


def report_page(votes: pd.DataFrame, corpus: Corpus) -> Page:
    """Return the verdicts by reader and kind; notes and JSON have agreement and reasons."""
    rows = votes.rename(columns={"reader": "reviewer"})
    verdicts = rows.value_counts(
        ["reviewer", "kind", "verdict"], sort=False
    ).reset_index()
    fine = rows[rows["verdict"] == FINE]
    fine = fine.assign(reason=fine["reason"].map(REASONS).fillna("none given"))
    reasons = fine.value_counts(["reviewer", "reason"], sort=False).reset_index()
    pairs = agreement(votes)
    notes = list(_agreed(pairs))
    for reader, own in reasons.groupby("reviewer", sort=False):
        if own["reason"].ne("none given").any():
            said = (
                f"{reason} {count}"
                for reason, count in own[["reason", "count"]].to_numpy()
            )
            notes.append(f"reasons for not an error, {reader}: {', '.join(said)}")
    table = verdicts.pivot(
        index=["reviewer", "kind"], columns="verdict", values="count"
    )
    table = table.fillna(0).astype(int).reset_index()
    counts = votes["verdict"].value_counts().items()
    title = (
        f"decisions: {', '.join(f'{verdict} {number}' for verdict, number in counts)}"
    )
    columns: Row = {name: name for name in map(str, table)} | {"kind": ("kind", WORDS)}
    reviewed = {
        "agreement": pairs.astype(object).where(pairs.notna(), None).to_dict("records"),
        "reasons": reasons.to_dict("records"),
    }
    facts = in_json(Signature(origin_of(corpus))) | reviewed
    grid = Table(title, columns, heads=0).grid(table, *notes)
    measured = pairs[pairs["cases"] > 0]
    chart = _agreement_chart(measured) if len(measured) else None
    return Page.of(grid, verdicts, facts, chart)


def _agreement_chart(pairs: pd.DataFrame) -> Chart:
    """Return the chart of AC1 and κ of each pair of readers that have cases in common."""
    conditions = pairs["one"] + " and " + pairs["two"] + ": "
    conditions += pairs["on"].map(lambda on: _ON[on][1].removeprefix("the "))
    parts = []
    for measure, columns in _COEFFICIENTS.items():
        part = pairs[[*columns]].set_axis(["value", "low", "high"], axis=1)
        parts.append(part.assign(line=measure, condition=conditions))
    draw = partial(draw_points, rows=pd.concat(parts), unit="Agreement")
    description = "the numbers are below the table"
    return Chart(
        partial(draw_chart, draw, "Agreement", description),
        "Agreement beyond chance of each two readers, with 95 % intervals.",
        "agreement",
    )


def scored_page(
    page: Page,
    patch: Patch,
    whole: Corpus,
    before: Corpus,
    responses: Responses,
    *,
    split: str | None,
) -> Page:
    """Return the page of a report with the scores before and after a patch.

    ``before`` is the part ``split`` of ``whole``. Raises as ``corrected`` and ``cdec.evaluate``.
    """
    after = corrected(whole, patch)
    results = evaluate(part_of(after, split), responses)
    with shown_by(list):  # the same notices
        results = results.with_before(evaluate(before, responses))
    sections = (
        replace(page.sections[0], id="decisions", title="Decisions"),
        replace(results.page.sections[0], id="scores", title="Scores before and after"),
    )
    return Page(
        "Report of an audit", sections, about={**page.about, **results.page.about}
    )


def agreement(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of each pair of readers on the cases that both decided.

    Columns: ``one, two, on`` (verdict or both), ``cases``, ``agreed`` (the share with equal
    values), ``ac1, low, high, kappa, kappa_low, kappa_high``. Undefined values (no common cases; κ
    if all values are the same) are missing.
    """
    rows = []
    for one, two in combinations(votes["reader"].unique(), 2):
        mine, other = (votes[votes["reader"] == name] for name in (one, two))
        pairs = mine.merge(other, on="case", suffixes=("", "_2"))
        rows += [
            (one, two, on, *_measures(pairs, column)) for on, (column, _) in _ON.items()
        ]
    return pd.DataFrame(rows, columns=["one", "two", "on", *_MEASURES])


def _measures(pairs: pd.DataFrame, column: str) -> tuple[float, ...]:
    """Return number of cases, share of agreement, AC1 and κ with their intervals."""
    if pairs.empty:
        return (0, *(float("nan"),) * 7)
    values = pairs[["verdict", "verdict_2"]].to_numpy()
    one, two = ((values[:, [at]] == np.array(VERDICTS)).astype(float) for at in (0, 1))
    mean = (one + two) / 2
    # The part of each case in the chance agreement of AC1, and of Cohen's κ.
    ac1 = mean @ (1 - mean.mean(axis=0)) / (len(VERDICTS) - 1)
    kappa = (one @ two.mean(axis=0) + two @ one.mean(axis=0)) / 2
    agreed = np.array(pairs[column] == pairs[f"{column}_2"], dtype=np.float64)
    share = float(agreed.mean())
    return len(pairs), share, *_coefficient(agreed, ac1), *_coefficient(agreed, kappa)


def _coefficient(agreed: Floats, own: Floats) -> tuple[float, float, float]:
    """Return a coefficient and its 95 % interval; ``own``: each case's part of the chance."""
    chance = float(own.mean())
    cases = len(agreed)
    if chance >= 1:
        return (float("nan"),) * 3
    value = (float(agreed.mean()) - chance) / (1 - chance)
    if cases < 2:
        return value, float("nan"), float("nan")
    linear = (agreed - chance) / (1 - chance) - 2 * (1 - value) * (own - chance) / (
        1 - chance
    )
    variance = float(((linear - value) ** 2).sum() / (cases * (cases - 1)))
    half = float(t.ppf(0.975, cases - 1)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)


def _agreed(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each pair of readers."""
    for names, rows in pairs.groupby(["one", "two"], sort=False):
        said = [
            f"on {_ON[row['on']][1]} {percent(row['agreed'])} % of "
            f"{counted(row['cases'], 'case')}, "
            f"AC1 {_with_interval(row['ac1'], row['low'], row['high'])}, "
            f"Cohen's κ {_with_interval(row['kappa'], row['kappa_low'], row['kappa_high'])}"
            for row in rows[rows["cases"] > 0].to_dict("records")
        ]
        yield f"agreement of {' and '.join(map(str, names))}: {'; '.join(said) or 'no common case'}"


def _with_interval(value: float, low: float, high: float) -> str:
    if isnan(value):
        return "undefined"
    if isnan(low):
        return f"{value:z.2f}"  # z: without the sign of a negative zero
    return f"{value:z.2f} ({low:z.2f}–{high:z.2f})"
