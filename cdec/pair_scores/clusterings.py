"""Chains from scored pairs at a threshold.

closure: pairs with a score of at least the threshold, closed to chains. average, complete: greedy
agglomeration by the mean, or the lowest, probability between two chains (see
``cdec.pairs.agglomeration``).

Scores outside [0, 1] are log-odds. Pairs of mentions that are not scored count, too: chains are
made of all pairs of the list, then restricted to the mentions of the corpus. For all but closure, a
pair that is not in the list or has no score has probability 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Floats, Ints
from cdec.errors import Notice, UsageError, counted
from cdec.matching.alignment import Alignment
from cdec.pair_scores.merges import Merges
from cdec.pairs.agglomeration import Link, Trees, grow
from cdec.pairs.candidates import Candidates
from cdec.pairs.mention_pairs import MentionPairs
from cdec.settings import Setting

CLOSURE = "closure"


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


def linking_notices(
    pairs: MentionPairs, at: Linking, settings: Sequence[Setting] = ()
) -> list[Notice]:
    """Return notices on a threshold with all scores on one side, and on pairs that are not scored.

    These have mentions in two meta-documents of a setting: a warning if one reaches the threshold.
    """
    notices, scores = [], pairs.scores
    known = scores[~np.isnan(scores)]
    low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
    if len(known) and (at.threshold > high or at.threshold <= low):
        side = f"below the threshold {at.threshold:.4g} (highest: {high:.4g}): nothing links"
        if at.threshold <= low:
            side = f"at or above the threshold {at.threshold:.4g} (lowest: {low:.4g}): all link"
        message = f"{counted(len(known), 'score is', 'scores are all')} {side}"
        notices.append(Notice("argument-invalid", len(known), message))
    apart = {setting.label: _apart(pairs, setting) for setting in settings}
    lost = {label: int((scores[pair] >= at.threshold).sum()) for label, pair in apart.items()}
    if most := max((len(pair) for pair in apart.values()), default=0):
        each = (
            f"{len(pair):,} under {label}"
            + (f" ({lost[label]:,} of them at or above the threshold)" if lost[label] else "")
            for label, pair in apart.items()
            if len(pair)
        )
        what = "pairs in two meta-documents, whose links are not scored but can join others"
        message = f"{what}: {', '.join(each)}"
        notices.append(Notice("pairs-left-out", most, message, warning=any(lost.values())))
    return notices


def _apart(pairs: MentionPairs, setting: Setting) -> Ints:
    """Return the positions of the pairs whose mentions are in two meta-documents."""
    mentions, gold = pairs.corpus.selected, pairs.corpus.gold
    scored = setting.build(Alignment.of(mentions, gold, gold).mentions)
    meta = scored["meta"].reindex(mentions.index)
    codes = pd.factorize(meta)[0]
    first, second = codes[pairs.first], codes[pairs.second]
    return np.flatnonzero((first != second) & (first >= 0) & (second >= 0))


class Cut(Protocol):
    """The chains of scored pairs at every threshold; they can differ at ``levels`` (falling)."""

    @property
    def levels(self) -> Floats:
        """The scores at which chains can differ, each once, falling."""
        ...

    def chains(self, threshold: float) -> Ints:
        """Return the number of the chain of each mention."""
        ...


def closure(pairs: MentionPairs) -> Merges:
    """Return the merges of the scored pairs."""
    scored = (pairs.every or pairs).scored()
    merges = Merges.of_pairs(scored.size, scored.first, scored.second, scored.scores)
    return merges.within(len(pairs.corpus.selected)) if pairs.every else merges


@dataclass(frozen=True, eq=False)
class _Probable:
    """Scored pairs by probability."""

    pairs: MentionPairs

    @cached_property
    def levels(self) -> Floats:
        scored = (self.pairs.every or self.pairs).scored()
        return np.unique(scored.scores[scored.probabilities > 0])[::-1]

    def _probability(self, threshold: float) -> float:
        """Return the threshold of the probability. Raises UsageError if it is not above 0."""
        value = expit(threshold) if self.pairs.log_odds else threshold
        if not value > 0:
            message = f"the threshold must be above 0 for this clustering, got {threshold:g}"
            raise UsageError("argument-invalid", message, hint="raise it, or use closure")
        # The sigmoid of large log-odds is 1; that of the infinite threshold is above all of them.
        return 2.0 if threshold == np.inf else float(value)


@dataclass(frozen=True, eq=False)
class _Linkage(_Probable):
    link: Link

    @cached_property
    def _trees(self) -> dict[float, Trees]:
        return {}

    def chains(self, threshold: float) -> Ints:
        value, number = self._probability(threshold), len(self.pairs.corpus.selected)
        if value > 1:
            return np.arange(number)
        valid = next((tree for lowest, tree in self._trees.items() if lowest <= value), None)
        return (valid or self._grown(value)).cut(value)[:number]

    def _grown(self, lowest: float) -> Trees:
        scored = (self.pairs.every or self.pairs).scored()
        rows = Candidates(scored.first, scored.second, np.zeros(len(scored), np.float32))
        self._trees[lowest] = grow(rows, scored.probabilities, scored.size, lowest, self.link)
        return self._trees[lowest]


CLUSTERINGS: Mapping[str, Callable[[MentionPairs], Cut]] = {
    CLOSURE: closure,
    "average": partial(_Linkage, link="average"),
    "complete": partial(_Linkage, link="complete"),
}
