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
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.special import expit

from cdec.arrays import Floats, Ints
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

    ``chains`` returns the number of the chain of each mention of the corpus at a threshold;
    ``levels`` are the scores at which chains can differ, falling.
    """

    levels: Floats
    chains: Callable[[float], Ints]


def cut(pairs: MentionPairs, clustering: str) -> Cut:
    """Return the chains of the scored pairs by one of CLUSTERINGS."""
    scored, mentions = (pairs.every or pairs).scored(), len(pairs.corpus.selected)
    if clustering == CLOSURE:
        return _closed(scored, mentions)
    return _agglomerated(scored, mentions, cast("Link", clustering))


def _closed(scored: MentionPairs, mentions: int) -> Cut:
    """Return the components of the pairs at or above each threshold.

    Of n mentions, at most n − 1 pairs merge two chains as the threshold falls, whatever the number
    of pairs: those of a spanning forest of the highest scores (Kruskal 1956, Proc. AMS 7).
    """
    shape = (scored.size, scored.size)
    falling, rank = np.unique(-scored.scores, return_inverse=True)
    ranks = coo_array((rank + 1.0, (scored.first, scored.second)), shape)
    forest = minimum_spanning_tree(ranks.tocsr()).tocoo()
    score = -falling[forest.data.astype(np.int64) - 1]

    def chains(threshold: float) -> Ints:
        linked = score >= threshold
        ends = forest.row[linked], forest.col[linked]
        graph = coo_array((np.ones(len(ends[0])), ends), shape)
        return connected_components(graph, directed=False)[1][:mentions].astype(np.int64)

    return Cut(np.unique(score)[::-1], chains)


def _agglomerated(scored: MentionPairs, mentions: int, link: Link) -> Cut:
    """Return the chains of average or complete link; a tree holds for all higher thresholds."""
    p = scored.probabilities
    candidates = Candidates(scored.first, scored.second, np.zeros(len(scored), np.float32))
    trees: list[tuple[float, Trees]] = []  # the last has the lowest threshold

    def chains(threshold: float) -> Ints:
        if threshold == np.inf:  # the sigmoid of large log-odds is 1, too
            return np.arange(mentions)
        value = float(expit(threshold)) if scored.log_odds else threshold
        if not value > 0:
            message = f"the threshold must be above 0 for this clustering, got {threshold:g}"
            raise UsageError("argument-invalid", message, hint="raise it, or use closure")
        if value > 1:
            return np.arange(mentions)
        if not trees or value < trees[-1][0]:
            trees.append((value, grow(candidates, p, scored.size, value, link)))
        return trees[-1][1].cut(value)[:mentions]

    return Cut(np.unique(scored.scores[p > 0])[::-1], chains)


def linking_notices(
    pairs: MentionPairs, at: Linking, settings: Sequence[Setting] = ()
) -> list[Notice]:
    """Return notices on a threshold with all scores on one side, and on pairs that are not scored.

    These have mentions in two meta-documents of a setting: a warning if one reaches the threshold.
    """
    notices, scored = [], pairs.scored()
    low, high = scored.scores.min(initial=np.inf), scored.scores.max(initial=-np.inf)
    if len(scored) and not low < at.threshold <= high:
        side = f"below the threshold {at.threshold:.4g} (highest: {high:.4g}): nothing links"
        if at.threshold <= low:
            side = f"at or above the threshold {at.threshold:.4g} (lowest: {low:.4g}): all link"
        message = f"{counted(len(scored), 'score is', 'scores are all')} {side}"
        notices.append(Notice("argument-invalid", len(scored), message))
    apart, linked = {}, pairs.scores >= at.threshold
    mentions, gold = pairs.corpus.selected, pairs.corpus.gold
    both_sides = Alignment.of(mentions, gold, gold).mentions
    for setting in settings:
        meta = pd.factorize(setting.build(both_sides)["meta"].reindex(mentions.index))[0]
        first, second = meta[pairs.first], meta[pairs.second]
        away = (first != second) & (first >= 0) & (second >= 0)
        if away.any():
            apart[setting.label] = int(away.sum()), int((away & linked).sum())
    if apart:
        each = (
            f"{number:,} under {label}"
            + (f" ({lost:,} of them at or above the threshold)" if lost else "")
            for label, (number, lost) in apart.items()
        )
        message = "pairs in two meta-documents, whose links are not scored but can join others: "
        most, warning = max(n for n, _ in apart.values()), any(n for _, n in apart.values())
        notices.append(Notice("pairs-left-out", most, message + ", ".join(each), warning=warning))
    return notices
