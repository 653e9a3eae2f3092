"""Chains from scored pairs at a threshold.

closure: pairs with a score of at least the threshold, closed to chains. average, complete: greedy
agglomeration by the mean, or the lowest, probability between two chains (see
``cdec.pairs.agglomeration``), where a pair that is not in the list or has no score has
probability 0. Scores outside [0, 1] are log-odds.

Chains are made of all pairs of the list, then restricted to the mentions of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from cdec.arrays import Floats, Ints
from cdec.clustering import Clustering
from cdec.errors import Notice, UsageError, check_number, counted, one_of
from cdec.matching.alignment import Alignment
from cdec.pairs.agglomeration import Link, Trees, grow
from cdec.pairs.candidates import Candidates
from cdec.pairs.mention_pairs import MentionPairs
from cdec.settings import Setting

CLOSURE = "closure"
CLUSTERINGS = (CLOSURE, "average", "complete")


@dataclass(frozen=True)
class Linking:
    """Where scored pairs link.

    ``part``, ``digest`` and ``note`` are set if both were chosen: the part, its pairs, and how.
    """

    threshold: float
    clustering: str = CLOSURE
    part: str = ""
    digest: str = ""
    note: str = ""

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature."""
        fields: dict[str, object] = {"threshold": self.threshold, "clustering": self.clustering}
        return fields | ({"tuned_on": self.part, "tuned_pairs": self.digest} if self.part else {})

    @property
    def label(self) -> str:
        """The name of its row."""
        how = "linked" if self.clustering == CLOSURE else self.clustering
        return f"{how} at {self.threshold:.4g}{f', chosen on {self.part}' if self.part else ''}"


def linking(pairs: MentionPairs, threshold: float | None, clustering: str | None) -> Linking:
    """Return where pairs link; by default at 0.5, or 0 for log-odds, and closed to chains.

    Raises UsageError for a threshold that is not a finite number, UnknownNameError for another
    clustering.
    """
    if threshold is None:
        threshold = 0.0 if pairs.log_odds else 0.5
    code, hint = "argument-invalid", "use a finite number, such as 0.5"
    check_number(code, "threshold", threshold, -1e30, 1e30, whole=False, hint=hint)
    return Linking(float(threshold), one_of("clustering", clustering or CLOSURE, CLUSTERINGS))


@dataclass(frozen=True, eq=False)
class Cut:
    """The chains of scored pairs at every threshold.

    ``chains`` returns those of the mentions of the corpus at a threshold; ``levels`` are the scores
    at which chains can differ, falling.
    """

    levels: Floats
    chains: Callable[[float], Clustering]


def cut(pairs: MentionPairs, clustering: str) -> Cut:
    """Return the chains of the scored pairs by one of CLUSTERINGS."""
    scored = pairs.scored()
    columns = ("first", "second", "score")
    first, second, score = (scored.every[name].to_numpy() for name in columns)
    if clustering == CLOSURE:
        return _closed(scored, first, second, score)
    return _agglomerated(scored, first, second, score, cast("Link", clustering))


def _closed(pairs: MentionPairs, first: Ints, second: Ints, score: Floats) -> Cut:
    """Return the components of the pairs at or above each threshold.

    Of n mentions, at most n − 1 pairs merge two chains as the threshold falls, whatever the number
    of pairs: those of a spanning forest of the highest scores (Kruskal 1956, Proc. AMS 7).
    """
    falling, rank = np.unique(-score, return_inverse=True)
    ranks = coo_array((rank + 1.0, (first, second)), (pairs.size, pairs.size))
    forest = minimum_spanning_tree(ranks.tocsr()).tocoo()
    merging = -falling[forest.data.astype(np.int64) - 1]

    def chains(threshold: float) -> Clustering:
        linked = merging >= threshold
        return pairs.closed(forest.row[linked], forest.col[linked])

    return Cut(np.unique(merging)[::-1], chains)


def _agglomerated(pairs: MentionPairs, first: Ints, second: Ints, score: Floats, link: Link) -> Cut:
    """Return the chains of average or complete link; a tree holds for all higher thresholds."""
    p = pairs.probabilities(score)
    candidates = Candidates(first, second, np.zeros(len(p), np.float32))
    trees: list[tuple[float, Trees]] = []  # the last has the lowest threshold

    def chains(threshold: float) -> Clustering:
        # The sigmoid of large log-odds is 1, too: an infinite threshold is above all.
        value = 2.0 if threshold == np.inf else float(pairs.probabilities(np.array(threshold)))
        if not value > 0:
            message = f"the threshold must be above 0 for this clustering, got {threshold:g}"
            raise UsageError("argument-invalid", message, hint="raise it, or use closure")
        if value > 1:
            return pairs.clustering(np.arange(pairs.size))
        if not trees or value < trees[-1][0]:
            trees.append((value, grow(candidates, p, pairs.size, value, link)))
        return pairs.clustering(trees[-1][1].cut(value))

    return Cut(np.unique(score[p > 0])[::-1], chains)


def linking_notices(
    pairs: MentionPairs, at: Linking, settings: Sequence[Setting] = ()
) -> list[Notice]:
    """Return notices on a threshold with all scores on one side, and on pairs that are not scored.

    These have mentions in two meta-documents of a setting: a warning if one reaches the threshold.
    """
    notices, scores = [], pairs.scored().scores
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    if len(scores) and not low < at.threshold <= high:
        side = f"below the threshold {at.threshold:.4g} (highest: {high:.4g}): nothing links"
        if at.threshold <= low:
            side = f"at or above the threshold {at.threshold:.4g} (lowest: {low:.4g}): all link"
        message = f"{counted(len(scores), 'score is', 'scores are all')} {side}"
        notices.append(Notice("argument-invalid", len(scores), message))
    apart, most, reached = [], 0, 0
    mentions, gold = pairs.corpus.selected, pairs.corpus.gold
    both_sides = Alignment.of(mentions, gold, gold).mentions
    for setting in settings:
        meta = pd.factorize(setting.build(both_sides)["meta"].reindex(mentions.index))[0]
        first, second = meta[pairs.first], meta[pairs.second]
        away = pairs.scores[(first != second) & (first >= 0) & (second >= 0)]
        linked = int((away >= at.threshold).sum())
        apart += [f"{len(away):,} under {setting.label} ({linked:,} link)"] if len(away) else []
        most, reached = max(most, len(away)), reached + linked
    if apart:
        message = "pairs in two meta-documents, whose links are not scored but can join others: "
        message += ", ".join(apart)
        notices.append(Notice("pairs-left-out", most, message, warning=reached > 0))
    return notices
