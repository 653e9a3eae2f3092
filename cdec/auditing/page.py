"""Pages of `cdec audit run`: the first cases, and the pairs of the SVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from cdec.auditing.case import KINDS, WORDS, Case, letter_of
from cdec.auditing.shortlist import ShortList, marked, with_sentences
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.render.page import Listing, Page, Section, Table, Text
from cdec.signature import Signature, in_json

FIRST = 10  # cases, or pairs, that the page shows
_AROUND = 30  # characters before and after the start of a mention


def cases_page(listed: ShortList, corpus: Corpus, total: int) -> Page:
    """Return the first cases, and the number of cases of each kind, by review and detector.

    ``total``: the number of cases of the whole list, from which ``listed`` is chosen.
    """
    number = len(listed.cases)
    sentences = marked(corpus)
    scores = [case.score for case in listed.cases if case.score is not None]
    of_all = f" of {total:,}" if total > number else ""
    errors = f", about {sum(scores):,.0f} of them errors" if scores else ""
    first = tuple(
        _entry(at, group, corpus, sentences)
        for at, group in enumerate(listed.groups[:FIRST], start=1)
    )
    review = {True: ("reviewed",), False: ("outside",), None: ()}
    rows = [
        (case.kind, column)
        for case in listed.cases
        for column in ("cases", *review[case.reviewed], *case.detectors)
    ]
    flags = pd.DataFrame(rows, columns=["kind", "column"])
    data = flags.groupby([*flags], sort=False).size().reset_index(name="cases")
    table = pd.crosstab(flags["kind"], flags["column"])
    names = [name for name in ("cases", "reviewed", "outside") if name in table]
    counts = {name: name for name in dict.fromkeys([*names, *table.columns])}
    legend = "a case of two detectors counts in both"
    if "reviewed" in table:
        legend = (
            "reviewed: each mention, or a member of its chain, is in a reviewed sentence; "
            f"{legend}"
        )
    ordered = table.reindex(
        [kind for kind in KINDS if kind in table.index]
    ).reset_index()
    grid = Table("", {"kind": ("Kind", WORDS), **counts}, legend).grid(ordered)
    about = Signature(listed.about)
    blocks = (
        replace(grid, narrow=range(1, 1 + len(names))),
        Text(
            "-o FILE.jsonl writes these cases, for `cdec audit review`; --all takes the whole list"
        ),
        Text(str(about)),
    )
    sections = [Section("kinds", "Cases by kind", blocks, data)]
    if first:
        sections.insert(0, Section("first", f"The first {len(first)}", first))
    title = f"{counted(number, 'suspected error')}{of_all}{errors}"
    return Page(title, tuple(sections), about=in_json(about))


def _entry(
    number: int, group: Sequence[Case], corpus: Corpus, sentences: Mapping[str, str]
) -> Listing:
    """Return a case, or cases about copies of the same sentences."""
    first = group[0]
    score = "" if first.score is None else f", probability {first.score:.2f}"
    topic = f"(topic {first.topic}{score})"
    if len(group) > 1:
        spots = corpus.mentions.loc[
            [id_ for case in group for id_ in case.asked], ["doc", "sentence"]
        ]
        copies = [_window(sentences[str(id_)]) for id_ in spots.drop_duplicates().index]
        texts = corpus.mentions["text"]
        links = [f"→ {texts[case.asked[0]]}: {' '.join(case.asked)}" for case in group]
        title = f"{number}. copies of a sentence: link all {len(group)} {topic}"
        return Listing(title, (*copies, *links))
    places = [f"A missing at {side.place}" for side in first.sides if side.place]
    lines = [
        f"{letter_of(at)} {_window(sentences[id_])}  {id_}"
        for at, side in enumerate(first.sides)
        if not side.evidence
        for id_ in side.mentions[:1]
    ]
    fix = f"→ {first.fixes[0].text}"
    return Listing(f"{number}. {WORDS[first.kind]} {topic}", (*places, *lines, fix))


def _window(sentence: str) -> str:
    at = max(0, sentence.find("[") - _AROUND)
    text = sentence[at : at + 2 * _AROUND]
    return f"{'…' if at else ''}{text}{'…' if at + len(text) < len(sentence) else ''}"


def pairs_page(
    listed: ShortList, corpus: Corpus, delta: float, top: int = FIRST
) -> Page:
    """Return the pairs of the SVM with the largest anchors, and the line of δ among them."""
    pairs = pd.DataFrame(listed.pairs)
    above = int(pairs["above"].sum())
    sentences = marked(corpus)
    blocks: list[Listing | Text] = []
    for at, row in enumerate(pairs.head(top).to_dict("records"), start=1):
        label = "linked by the key" if row["linked"] else "not linked by the key"
        lines = tuple(
            f"{_window(sentences[row[end]])}  {row[end]}" for end in ("a", "b")
        )
        blocks.append(Listing(f"{at}. |a| = {row['anchor']:.2f}, {label}", lines))
    line = f"δ = {delta:g}: {above:,} pairs are above this line, {len(pairs) - above:,} are below"
    blocks.insert(above, Text(line))
    about = Signature(listed.about)
    blocks += (
        Text(
            "An anchor is what the other features leave unexplained of the label of a pair; a pair "
            "below δ is one whose label they explain. --word finds a pair, -o FILE.csv writes all."
        ),
        Text(str(about)),
    )
    said = counted(above, "pair of mentions", "pairs of mentions")
    title = f"{said} above δ, of {len(pairs):,} with an anchor"
    data = with_sentences(pairs.head(top), corpus)
    section = Section("pairs", "By |a|, the largest first", tuple(blocks), data)
    return Page(title, (section,), about=in_json(about))
