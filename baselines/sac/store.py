"""The model file: a NumPy archive of plain arrays, with one JSON text for the rest. No pickle."""

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
from cdec.baselines.sac.classifiers import MEMBERS
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.model import Calibration, Model
from cdec.errors import CdecError, FormatError
from cdec.io.inputfile import FileKind
from cdec.pairs.features import REVISION, columns

FORMAT = "cdec-sac/1"
_HINT = "train it again: cdec train sac -o FILE"
_KIND = FileKind("a SAC model", FormatError, "model-invalid", _HINT, 2**26)
# What a file that is cut, altered or made up ends in.
_DAMAGE = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError),
    *(EOFError, MemoryError, RecursionError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, SyntaxError, TokenError),
)
Arrays = dict[str, npt.NDArray[np.generic]]


def dump(model: Model) -> bytes:
    """Return the file's content; the same model gives the same bytes."""
    about = {
        "format": FORMAT,
        "features": REVISION,
        "columns": columns(model.choices.families),
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
    for number, member in enumerate(model.members):
        arrays |= {f"{number}.{name}": array for name, array in member.arrays().items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def parse(data: bytes, place: object) -> Model:
    """Return the model in ``data``; ``place`` names it in errors.

    Raises FormatError for what is no model, or one of another version of the features.
    """
    try:
        arrays = _arrays(data)
        about: dict[str, Any] = json.loads(arrays.pop("about").tobytes())
        _check(about, place)
        model = _model(about, arrays)
    except FormatError:
        raise
    except (*_DAMAGE, CdecError):
        raise FormatError("no model of SAC, or a damaged one", place=place, hint=_HINT) from None
    if not _is_sound(model, len(about["columns"])):
        message = "a model whose numbers do not fit its features"
        raise FormatError(message, place=place, hint=_HINT)
    return model


def load(path: Path) -> Model:
    """Return the model in a file. Raises FormatError as ``parse``, also for a missing file."""
    return parse(_KIND.read_bytes(path), path)


def _arrays(data: bytes) -> Arrays:
    """Return the arrays, none unpacked to more than a model can have."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(info.file_size for info in packed.infolist()) > _KIND.largest:
            raise ValueError("too large")
    with warnings.catch_warnings(), np.load(io.BytesIO(data), allow_pickle=False) as archive:
        warnings.simplefilter("ignore")  # NumPy's advice on a header that is not ours
        return {name: archive[name] for name in archive.files}


def _is_sound(model: Model, width: int) -> bool:
    """Return whether all numbers are finite and every classifier reads ``width`` columns."""
    scale, numbers = model.calibration, (*model.curve, *model.curve.values(), model.threshold)
    finite = np.isfinite([*numbers, scale.slope, scale.shift]).all()
    return bool(finite) and all(member.fits(width) for member in model.members)


def _check(about: dict[str, Any], place: object) -> None:
    told = about["format"], about["features"]
    if told != (FORMAT, REVISION):
        raise FormatError(
            f"a model of {told[0]} on features {told[1]}; this cdec reads {FORMAT} on {REVISION}",
            place=place,
            hint=_HINT,
        )
    names = columns(SacConfig(**about["choices"]).families)
    if about["columns"] != names:
        raise FormatError(
            "the model's features are not those of this cdec", place=place, hint=_HINT
        )


def _model(about: dict[str, Any], arrays: Arrays) -> Model:
    choices = SacConfig(**about["choices"])
    members = []
    for number, name in enumerate(choices.classifiers):
        mark = f"{number}."
        own = {key.removeprefix(mark): x for key, x in arrays.items() if key.startswith(mark)}
        members.append(MEMBERS[name].from_arrays(own))
    return Model(
        choices,
        str(about["nlp"]),
        str(about["trained_on"]),
        str(about["key"]),
        tuple(map(str, about["seen"])),
        tuple(members),
        Calibration(*(float(about["calibration"][name]) for name in ("slope", "shift"))),
        float(about["threshold"]),
        dict(zip(*(map(float, column) for column in about["curve"]), strict=True)),
    )
