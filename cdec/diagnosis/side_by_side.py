"""Two systems side by side: links that only one of them has, by kind, with examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import quote
from cdec.diagnosis.links import ALL, KINDS, facts_of, link_counts, of_kinds, present, scored
from cdec.matching.alignment import Alignment
from cdec.render.page import Listing, Section, anchor
from cdec.render.table import Table
from cdec.settings import Setting

TOP = 2
"""Examples of each outcome and kind."""
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
    blocks = []
    for outcome, (system, name) in product(("right", "wrong"), (("a", a), ("b", b))):
        lines = [
            line
            for kind in KINDS
            for pair in _pairs(facts, system, kind, right=outcome == "right")
            for line in (f"{KINDS[kind]}:", *(quote(id_, table, corpus) for id_ in pair))
        ]
        if lines:
            blocks.append(Listing(f"{outcome.capitalize()} links of {name} only", tuple(lines)))
    id_, title = anchor("side", setting.name, a, b), f"{a} and {b} side by side ({setting.label})"
    grid = _SHOWN.grid(links[links["lemma"] == ALL], a=a, b=b)
    yield Section(id_, title, (grid,), links.assign(a=a, b=b, setting=setting.name))
    if blocks:
        yield Section(f"{id_}-examples", f"{title}: examples", tuple(blocks), folded=True)


def _pairs(facts: pd.DataFrame, system: str, kind: str, *, right: bool) -> Iterator[list[str]]:
    """Yield the first pair of mentions in text order that only a system links, of TOP chains."""
    place, apart = {
        "document": ("doc", "each"),
        "subtopic": ("subtopic", "doc"),
        "topic": ("topic", "subtopic"),
        "corpus": ("all", "topic"),
    }[kind]
    other = "b" if system == "a" else "a"
    rows = facts.assign(all=0, each=np.arange(len(facts)))
    rows = present(rows, *([system, "key"] if right else [system]))
    within = [system, place, "key"] if right else [system, place]
    values = list(rows[["key", other, apart, system]].itertuples(name=None))
    done: set[int] = set()
    for at in rows.groupby(within, sort=False).indices.values():
        chain = values[at[0]][-1]
        pairs = combinations((values[n] for n in at), 2) if chain not in done else ()
        for (first, *one), (second, *two) in pairs:
            in_key, linked = (one[n] == two[n] and one[n] >= 0 for n in (0, 1))
            if one[2] != two[2] and not linked and in_key == right:
                done.add(chain)
                yield [first, second]
                break
        if len(done) == TOP:
            return
