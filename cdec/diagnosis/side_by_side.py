"""Two systems side by side: links that only one of them has, by kind, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pandas as pd

from cdec.arrays import BoolSeries, IntSeries, StrSeries
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import quote
from cdec.diagnosis.links import (
    ALL,
    facts_of,
    kind_labels,
    link_counts,
    mentions_of,
    of_kinds,
    scored_mentions,
    with_labels,
)
from cdec.matching.alignment import Alignment
from cdec.render.page import Listing, Section, Table, anchor
from cdec.settings import Setting

TOP = 5
"""Examples of right, and of wrong links that only one system has."""
_LINKS = Table(
    "Links by who has them",
    {
        "kind": "Links",
        "both_right": "Right: both",
        "a_right": "Right: A",
        "b_right": "Right: B",
        "both_missed": "Missed",
        "both_wrong": "Wrong: both",
        "a_wrong": "Wrong: A",
        "b_wrong": "Wrong: B",
    },
    "A: {a}, B: {b}. Right: links of the key that both have, or only one. Missed: links of the key "
    "that neither has. Wrong: links that are not in the key.",
)


def side_section(
    runs: tuple[Alignment, Alignment],
    setting: Setting,
    corpus: Corpus,
    lemmas: StrSeries,
) -> Iterator[Section]:
    """Yield the links that only one of two systems has, and examples."""
    a, b = (run.name for run in runs)
    mentions = joint_mentions(runs, setting)
    facts = facts_of(mentions, lemmas, ("key", "a", "b"))
    links = links_by_owner(facts)
    section_id = anchor("side", setting.name, a, b)
    title = f"{a} and {b} side by side ({setting.label})"
    shown = with_labels(links[links["lemma"] == ALL], kind_labels(corpus.levels))
    grid = _LINKS.grid(shown, a=a, b=b)
    yield Section(
        section_id, title, (grid,), links.assign(a=a, b=b, setting=setting.name)
    )
    quote_mention = partial(quote, mentions=mentions, corpus=corpus)
    examples = [
        *_examples(facts, quote_mention, "a", "b", a),
        *_examples(facts, quote_mention, "b", "a", b),
    ]
    if examples:
        yield Section(
            f"{section_id}-examples", f"{title}: examples", tuple(examples), folded=True
        )


def joint_mentions(
    runs: tuple[Alignment, Alignment],
    setting: Setting,
) -> pd.DataFrame:
    """Return the mentions that a setting scores of either system, with their chains a and b."""
    first, second = (scored_mentions(run, setting) for run in runs)
    mentions = pd.concat([first, second])
    mentions = mentions[~mentions.index.duplicated()]
    return mentions.assign(a=first["response"], b=second["response"])


def links_by_owner(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the links by kind and lemma, and by whether key, a and b have them."""
    key = link_counts(facts, "key")
    a = link_counts(facts, "a")
    b = link_counts(facts, "b")
    key_a = link_counts(facts, "key", "a")
    key_b = link_counts(facts, "key", "b")
    a_b = link_counts(facts, "a", "b")
    in_all = link_counts(facts, "key", "a", "b")
    return of_kinds(
        both_right=in_all,
        a_right=key_a - in_all,
        b_right=key_b - in_all,
        both_missed=key - key_a - key_b + in_all,
        both_wrong=a_b - in_all,
        a_wrong=a - key_a - a_b + in_all,
        b_wrong=b - key_b - a_b + in_all,
    )


def _examples(
    facts: pd.DataFrame,
    quote_mention: Callable[[str], str],
    system: str,
    other: str,
    name: str,
) -> Iterator[Listing]:
    """Yield links of a system that the other lacks, of TOP chains in text order."""
    for outcome, sides in (("Right", [system, "key"]), ("Wrong", [system])):
        rows = mentions_of(facts, *sides)
        rows = rows.assign(id=rows.index)
        # Links of each mention with the first one of its chain.
        first = rows.groupby(sides, sort=False)[["id", other, "key"]].transform("first")
        is_link = rows["id"] != first["id"]
        is_example = is_link & _has_no_link(rows[other], first[other])
        if outcome == "Wrong":
            is_example &= _has_no_link(rows["key"], first["key"])
        mentions = rows[is_example].drop_duplicates(system).index[:TOP]
        lines = []
        for first_mention, mention in zip(first["id"][mentions], mentions, strict=True):
            lines += [quote_mention(str(first_mention)), quote_mention(str(mention))]
        if lines:
            yield Listing(f"{outcome} links of {name} only", tuple(lines))


def _has_no_link(chain: IntSeries, first_chain: IntSeries) -> BoolSeries:
    return (chain != first_chain) | (chain < 0)
