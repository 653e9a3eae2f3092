"""Pages of `cdec audit run`: the first cases, and the pairs of the SVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import pandas as pd

from cdec.auditing.case import KINDS, WORDS, Case, letter_of
from cdec.auditing.shortlist import ShortList, marked_sentences, with_sentences
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.render.page import Form, Grid, Listing, Page, Section, Table, Text
from cdec.signature import Signature, in_json

FIRST = 10  # cases, or pairs, that the page shows
_AROUND = 30  # characters before and after the start of a mention
Sentences: TypeAlias = Mapping[
    str, str
]  # mention → its sentence, with the mention in brackets
_HINT = "-o FILE.jsonl writes these cases, for `cdec audit review`; --all takes the whole list"
_ANCHORS = (
    "An anchor is what the other features leave unexplained of the label of a pair; a pair below δ "
    "is one whose label they explain. --word finds a pair, -o FILE.csv writes all."
)


def cases_page(listed: ShortList, corpus: Corpus, total: int | None = None) -> Page:
    """Return the first cases, and the number of cases of each kind, by review and detector.

    ``total``: the number of cases of the whole list, if ``listed`` is a selection of it.
    """
    about = Signature(listed.about)
    sections = []
    first = _first_cases(listed, corpus)
    if first:
        sections.append(Section("first", f"The first {len(first)}", first))
    counts = _counts(listed)
    table = _table_of_kinds(counts)
    notes = (Text(_HINT), Text(str(about)))
    sections.append(Section("kinds", "Cases by kind", (table, *notes), counts))
    return Page(_title(listed, total), tuple(sections), about=in_json(about))


def _title(listed: ShortList, total: int | None) -> str:
    """Return the number of cases, and that of expected errors among them."""
    number = len(listed.cases)
    title = counted(number, "suspected error")
    if total and total > number:
        title += f" of {total:,}"
    scores = [case.score for case in listed.cases if case.score is not None]
    if scores:
        title += f", about {sum(scores):,.0f} of them errors"
    return title


def _first_cases(listed: ShortList, corpus: Corpus) -> tuple[Listing, ...]:
    """Return the first cases; those about copies of the same sentences together."""
    sentences = marked_sentences(corpus)
    blocks = []
    for number, group in enumerate(listed.groups[:FIRST], start=1):
        if len(group) > 1:
            title, lines = _copies(group, corpus, sentences)
        else:
            title, lines = _case(group[0], sentences)
        blocks.append(Listing(f"{number}. {title}", tuple(lines)))
    return tuple(blocks)


def _case(case: Case, sentences: Sentences) -> tuple[str, list[str]]:
    """Return title and lines of a case: places without a mention, mentions, and the best fix."""
    lines = [f"A missing at {side.place}" for side in case.sides if side.place]
    for position, side in enumerate(case.sides):
        if side.mentions and not side.evidence:
            mention = _mention(side.mentions[0], sentences)
            lines.append(f"{letter_of(position)} {mention}")
    lines.append(f"→ {case.fixes[0].text}")
    return f"{WORDS[case.kind]} {_topic_and_score(case)}", lines


def _copies(
    cases: Sequence[Case], corpus: Corpus, sentences: Sentences
) -> tuple[str, list[str]]:
    """Return title and lines of cases about copies of the same sentences."""
    mentions = [mention for case in cases for mention in case.mentions_in_question]
    places = corpus.mentions.loc[mentions, ["doc", "sentence"]].drop_duplicates()
    texts = corpus.mentions["text"]
    lines = [_window(sentences[str(mention)]) for mention in places.index]
    for case in cases:
        linked = case.mentions_in_question
        text = texts[linked[0]]
        lines.append(f"→ {text}: {' '.join(linked)}")
    title = f"copies of a sentence: link all {len(cases)}"
    return f"{title} {_topic_and_score(cases[0])}", lines


def _topic_and_score(case: Case) -> str:
    if case.score is None:
        return f"(topic {case.topic})"
    return f"(topic {case.topic}, probability {case.score:.2f})"


def _counts(listed: ShortList) -> pd.DataFrame:
    """Return the number of cases of each kind, in all, by review and by detector (``column``)."""
    rows = []
    for case in listed.cases:
        columns = ["cases"]
        if case.reviewed is not None:
            columns.append("reviewed" if case.reviewed else "outside")
        columns += case.detectors
        rows += [(case.kind, column, 1) for column in columns]
    flags = pd.DataFrame(rows, columns=["kind", "column", "cases"])
    return flags.groupby(["kind", "column"], sort=False)["cases"].sum().reset_index()


def _table_of_kinds(counts: pd.DataFrame) -> Grid:
    """Return the table of ``_counts``: a row for each kind."""
    table = (
        counts.pivot(index="kind", columns="column", values="cases")
        .fillna(0)
        .astype(int)
    )
    table = table.reindex([kind for kind in KINDS if kind in table.index])
    first = [name for name in ("cases", "reviewed", "outside") if name in table]
    columns: dict[str, str | tuple[str, Form]] = {"kind": ("Kind", WORDS)}
    columns |= {name: name for name in (*first, *table.columns)}
    legend = "a case of two detectors counts in both"
    if "reviewed" in table:
        reviewed = "reviewed: each mention, or a member of its chain, is in a reviewed sentence"
        legend = f"{reviewed}; {legend}"
    grid = Table("", columns, legend).grid(table.reset_index())
    return replace(grid, narrow=range(1, 1 + len(first)))


def _mention(mention: str, sentences: Sentences) -> str:
    return f"{_window(sentences[mention])}  {mention}"


def _window(sentence: str) -> str:
    """Return the part of a sentence around its mention, which is in brackets."""
    start = max(0, sentence.find("[") - _AROUND)
    end = start + 2 * _AROUND
    text = sentence[start:end]
    if start > 0:
        text = f"…{text}"
    if end < len(sentence):
        text = f"{text}…"
    return text


def pairs_page(
    listed: ShortList, corpus: Corpus, delta: float, top: int = FIRST
) -> Page:
    """Return the pairs of the SVM with the largest anchors, and the line of δ among them."""
    pairs = pd.DataFrame() if listed.pairs is None else listed.pairs
    first = pairs.head(top)
    above = int(pairs["above"].sum())
    below = len(pairs) - above
    blocks: list[Listing | Text] = [*_first_pairs(first, corpus)]
    line = f"δ = {delta:g}: {above:,} pairs are above this line, {below:,} are below"
    blocks.insert(above, Text(line))
    about = Signature(listed.about)
    blocks += [Text(_ANCHORS), Text(str(about))]
    data = with_sentences(first, corpus)
    section = Section("pairs", "By |a|, the largest first", tuple(blocks), data)
    number = counted(above, "pair of mentions", "pairs of mentions")
    title = f"{number} above δ, of {len(pairs):,} with an anchor"
    return Page(title, (section,), about=in_json(about))


def _first_pairs(pairs: pd.DataFrame, corpus: Corpus) -> list[Listing]:
    """Return a block for each of these pairs, with both sentences."""
    sentences = marked_sentences(corpus)
    blocks = []
    for number, row in enumerate(pairs.to_dict("records"), start=1):
        label = "linked by the key" if row["linked"] else "not linked by the key"
        title = f"{number}. |a| = {row['anchor']:.2f}, {label}"
        lines = tuple(_mention(row[end], sentences) for end in ("a", "b"))
        blocks.append(Listing(title, lines))
    return blocks
