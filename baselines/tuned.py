"""What a configuration was tuned on, so that no result can hide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cdec.corpus.model import Corpus

MARK = "tuned-on-test"


@dataclass(frozen=True)
class Tuned:
    """The part of a corpus on which a configuration was chosen.

    ``part`` is its name, as in ``ycf-dev``; ``topics`` are the topics in it. ``on_test``: what is
    scored with the configuration has, or may have, been seen in choosing it.
    """

    corpus: str
    part: str
    topics: tuple[str, ...]
    on_test: bool = False

    @property
    def parameters(self) -> Mapping[str, object]:
        """The signature's fields: the part, and the mark where there is reason for it."""
        return {"tuned_on": self.part} | ({MARK: True} if self.on_test else {})

    def scoring(self, corpus: Corpus) -> Tuned:
        """Return this with the mark, if ``corpus`` is another part that shares a topic with it."""
        if corpus.name != self.corpus or corpus.part == self.part:
            return self
        shared = {document.topic for document in corpus.documents.values()} & set(self.topics)
        return replace(self, on_test=self.on_test or bool(shared))
