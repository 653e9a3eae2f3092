"""Pages of the audit: counts of cases, decisions, scores before and after, the benchmark."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from cdec.auditing.benchmark.measure import summary
from cdec.auditing.case import KINDS, Case
from cdec.auditing.review.agreement import ALL, agreement
from cdec.auditing.review.decisions import Review, tally
from cdec.auditing.review.sample import estimate_notes, estimated
from cdec.auditing.shortlist import ShortList
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.evaluation.tables import HEADS, with_labels
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json

_BIAS = (
    "the corrections were found by shared words, so they favour systems that link by shared words: "
    "differences between systems against the corrected key are not comparable to those before"
)
_REVIEWED = "reviewed: each mention, or a member of its chain, is in a reviewed sentence; "
_LEGEND = (
    "detach: a mention removed from its chain; pair: a chain of two made two singletons; split: a "
    "chain cut in two; attach: a mention moved to another chain; lookalike: to one with its head "
    "lemma; fuse: two chains with a common head lemma merged",
    "cases: the list of the audit; svm, held-out: one detector; between: chains with improbable "
    "links first; lemma: pairs with the same head lemma first; random: random order",
    "precision and recall at N: among the first N of the ranking",
)


def cases_page(shortlist: ShortList) -> Page:
    """Return the number of cases of each kind, by review and detector, and the expected errors."""
    rows = [
        {"kind": case.kind, "column": column, "cases": 1}
        for case in shortlist.cases
        for column in ("cases", *_review(case), *case.detectors)
    ]
    flags = pd.DataFrame(rows, columns=["kind", "column", "cases"])
    data = flags.groupby(["kind", "column"], sort=False)["cases"].sum().reset_index()
    table = data.pivot(index="kind", columns="column", values="cases").fillna(0).astype(int)
    first = [name for name in ("cases", "reviewed", "outside") if name in table]
    ordered = table.reindex([kind for kind in KINDS if kind in table.index])
    counts = dict.fromkeys([*first, *table.columns])
    legend = (_REVIEWED if "reviewed" in table else "") + "a case of two detectors counts in both"
    shown = Table("", {"kind": "Kind", **{name: (name, str) for name in counts}}, legend)
    about = Signature(shortlist.about)
    unknown = (notice.line for notice in shortlist.notices)
    notes = (*_expectations(shortlist), *unknown, str(about))
    expected = {"expected": [row.model_dump() for row in shortlist.expected]}
    page = shown.page(ordered.reset_index(), *notes, about=in_json(about) | expected, data=data)
    return page.with_table(corner="column")


def _review(case: Case) -> tuple[str, ...]:
    return () if case.reviewed is None else ("reviewed" if case.reviewed else "outside",)


def _expectations(shortlist: ShortList) -> Iterator[str]:
    """Yield a sentence on the expected errors of each scope."""
    names = {"all": "", "only": " in reviewed sentences", "outside": " outside them"}
    for scope, place in names.items():
        rows = [row for row in shortlist.expected if row.scope == scope]
        parts = (
            f"{r.errors:.0f} ({r.low:.0f}–{r.high:.0f}) of the first {r.first:,}" for r in rows
        )
        if rows:
            yield f"expected errors{place}, with 95 % interval: {', '.join(parts)}"


def decisions_page(reviews: Sequence[Review]) -> Page:
    """Return the verdicts of each reviewer by kind, and the agreement of each pair."""
    data = tally(reviews)
    table = data.pivot(index=["reviewer", "kind"], columns="verdict", values="count")
    counts = {name: (name, str) for name in table.columns}
    shown = Table("Decisions", {"reviewer": "reviewer", "kind": "kind", **counts})
    notes, reviewed = _reviewed(reviews)
    about = in_json(Signature(reviews[0].about)) | reviewed
    frame = table.fillna(0).astype(int).reset_index()
    return shown.page(frame, *notes, about=about, data=data)


def _reviewed(reviews: Sequence[Review]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return agreement of the reviewers and estimates of errors, as notes and for JSON."""
    pairs, estimate = agreement(reviews), estimated(reviews)
    about = {"agreement": pairs.to_dict("records"), "estimate": [asdict(row) for row in estimate]}
    return (*_agreement(pairs), *estimate_notes(estimate)), about


def _agreement(pairs: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence for each row of ``agreement``."""
    lines = []
    for row in pairs.to_dict("records"):
        kind = "" if row["kind"] == ALL else f"{row['kind']}: "
        interval = f" ({row['low']:.2f}–{row['high']:.2f})" if row["low"] == row["low"] else ""
        lines.append(
            f"{row['one']} and {row['two']}: {kind}{counted(row['cases'], 'case')} in common, "
            f"agreement on verdict and correction {percent(row['agreed'])} %{_corrections(row)}, "
            f"AC1 {_number(row['ac1'])}{interval}, Cohen's κ {_number(row['kappa'])}"
        )
    return tuple(lines)


def _corrections(row: Mapping[Hashable, Any]) -> str:
    """Return how many of the common errors have equal corrections."""
    errors = int(row["errors"])
    if not errors:
        return ""
    equal = round(row["corrections"] * errors)
    return f" (of {counted(errors, 'common error')}, {equal} with equal corrections)"


def before_after_page(before: Results, after: Results, reviews: Sequence[Review]) -> Page:
    """Return F before and after the correction of the key, for each setting and system.

    The notes and the JSON also have the verdicts and the agreement of the reviewers.
    """
    keys = ["corpus", "split", "setting", "system", "metric"]
    values = ["precision", "recall", "f1"]
    data = before.to_frame()[keys + values].merge(
        after.to_frame()[keys + values], on=keys, suffixes=("_before", "_after")
    )
    decisions = tally(reviews)
    counts = decisions.groupby("verdict", sort=False)["count"].sum()
    verdicts = ", ".join(f"{verdict} {count}" for verdict, count in counts.items())
    signatures = (f"before: {before.signature}", f"after: {after.signature}")
    notes, reviewed = _reviewed(reviews)
    notes = (f"decisions: {verdicts}", *notes, _BIAS, *signatures)
    about: dict[str, Any] = in_json(*before.signatures, *after.signatures)
    about |= {"before": before.about, "after": after.about}
    about |= {"decisions": decisions.to_dict("records"), **reviewed}
    title = "F before and after the correction of the key"
    view = _before_after(data)
    return Page.from_table(view, data, title=title, notes=notes, about=about)


def _before_after(data: pd.DataFrame) -> pd.DataFrame:
    """Return F before, F after and the difference; a row for each setting and system."""
    rows = []
    for names, part in with_labels(data).groupby(list(HEADS), sort=False):
        cells = part.set_index("metric")
        row = dict(zip([(title, "") for title in HEADS.values()], names, strict=True))
        for metric in cells.index:
            old, new = (float(cells[f"f1_{when}"][metric]) for when in ("before", "after"))
            label = REGISTRY[str(metric)].label
            row[label, "before"], row[label, "after"] = percent(old), percent(new)
            row[label, "±"] = points(new - old)
        rows.append(row)
    view = pd.DataFrame(rows)
    view.columns = pd.MultiIndex.from_tuples(list(rows[0]))
    return view


def benchmark_page(table: pd.DataFrame, signature: Signature) -> Page:
    """Return the means with intervals over seeds; a row for each kind of error and ranking."""
    means = summary(table)
    columns = [
        *(("precision", at) for at in (100, 300)),
        *(("recall", at) for at in (300, 1000, 3000)),
        ("average-precision", 0),
    ]
    rows = []
    for (kind, ranking), part in means.groupby(["kind", "ranking"], sort=False):
        if not ranking:
            continue
        cells = part.set_index(["measure", "at"])
        row = {("planted", ""): str(kind), ("ranking", ""): str(ranking)}
        row |= {(m, str(at or "")): _interval(cells.xs((m, at))) for m, at in columns}
        rows.append(row)
    view = pd.DataFrame(rows)
    view.columns = pd.MultiIndex.from_tuples(list(rows[0]))
    sizes = means[means["ranking"] == ""].pivot(index="kind", columns="measure", values="mean")
    counts = ", ".join(
        f"{kind} {row['findable']:.0f} of {row['planted']:.0f}" for kind, row in sizes.iterrows()
    )
    notes = (
        *_LEGEND,
        "mean ± half of a 95 % interval over seeds; recall is of all planted errors; in the "
        f"results of any detector are {counts}",
        "precision is a lower bound: actual errors of the key count as false positives",
        str(signature),
    )
    return Page.from_table(view, table, notes=notes, about=in_json(signature))


def corrections_page(table: pd.DataFrame, signature: Signature) -> Page:
    """Return the shares of right corrections; a row for each planted kind and kind of its case."""
    shares = {
        "listed": ("listed", "planted"),
        "first right": ("first", "listed"),
        "right among all": ("options", "listed"),
        "preselected": ("preselected", "listed"),
        "right where preselected": ("right", "preselected"),
    }
    view = table[["kind", "case", "planted"]].rename(columns={"kind": "planted", "planted": "n"})
    for name, (part, whole) in shares.items():
        view[name] = [
            percent(n / of) if of else "–" for n, of in zip(table[part], table[whole], strict=True)
        ]
    notes = (
        "listed: share of the planted errors with such a case that asks about no second one; the "
        "next columns are shares of these cases, the last of those with a preselected correction",
        str(signature),
    )
    return Page.from_table(view, table, notes=notes, about=in_json(signature))


def _interval(row: Any) -> str:
    half = (row["high"] - row["low"]) / 2
    return percent(row["mean"]) if pd.isna(half) else f"{percent(row['mean'])}±{percent(half)}"


def _number(value: float) -> str:
    return "undefined" if pd.isna(value) else f"{value:.2f}"
