"""The model file: a NumPy archive of plain arrays, with one JSON text for the rest. No pickle."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cdec._version import __version__
from cdec.baselines.sac.config import Choices
from cdec.baselines.sac.features import REVISION, columns
from cdec.baselines.sac.model import MEMBERS, Calibration, Model
from cdec.errors import CdecError, FormatError

FORMAT = "cdec-sac/1"
_CURE = "train it again: cdec train sac -o FILE"
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
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays: Arrays = {name: archive[name] for name in archive.files}
        about: dict[str, Any] = json.loads(arrays.pop("about").tobytes())
        _check(about, place)
        return _model(about, arrays)
    except CdecError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile):
        raise FormatError("no model of SAC, or a damaged one", place=place, cure=_CURE) from None


def load(path: Path) -> Model:
    """Return the model in a file. Raises FormatError as ``parse``, also for a missing file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FormatError(f"the model cannot be read: {reason}", place=path, cure=_CURE) from None
    return parse(data, path)


def _check(about: dict[str, Any], place: object) -> None:
    told = about["format"], about["features"]
    if told != (FORMAT, REVISION):
        raise FormatError(
            f"a model of {told[0]} on features {told[1]}; this cdec reads {FORMAT} on {REVISION}",
            place=place,
            cure=_CURE,
        )
    names = columns(Choices(**about["choices"]).families)
    if about["columns"] != names:
        raise FormatError(
            "the model's features are not those of this cdec", place=place, cure=_CURE
        )


def _model(about: dict[str, Any], arrays: Arrays) -> Model:
    choices = Choices(**about["choices"])
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
        Calibration(**about["calibration"]),
        float(about["threshold"]),
        dict(zip(*about["curve"], strict=True)),
    )
