"""Scored pairs as a response, ``pairs:FILE[@THRESHOLD[/CLUSTERING]]``: chains at a threshold.

closure: pairs with a score of at least the threshold, closed to chains. average, complete: greedy
agglomeration by the mean, or the lowest, probability between two chains (see
``cdec.pairs.agglomeration``), where a pair that is not in the list or has no score has
probability 0. Scores outside [0, 1] are log-odds.

Chains are made of all pairs of the list, then restricted to the mentions of the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from cdec.arrays import Floats, Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import (
    FormatError,
    Notice,
    UsageError,
    check_number,
    counted,
    one_of,
    spelled,
)
from cdec.evaluation.response import (
    Response,
    Scheme,
    from_labels,
    is_there,
    only,
    read_response,
)
from cdec.formats import Annotation
from cdec.formats.reading import Choice
from cdec.language.similarity import Pairs
from cdec.pairs.agglomeration import Link, Trees, grow
from cdec.pairs.listed import SCORE, MentionPairs, PairTable, pair_table

CLOSURE = "closure"
CLUSTERINGS = (CLOSURE, "average", "complete")
_FILE_AND_LINKING = re.compile(r"(.+)@([^@/]*)(?:/(\w+))?", re.DOTALL)


@dataclass(frozen=True)
class Linking:
    """Where scored pairs link; ``part``, ``digest`` and ``note`` if that was chosen on a part."""

    threshold: float
    clustering: str = CLOSURE
    part: str = ""
    digest: str = ""
    note: str = ""

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature."""
        fields: dict[str, object] = {
            "threshold": self.threshold,
            "clustering": self.clustering,
        }
        if self.part:
            fields["tuned_on"] = self.part
            fields["tuned_pairs"] = self.digest
        return fields


def linking(
    pairs: MentionPairs, threshold: float | None, clustering: str | None
) -> Linking:
    """Return where pairs link; by default at 0.5, or 0 for log-odds, and closed to chains.

    Raises UsageError for a threshold that is not a finite number, UnknownNameError for another
    clustering.
    """
    if threshold is None:
        threshold = 0.0 if pairs.log_odds else 0.5
    check_number("threshold", threshold, -1e30, 1e30, whole=False)
    return Linking(
        float(threshold), one_of("clustering", clustering or CLOSURE, CLUSTERINGS)
    )


class Cut(NamedTuple):
    """The chains of scored pairs at every threshold.

    ``chains`` returns those of the mentions of the corpus at a threshold; ``levels`` are the scores
    at which chains can differ, falling.
    """

    levels: Floats
    chains: Callable[[float], Clustering]


def cut(pairs: MentionPairs, clustering: str) -> Cut:
    """Return the chains of the scored pairs by one of CLUSTERINGS.

    Closure: of n mentions, at most n − 1 pairs merge two chains as the threshold falls, whatever
    the number of pairs: those of a spanning forest of the highest scores (Kruskal 1956, Proc. AMS
    7). Average, complete: a tree holds for all higher thresholds.
    """
    pairs = pairs.scored()
    first, second, score = (
        pairs.all_pairs[name].to_numpy() for name in ("first", "second", SCORE)
    )
    if clustering == CLOSURE:
        return _closures(pairs, first, second, score)
    return _agglomerations(pairs, first, second, score, cast("Link", clustering))


def _closures(pairs: MentionPairs, first: Ints, second: Ints, score: Floats) -> Cut:
    levels, rank = np.unique(-score, return_inverse=True)
    ranks = coo_array((rank + 1.0, (first, second)), (pairs.size, pairs.size))
    forest = minimum_spanning_tree(ranks.tocsr()).tocoo()
    score_of_link = -levels[forest.data.astype(np.int64) - 1]

    def chains(threshold: float) -> Clustering:
        is_link = score_of_link >= threshold
        return pairs.closed(forest.row[is_link], forest.col[is_link])

    return Cut(np.unique(score_of_link)[::-1], chains)


def _agglomerations(
    pairs: MentionPairs,
    first: Ints,
    second: Ints,
    score: Floats,
    link: Link,
) -> Cut:
    probability = pairs.probabilities(score)
    candidates = Pairs(first, second, np.zeros(len(score), np.float32))
    trees: list[tuple[float, Trees]] = []  # the last has the lowest threshold

    def chains(threshold: float) -> Clustering:
        # The sigmoid of large log-odds is 1, too: an infinite threshold is above all.
        lowest = 2.0
        if threshold < np.inf:
            lowest = float(pairs.probabilities(np.array(threshold)))
        if not lowest > 0:
            raise UsageError(
                "argument-invalid",
                f"the threshold must be above 0 for this clustering, got {threshold:g}",
                hint=f"raise it, or use {spelled('cluster', 'closure')}",
            )
        if lowest > 1:
            return pairs.clustering(np.arange(pairs.size))
        if not trees or lowest < trees[-1][0]:
            trees.append(
                (lowest, grow(candidates, probability, pairs.size, lowest, link))
            )
        _, tree = trees[-1]
        return pairs.clustering(tree.cut(lowest))

    return Cut(np.unique(score[probability > 0])[::-1], chains)


def linking_notices(pairs: MentionPairs, link: Linking) -> list[Notice]:
    """Return the notice on a threshold with all scores on one side, if it is so."""
    scores = pairs.scored().scores
    low = scores.min(initial=np.inf)
    high = scores.max(initial=-np.inf)
    if not len(scores) or low < link.threshold <= high:
        return []
    side = (
        f"below the threshold {link.threshold:.4g} (highest: {high:.4g}): nothing links"
    )
    if link.threshold <= low:
        side = f"at or above the threshold {link.threshold:.4g} (lowest: {low:.4g}): all link"
    return [
        Notice(
            "argument-invalid",
            len(scores),
            f"{counted(len(scores), 'score is', 'scores are all')} {side}",
        )
    ]


@dataclass(frozen=True)
class ScoredPairs(Scheme):
    """The chains of the scored pairs in a file, at a threshold (None: 0.5, or 0 for log-odds).

    >>> ScoredPairs.parse("runs/scores.csv@0.4/average")
    ScoredPairs(name='scores', path='runs/scores.csv', threshold=0.4, clustering='average')
    """

    path: str
    threshold: float | None = None
    clustering: str = CLOSURE

    @classmethod
    def parse(cls, text: str) -> ScoredPairs:
        """Return the source for ``FILE[@[THRESHOLD][/CLUSTERING]]``.

        Raises UsageError for another threshold, UnknownNameError for another clustering.
        """
        match = _FILE_AND_LINKING.fullmatch(text)
        if match is None or is_there(Path(text)):
            return cls(Path(text).stem, text)
        path, threshold_text, clustering = match.groups()
        clustering = one_of("clustering", clustering or CLOSURE, CLUSTERINGS)
        try:
            threshold = float(threshold_text) if threshold_text else None
        except ValueError:
            raise UsageError(
                "argument-invalid",
                f"'{threshold_text}' is not a threshold",
                hint="write FILE@THRESHOLD or FILE@THRESHOLD/CLUSTERING, as in "
                "scores.csv@0.5/average",
            ) from None
        return cls(Path(path).stem, path, threshold, clustering)

    @cached_property
    def table(self) -> PairTable:
        """The pairs of the file, which is read once. Raises FormatError as ``pair_table`` does."""
        return pair_table(self.path)

    def covers(self, corpus: Corpus) -> Annotation:
        """Return the mentions of all pairs."""
        return only(read_response(self.table.mentions))

    def on(self, corpus: Corpus, unknown: str = "error") -> Response:
        """Return the chains; their signature has the digest of the pairs.

        Raises FormatError for a file without a scored pair, and as ``MentionPairs.of`` does.
        """
        pairs = MentionPairs.of(self.table, corpus, unknown)
        check_scored(pairs)
        link = linking(pairs, self.threshold, self.clustering)
        chains = cut(pairs, link.clustering).chains(link.threshold)
        annotation = replace(
            from_labels(chains.labels, self.name),
            # The links decide which mentions are in a chain, in one document or in several.
            reading={"labels": Choice("corpus", "file")},
        )
        notices = (*pairs.notices, *linking_notices(pairs, link))
        return Response(
            self.name, {"": annotation}, {**pairs.about, **link.about}, notices
        )

    def within(self, corpus: Corpus) -> Response:
        """Return the chains of the mentions that are in a pair; a part may have been compared."""
        response = self.on(corpus)
        pairs = MentionPairs.of(self.table, corpus)
        annotation = only(response)
        rows = np.union1d(pairs.first, pairs.second)
        mentions = annotation.mentions.iloc[rows].reset_index(drop=True)
        return replace(response, runs={"": replace(annotation, mentions=mentions)})

    def file(self) -> Annotation:
        """Raise UsageError: without a corpus there are no mentions to cluster."""
        raise UsageError(
            "argument-invalid",
            "pair scores are not a response file",
            place=self.path,
            hint="score them on a corpus: `cdec eval pairs:FILE@THRESHOLD`",
        )


def check_scored(pairs: MentionPairs) -> None:
    """Raise FormatError if no pair of the whole list has a score.

    Pairs of mentions that are not scored count, because chains are made of the whole list.
    """
    if pairs.all_pairs[SCORE].isna().all():
        raise FormatError(
            "file-invalid",
            "no pair has a score",
            place=pairs.name,
            hint="write the column score; `cdec pairs` takes lists without scores",
        )
