"""Detectors of mentions: trained on the annotated sentences of train, with a threshold from dev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pandas as pd

from cdec._version import __version__
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.detection import store
from cdec.detection.finders import REVISION
from cdec.detection.fitting import Fitted, fit_kind
from cdec.detection.store import Model
from cdec.detection.system import Detecting
from cdec.detection.tokens import spans, token_table
from cdec.errors import CorpusError, FormatError, UsageError
from cdec.io import cache
from cdec.io.output import save_bytes
from cdec.io.progress import Progress, silent
from cdec.language import pipeline
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json
from cdec.system import System

KIND = "detectors"
LEXICON, TAGGER = NAMES = ("detector-lexicon", "detector-tagger")
VERSION = 1  # of the detectors: increase it when a detector finds other mentions
_LIBRARIES = ("numpy", "scipy", "scikit-learn")
_SHORT = 12
_CURVE = Table(
    "{detector} on {train}, mentions of {dev}",
    {
        "kind": "Kind",
        "marked": "Threshold",
        **{name.lower(): (name, percent) for name in ("Precision", "Recall", "F1")},
    },
    "Mentions of dev in its annotated sentences; a mention is correct if its span is.\n"
    "*: chosen: the best F1 on dev",
)


def training_page(detector: Detector, train: Corpus, dev: Corpus) -> Page:
    """Return precision, recall and F1 of the mentions of dev by threshold."""
    fitted = detector.fitting().fitted
    data = pd.DataFrame(
        [
            {"kind": kind, "threshold": t, **value._asdict(), "chosen": t == part.cut.threshold}
            for kind, part in fitted.items()
            for t, value in part.curve.items()
        ]
    )
    marks = data["chosen"].map({True: " *", False: ""})
    frame = data.assign(marked=data["threshold"].map("{:.2f}".format) + marks)
    signature = Signature.from_fields(**train.about, **detector.parameters)
    names = {"detector": detector.name, "train": train.part, "dev": dev.part}
    return _CURVE.page(frame, str(signature), about=in_json(signature), data=data, **names)


@dataclass(frozen=True)
class Detector:
    """A detector of mentions; see docs/detection.md.

    ``detector-lexicon`` finds words that were mentions in train, ``detector-tagger`` classifies
    each token. ``fit`` and ``load`` set ``model``.
    """

    name: str = TAGGER
    pipeline: str = "hanta"
    progress: Progress = field(default=silent, repr=False, compare=False)
    model: Model | None = field(default=None, repr=False, compare=False)

    @property
    def parameters(self) -> Mapping[str, object]:
        """The fields of a signature: name with version, and the choices of training.

        The digest ``model`` is that of the training data, not of the weights: their last digit
        differs between processors.
        """
        about: dict[str, object] = {}
        if self.model is not None:
            about["kind"] = self.model.kind
            for kind, fitted in self.model.fitted.items():
                mark = f"{kind}_" if len(self.model.fitted) > 1 else ""
                about[f"{mark}threshold"] = fitted.cut.threshold
                about[f"{mark}merge"] = fitted.cut.merge
            about["trained_on"] = self.model.trained_on
            about["model"] = self.model.key[:_SHORT]
        named = f"{self.name}@{VERSION}"
        return {"mentions": "predicted", "detector": named, "detection": about}

    @property
    def kind(self) -> str:
        """The kind of mention that the detector finds; '' without a model."""
        return self.model.kind if self.model else ""

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; '' without a model."""
        return self.model.trained_on if self.model else ""

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the detector was trained or tuned on a document of ``corpus``."""
        documents = {document.fingerprint[:_SHORT] for document in corpus.documents.values()}
        return self.model is not None and not documents.isdisjoint(self.model.seen)

    def fit(self, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Self:
        """Return the detector trained on ``train``, with thresholds chosen on ``dev``.

        It finds mentions of the kind that ``train`` selects; for all, those of both kinds. Only
        sentences that were annotated in full are used (see ``tokens.annotated``). The cache
        keeps models by the content of both parts and versions. ``jobs`` has no effect. Raises
        CorpusError for a part without mentions of the kind, or without text.
        """
        kinds = train.kinds if train.kind == ALL_KINDS else (train.kind,)
        for part in (train, dev):
            for kind in kinds:
                _check_mentions(part, kind)
        key = self._key(train, dev)
        place = cache.key(key, *(f"{name} {version(name)}" for name in _LIBRARIES))
        model = cache.parsed(KIND, place, lambda body: store.parse(body, KIND))
        if model is None:
            model = self._trained(train, dev, kinds, key)
            cache.write(KIND, place, store.dump(model))
        return replace(self, model=model)

    def save(self, path: str | Path) -> None:
        """Write the model to a file. Raises UsageError without a model."""
        save_bytes(store.dump(self.fitting()), Path(path))

    def load(self, path: str | Path) -> Self:
        """Return the detector in a file, which has its name.

        Raises FormatError if it is not a detector.
        """
        model = store.load(Path(path))
        return replace(self, name=model.name, model=model)

    training_page = training_page

    def find(self, corpus: Corpus) -> pd.DataFrame:
        """Return the mentions as ``doc``, ``start``, ``end``, in text order, each once.

        The mentions of ``corpus`` are not used. Raises UsageError without a model, FormatError if
        the model was trained with another language pipeline.
        """
        model = self.fitting()
        if corpus.documents and any(document.tokens for document in corpus.documents.values()):
            table = token_table(corpus, self.pipeline, self.progress)
            fitted = model.fitted.values()
            found = [spans(table, f.finder.scores(table), f.cut) for f in fitted]
        else:
            found = [pd.DataFrame({"doc": [], "start": [], "end": []})]
        rank = {id_: place for place, id_ in enumerate(corpus.documents)}
        joined = pd.concat(found).drop_duplicates().assign(rank=lambda t: t["doc"].map(rank))
        ordered = joined.sort_values(["rank", "start", "end"], ignore_index=True)
        return ordered.drop(columns="rank")

    def on(self, system: System) -> Detecting:
        """Return the system on the mentions that the detector finds."""
        return Detecting(system, self)

    def fitting(self) -> Model:
        """Return the model after checking that it fits; raises as ``find`` does."""
        if self.model is None:
            hint = "train it, or load a model"
            raise UsageError("model-invalid", "not trained", place=self.name, hint=hint)
        current = pipeline(self.pipeline).identity
        if self.model.nlp != current:
            raise FormatError(
                "model-mismatch",
                f"the model was trained with language pipeline {self.model.nlp}, not {current}",
                place=self.name,
                hint="use that pipeline, or train the model again",
            )
        return self.model

    def _trained(self, train: Corpus, dev: Corpus, kinds: tuple[str, ...], key: str) -> Model:
        tables = [token_table(part, self.pipeline, self.progress) for part in (train, dev)]
        tasks = self.progress(kinds, len(kinds), f"training {self.name}")
        fitted: dict[str, Fitted] = {
            kind: fit_kind(self.name, train.select(kind), dev.select(kind), *tables)
            for kind in tasks
        }
        documents = [*train.documents.values(), *dev.documents.values()]
        return Model(
            self.name,
            train.kind,
            pipeline(self.pipeline).identity,
            f"{train.name}/{train.part}",
            key,
            tuple(sorted({document.fingerprint[:_SHORT] for document in documents})),
            fitted,
        )

    def _key(self, *parts: Corpus) -> str:
        """Return a digest of the training data, the detector and the version of cdec."""
        data = [self.name, parts[0].kind, pipeline(self.pipeline).identity]
        for part in parts:
            data.append(part.select(parts[0].kind).selected[["doc", "tokens", "kind"]].to_csv())
            data.append(str(sorted(part.reviewed)))
            data += [f"{d.topic} {d.fingerprint}" for d in part.documents.values()]
        return cache.key(store.FORMAT, str(REVISION), str(VERSION), __version__, *data)


def _check_mentions(part: Corpus, kind: str) -> None:
    if part.select(kind).selected.empty:
        raise CorpusError(
            "part-too-small",
            f"no {kind} mentions to train the detector on",
            place=f"{part.name} ({part.part})",
            hint="train on another part, or detect mentions of another kind",
        )
