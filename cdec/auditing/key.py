"""The facts of a key to audit: its mentions in text order, and its chains.

A mention is a *row* of ``corpus.selected``, a chain a *code*: their numbers in text order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.auditing.case import CaseSide
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError


class Key:
    """The mentions of the key of a corpus and their chains.

    ``ids`` and ``rows`` map rows to mention ids and back. ``chain`` has the code of the chain and
    ``sentence`` the number of the sentence of each row. ``sizes`` and ``members`` have the size and
    the rows of each chain. ``unread`` are the mentions outside the reviewed sentences, None if the
    corpus lists none.
    """

    def __init__(self, corpus: Corpus) -> None:
        events = corpus.selected
        self.corpus = corpus
        self.ids = [str(mention) for mention in events.index]
        self.rows = {mention: row for row, mention in enumerate(self.ids)}
        self.chain: Ints = pd.factorize(events["chain"])[0].astype(np.int64)
        self.sizes: Ints = np.bincount(self.chain)
        rows_by_chain = np.argsort(self.chain, kind="stable")
        borders = np.cumsum(self.sizes)[:-1]
        self.members = dict(enumerate(np.split(rows_by_chain, borders)))
        sentences = events.groupby(["doc", "sentence"], sort=False).ngroup()
        self.sentence: Ints = np.asarray(sentences, dtype=np.int64)
        self.unread = _unread(corpus)
        # Of the mentions that are not audited, too: a case may show them.
        mentions = corpus.mentions
        self._labels = _texts(mentions["chain"])
        self._descriptors = _texts(mentions["descriptor"])
        self._topics = _texts(mentions["topic"])

    def unfit(self, problem: str, code: str = "part-too-small") -> CorpusError:
        """Return the error of a corpus without something that a detector uses."""
        return CorpusError(
            code,
            problem,
            place=f"{self.corpus.name} ({self.corpus.part})",
            hint="audit another or a larger part of the corpus, or use other detectors",
        )

    def lacks(self, annotation: str) -> CorpusError:
        """Return the error of a corpus without an annotation that a detector needs."""
        return self.unfit(f"the corpus lacks {annotation}", "annotation-missing")

    def label(self, mention: str) -> str:
        """Return the label of the chain of a mention."""
        return self._labels[mention]

    def topic(self, mention: str) -> str:
        """Return the topic of a mention."""
        return self._topics[mention]

    def side(self, mention: str) -> CaseSide:
        """Return a mention with the other mentions of its chain."""
        row = self.rows[mention]
        chain = self.members[self.chain[row]]
        return self.part(
            [mention], [self.ids[member] for member in chain if member != row]
        )

    def part(self, mentions: Iterable[str], members: Iterable[str] = ()) -> CaseSide:
        """Return mentions of one chain as a side of a case, with further ``members`` of it."""
        ids = tuple(map(str, mentions))
        return CaseSide(
            mentions=ids,
            chain=self._labels[ids[0]],
            descriptor=self._descriptors[ids[0]],
            members=tuple(map(str, members)),
        )


def _texts(column: pd.Series[Any]) -> dict[str, str]:
    return dict(zip(map(str, column.index), column.astype(str), strict=True))


def _unread(corpus: Corpus) -> frozenset[str] | None:
    """Return the mentions outside the reviewed sentences; None if the corpus lists none."""
    reviewed = corpus.mentions["reviewed"].astype(bool)
    if not reviewed.any():
        return None
    return frozenset(reviewed.index[~reviewed])
