"""SAC and its stronger brother as systems: fit on train, predict on a blind corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Self

import pandas as pd

from cdec._version import __version__
from cdec.baselines.sac import store, training_view
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import PairFeatures, describe, label, recall
from cdec.baselines.sac.model import Model
from cdec.baselines.sac.training import train
from cdec.clustering import Clustering
from cdec.corpus.blind import arguments_of, blind
from cdec.corpus.fingerprint import fingerprint
from cdec.corpus.model import Corpus, Document
from cdec.errors import FormatError, UsageError, counted
from cdec.io import cache
from cdec.io.output import save_bytes
from cdec.io.progress import Progress, silent
from cdec.language import pipeline
from cdec.pairs.features import REVISION

KIND = "sac"
NAMES = ("sac", "sac-plus")
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "snowballstemmer")
_SHORT = 12


@dataclass(frozen=True)
class Sac:
    """Supervised agglomerative clustering (Upadhyay et al. 2016, section 5; see docs/sac.md).

    ``choices``: see ``SacConfig``. ``model``: a trained model; ``fit`` and ``load`` give one.
    """

    ID: ClassVar[str] = "sac"
    pipeline: str = "hanta"
    progress: Progress = field(default=silent, repr=False, compare=False)
    choices: SacConfig = field(default_factory=partial(SacConfig.shipped, "sac"))
    model: Model | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The id that results carry."""
        return self.ID

    @property
    def chosen(self) -> SacConfig:
        """The choices of the model, else those given with the extras that are installed."""
        return self.choices.resolved() if self.model is None else self.model.choices

    @property
    def needs_arguments(self) -> bool:
        """Whether the system is to be shown where the gold arguments stand (see ``run``)."""
        return self.chosen.arguments == "gold"

    @property
    def parameters(self) -> Mapping[str, object]:
        """The pipeline, every choice, and the model by threshold and what it was trained on.

        ``model`` is a digest of all that went into training, not of the weights: these differ in
        the last digit between processors, and the signature is to be the same on all of them.
        """
        told: dict[str, object] = {"nlp": pipeline(self.pipeline).identity, **self.chosen.table()}
        # Resampling has a seed, too, in the same signature.
        told["training_seed"] = told.pop("seed")
        told["arguments"] = self.chosen.arguments
        if self.model is not None:
            told["threshold"] = self.model.threshold
            told["trained_on"] = self.model.trained_on
            told["model"] = self.model.key[:_SHORT]
        return told

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; empty where there is no model."""
        return self.model.trained_on if self.model else ""

    def fit(self, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Self:
        """Return the system with a model trained on ``train``; ``dev`` is not looked at.

        A model of the same corpus content, choices and versions is taken from the cache. Raises
        CorpusError for a part that nothing can be learnt from.
        """
        key = self._key(train)
        place = cache.key(key, *(f"{name} {version(name)}" for name in _LIBRARIES))
        model = cache.parsed(KIND, place, lambda body: store.parse(body, KIND))
        if model is None:
            model = self._trained(train, key, jobs)
            cache.write(KIND, place, store.dump(model))
        return replace(self, model=model)

    def save(self, path: Path) -> None:
        """Write the model to a file. Raises UsageError without a model."""
        save_bytes(store.dump(self.fitting()), path)

    def load(self, path: Path) -> Self:
        """Return the system with the model in a file.

        Raises FormatError for what is no model, UsageError for the model of another system.
        """
        model = store.load(path)
        self._refuse_foreign(model, path)
        return replace(self, model=model)

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains.

        Raises UsageError without a model and for that of another system, FormatError for one that
        does not fit the pipeline.
        """
        described = self.described(corpus)
        model = self.fitting()
        labels = model.clusters(described)
        return Clustering(pd.Series(labels, index=corpus.mentions.index))

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the model was trained on a document of ``corpus``."""
        held = {_short(document) for document in corpus.documents.values()}
        return self.model is not None and not held.isdisjoint(self.model.seen)

    def described(self, corpus: Corpus) -> PairFeatures:
        """Return the candidate pairs of a blind corpus with their features."""
        return describe(corpus, self.chosen, self.pipeline, self.progress)

    def fitting(self) -> Model:
        """Return the model, as ``predict`` uses it; raises as ``predict`` does."""
        if self.model is None:
            raise UsageError(
                "the system is not trained", place=self.name, hint="fit it, or give it a model"
            )
        self._refuse_foreign(self.model, self.name)
        given = pipeline(self.pipeline).identity
        if self.model.nlp != given:
            raise FormatError(
                f"the model was trained on the language pipeline {self.model.nlp}, not {given}",
                place=self.name,
                hint="name that pipeline, or train again",
            )
        return self.model

    def remark(self, corpus: Corpus) -> str:
        """Return how many candidate pairs there are on ``corpus``, and which gold links they hold.

        The links are counted for the reader; the system has not seen them.
        """
        count, inside, held, links = recall(
            label(corpus, self.chosen, self.pipeline, self.progress)
        )
        share = f" ({100 * held / links:.1f} %)" if links else ""
        pairs, gold = counted(count, "pair"), counted(links, "gold link")
        return f"{pairs}, {inside:,} of them within a document: {held:,} of {gold} held{share}"

    # What `cdec train` shows: see ``Learner``.
    training_page = training_view.training_page
    ablation = training_view.ablation
    learning_curve = training_view.learning_curve

    def _refuse_foreign(self, model: Model, place: object) -> None:
        """Raise UsageError for a model whose choices are rather those of another system.

        A model file names no system, and may have been trained with choices of the user's.
        """
        own = min(
            choices.distance(model.choices)
            for choices in (self.choices, SacConfig.shipped(self.name))
        )
        for name in NAMES:
            if SacConfig.shipped(name).distance(model.choices) < own:
                raise UsageError(
                    f"the model's choices are those of '{name}', not of '{self.name}'",
                    place=place,
                    hint=f"name {name}, or the --config that the model was trained with",
                )

    def _trained(self, part: Corpus, key: str, jobs: int) -> Model:
        choices = self.chosen
        data = label(part, choices, self.pipeline, self.progress)
        learnt = train(data, choices, jobs, self.progress)
        return Model(
            choices,
            pipeline(self.pipeline).identity,
            f"{part.name}/{part.part}",
            key,
            tuple(sorted({_short(document) for document in part.documents.values()})),
            learnt.members,
            learnt.calibration,
            learnt.threshold,
            learnt.curve,
        )

    def _key(self, part: Corpus) -> str:
        """Return a digest of all that the model is learnt from, by which version of cdec."""
        gold = part.events[["doc", "tokens", "chain", "topic"]].to_csv()
        if self.needs_arguments:
            gold += arguments_of(blind(part, arguments=True).corpus).to_csv()
        texts = [fingerprint(document) for document in part.documents.values()]
        choices = json.dumps(self.chosen.table(), sort_keys=True)
        nlp = pipeline(self.pipeline).identity
        return cache.key(store.FORMAT, REVISION, __version__, choices, nlp, gold, *texts)


@dataclass(frozen=True)
class SacPlus(Sac):
    """The best honest combination found on the training topics (see docs/sac.md)."""

    ID: ClassVar[str] = "sac-plus"
    choices: SacConfig = field(default_factory=partial(SacConfig.shipped, "sac-plus"))


def _short(document: Document) -> str:
    return fingerprint(document)[:_SHORT]
