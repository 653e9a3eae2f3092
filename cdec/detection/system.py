"""A system on the mentions of a detector."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import pandas as pd

from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.formats import Annotation, from_corpus
from cdec.formats.annotation import mention_table
from cdec.system import MentionDetector, System


@dataclass(frozen=True)
class Detecting:
    """``system``, which clusters the mentions that ``detector`` finds instead of gold mentions.

    It gets a blind corpus without mentions (``finds_mentions``), and returns an Annotation.
    """

    finds_mentions: ClassVar[bool] = True
    system: System
    detector: MentionDetector

    @property
    def name(self) -> str:
        """The id of the system; the signature has the detector."""
        return self.system.name

    @property
    def parameters(self) -> Mapping[str, object]:
        """The choices of the system and of the detector."""
        return {**self.system.parameters, **self.detector.parameters}

    def predict(self, corpus: Corpus) -> Annotation:
        """Return the chains of the mentions that the detector finds.

        Raises the errors of the detector and of the system, and UsageError for a system that finds
        its own mentions.
        """
        found = with_mentions(corpus, self.detector.find(corpus))
        if found.mentions.empty:
            texts = {id_: document.tokens for id_, document in corpus.documents.items()}
            return Annotation(self.name, "corpus", mention_table([], [], [], []), texts)
        chains = self.system.predict(found)
        if isinstance(chains, Annotation):
            message = "the system finds its own mentions and has no use for a detector"
            raise UsageError("system-invalid", message, place=self.name, hint="drop the detector")
        annotation = from_corpus(found, chains, self.name)
        # The ids are those of this run: a mention is identified by its tokens.
        return replace(annotation, mentions=annotation.mentions.assign(mention=""))


def with_mentions(corpus: Corpus, spans: pd.DataFrame) -> Corpus:
    """Return a blind corpus with these mentions (``doc``, ``start``, ``end``) instead of its own.

    The mentions have the columns ``SEEN`` and the ids ``"<document>/<number>"``.
    """
    rows = []
    for doc, start, end in spans[["doc", "start", "end"]].itertuples(index=False, name=None):
        document = corpus.documents[doc]
        sentence = bisect_right(document.sentence_starts, start) - 1
        tokens = tuple(range(int(start), int(end) + 1))
        text = " ".join(document.tokens[token] for token in tokens)
        rows.append((doc, sentence, int(start), int(end), tokens, text))
    table = pd.DataFrame(rows, columns=SEEN)
    numbers = table.groupby("doc", sort=False).cumcount().astype(str)
    index = pd.Index(table["doc"] + "/" + numbers, name="mention", dtype=object)
    return replace(corpus, mentions=table.set_axis(index))
