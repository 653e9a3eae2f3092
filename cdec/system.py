"""What a system is, and what its parameters were chosen on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from cdec.clustering import Clustering
    from cdec.corpus.model import Corpus

MARK = "tuned-on-test"


class System(Protocol):
    """Something that clusters event mentions.

    ``name`` is its id in ``SYSTEMS``; ``parameters`` holds every choice that can move a number,
    for the signature. A system with a true attribute ``needs_arguments`` is also shown where the
    gold arguments stand (``blind.ArgumentCorpus``); it must say so among its parameters.

    >>> from cdec.baselines import system
    >>> lemma = system("lemma")
    >>> lemma.name, sorted(lemma.parameters)
    ('lemma', ['nlp'])
    """

    @property
    def name(self) -> str:
        """The id that results carry."""
        ...

    @property
    def parameters(self) -> Mapping[str, object]:
        """Choices that can move a number, by name."""
        ...

    def fit(self, train: Corpus, dev: Corpus) -> Self:
        """Learn from the two splits with their gold annotation, and return the system."""
        ...

    def predict(self, corpus: Corpus) -> Clustering:
        """Return a chain for each event mention of a blind corpus (see ``blind``)."""
        ...


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
