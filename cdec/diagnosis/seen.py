"""Pairs of head lemmas that the key of a train part joins, or compares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Ints
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError
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
    def of(cls, train: Corpus, of_train: pd.Series[str], among: Any) -> TrainPairs:
        """Return the pairs of a train part; ``of_train`` has the lemmas of its mentions."""
        distinct = pd.Index([lemma for lemma in dict.fromkeys(among) if str(lemma).strip()])
        code = distinct.get_indexer(of_train.reindex(train.selected.index))
        known = train.selected[code >= 0]
        chains, topics = (
            _together(pd.factorize(known[unit])[0], code[code >= 0], len(distinct))
            for unit in ("chain", "topic")
        )
        return cls(distinct, chains, chains + topics)

    def links(self, lemmas: Any, group: Ints) -> tuple[list[Ints], list[Ints]]:
        """Return the pairs of each group that are coreferent, met; all, and those of one lemma."""
        code, groups = self.lemmas.get_indexer(lemmas), int(group.max(initial=-1)) + 1
        at = code >= 0
        counts = _table(group[at], code[at], (groups, len(self.lemmas)))
        inside = counts.copy()
        inside.data = links(inside.data)
        every, same = [], []
        for pairs in (self.coreferent, self.met):
            own = pairs.diagonal().astype(np.int64)
            ordered = (counts @ pairs.astype(np.int64)).multiply(counts).sum(axis=1) - counts @ own
            every.append(np.asarray(ordered) // 2)
            same.append(np.asarray(inside @ own))
        return every, same


def _table(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    ones = np.ones(len(rows), dtype=np.int64)
    return coo_array((ones, (rows, columns)), shape=shape).tocsr()


def _together(unit: Ints, code: Ints, lemmas: int) -> csr_array:
    """Return which lemmas have two mentions, one each, in a unit."""
    counts = _table(unit, code, (int(unit.max(initial=-1)) + 1, lemmas))
    alone = _table(code, code, (lemmas, lemmas))  # a mention makes no pair with itself
    together: csr_array = (counts.T @ counts - alone) > 0
    return together


def train_part(name: str, corpus: Corpus, train: Train) -> Corpus:
    """Return the part of train. Raises UsageError without one, and for one that is evaluated."""
    try:
        part = train() if callable(train) else train
    except UnknownNameError:  # the split has no such part
        part = None
    if part is None or part.selected.empty:
        message = f"by={name} needs the key of a train part"
        hint = "use a corpus with a train part, or a split that has one"
        raise UsageError("annotation-missing", message, place=corpus.name, hint=hint)
    shared = [document for document in part.documents if document in corpus.documents]
    if shared:
        message = f"'{shared[0]}' is in {part.part} and in the evaluated part: all is seen there"
        raise UsageError("argument-invalid", message, hint="evaluate dev or test")
    return part
