"""The facts of a key to audit: its mentions in text order, and its chains.

A mention is a *row* of ``corpus.selected``, a chain a *code*: their numbers in text order.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.auditing.case import CaseSide
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError


class Key:
    """The mentions of the key of a corpus and their chains.

    ``ids`` and ``rows`` map rows to mention ids and back; ``chain`` has the code and ``sentence``
    the number of the sentence of each row; ``sizes`` and ``members`` are those of the chains.
    ``label``, ``descriptor`` and ``topic`` are of each mention id, audited or not. ``unread`` are
    the mentions outside the reviewed sentences, None if the corpus lists none.
    """

    def __init__(self, corpus: Corpus) -> None:
        events = corpus.selected
        self.corpus = corpus
        self.ids = [*map(str, events.index)]
        self.rows = {id_: row for row, id_ in enumerate(self.ids)}
        self.chain: Ints = pd.factorize(events["chain"])[0].astype(np.int64)
        self.sizes = np.bincount(self.chain)
        by_chain = np.argsort(self.chain, kind="stable")
        self.members: list[Ints] = np.split(by_chain, np.cumsum(self.sizes)[:-1])
        sentences = events.groupby(["doc", "sentence"], sort=False).ngroup()
        self.sentence: Ints = np.asarray(sentences, dtype=np.int64)
        texts = corpus.mentions[["chain", "descriptor", "topic"]].astype(str)
        self.label: dict[str, str] = dict(texts["chain"])
        self.descriptor: dict[str, str] = dict(texts["descriptor"])
        self.topic: dict[str, str] = dict(texts["topic"])
        self.unread: frozenset[str] | None = None
        reviewed = corpus.mentions["reviewed"].astype(bool)
        if reviewed.any():
            self.unread = frozenset(reviewed.index[~reviewed])

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

    def chains_beside(self, mentions: pd.DataFrame) -> list[frozenset[str]]:
        """Return the chains of other mentions in the sentence of each mention of the key."""
        places = ["doc", "sentence"]
        chains = mentions.groupby(places)["chain"].agg(frozenset).to_dict()
        events = self.corpus.selected[places].itertuples(index=False, name=None)
        return [chains.get(place, frozenset()) for place in events]

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
            chain=self.label[ids[0]],
            descriptor=self.descriptor[ids[0]],
            members=tuple(map(str, members)),
        )
