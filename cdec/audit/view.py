"""Pages of the audit: counts of cases, decisions, scores before and after, the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from cdec.audit.benchmark.measure import summary
from cdec.audit.case import KINDS
from cdec.audit.review.decisions import Review, agreement, tally
from cdec.audit.shortlist import ShortList
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.evaluation.tables import HEADS, with_labels
from cdec.render.numbers import percent, points
from cdec.render.page import Page
from cdec.signature import Signature, in_json

_METRICS = ("conll", "lea", "muc", "b3", "ceafe", "blanc")
_LEGEND = (
    "detach: a mention removed from its chain; split: a chain cut in two; attach: a mention moved "
    "to another chain",
    "cases: all detectors together; svm, held-out: one detector; lemma: pairs with the same head "
    "lemma first; random: random order",
    "precision and recall at N: among the first N of the ranking",
)


def cases_page(shortlist: ShortList) -> Page:
    """Return the number of cases of each kind and detector."""
    rows = [
        {"kind": case.kind, "detector": detector, "cases": 1}
        for case in shortlist.cases
        for detector in (*case.detectors, "any")
    ]
    flags = pd.DataFrame(rows, columns=["kind", "detector", "cases"])
    data = flags.groupby(["kind", "detector"], sort=False)["cases"].sum().reset_index()
    table = data.pivot(index="kind", columns="detector", values="cases").fillna(0).astype(int)
    detectors = [name for name in table.columns if name != "any"]
    ordered = table.reindex([kind for kind in KINDS if kind in table.index])
    shown = ordered[["any", *detectors]] if len(ordered) else ordered
    view = shown.astype(str).reset_index().rename(columns={"any": "cases", "kind": "Kind"})
    about = Signature(shortlist.about)
    note = "a case flagged by two detectors counts in both columns"
    return Page.from_table(view, data, notes=(note, str(about)), about=in_json(about))


def decisions_page(reviews: Sequence[Review]) -> Page:
    """Return the verdicts of each reviewer by kind, and the agreement of each pair."""
    data = tally(reviews)
    table = data.pivot(index=["reviewer", "kind"], columns="verdict", values="count")
    view = table.fillna(0).astype(int).astype(str).reset_index()
    pairs = agreement(reviews)
    view.columns.name = None
    about = in_json(Signature(reviews[0].about)) | {"agreement": pairs.to_dict("records")}
    return Page.from_table(view, data, title="Decisions", notes=_agreement(pairs), about=about)


def _agreement(pairs: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence for each row of ``agreement``."""
    return tuple(
        f"{one} and {two}: {counted(cases, 'case')} in common, "
        f"agreement {percent(agreed)} %, Cohen's κ {_kappa(kappa)}"
        for one, two, cases, agreed, kappa in pairs.to_numpy().tolist()
    )


def before_after_page(before: Results, after: Results, reviews: Sequence[Review]) -> Page:
    """Return F before and after the correction of the key, for each setting and system.

    The notes and the JSON also have the verdicts and the agreement of the reviewers.
    """
    keys = ["corpus", "split", "setting", "system", "metric"]
    values = ["precision", "recall", "f1"]
    data = before.to_frame()[keys + values].merge(
        after.to_frame()[keys + values], on=keys, suffixes=("_before", "_after")
    )
    decisions, pairs = tally(reviews), agreement(reviews)
    counts = decisions.groupby("verdict", sort=False)["count"].sum()
    verdicts = ", ".join(f"{verdict} {count}" for verdict, count in counts.items())
    signatures = (f"before: {before.signature}", f"after: {after.signature}")
    notes = (f"decisions: {verdicts}", *_agreement(pairs), *signatures)
    about: dict[str, Any] = in_json(*(result.signature for result in (*before, *after)))
    about |= {"before": before.about, "after": after.about}
    about["decisions"] = decisions.to_dict("records")
    about["agreement"] = pairs.to_dict("records")
    title = "F before and after the correction of the key"
    return Page.from_table(_before_after(data), data, title=title, notes=notes, about=about)


def _before_after(data: pd.DataFrame) -> pd.DataFrame:
    """Return F before, F after and the difference; a row for each setting and system."""
    rows = []
    for names, part in with_labels(data).groupby(list(HEADS), sort=False):
        cells = part.set_index("metric")
        row = dict(zip([(title, "") for title in HEADS.values()], names, strict=True))
        for metric in (name for name in _METRICS if name in cells.index):
            old, new = (float(cells[f"f1_{when}"][metric]) for when in ("before", "after"))
            row[metric, "before"], row[metric, "after"] = percent(old), percent(new)
            row[metric, "±"] = points(new - old)
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
    findable = means[means["measure"] == "findable"]
    counts = ", ".join(
        f"{kind} {mean:.0f}" for kind, mean in zip(findable["kind"], findable["mean"], strict=True)
    )
    notes = (
        *_LEGEND,
        "mean ± half of a 95 % interval over seeds; recall counts only planted errors with a "
        f"candidate pair: {counts}",
        "precision is a lower bound: actual errors of the key count as false positives",
        str(signature),
    )
    return Page.from_table(view, table, notes=notes, about=in_json(signature))


def _interval(row: Any) -> str:
    half = (row["high"] - row["low"]) / 2
    return percent(row["mean"]) if pd.isna(half) else f"{percent(row['mean'])}±{percent(half)}"


def _kappa(value: float) -> str:
    return "undefined" if pd.isna(value) else f"{value:.2f}"
