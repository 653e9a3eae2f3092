"""The model file: a NumPy archive of plain arrays and a JSON text, without pickle."""

from __future__ import annotations

import io
import json
import lzma
import struct
import warnings
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from cdec._version import __version__
from cdec.baselines.sac.classifiers import Linear
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.features import REVISION, columns
from cdec.baselines.sac.model import Calibration, Model
from cdec.errors import CdecError, FormatError
from cdec.files.input import FileKind, read_member
from cdec.files.models import refuse_newer

FORMAT = "cdec-sac/1"
_HINT = "train the model again: cdec train sac -o FILE"
_KIND = FileKind("a SAC model", FormatError, "model-invalid", _HINT, 2**26)
_KINDS = "biuf"  # NumPy types: truth values, integers, floats
# Exceptions that a truncated or altered file can raise.
_DAMAGE = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError),
    *(EOFError, MemoryError, RecursionError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, SyntaxError, TokenError),
)
Arrays = dict[str, npt.NDArray[np.generic]]


def dump(model: Model) -> bytes:
    """Return the content of a model file; the same model gives the same bytes."""
    about = {
        "format": FORMAT,
        "features": REVISION,
        "columns": columns(model.choices.used),
        "cdec": __version__,
        "choices": model.choices.table(),
        "nlp": model.nlp,
        "trained_on": model.trained_on,
        "key": model.key,
        "seen": list(model.seen),
        "calibration": vars(model.calibration),
        "threshold": model.threshold,
        "curve": [list(model.curve), list(model.curve.values())],
    }
    text = json.dumps(about, sort_keys=True).encode()
    arrays: Arrays = {"about": np.frombuffer(text, dtype=np.uint8)}
    arrays |= {f"0.{name}": array for name, array in model.classifier.arrays().items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def parse(data: bytes, place: object) -> Model:
    """Return the model in ``data``, the content of the file ``place``.

    Raises FormatError if it is not a model, or a model of another version.
    """
    try:
        arrays = _arrays(data)
        about: dict[str, Any] = json.loads(arrays.pop("about").tobytes())
        _check(about, place)
        model = _model(about, arrays)
    except FormatError:
        raise
    except (*_DAMAGE, CdecError):
        raise _KIND.refuse(place, "another kind of file, or damaged") from None
    if not _is_valid(model, len(about["columns"])):
        raise _KIND.refuse(place, "its numbers do not match its features")
    return model


def load(path: Path) -> Model:
    """Return the model in a file. Raises FormatError as ``parse`` does, and for a missing file."""
    return parse(_KIND.read_bytes(path), path)


def _arrays(data: bytes) -> Arrays:
    """Return the arrays. Raises ValueError if they unpack to more than a model can have."""
    if not data.startswith(b"PK"):  # zipfile passes over what stands before an archive
        raise ValueError("not a zip")
    with zipfile.ZipFile(io.BytesIO(data)) as packed, warnings.catch_warnings():
        if sum(info.file_size for info in packed.infolist()) > _KIND.largest:
            raise ValueError("too large")
        warnings.simplefilter("ignore")  # NumPy warns of some damaged headers
        contents = {info.filename: read_member(packed, info) for info in packed.infolist()}
        arrays = {
            name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(content))
            for name, content in contents.items()
        }
    if any(array.dtype.kind not in _KINDS for array in arrays.values()):
        raise ValueError("not real numbers")
    return arrays


def _is_valid(model: Model, width: int) -> bool:
    """Return whether all numbers are in range and the classifier has ``width`` columns."""
    scale, numbers = model.calibration, (*model.curve, *model.curve.values(), model.threshold)
    finite = np.isfinite([scale.slope, scale.shift]).all()
    inside = all(0 <= number <= 1 for number in numbers) and model.threshold > 0
    return bool(finite and inside) and model.classifier.fits(width)


def _check(about: dict[str, Any], place: object) -> None:
    format_, revision = about["format"], about["features"]
    refuse_newer(format_, FORMAT, place, _KIND)
    if (format_, revision) != (FORMAT, REVISION):
        message = (
            f"expected a model in format {FORMAT} with features {REVISION}, "
            f"got {format_} with features {revision}"
        )
        raise FormatError("model-invalid", message, place=place, hint=_HINT)
    if about["columns"] != columns(about["choices"]["families"]):
        message = "the model has other features than this release of cdec"
        raise FormatError("model-invalid", message, place=place, hint=_HINT)


def _model(about: dict[str, Any], arrays: Arrays) -> Model:
    choices = SacConfig(**about["choices"])
    stored = {name.removeprefix("0."): array for name, array in arrays.items()}
    return Model(
        choices,
        str(about["nlp"]),
        str(about["trained_on"]),
        str(about["key"]),
        tuple(map(str, about["seen"])),
        Linear.from_arrays(stored),
        Calibration(*(float(about["calibration"][name]) for name in ("slope", "shift"))),
        float(about["threshold"]),
        dict(zip(*(map(float, column) for column in about["curve"]), strict=True)),
    )
