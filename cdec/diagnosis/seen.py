"""Pairs of head lemmas that the key of a train part joins, or compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.arrays import AnySeries, Ints, StrSeries
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import groups, pairs_in
from cdec.errors import UnknownNameError, UsageError, spelled
from cdec.metrics import links

Train: TypeAlias = Corpus | Callable[[], Corpus] | None
"""The train part of a corpus, or a function that reads it when it is needed."""


@dataclass(frozen=True, eq=False)
class TrainPairs:
    """The pairs of head lemmas of a train key, among the ``lemmas`` of an evaluated part.

    ``coreferent``: two mentions with these lemmas share a chain of train. ``met``: they do, or are
    in one topic of train, where a system compares them. Both are symmetric matrices; a lemma on the
    diagonal needs two mentions.

    >>> from cdec import load_corpus
    >>> train = load_corpus("sample", "train")
    >>> pairs = TrainPairs.of(train, pd.Series("shoot", index=train.selected.index), ["shoot"])
    >>> pairs.coreferent.toarray(), pairs.met.toarray()
    (array([[ True]]), array([[ True]]))
    """

    lemmas: pd.Index[Any]
    coreferent: csr_array
    met: csr_array

    @classmethod
    def of(
        cls,
        train: Corpus,
        of_train: StrSeries,
        among: Iterable[str],
    ) -> TrainPairs:
        """Return the pairs of a train part; ``of_train`` has the lemmas of its mentions."""
        lemmas = pd.Index(
            [lemma for lemma in dict.fromkeys(among) if str(lemma).strip()]
        )
        code = lemmas.get_indexer(pd.Index(of_train.reindex(train.selected.index)))
        mentions = train.selected[code >= 0]
        code = code[code >= 0]
        of_chain = _joint_pairs(mentions["chain"], code, len(lemmas))
        of_topic = _joint_pairs(mentions["topic"], code, len(lemmas))
        return cls(lemmas, of_chain, of_chain + of_topic)

    def pairs(self, rows: pd.DataFrame, sides: list[str]) -> Ints:
        """Return the pairs that share the chains of ``sides``, by lemma and what train says.

        They are of the same lemma, then of different ones: coreferent, compared, never.
        """
        code = self.lemmas.get_indexer(pd.Index(rows["word"]))
        group = groups(rows, *sides)
        has_code = code >= 0
        height = int(group.max(initial=-1)) + 1
        counts = _counts(group[has_code], code[has_code], height, len(self.lemmas))
        # Pairs that are coreferent in train, those that train compares at least, and all pairs.
        same = [
            _same_lemma_pairs(counts, self.coreferent),
            _same_lemma_pairs(counts, self.met),
            pairs_in(rows, [*sides, "lemma"]),
        ]
        total = [
            _all_pairs(counts, self.coreferent),
            _all_pairs(counts, self.met),
            pairs_in(rows, sides),
        ]
        different = np.subtract(total, same)
        return np.concatenate([np.diff(same, prepend=0), np.diff(different, prepend=0)])


def _joint_pairs(unit: AnySeries, code: Ints, lemmas: int) -> csr_array:
    """Return which pairs of lemmas are in one unit; ``code`` has the lemma of each mention."""
    number, names = pd.factorize(unit)
    counts = _counts(number, code, len(names), lemmas)
    with_itself = _counts(code, code, lemmas, lemmas)
    is_joint: csr_array = (counts.T @ counts - with_itself) > 0
    return is_joint


def _same_lemma_pairs(counts: csr_array, is_joint: csr_array) -> int:
    """Return the pairs of mentions with one lemma, of those that are joint, in all groups.

    ``counts`` has the mentions by group and lemma.
    """
    pairs = counts.copy()
    pairs.data = links(pairs.data)
    return int((pairs @ _diagonal(is_joint)).sum())


def _all_pairs(counts: csr_array, is_joint: csr_array) -> int:
    ordered = (counts @ is_joint.astype(np.int64)).multiply(counts).sum()
    with_itself = (counts @ _diagonal(is_joint)).sum()
    return int(ordered - with_itself) // 2


def _diagonal(matrix: csr_array) -> Ints:
    return np.asarray(matrix.diagonal(), np.int64)


def _counts(
    rows: Ints,
    columns: Ints,
    height: int,
    width: int,
) -> csr_array:
    ones = np.ones(len(rows), dtype=np.int64)
    return csr_array((ones, (rows, columns)), shape=(height, width))


def train_part(name: str, corpus: Corpus, train: Train) -> Corpus:
    """Return the part of train. Raises UsageError without one, and for one that is evaluated."""
    try:
        part = train() if callable(train) else train
    except UnknownNameError:  # the split has no such part
        part = None
    if part is None or part.selected.empty:
        raise UsageError(
            "annotation-missing",
            f"{spelled('by', name)} needs the key of a train part",
            place=corpus.name,
            hint="use a corpus with a train part, or a split that has one",
        )
    shared = [document for document in part.documents if document in corpus.documents]
    if shared:
        raise UsageError(
            "argument-invalid",
            f"'{shared[0]}' is in {part.part} and in the evaluated part: all is seen there",
            hint="evaluate dev or test",
        )
    return part
