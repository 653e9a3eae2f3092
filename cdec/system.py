"""What a system is, one that learns, one with a threshold to tune, and what was tuned on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeGuard

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

    def predict(self, corpus: Corpus) -> Clustering:
        """Return a chain for each event mention of a blind corpus (see ``blind``)."""
        ...


class Learner(System, Protocol):
    """A system that must be trained before it predicts.

    It may have more to show, by methods that are called only where a system has them:
    ``training_page(train, dev)`` returns what `cdec train` shows after ``fit``, and
    ``ablation(train, dev, jobs=1)`` and ``learning_curve(train, dev, jobs=1)`` what it shows for
    these options; ``remark(corpus)`` returns a line for `cdec predict --verbose`, in which the
    corpus has its key.

    >>> from cdec.baselines import system
    >>> is_learner(system("sac")), system("sac").trained_on
    (True, '')
    """

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; empty where there is no model."""
        ...

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the model was trained on a document of ``corpus``."""
        ...

    def fit(self, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Self:
        """Return the system with what it learns from the two parts with their gold annotation.

        ``jobs`` threads may be used; their number changes the time and nothing else.
        """
        ...

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        ...

    def load(self, path: Path) -> Self:
        """Return the system with the model in a file. Raises CdecError for another's model."""
        ...


class Tunable(System, Protocol):
    """A system with a threshold δ: a dataclass, so that ``replace`` makes it with other values.

    >>> from cdec.baselines import system
    >>> is_tunable(system("lemma-delta")), is_tunable(system("lemma"))
    (True, False)
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def delta(self) -> float:
        """The threshold, from 0 to 1."""
        ...

    @property
    def tfidf(self) -> Any:
        """How documents become vectors: a ``cdec.language.vectors.Tfidf``."""
        ...

    @property
    def tuned(self) -> Tuned | None:
        """What both were chosen on, where they were tuned."""
        ...

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield what the system predicts with each of ``deltas``."""
        ...


_POINT = ("delta", "tfidf", "tuned")


def is_learner(given: object) -> TypeGuard[Learner]:
    """Return whether a system, or its class, is a ``Learner``."""
    return all(hasattr(given, name) for name in ("fit", "save", "load", "has_seen", "trained_on"))


def is_tunable(given: object) -> TypeGuard[Tunable]:
    """Return whether a system, or its class, is ``Tunable``."""
    return all(hasattr(given, name) for name in (*_POINT, "curve", "__dataclass_fields__"))


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
