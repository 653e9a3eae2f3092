"""Two systems side by side: links that only one of them has, by kind, with examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints, chain_numbers
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import ALL, KINDS, LEMMAS, links
from cdec.diagnosis.mentions import Mentions, Quote, quote, scored
from cdec.matching.alignment import Alignment
from cdec.render.page import Listing
from cdec.settings import Setting

OUTCOMES = ("both_right", "a_right", "b_right", "both_missed", "both_wrong", "a_wrong", "b_wrong")
COLUMNS = ("kind", "lemma", *OUTCOMES)
EXAMPLES = ("a_right", "b_right", "a_wrong", "b_wrong")
TOP = 2
"""Examples of each outcome and kind."""


@dataclass(frozen=True, eq=False)
class JointMentions:
    """Mentions with the chains of the responses ``a`` and ``b``; −1 for a missing mention."""

    mentions: Mentions
    a: Ints
    b: Ints

    @classmethod
    def from_runs(
        cls, runs: tuple[Alignment, Alignment], setting: Setting, lemmas: pd.Series[Any]
    ) -> JointMentions:
        """Return the mentions of two runs; raises UsageError as ``Mentions.from_run`` does."""
        one, two = (scored(run, setting) for run in runs)
        index = one.index.union(two.index, sort=False)
        one, two = one.reindex(index), two.reindex(index)
        table = one.where(one["meta"].notna(), two).assign(response=one["response"])
        mentions = Mentions.from_table(table, joint_table(runs), lemmas)
        return cls(mentions, mentions.response, chain_numbers(table["meta"], two["response"]))


@dataclass(frozen=True)
class Example:
    """Two mentions that only one of two systems links."""

    outcome: str
    kind: str
    first: Quote
    second: Quote


def agreement(joint: JointMentions) -> pd.DataFrame:
    """Return the links of the key and of the responses by system. Columns: COLUMNS.

    ``a_right``: links in the key and in A, not in B; ``a_wrong``: links in A only.
    """
    m, a, b = joint.mentions, joint.a, joint.b
    key, in_a, in_b = links(m, [m.key]), links(m, [a]), links(m, [b])
    key_a, key_b = links(m, [m.key, a]), links(m, [m.key, b])
    a_b, every = links(m, [a, b]), links(m, [m.key, a, b])
    counts = {
        "both_right": every,
        "a_right": key_a - every,
        "b_right": key_b - every,
        "both_missed": key - key_a - key_b + every,
        "both_wrong": a_b - every,
        "a_wrong": in_a - key_a - a_b + every,
        "b_wrong": in_b - key_b - a_b + every,
    }
    heads = product([*KINDS, ALL], [*LEMMAS, ALL])
    return pd.DataFrame(heads, columns=["kind", "lemma"]).assign(**counts)


def examples(
    joint: JointMentions, runs: tuple[Alignment, Alignment], corpus: Corpus, top: int = TOP
) -> tuple[Example, ...]:
    """Return up to ``top`` examples, from different chains, of each outcome and kind."""
    table = joint_table(runs)
    examples = []
    for outcome, kind in product(EXAMPLES, KINDS):
        for first, second in _pairs(joint, outcome, kind, top):
            ids = (str(joint.mentions.index[at]) for at in (first, second))
            quotes = (quote(id_, table, corpus) for id_ in ids)
            examples.append(Example(outcome, kind, *quotes))
    return tuple(examples)


def example_blocks(
    joint: JointMentions, runs: tuple[Alignment, Alignment], corpus: Corpus
) -> Iterator[Listing]:
    """Yield the examples of each outcome as text."""
    every, names = examples(joint, runs, corpus), {"a": runs[0].name, "b": runs[1].name}
    for outcome in EXAMPLES:
        kind = "Right" if outcome.endswith("right") else "Wrong"
        lines = [
            line
            for example in every
            if example.outcome == outcome
            for line in (f"{KINDS[example.kind]}:", example.first.line, example.second.line)
        ]
        if lines:
            yield Listing(f"{kind} links of {names[outcome[0]]} only", tuple(lines))


def _pairs(joint: JointMentions, outcome: str, kind: str, top: int) -> list[tuple[int, int]]:
    """Return the first pair in text order of each of up to ``top`` chains."""
    m = joint.mentions
    one, other = (joint.a, joint.b) if outcome[0] == "a" else (joint.b, joint.a)
    right = outcome.endswith("right")
    place, inner = _places(m, kind)
    present = (one >= 0) & (m.key >= 0) if right else one >= 0
    order = np.stack([np.arange(len(one)), m.key, other, inner], axis=1)[present]
    by = pd.DataFrame({"chain": one, "place": place, "key": m.key if right else 0})[present]
    pairs: dict[int, tuple[int, int]] = {}
    for group in by.groupby(list(by), sort=False).indices.values():
        chain = int(one[order[group[0], 0]])
        if chain not in pairs and (pair := next(_unlinked(order[group], right), None)) is not None:
            pairs[chain] = pair
        if len(pairs) == top:
            break
    return list(pairs.values())


def joint_table(runs: Iterable[Alignment]) -> pd.DataFrame:
    """Return the mentions of several runs as one table."""
    table = pd.concat([run.mentions for run in runs])
    return table[~table.index.duplicated()]


def _places(mentions: Mentions, kind: str) -> tuple[Ints, Ints]:
    """Return the place that the two mentions of a kind share, and the place that differs."""
    each = np.arange(len(mentions))
    return {
        "document": (mentions.doc, each),
        "subtopic": (mentions.subtopic, mentions.doc),
        "topic": (mentions.topic, mentions.subtopic),
        "corpus": (np.zeros_like(each), mentions.topic),
    }[kind]


def _unlinked(rows: Ints, right: bool) -> Iterator[tuple[int, int]]:
    """Yield the pairs that the other system does not link; ``right``: that the key links.

    A row has position, key chain, chain of the other system, and the place that must differ.
    """
    for one, two in combinations(rows.tolist(), 2):
        in_key, linked = (one[at] == two[at] and one[at] >= 0 for at in (1, 2))
        if one[3] != two[3] and not linked and in_key == right:
            yield one[0], two[0]
