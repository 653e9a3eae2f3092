"""Pages of the audit: counts of cases, decisions, scores before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd

from cdec.auditing.agreement import (
    ALL,
    BOTH,
    CORRECTION,
    NO_REASON,
    VERDICT,
    agreement,
    given_reasons,
)
from cdec.auditing.case import KINDS, Case
from cdec.auditing.decisions import Review, tally
from cdec.auditing.shortlist import ShortList
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.evaluation.view import HEADS, with_labels
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json

_BIAS = (
    "the corrections were found by shared words, so they favour systems that link by shared words: "
    "differences between systems against the corrected key are not comparable to those before"
)
_PRODUCTS = (
    "product A: corrections all whose mentions are in reviewed sentences; B: all others. Each is "
    "scored without the other"
)
_REVIEWED = "reviewed: each mention, or a member of its chain, is in a reviewed sentence; "
_ON = {
    VERDICT: "the verdict",
    CORRECTION: "the correction of common errors",
    BOTH: "verdict and correction",
}


def cases_page(shortlist: ShortList, total: int | None = None) -> Page:
    """Return the number of cases of each kind, by review and detector, and the expected errors.

    ``total``: the number of cases of the whole list, if ``shortlist`` is chosen from it.
    """
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
    size, every = len(shortlist.cases), total or len(shortlist.cases)
    others = f"{every - size:,} of {counted(every, 'case')} not counted: they were not chosen"
    left = (others,) if every > size else ()
    notes = (*left, *_expectations(shortlist), *unknown, str(about))
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
    """Return agreement and reasons, as notes and for JSON."""
    pairs = agreement(reviews)
    about = {
        "agreement": pairs.astype(object).where(pairs.notna(), None).to_dict("records"),
        "reasons": given_reasons(reviews).to_dict("records"),
    }
    return (*_agreement(pairs), *_reasons(reviews)), about


def _written(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return rows of ``agreement`` with their numbers as texts."""

    def texts(*names: str) -> list[str]:
        return [_with_interval(*row) for row in pairs[[*names]].itertuples(index=False, name=None)]

    ac1, kappa = texts("ac1", "low", "high"), texts("kappa", "kappa_low", "kappa_high")
    return pairs.assign(agreed=pairs["agreed"].map(percent), ac1=ac1, kappa=kappa)


def _agreement(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each pair of reviewers, on all kinds of cases."""
    for names, rows in pairs[pairs["kind"] == ALL].groupby(["one", "two"], sort=False):
        said = [
            f"on {_ON[row['on']]} {row['agreed']} % of {counted(row['cases'], 'case')}, "
            f"AC1 {row['ac1']}, Cohen's κ {row['kappa']}"
            for row in _written(rows).to_dict("records")
            if row["cases"]
        ]
        yield f"agreement of {' and '.join(map(str, names))}: {'; '.join(said) or 'no common case'}"


def _reasons(reviews: Sequence[Review]) -> Iterator[str]:
    """Yield the reasons for *not an error* of each reviewer who gave any."""
    for reviewer, rows in given_reasons(reviews).groupby("reviewer", sort=False):
        if {*rows["reason"]} != {NO_REASON}:
            counts = rows[["reason", "count"]].itertuples(index=False)
            listed = ", ".join(f"{reason} {count}" for reason, count in counts)
            yield f"reasons for not an error, {reviewer}: {listed}"


def before_after_page(
    products: Mapping[str, tuple[Results, Results]],
    reviews: Sequence[Review],
) -> Page:
    """Return F before and after the corrections of each product, by setting and system.

    The notes and the JSON also have the verdicts and the agreement of the reviewers.
    """
    data, decisions = _joined(products), tally(reviews)
    counts = decisions.groupby("verdict", sort=False)["count"].sum()
    verdicts = ", ".join(f"{verdict} {count}" for verdict, count in counts.items())
    before = next(iter(products.values()))[0]
    after = {name: new for name, (_, new) in products.items()}
    named = {name and f", product {name}": new for name, new in after.items()}
    several = "product" in data
    said, reviewed = _reviewed(reviews)
    notes = (
        f"decisions: {verdicts}",
        *said,
        *([_PRODUCTS] if several else []),
        _BIAS,
        f"before: {before.signature}",
        *(f"after{name}: {new.signature}" for name, new in named.items()),
    )
    signatures = (signature for new in after.values() for signature in new.signatures)
    about: dict[str, Any] = in_json(*before.signatures, *signatures)
    corrected = {name: new.about for name, new in after.items()}
    about |= {"before": before.about, "after": corrected if several else corrected[""]}
    about |= {"decisions": decisions.to_dict("records"), **reviewed}
    title = "F before and after the correction of the key"
    return Page.from_table(_before_after(data), data, title=title, notes=notes, about=about)


def _joined(products: Mapping[str, tuple[Results, Results]]) -> pd.DataFrame:
    """Return the values before and after, with the product if there are several."""
    keys = ["corpus", "split", "setting", "system", "metric"]
    values = ["precision", "recall", "f1"]
    tables = []
    for product, both in products.items():
        old, new = (results.to_frame()[keys + values] for results in both)
        table = old.merge(new, on=keys, suffixes=("_before", "_after"))
        tables.append(table.assign(product=product) if product else table)
    return pd.concat(tables, ignore_index=True)


def _before_after(data: pd.DataFrame) -> pd.DataFrame:
    """Return F before, F after and the difference; a row for each product, setting and system."""
    heads = {**({"product": "Product"} if "product" in data else {}), **HEADS}
    rows = []
    for names, part in with_labels(data).groupby(list(heads), sort=False):
        row = dict(zip([(title, "") for title in heads.values()], names, strict=True))
        columns = part[["metric", "f1_before", "f1_after"]]
        for metric, old, new in columns.itertuples(index=False, name=None):
            label = REGISTRY[str(metric)].label
            row[label, "before"], row[label, "after"] = percent(old), percent(new)
            row[label, "±"] = points(new - old)
        rows.append(row)
    view = pd.DataFrame(rows)
    view.columns = pd.MultiIndex.from_tuples(list(rows[0]))
    return view


def _with_interval(value: float, low: float, high: float) -> str:
    if isnan(value):
        return "undefined"
    return f"{value:.2f}" if isnan(low) else f"{value:.2f} ({low:.2f}–{high:.2f})"
