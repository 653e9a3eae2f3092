"""Candidate links: mention pairs in a list.

A system that decides on candidate pairs links no other pair. ``YES`` links all candidates;
``ORACLE`` links the candidates that are gold links. Links are completed to chains (connected
components). If ``YES`` scores high, the candidates were filtered by gold, or are easy. ``ORACLE``
has all links that the candidates allow, but bounds no metric of chains: a wrong link can join
mentions whose gold links are not among the candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, links, score
from cdec.metrics.scores import DEFAULT
from cdec.pairs.listed import MentionPairs
from cdec.render.page import Columns, percent
from cdec.settings import Setting

YES, ORACLE = "yes to every candidate", "best decision on every candidate"
F1: Columns = {
    "response": "Response",
    **{name: (REGISTRY[name].label, percent) for name in DEFAULT},
}


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions on candidates: the chains of YES and of ORACLE.

    ``pairs`` is the number of candidate pairs, ``gold`` that of gold links among them.
    """

    name: str
    chains: Mapping[str, Clustering]
    pairs: int
    gold: int

    @classmethod
    def of_pairs(cls, pairs: MentionPairs) -> Decisions:
        """Return the decisions on a list of pairs."""
        gold, every = pairs.gold, pairs.every
        yes = pairs.closed(every["first"], every["second"])
        oracle = pairs.closed(pairs.first[gold], pairs.second[gold])
        return cls(pairs.name, {YES: yes, ORACLE: oracle}, len(pairs), int(gold.sum()))


def f1_table(versions: Mapping[str, Alignment], setting: Setting) -> pd.DataFrame:
    """Return F1 (in [0, 1]) of each run: columns ``response`` (its name), and DEFAULT."""
    scores = {n: score(setting.build(run.mentions), DEFAULT).values for n, run in versions.items()}
    rows = [[name, *(each[metric].f1 for metric in DEFAULT)] for name, each in scores.items()]
    return pd.DataFrame(rows, columns=["response", *DEFAULT])


def coverage(pairs: MentionPairs, setting: Setting) -> dict[str, object]:
    """Return how much of the key, as the setting scores it, the pairs have: counts and shares.

    ``whole``: chains of two or more that the gold links among the pairs join; ``complete``: chains
    with all of their links among the pairs.
    """
    mentions, key = pairs.corpus.selected, pairs.corpus.gold
    table = setting.build(Alignment.of(mentions, key, key).mentions)
    chains = table[table["key"].notna()].groupby(["meta", "key"])
    number = chains.ngroup().reindex(mentions.index, fill_value=-1).to_numpy()
    first, second = number[pairs.first], number[pairs.second]
    linked = pairs.gold & (first == second) & (first >= 0)
    gold: Ints = links(np.asarray(chains.size(), np.int64))
    listed = np.bincount(first[linked], minlength=len(gold))
    joined = pairs.closed(pairs.first[linked], pairs.second[linked]).labels[number >= 0]
    parts = joined.groupby(number[number >= 0]).nunique().to_numpy()
    several = int((gold > 0).sum())
    whole, complete = (int(((gold > 0) & done).sum()) for done in (parts == 1, listed == gold))
    return {
        "setting": setting.label,
        "gold": int(gold.sum()),
        "listed": int(listed.sum()),
        "share": listed.sum() / gold.sum() if several else None,
        "chains": several,
        "whole": whole,
        "chain_share": whole / several if several else None,
        "complete": complete,
        "complete_share": complete / several if several else None,
    }
