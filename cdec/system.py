"""Interfaces of systems: any, trainable, with a threshold to tune."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeGuard

from cdec.records import Row

if TYPE_CHECKING:
    from cdec.clustering import Clustering
    from cdec.corpus.model import Corpus
    from cdec.formats.annotation import Annotation

MARK = "tuned-on-test"


class System(Protocol):
    """A system that clusters event mentions.

    ``name`` is its id in ``SYSTEMS``; ``parameters`` has every choice that can change a score, for
    the signature.

    >>> from cdec.baselines import system
    >>> lemma = system("lemma")
    >>> lemma.name, sorted(lemma.parameters)
    ('lemma', ['nlp'])
    """

    @property
    def name(self) -> str:
        """The id of the system in results."""
        ...

    @property
    def parameters(self) -> Mapping[str, object]:
        """The choices that can change a score, by name."""
        ...

    def predict(self, corpus: Corpus) -> Clustering | Annotation:
        """Return the clustering of the event mentions of a blind corpus (see ``blind``).

        A system that finds its own mentions returns a ``cdec.formats.Annotation`` instead, with the
        documents and token numbers of the blind corpus. With a true attribute ``finds_mentions``,
        it gets a corpus without mentions.
        """
        ...


class Learner(System, Protocol):
    """A system that must be trained before it predicts.

    Optional methods: ``training_page(train, dev)`` returns the output of `cdec train` after
    ``fit``. Any system may have ``pair_scores(corpus)``, which yields tables of mention pairs with
    the columns ``a``, ``b`` and ``score``, for `cdec predict --pairs-out`.

    >>> from cdec.baselines import system
    >>> is_learner(system("sac")), system("sac").trained_on
    (True, '')
    """

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; '' without a model."""
        ...

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the model was trained on a document of ``corpus``."""
        ...

    def fit(self, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Self:
        """Return the system trained on the two parts, which have their gold annotation.

        Up to ``jobs`` threads are used; the result does not depend on their number.
        """
        ...

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        ...

    def load(self, path: str | Path) -> Self:
        """Return the system with the model in a file. Raises CdecError for an unsuitable model."""
        ...


class Tunable(System, Protocol):
    """A system with a threshold δ; it is a dataclass, so that ``replace`` can change its values.

    >>> from cdec.baselines import system
    >>> is_tunable(system("lemma-delta")), is_tunable(system("lemma"))
    (True, False)
    """

    __dataclass_fields__: ClassVar[Row]

    @property
    def delta(self) -> float:
        """The threshold, from 0 to 1."""
        ...

    @property
    def tfidf(self) -> Any:
        """The parameters of the document vectors: a ``cdec.language.similarity.Tfidf``."""
        ...

    @property
    def tuned(self) -> Tuned | None:
        """The part of a corpus on which both were tuned, if they were."""
        ...

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield the prediction of the system for each of ``deltas``."""
        ...


_POINT = ("delta", "tfidf", "tuned")


def is_learner(system: object) -> TypeGuard[Learner]:
    """Return whether a system, or its class, is a ``Learner``."""
    return all(
        hasattr(system, name)
        for name in ("fit", "save", "load", "has_seen", "trained_on")
    )


def is_tunable(system: object) -> TypeGuard[Tunable]:
    """Return whether a system, or its class, is ``Tunable``."""
    return all(
        hasattr(system, name) for name in (*_POINT, "curve", "__dataclass_fields__")
    )


@dataclass(frozen=True)
class Tuned:
    """The part of a corpus on which a configuration was chosen.

    ``part`` is its name, as in ``ycf-dev``; ``topics`` are its topics. ``on_test`` means that the
    scored part was used, or may have been used, for choosing the configuration.
    """

    corpus: str
    part: str
    topics: tuple[str, ...]
    on_test: bool = False

    @property
    def parameters(self) -> Mapping[str, object]:
        """The fields of the signature: the part, and the mark if ``on_test``."""
        return {"tuned_on": self.part} | ({MARK: True} if self.on_test else {})

    def scoring(self, corpus: Corpus) -> Tuned:
        """Return this with ``on_test`` if ``corpus`` is another part and has a topic in common."""
        if corpus.name != self.corpus or corpus.part == self.part:
            return self
        shared = {document.topic for document in corpus.documents.values()} & set(
            self.topics
        )
        return replace(self, on_test=self.on_test or bool(shared))
