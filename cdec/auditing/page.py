"""Pages of the audit: the first cases, the pairs of the SVM, decisions, scores before and after."""

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
    tally,
)
from cdec.auditing.case import KINDS, WORDS, Case
from cdec.auditing.fixes import LETTERS
from cdec.auditing.shortlist import ShortList, marked, with_sentences
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.evaluation.view import headline, with_labels
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Block, Listing, Page, Section, Text
from cdec.render.table import Table
from cdec.settings import label_of
from cdec.signature import Signature, in_json

FIRST = 10  # cases, or pairs, that the page shows
_AROUND = 30  # characters before and after the start of a mention
_ON = {
    VERDICT: "the verdict",
    CORRECTION: "the correction of common errors",
    BOTH: "verdict and correction",
}
_BIAS = (
    "the corrections were found by shared words, so they favour systems that link by shared words: "
    "differences between systems against the corrected key are not comparable to those before"
)
_PRODUCTS = (
    "product A: corrections all whose mentions are in reviewed sentences; B: all others. Each is "
    "scored without the other"
)


def cases_page(listed: ShortList, corpus: Corpus, total: int | None = None) -> Page:
    """Return the first cases, and the number of cases of each kind, by review and detector.

    ``total``: the number of cases of the whole list, if ``listed`` is chosen from it.
    """
    number, sentences = len(listed.cases), marked(corpus)
    scores = [case.score for case in listed.cases if case.score is not None]
    of_all = f" of {total:,}" if total and total > number else ""
    errors = f", about {sum(scores):,.0f} of them errors" if scores else ""
    first = tuple(
        Listing(f"{at}. {title}", lines)
        for at, card in enumerate(listed.cards[:FIRST], start=1)
        for title, lines in [_card(card, corpus, sentences)]
    )
    review = {True: ("reviewed",), False: ("outside",), None: ()}
    rows = [
        (case.kind, column, 1)
        for case in listed.cases
        for column in ("cases", *review[case.reviewed], *case.detectors)
    ]
    flags = pd.DataFrame(rows, columns=["kind", "column", "cases"])
    data = flags.groupby(["kind", "column"], sort=False)["cases"].sum().reset_index()
    table = data.pivot(index="kind", columns="column", values="cases").fillna(0).astype(int)
    names = [name for name in ("cases", "reviewed", "outside") if name in table]
    counts = {name: name for name in dict.fromkeys([*names, *table.columns])}
    legend = "reviewed: each mention, or a member of its chain, is in a reviewed sentence; "
    legend = (legend if "reviewed" in table else "") + "a case of two detectors counts in both"
    ordered = table.reindex([kind for kind in KINDS if kind in table.index]).reset_index()
    grid = Table("", {"kind": ("Kind", WORDS), **counts}, legend).grid(ordered)
    about = Signature(listed.about)
    notes = (
        "-o FILE.jsonl writes these cases, for `cdec audit review`; --all takes the whole list",
        str(about),
    )
    blocks: tuple[Block, ...] = (replace(grid, narrow=range(len(names))), *map(Text, notes))
    sections = (
        *((Section("first", f"The first {len(first)}", first),) if first else ()),
        Section("kinds", "Cases by kind", blocks, data),
    )
    title = f"{counted(number, 'suspected error')}{of_all}{errors}"
    return Page(title, sections, about=in_json(about))


def _card(
    card: Sequence[Case], corpus: Corpus, sentences: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    """Return title and lines of a case, or of cases about copies of the same sentences."""
    one = card[0]
    score = "" if one.score is None else f", probability {one.score:.2f}"
    if len(card) > 1:
        spots = corpus.mentions.loc[[m for case in card for m in case.asked], ["doc", "sentence"]]
        shown = [_window(sentences[str(id_)]) for id_ in spots.drop_duplicates().index]
        texts = corpus.mentions["text"]
        links = [f"→ {texts[case.asked[0]]}: {' '.join(case.asked)}" for case in card]
        title = f"copies of a sentence: link all {len(card)}"
        return f"{title} (topic {one.topic}{score})", (*shown, *links)
    places = [f"A missing at {side.place}" for side in one.sides if side.place]
    lines = [
        f"{LETTERS[at % 26]} {_window(sentences[id_])}  {id_}"
        for at, side in enumerate(one.sides)
        for id_ in (() if side.evidence else side.mentions[:1])
    ]
    title = f"{WORDS[one.kind]} (topic {one.topic}{score})"
    return title, (*places, *lines, f"→ {one.fixes[0].text}")


def _window(sentence: str) -> str:
    """Return the part of a sentence around its mention, which is in brackets."""
    at = max(0, sentence.find("[") - _AROUND)
    text = sentence[at : at + 2 * _AROUND]
    return f"{'…' if at else ''}{text}{'…' if at + len(text) < len(sentence) else ''}"


def pairs_page(listed: ShortList, corpus: Corpus, delta: float, top: int = FIRST) -> Page:
    """Return the pairs of the SVM with the largest anchors, and the line of δ among them."""
    pairs = listed.pairs if listed.pairs is not None else pd.DataFrame()
    above, sentences = int(pairs["above"].sum()), marked(corpus)
    blocks: list[Listing | Text] = []
    for at, row in enumerate(pairs.head(top).to_dict("records"), start=1):
        label = "linked by the key" if row["linked"] else "not linked by the key"
        lines = tuple(f"{_window(sentences[row[end]])}  {row[end]}" for end in ("a", "b"))
        blocks.append(Listing(f"{at}. |a| = {row['anchor']:.2f}, {label}", lines))
    line = f"δ = {delta:g}: {above:,} pairs are above this line, {len(pairs) - above:,} are below"
    blocks.insert(above, Text(line))
    about = Signature(listed.about)
    notes = (
        "An anchor is what the other features leave unexplained of the label of a pair; a pair "
        "below δ is one whose label they explain. --word finds a pair, -o FILE.csv writes all.",
        str(about),
    )
    said = counted(above, "pair of mentions", "pairs of mentions")
    title = f"{said} above δ, of {len(pairs):,} with an anchor"
    data, blocks = with_sentences(pairs.head(top), corpus), [*blocks, *map(Text, notes)]
    section = Section("pairs", "By |a|, the largest first", tuple(blocks), data)
    return Page(title, (section,), about=in_json(about))


def report_page(
    votes: pd.DataFrame,
    about: Mapping[str, Any],
    products: Mapping[str, tuple[Results, Results]] | None = None,
) -> Page:
    """Return the verdicts by reader and kind, or F before and after the corrections.

    Notes and JSON have the agreement of each two readers, and their reasons. ``about``: of the
    decisions; ``products``: the scores before and after each product.
    """
    verdicts, pairs, reasons = tally(votes), agreement(votes), given_reasons(votes)
    said = (*_agreement(pairs), *_reasons(reasons))
    reviewed = {
        "agreement": pairs.astype(object).where(pairs.notna(), None).to_dict("records"),
        "reasons": reasons.to_dict("records"),
    }
    if products is None:
        table = verdicts.pivot(index=["reviewer", "kind"], columns="verdict", values="count")
        frame = table.fillna(0).astype(int).reset_index()
        table_ = Table(_decided(verdicts), {name: name for name in map(str, frame)})
        return table_.page(frame, *said, about=in_json(Signature(about)) | reviewed, data=verdicts)
    before = next(iter(products.values()))[0]
    after = {name: new for name, (_, new) in products.items()}
    keys = ["corpus", "split", "setting", "system", "metric"]
    each = [
        old.merge(new, on=keys, suffixes=("_before", "_after")).assign(product=product)
        for product, both in products.items()
        for old, new in [(one.to_frame()[[*keys, "precision", "recall", "f1"]] for one in both)]
    ]
    data = pd.concat(each, ignore_index=True)
    shown = with_labels(data).assign(change=data["f1_after"] - data["f1_before"])
    labels = {metric: REGISTRY[metric].label for metric in data["metric"].unique()}
    columns: dict[str, Any] = {"product": "Product", "setting": "Setting", "system": "System"}
    columns |= {"metric": ("Metric", labels), "f1_before": ("before", percent)}
    columns |= {"f1_after": ("after", percent), "change": ("±", points)}
    several = {*products} != {""}
    if not several:
        del columns["product"], data["product"]
    notes = (
        _decided(verdicts),
        *said,
        *([_PRODUCTS] if several else []),
        _BIAS,
        f"before: {before.signature}",
        *(f"after{name and f', product {name}'}: {new.signature}" for name, new in after.items()),
    )
    signatures = (signature for new in after.values() for signature in new.signatures)
    scores: dict[str, Any] = in_json(*before.signatures, *signatures)
    corrected = {name: new.about for name, new in after.items()}
    scores |= {"before": before.about, "after": corrected if several else corrected[""]}
    scores |= {"decisions": verdicts.to_dict("records"), **reviewed}
    table_ = Table(_effect(data, shown["change"]), columns)
    return table_.page(shown, *notes, about=scores, data=data)


def _decided(verdicts: pd.DataFrame) -> str:
    """Return the number of decisions by verdict in words."""
    counts = verdicts.groupby("verdict", sort=False)["count"].sum()
    return f"decisions: {', '.join(f'{verdict} {count}' for verdict, count in counts.items())}"


def _effect(data: pd.DataFrame, change: pd.Series[float]) -> str:
    """Return how F1 of each system changes by CoNLL, or the first metric, under one setting."""
    metric, setting = headline(data)
    rows = data[(data["metric"] == metric) & (data["setting"] == setting)].drop_duplicates("system")
    key = f"key of product {rows['product'].iloc[0]}" if "product" in rows else "corrected key"
    moved = zip(rows["system"], change[rows.index], strict=True)
    each = ", ".join(f"{system} {points(by)}" for system, by in moved)
    return f"The {key} moves {REGISTRY[metric].label} F1 under {label_of(setting)}: {each}"


def _agreement(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each pair of readers, on all kinds of cases."""
    for names, rows in pairs[pairs["kind"] == ALL].groupby(["one", "two"], sort=False):
        said = [
            f"on {_ON[row['on']]} {percent(row['agreed'])} % of {counted(row['cases'], 'case')}, "
            f"AC1 {_with_interval(row['ac1'], row['low'], row['high'])}, "
            f"Cohen's κ {_with_interval(row['kappa'], row['kappa_low'], row['kappa_high'])}"
            for row in rows[rows["cases"] > 0].to_dict("records")
        ]
        yield f"agreement of {' and '.join(map(str, names))}: {'; '.join(said) or 'no common case'}"


def _reasons(reasons: pd.DataFrame) -> Iterator[str]:
    """Yield the reasons for *not an error* of each reader who gave any."""
    for reader, rows in reasons.groupby("reviewer", sort=False):
        if {*rows["reason"]} != {NO_REASON}:
            counts = rows[["reason", "count"]].itertuples(index=False)
            listed = ", ".join(f"{reason} {count}" for reason, count in counts)
            yield f"reasons for not an error, {reader}: {listed}"


def _with_interval(value: float, low: float, high: float) -> str:
    if isnan(value):
        return "undefined"
    return f"{value:.2f}" if isnan(low) else f"{value:.2f} ({low:.2f}–{high:.2f})"
