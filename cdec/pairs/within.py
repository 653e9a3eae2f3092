"""Candidate links: mention pairs in a file, or the links of a response.

A system that decides on candidate pairs links no other pair. ``yes`` links all candidates;
``oracle`` links the candidates that are gold links. Links are completed to chains (connected
components). If ``yes`` scores high, the candidates were filtered by gold, or are easy. ``oracle``
has all links that the candidates allow, but bounds no metric of chains: a wrong link can join
mentions whose gold links are not among the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Ints
from cdec.clustering import Clustering
from cdec.errors import Notice
from cdec.matching.alignment import Alignment
from cdec.metrics import links
from cdec.pairs.mention_pairs import MentionPairs
from cdec.settings import Setting


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate links: ``yes`` and ``oracle`` are the chains of both decisions.

    ``pairs`` is the number of candidate pairs, ``gold`` that of gold links among them, ``notices``
    what was inferred about the mentions in the file.
    """

    name: str
    yes: Clustering
    oracle: Clustering
    pairs: int
    gold: int
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_pairs(cls, pairs: MentionPairs) -> Candidates:
        """Return the candidates of a list of pairs."""
        gold = pairs.gold
        yes, oracle = _components(pairs.every or pairs), _components(pairs, gold)
        return cls(pairs.name, yes, oracle, len(pairs), int(gold.sum()), pairs.notices)

    @classmethod
    def from_run(cls, run: Alignment) -> Candidates:
        """Return the links of a response as candidates; the key mentions that it lacks are alone.

        The best decision divides each response chain by the key chains of its mentions.
        """
        ids = run.key.labels.index
        known = pd.factorize(run.response.labels.reindex(ids))[0]
        alone = np.arange(len(ids)) + known.max(initial=-1) + 1
        response = np.where(known >= 0, known, alone)
        key = pd.factorize(run.key.labels)[0]
        both = np.unique(np.stack([response, key]), axis=1, return_inverse=True)[1].reshape(-1)
        pairs, gold = (int(links(np.bincount(codes)).sum()) for codes in (response, both))
        yes, oracle = (Clustering(pd.Series(codes, index=ids)) for codes in (response, both))
        return cls(run.name, yes, oracle, pairs, gold)


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
    listed = np.bincount(first[linked], minlength=chains.ngroups)
    gold: Ints = links(np.asarray(chains.size(), np.int64))
    joined = pd.Series(_components(pairs, linked).labels.to_numpy(), mentions.index)
    parts = joined[number >= 0].groupby(number[number >= 0]).nunique().to_numpy()
    several = int((gold > 0).sum())
    whole = int(((gold > 0) & (parts == 1)).sum())
    complete = int(((gold > 0) & (listed == gold)).sum())
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


def _components(pairs: MentionPairs, chosen: Bools | slice = slice(None)) -> Clustering:
    ids, ends = pairs.corpus.selected.index, (pairs.first[chosen], pairs.second[chosen])
    links = coo_array((np.ones(len(ends[0])), ends), shape=(pairs.size, pairs.size))
    chains = connected_components(links, directed=False)[1][: len(ids)]
    return Clustering(pd.Series(chains, index=ids))
