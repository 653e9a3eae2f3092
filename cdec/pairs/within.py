"""Candidate links: mention pairs in a list.

A system that decides on candidate pairs links no other pair. ``YES`` links all candidates;
``ORACLE`` links the candidates that are gold links. Links are completed to chains (connected
components). If ``YES`` scores high, the candidates were filtered by gold, or are easy. ``ORACLE``
has all links that the candidates allow, but bounds no metric of chains: a wrong link can join
mentions whose gold links are not among the candidates.
"""

from __future__ import annotations

from collections.abc import Mapping

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

YES = "yes to every candidate"
ORACLE = "gold links of the list"
F1: Columns = {
    "response": "Response",
    **{name: (REGISTRY[name].label, percent) for name in DEFAULT},
}


def decisions(pairs: MentionPairs) -> dict[str, Clustering]:
    """Return the chains of YES and of ORACLE on a list of pairs."""
    gold = pairs.gold
    yes = pairs.closed(pairs.all_pairs["first"], pairs.all_pairs["second"])
    oracle = pairs.closed(pairs.first[gold], pairs.second[gold])
    return {YES: yes, ORACLE: oracle}


def f1_table(versions: Mapping[str, Alignment], setting: Setting) -> pd.DataFrame:
    """Return F1 (in [0, 1]) of each run: columns ``response`` (its name), and DEFAULT."""
    rows = []
    for name, run in versions.items():
        scores = score(setting.build(run.mentions), DEFAULT)
        rows.append([name, *(scores[metric].f1 for metric in DEFAULT)])
    return pd.DataFrame(rows, columns=["response", *DEFAULT])


def coverage(pairs: MentionPairs, setting: Setting) -> dict[str, object]:
    """Return how much of the key, as the setting scores it, the pairs have: counts and shares.

    ``whole``: chains of two or more that the gold links among the pairs join; ``complete``: chains
    with all of their links among the pairs.
    """
    mentions = pairs.corpus.selected
    key = pairs.corpus.gold
    table = setting.build(Alignment.of(mentions, key, key).mentions)
    chains = table[table["key"].notna()].groupby(["meta", "key"])
    number = chains.ngroup().reindex(mentions.index, fill_value=-1).to_numpy()
    first = number[pairs.first]
    second = number[pairs.second]
    is_key_link = pairs.gold & (first == second) & (first >= 0)
    key_links: Ints = links(np.asarray(chains.size(), np.int64))
    listed_links = np.bincount(first[is_key_link], minlength=len(key_links))
    # The parts into which each chain falls if only links of the list are in it.
    in_chain = number >= 0
    clusters = pairs.closed(pairs.first[is_key_link], pairs.second[is_key_link])
    parts = clusters.labels[in_chain].groupby(number[in_chain]).nunique().to_numpy()
    has_links = key_links > 0
    total = int(has_links.sum())
    whole = int((has_links & (parts == 1)).sum())
    complete = int((has_links & (listed_links == key_links)).sum())
    return {
        "setting": setting.label,
        "gold": int(key_links.sum()),
        "listed": int(listed_links.sum()),
        "share": listed_links.sum() / key_links.sum() if total else None,
        "chains": total,
        "whole": whole,
        "chain_share": whole / total if total else None,
        "complete": complete,
        "complete_share": complete / total if total else None,
    }
