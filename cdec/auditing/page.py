"""Pages of the audit: counts of cases, decisions, scores before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from cdec.auditing.case import KINDS, WORDS, Case
from cdec.auditing.decisions import Review, tally
from cdec.auditing.fixes import LETTERS
from cdec.auditing.shortlist import ShortList, marked, with_sentences
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.evaluation.view import HEADS, with_labels
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Listing, Page, Section, Text
from cdec.render.table import Table
from cdec.signature import Signature, in_json

FIRST = 10  # cases that the page shows
_AROUND = 30  # characters before and after the start of a mention
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


def cases_page(shortlist: ShortList, corpus: Corpus, total: int | None = None) -> Page:
    """Return the first cases, and the number of cases of each kind, by review and detector.

    ``total``: the number of cases of the whole list, if ``shortlist`` is chosen from it.
    """
    every, cards = total or len(shortlist.cases), shortlist.cards
    scores = [case.score for case in shortlist.cases if case.score is not None]
    errors = f", about {sum(scores):,.0f} of them errors" if scores else ""
    of_all = f" of {every:,}" if every > len(shortlist.cases) else ""
    title = f"{counted(len(shortlist.cases), 'suspected error')}{of_all}{errors}"
    sentences = marked(corpus)
    first = tuple(
        Listing(*_card(at, card, corpus, sentences)) for at, card in enumerate(cards[:FIRST], 1)
    )
    rows = [
        {"kind": case.kind, "column": column, "cases": 1}
        for case in shortlist.cases
        for column in ("cases", *_review(case), *case.detectors)
    ]
    flags = pd.DataFrame(rows, columns=["kind", "column", "cases"])
    data = flags.groupby(["kind", "column"], sort=False)["cases"].sum().reset_index()
    table = data.pivot(index="kind", columns="column", values="cases").fillna(0).astype(int)
    names = [name for name in ("cases", "reviewed", "outside") if name in table]
    ordered = table.reindex([kind for kind in KINDS if kind in table.index])
    counts = {name: (name, str) for name in dict.fromkeys([*names, *table.columns])}
    legend = (_REVIEWED if "reviewed" in table else "") + "a case of two detectors counts in both"
    about = Signature(shortlist.about)
    notes = (
        *_expectations(shortlist),
        *(notice.line for notice in shortlist.notices),
        "-o FILE.jsonl writes these cases, for `cdec audit review`; --all takes the whole list",
        str(about),
    )
    grid = Table("", {"kind": ("Kind", WORDS), **counts}, legend).grid(ordered.reset_index())
    grid = replace(grid, narrow=range(len(names)))
    expected = {"expected": [row.model_dump() for row in shortlist.expected]}
    sections = (
        *((Section("first", f"The first {len(first)}", first),) if first else ()),
        Section("kinds", "Cases by kind", (grid, *map(Text, notes)), data),
    )
    return Page(title, sections, about=in_json(about) | expected)


def _card(
    number: int, cases: Sequence[Case], corpus: Corpus, sentences: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    """Return title and lines of a case, or of cases about copies of the same sentences."""
    one = cases[0]
    score = "" if one.score is None else f", probability {one.score:.2f}"
    title = f"{number}. {WORDS[one.kind]} (topic {one.topic}{score})"
    if len(cases) == 1:
        lines = [
            f"{LETTERS[at % 26]} {_window(sentences[id_])}  {id_}"
            for at, side in enumerate(one.sides)
            for id_ in (() if side.evidence else side.mentions[:1])
        ]
        places = [f"A missing at {side.place}" for side in one.sides if side.place]
        return title, (*places, *lines, f"→ {one.fixes[0].text}")
    asked = dict.fromkeys(id_ for case in cases for id_ in case.asked)
    spots = corpus.mentions.loc[[*asked], ["doc", "sentence"]]
    firsts = spots.drop_duplicates().index
    title = f"{number}. copies of a sentence: link all {len(cases)} (topic {one.topic}{score})"
    texts = corpus.mentions["text"]
    links = (f"→ {texts[case.asked[0]]}: {' '.join(case.asked)}" for case in cases)
    return title, (*(_window(sentences[str(id_)]) for id_ in firsts), *links)


def _window(sentence: str) -> str:
    """Return the part of a sentence around its mention, which is in brackets."""
    at = max(0, sentence.find("[") - _AROUND)
    text = sentence[at : at + 2 * _AROUND]
    return f"{'…' if at else ''}{text}{'…' if at + len(text) < len(sentence) else ''}"


def pairs_page(shortlist: ShortList, corpus: Corpus, delta: float, top: int = FIRST) -> Page:
    """Return the pairs of the SVM with the largest anchors, and the line of δ among them."""
    pairs = shortlist.pairs if shortlist.pairs is not None else pd.DataFrame()
    above = int(pairs["above"].sum())
    sentences, blocks = marked(corpus), list[Listing | Text]()
    most = min(len(pairs), above + max(3, top - above))
    shown = [*range(min(top, above)), *range(above, most)]
    line = f"δ = {delta:g}: {above:,} pairs are above this line, {len(pairs) - above:,} are below"
    for at in shown:
        if at == above:
            blocks.append(Text(line))
        row = pairs.iloc[at]
        label = "linked by the key" if row["linked"] else "not linked by the key"
        lines = tuple(f"{_window(sentences[row[end]])}  {row[end]}" for end in ("a", "b"))
        blocks.append(Listing(f"{at + 1}. |a| = {row['anchor']:.2f}, {label}", lines))
    if above >= len(pairs) or not shown:
        blocks.append(Text(line))
    about = Signature(shortlist.about)
    notes = (
        "An anchor is what the other features leave unexplained of the label of a pair; a pair "
        "below δ is one whose label they explain. --word finds a pair, -o FILE.csv writes all.",
        str(about),
    )
    data = with_sentences(pairs.iloc[shown], corpus)
    said = counted(above, "pair of mentions", "pairs of mentions")
    title = f"{said} above δ, of {len(pairs):,} with an anchor"
    section = Section("pairs", "By |a|, the largest first", (*blocks, *map(Text, notes)), data)
    return Page(title, (section,), about=in_json(about))


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


def _agreement(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each pair of reviewers, on all kinds of cases."""
    for names, rows in pairs[pairs["kind"] == ALL].groupby(["one", "two"], sort=False):
        said = [
            f"on {_ON[row['on']]} {percent(row['agreed'])} % of {counted(row['cases'], 'case')}, "
            f"AC1 {_with_interval(row['ac1'], row['low'], row['high'])}, "
            f"Cohen's κ {_with_interval(row['kappa'], row['kappa_low'], row['kappa_high'])}"
            for row in rows[rows["cases"] > 0].to_dict("records")
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
