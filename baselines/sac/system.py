"""SAC as a system: fit on train, predict on a blind corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.baselines.sac.clusters import clusters, score_blocks
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import label, near_documents
from cdec.baselines.sac.features import REVISION
from cdec.baselines.sac.model import FILE, FORMAT, Model, dump, parse
from cdec.baselines.sac.page import training_page
from cdec.baselines.sac.training import train
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError
from cdec.files import cache
from cdec.files.jobs import check_jobs
from cdec.files.output import save
from cdec.files.progress import Progress, silent
from cdec.language.pipeline import pipeline
from cdec.language.similarity import Pairs
from cdec.language.stems import stemmer_identity
from cdec.pairs.agglomeration import DIGITS
from cdec.pairs.candidates import blocks, count
from cdec.pairs.mentions import EncodedMentions, encode
from cdec.render.page import Page
from cdec.signature import Signature

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "snowballstemmer")
_SHORT = 12


@dataclass(frozen=True)
class Sac:
    """Supervised agglomerative clustering (Upadhyay et al. 2016, section 5; see docs/baselines.md).

    ``choices``: see ``SacConfig``. ``model``: the trained model, set by ``fit`` and ``load``.
    """

    name: ClassVar[str] = "sac"  # the system's id in results
    pipeline: str = "hanta"
    progress: Progress = field(default=silent, repr=False, compare=False)
    choices: SacConfig = field(default_factory=SacConfig.shipped)
    model: Model | None = field(default=None, repr=False, compare=False)

    @property
    def chosen(self) -> SacConfig:
        """The parameters of the model, or without a model ``choices``."""
        return self.choices if self.model is None else self.model.choices

    @property
    def parameters(self) -> Mapping[str, object]:
        """The pipeline, every parameter, and the model's threshold, training part and digest.

        ``model`` is a digest of the training data and parameters, not of the weights: their last
        digit differs between processors, but the signature must not.
        """
        choices = self.chosen.table()
        seed = choices.pop("seed")
        values: dict[str, object] = {
            "nlp": pipeline(self.pipeline).identity,
            "stemmer": stemmer_identity(),
            **choices,
            "training_seed": seed,  # the signature also has the seed of resampling
            "arguments": "none",  # no gold annotation is seen: in published signatures
        }
        if self.model is not None:
            values |= {
                "threshold": self.model.threshold,
                "trained_on": self.model.trained_on,
                "model": self.model.key[:_SHORT],
            }
        return values

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; empty without a model."""
        return self.model.trained_on if self.model else ""

    def fit(
        self,
        train: Corpus,
        dev: Corpus,
        *,
        jobs: int = 1,
    ) -> Self:
        """Return the system with a model trained on ``train``; ``dev`` is not used.

        The cache keeps models by corpus content, parameters and versions. Raises CorpusError for a
        part with one topic only or without coreferring mentions, UsageError as ``check_jobs`` does.
        """
        check_jobs(jobs)
        key = self._key(train)
        parts = (key, *(f"{name} {version(name)}" for name in _LIBRARIES))
        read = partial(parse, place=self.name)
        make = partial(self._trained, train, key, jobs)
        return replace(self, model=cache.kept(self.name, parts, read, make, dump))

    def save(self, path: str | Path) -> None:
        """Write the model to a file. Raises UsageError without a model."""
        save([dump(self.fitting())], Path(path))

    def load(self, path: str | Path) -> Self:
        """Return the system with the model in a file. Raises FormatError if it is not a model."""
        return replace(self, model=parse(FILE.read_bytes(Path(path)), path))

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains.

        Raises UsageError without a model, FormatError if the model was trained with another
        language pipeline.
        """
        model = self.fitting()
        labels = clusters(*self._encoded(corpus, model), model, self.progress)
        return Clustering(pd.Series(labels, index=corpus.mentions.index))

    def pair_scores(self, corpus: Corpus) -> Iterator[pd.DataFrame]:
        """Yield the probability of each candidate pair in blocks: ``a``, ``b``, ``score``.

        Raises as ``predict`` does.
        """
        model = self.fitting()
        mentions, near = self._encoded(corpus, model)
        doc = mentions.codes["doc"]
        ids = corpus.mentions.index.to_numpy()
        total = count(doc, near)
        for pairs, p in score_blocks(
            mentions, blocks(doc, near), model, total, self.progress
        ):
            yield pd.DataFrame(
                {
                    "a": ids[pairs.left],
                    "b": ids[pairs.right],
                    "score": np.round(p, DIGITS),
                }
            )

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the model was trained on a document of ``corpus``."""
        return self.model is not None and not _prints(corpus).isdisjoint(
            self.model.seen
        )

    def fitting(self) -> Model:
        """Return the model after checking that it fits; raises as ``predict`` does."""
        if self.model is None:
            raise UsageError(
                "model-invalid",
                "not trained",
                place=self.name,
                hint="train it, or load a model",
            )
        current = pipeline(self.pipeline).identity
        if self.model.nlp != current:
            raise FormatError(
                "input-mismatch",
                f"the model was trained with the pipeline {self.model.nlp}, not {current}",
                place=self.name,
                hint="use that pipeline, or train the model again",
            )
        return self.model

    def training_page(self, part: Corpus, dev: Corpus) -> Page:
        """Return the scores by threshold, which `cdec train` shows: see ``Learner``."""
        model = self.fitting()
        data = label(dev, model.choices, self.progress)
        features = data.features(model.choices, self.pipeline, self.progress)
        names = {"learner": self.name, "train": part.part}
        signature = Signature.from_fields(
            **part.about, system=self.name, **self.parameters
        )
        return training_page(model, features, data, names, signature)

    def _encoded(self, corpus: Corpus, model: Model) -> tuple[EncodedMentions, Pairs]:
        near = near_documents(corpus, model.choices, self.progress)
        return encode(corpus, self.pipeline, self.progress), near

    def _trained(
        self,
        part: Corpus,
        key: str,
        jobs: int,
    ) -> Model:
        choices = self.chosen
        nlp = pipeline(self.pipeline).identity
        data = label(part, choices, self.progress)
        features = data.features(choices, self.pipeline, self.progress)
        fields = train(data, features, choices, jobs, self.progress)
        seen = tuple(sorted(_prints(part)))
        return Model(choices, nlp, f"{part.name}/{part.part}", key, seen, **fields)

    def _key(self, part: Corpus) -> str:
        """Return a digest of the training data, the parameters and the version of cdec."""
        gold = part.selected[["doc", "tokens", "chain", "topic"]].to_csv()
        texts = [document.fingerprint for document in part.documents.values()]
        choices = json.dumps(self.chosen.table(), sort_keys=True)
        return cache.key(
            FORMAT,
            REVISION,
            __version__,
            choices,
            pipeline(self.pipeline).identity,
            stemmer_identity(),
            gold,
            *texts,
        )


def _prints(corpus: Corpus) -> set[str]:
    return {document.fingerprint[:_SHORT] for document in corpus.documents.values()}
