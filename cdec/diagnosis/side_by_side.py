"""Two systems side by side: links that only one of them has, by kind, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import quote
from cdec.diagnosis.links import ALL, KINDS, facts_of, link_counts, of_kinds, present, scored
from cdec.matching.alignment import Alignment
from cdec.render.page import Listing, Section, Table, anchor
from cdec.settings import Setting

TOP = 5
"""Examples of right, and of wrong links that only one system has."""
_SHOWN = Table(
    "Links by who has them",
    {
        "kind": ("Links", {**KINDS, ALL: "all links"}),
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
    runs: tuple[Alignment, Alignment], setting: Setting, corpus: Corpus, lemmas: pd.Series[str]
) -> Iterator[Section]:
    """Yield the links that only one of two systems has, and examples."""
    one, two = (scored(run, setting) for run in runs)
    table = pd.concat([one, two])
    table = table[~table.index.duplicated()].assign(a=one["response"], b=two["response"])
    facts, (a, b) = facts_of(table, lemmas, ("key", "a", "b")), (run.name for run in runs)
    every = link_counts(facts, "key", "a", "b")
    key, in_a, in_b = (link_counts(facts, side) for side in ("key", "a", "b"))
    key_a, key_b, a_b = (link_counts(facts, *both) for both in combinations(("key", "a", "b"), 2))
    links = of_kinds(
        both_right=every,
        a_right=key_a - every,
        b_right=key_b - every,
        both_missed=key - key_a - key_b + every,
        both_wrong=a_b - every,
        a_wrong=in_a - key_a - a_b + every,
        b_wrong=in_b - key_b - a_b + every,
    )
    id_, title = anchor("side", setting.name, a, b), f"{a} and {b} side by side ({setting.label})"
    grid = _SHOWN.grid(links[links["lemma"] == ALL], a=a, b=b)
    yield Section(id_, title, (grid,), links.assign(a=a, b=b, setting=setting.name))
    quoted = partial(quote, mentions=table, corpus=corpus)
    of_a, of_b = (_examples(facts, quoted, *one) for one in (("a", "b", a), ("b", "a", b)))
    if blocks := (*of_a, *of_b):
        yield Section(f"{id_}-examples", f"{title}: examples", blocks, folded=True)


def _examples(
    facts: pd.DataFrame, quoted: Callable[[str], str], system: str, other: str, name: str
) -> Iterator[Listing]:
    """Yield links of a system that the other lacks, of TOP chains in text order."""
    for outcome, by in (("Right", [system, "key"]), ("Wrong", [system])):
        rows = present(facts, *by)
        rows = rows.assign(id=rows.index)
        first = rows.groupby(by, sort=False)[["id", other, "key"]].transform("first")
        apart = (rows["id"] != first["id"]) & ((rows[other] != first[other]) | (rows[other] < 0))
        if outcome == "Wrong":
            apart &= (rows["key"] != first["key"]) | (rows["key"] < 0)
        chosen = rows[apart].drop_duplicates(system).index[:TOP]
        pairs = zip(first["id"][chosen], chosen, strict=True)
        if lines := [quoted(str(id_)) for pair in pairs for id_ in pair]:
            yield Listing(f"{outcome} links of {name} only", tuple(lines))
