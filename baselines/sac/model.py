"""A trained SAC model, and its file: a NumPy archive of plain arrays and a JSON text."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from cdec._version import __version__
from cdec.arrays import Floats, Singles
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.features import REVISION, select_families
from cdec.errors import FormatError
from cdec.files.input import FileKind
from cdec.files.models import refuse_newer
from cdec.pairs.features import columns
from cdec.records import Fields, Row

FORMAT = "cdec-sac/1"
_HINT = "train the model again: cdec train sac -o FILE"
FILE = FileKind("a SAC model", FormatError, "model-invalid", _HINT, 2**26)


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A trained model.

    ``choices`` and ``nlp``: the parameters and pipeline of its features. ``trained_on``: the corpus
    part; ``key``: digest of the training data and parameters; ``seen``: fingerprints of its
    documents. ``weights`` and ``bias``: of logistic regression on unscaled features, trained on
    sampled pairs; ``slope`` and ``shift``: Platt (1999) scaling of the log-odds, for all pairs.
    ``curve``: threshold → out-of-fold score (see ``training``).
    """

    choices: SacConfig
    nlp: str
    trained_on: str
    key: str
    seen: tuple[str, ...]
    weights: Floats
    bias: float
    slope: float
    shift: float
    threshold: float
    curve: Mapping[float, float]

    def probabilities(self, features: Singles) -> Floats:
        """Return the probability of each pair."""
        logits = log_odds(features, self.weights, self.bias)
        return np.asarray(expit(self.slope * logits + self.shift), dtype=np.float64)

    @property
    def is_valid(self) -> bool:
        """Whether all numbers are in range, and there is a weight of each column."""
        scores = (*self.curve, *self.curve.values())
        inside = all(0 <= number <= 1 for number in scores) and 0 < self.threshold <= 1
        finite = np.isfinite([*self.weights, self.bias, self.slope, self.shift]).all()
        return bool(inside and finite) and self.weights.shape == (len(self.columns),)

    @property
    def columns(self) -> list[str]:
        """The names of its features."""
        return columns(select_families(self.choices.families))


def log_odds(features: Singles, weights: Floats, bias: float) -> Floats:
    """Return the log-odds of each row."""
    with threadpool_limits(
        1
    ):  # with several threads the last digit depends on their number
        return np.asarray(features @ weights + bias, dtype=np.float64)


def dump(model: Model) -> bytes:
    """Return the content of a model file; the same model gives the same bytes."""
    about = {
        "format": FORMAT,
        "features": REVISION,
        "columns": model.columns,
        "cdec": __version__,
        "choices": model.choices.table(),
        "nlp": model.nlp,
        "trained_on": model.trained_on,
        "key": model.key,
        "seen": list(model.seen),
        "calibration": {"slope": model.slope, "shift": model.shift},
        "threshold": model.threshold,
        "curve": [list(model.curve), list(model.curve.values())],
    }
    text = json.dumps(about, sort_keys=True).encode()
    arrays = {"0.weights": model.weights, "0.bias": np.array([model.bias])}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, about=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def parse(data: bytes, place: object) -> Model:
    """Return the model in ``data``, the content of the file ``place``.

    Raises FormatError if it is not a model, or a model of another version.
    """
    try:
        about, weights, bias = _content(data)
        _check_version(about, place)
        thresholds, scores = about["curve"]
        model = Model(
            choices=SacConfig(**about["choices"]),
            nlp=str(about["nlp"]),
            trained_on=str(about["trained_on"]),
            key=str(about["key"]),
            seen=tuple(map(str, about["seen"])),
            weights=weights,
            bias=bias,
            slope=float(about["calibration"]["slope"]),
            shift=float(about["calibration"]["shift"]),
            threshold=float(about["threshold"]),
            curve=dict(zip(map(float, thresholds), map(float, scores), strict=True)),
        )
    except FormatError:
        raise
    except Exception:  # noqa: BLE001  a truncated or altered file can raise any
        raise FILE.refuse(place, "another kind of file, or damaged") from None
    if not model.is_valid:
        raise FILE.refuse(place, "its numbers do not match its features")
    return model


def _check_version(about: Fields, place: object) -> None:
    """Raise FormatError for another version of the format or of the features."""
    refuse_newer(about["format"], FORMAT, place, FILE)
    families = select_families(about["choices"]["families"])
    is_current = about["format"] == FORMAT and about["features"] == REVISION
    if not is_current or about["columns"] != columns(families):
        raise FormatError(
            "model-invalid",
            f"expected {FORMAT} with the features {REVISION} of this release of cdec, "
            f"got {about['format']} with features {about['features']}",
            place=place,
            hint=_HINT,
        )


def _content(data: bytes) -> tuple[Row, Floats, float]:
    """Return description, weights and bias; raises an error of any type for another content."""
    if not data.startswith(b"PK"):  # zipfile passes over what stands before an archive
        raise ValueError("not a zip")
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(info.file_size for info in packed.infolist()) > FILE.largest:
            raise ValueError("too large")
    with warnings.catch_warnings(), np.load(io.BytesIO(data)) as stored:
        warnings.simplefilter("ignore")  # NumPy warns of some damaged headers
        text = stored["about"]
        weights = stored["0.weights"]
        bias = stored["0.bias"]
    about: Row = json.loads(text.tobytes())
    return about, weights.astype(np.float64), float(bias.astype(np.float64)[0])
