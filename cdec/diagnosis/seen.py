"""Pairs of head lemmas that the key of a train part joins, or compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Ints
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
    def of(cls, train: Corpus, of_train: pd.Series[str], among: Iterable[str]) -> TrainPairs:
        """Return the pairs of a train part; ``of_train`` has the lemmas of its mentions."""
        distinct = pd.Index([lemma for lemma in dict.fromkeys(among) if str(lemma).strip()])
        code = distinct.get_indexer(pd.Index(of_train.reindex(train.selected.index)))
        known, code = train.selected[code >= 0], code[code >= 0]
        alone = _counts(code, code, len(distinct), len(distinct))  # no pair with itself
        joined = []
        for unit in ("chain", "topic"):
            number, names = pd.factorize(known[unit])
            counts = _counts(number, code, len(names), len(distinct))
            joined.append((counts.T @ counts - alone) > 0)
        return cls(distinct, joined[0], joined[0] + joined[1])

    def pairs(self, rows: pd.DataFrame, sides: list[str]) -> Ints:
        """Return the pairs that share the chains of ``sides``, by lemma and what train says.

        They are of the same lemma, then of different ones: coreferent, compared, never.
        """
        code, group = self.lemmas.get_indexer(pd.Index(rows["word"])), groups(rows, *sides)
        known, height = code >= 0, int(group.max(initial=-1)) + 1
        counts = _counts(group[known], code[known], height, len(self.lemmas))
        one, every = [0], [0]
        for joined in (self.coreferent, self.met):
            own = joined.diagonal().astype(np.int64)
            ordered = (counts @ joined.astype(np.int64)).multiply(counts).sum() - (
                counts @ own
            ).sum()
            every.append(int(ordered) // 2)
            inside = counts.copy()
            inside.data = links(inside.data)
            one.append(int((inside @ own).sum()))
        one.append(pairs_in(rows, [*sides, "lemma"]))
        every.append(pairs_in(rows, sides))
        return np.concatenate([np.diff(one), np.diff(np.subtract(every, one))])


def _counts(rows: Ints, columns: Ints, height: int, width: int) -> csr_array:
    ones = np.ones(len(rows), dtype=np.int64)
    return coo_array((ones, (rows, columns)), shape=(height, width)).tocsr()


def train_part(name: str, corpus: Corpus, train: Train) -> Corpus:
    """Return the part of train. Raises UsageError without one, and for one that is evaluated."""
    try:
        part = train() if callable(train) else train
    except UnknownNameError:  # the split has no such part
        part = None
    if part is None or part.selected.empty:
        message = f"{spelled('by', name)} needs the key of a train part"
        hint = "use a corpus with a train part, or a split that has one"
        raise UsageError("annotation-missing", message, place=corpus.name, hint=hint)
    shared = [document for document in part.documents if document in corpus.documents]
    if shared:
        message = f"'{shared[0]}' is in {part.part} and in the evaluated part: all is seen there"
        raise UsageError("argument-invalid", message, hint="evaluate dev or test")
    return part
