"""The file of a detector: JSON with its words and weights, without code.

A file is checked field by field, as all input files of cdec: a damaged or foreign file is an error,
and loading one runs none of its content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from cdec.detection.finders import REVISION, Lexicon, Tagger
from cdec.detection.fitting import FINDERS, Finder, Fitted
from cdec.detection.tokens import Agreement, Cut
from cdec.errors import FormatError
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, one_of
from cdec.io.strict_json import parse as parse_json

FORMAT = "cdec-detector/1"
_HINT = "train it again: cdec train detector-tagger -o FILE"
_KIND = FileKind("a detector", FormatError, "model-invalid", _HINT, 2**27)
_CLASSES = 3
Share = Annotated[float, Field(ge=0, le=1)]
Weights = Annotated[
    tuple[float, ...], Field(strict=False, min_length=_CLASSES, max_length=_CLASSES)
]


@dataclass(frozen=True, eq=False)
class Model:
    """A trained detector: kind of mention → finder and cut, and what it was trained on.

    ``key`` is a digest of the training data; ``seen`` are short fingerprints of the documents.
    """

    name: str
    kind: str
    nlp: str
    trained_on: str
    key: str
    seen: tuple[str, ...] = field(repr=False)
    fitted: Mapping[str, Fitted] = field(repr=False)


class _Part(FileModel):
    threshold: Share
    merge: Literal["never", "always", "scored"]
    curve: dict[str, Annotated[tuple[Share, Share, Share], Field(strict=False)]]
    shares: dict[str, Share]
    weights: dict[str, Weights] | None = None
    bias: Weights | None = None


class _File(FileModel):
    detector: Annotated[str, one_of(FINDERS)]
    kind: Literal["event", "entity", "all"]
    features: int
    nlp: str
    trained_on: str
    key: str
    seen: Annotated[tuple[str, ...], Field(strict=False)]
    parts: Annotated[dict[Literal["event", "entity"], _Part], Field(min_length=1)]


_SCHEMA = Schema(_KIND, _File, FORMAT)


def dump(model: Model) -> bytes:
    """Return the content of the file of a detector; the same detector gives the same bytes."""
    about = {
        "format": FORMAT,
        "detector": model.name,
        "kind": model.kind,
        "features": REVISION,
        "nlp": model.nlp,
        "trained_on": model.trained_on,
        "key": model.key,
        "seen": list(model.seen),
        "parts": {kind: _stored(fitted) for kind, fitted in model.fitted.items()},
    }
    return (json.dumps(about, ensure_ascii=False) + "\n").encode()


def parse(data: bytes, place: object) -> Model:
    """Return the detector in ``data``, the content of the file ``place``; raises FormatError."""
    try:
        value = parse_json(_KIND.decode(data, place))
    except ValueError as error:
        raise _KIND.refuse(place, f"invalid JSON: {error}") from None
    return _model(_SCHEMA.check(value, place), place)


def load(path: Path) -> Model:
    """Return the detector in a file. Raises FormatError as ``parse`` does, or for no file."""
    return _model(_SCHEMA.read_json(path), path)


def _stored(fitted: Fitted) -> dict[str, object]:
    finder = fitted.finder
    curve = {str(threshold): list(value) for threshold, value in fitted.curve.items()}
    stored: dict[str, object] = {**asdict(fitted.cut), "curve": curve}
    if isinstance(finder, Lexicon):
        return stored | {"shares": dict(finder.shares)}
    weights = dict(zip(finder.features, finder.weights.tolist(), strict=True))
    bias = finder.bias.tolist()
    return stored | {"shares": dict(finder.lexicon.shares), "weights": weights, "bias": bias}


def _model(file: _File, place: object) -> Model:
    if file.features != REVISION:
        message = f"the detector has features {file.features}, this release of cdec {REVISION}"
        raise FormatError("model-invalid", message, place=place, hint=_HINT)
    parts = {str(kind): _fitted(file.detector, p, place) for kind, p in file.parts.items()}
    about = (file.nlp, file.trained_on, file.key, file.seen)
    return Model(file.detector, file.kind, *about, parts)


def _fitted(name: str, part: _Part, place: object) -> Fitted:
    lexicon = Lexicon(part.shares)
    finder: Finder = lexicon
    if FINDERS[name] is Tagger:
        if part.weights is None or part.bias is None:
            raise _KIND.refuse(place, "a tagger without weights")
        weights = np.array(list(part.weights.values()), dtype=np.float64)
        columns = weights.reshape(len(part.weights), _CLASSES)
        finder = Tagger(lexicon, tuple(part.weights), columns, np.array(part.bias))
    try:
        curve = {float(threshold): Agreement(*value) for threshold, value in part.curve.items()}
    except ValueError:
        raise _KIND.refuse(place, "a threshold is not a number") from None
    return Fitted(finder, Cut(part.threshold, part.merge), curve)
