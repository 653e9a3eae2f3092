"""Safe loading of HanTa's models from the installed package.

HanTa itself looks for the model in the working directory first, and loads it as a pickle, which can
run any code. This module reads only the file of the package, and allows only containers, text and
numbers in the pickle.
"""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import zlib
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cdec.errors import LanguageError

PACKAGE = "HanTa"
ENGLISH = "en"  # not from cdec.corpus.model, with which workers would import pandas
FILES = {ENGLISH: "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}
"""Language → the file of its model."""
# SHA-256 of the model files of each release; signatures give only the version of these.
RELEASED = {
    "1.2.1": {
        "en": "99ddc9b14b3fe604b245e2d7a3aef59ab1bdd06b1bae4f4ce74738902e2a0265",
        "nl": "f374e2200fb555eb1bea392af0c1c7b276971b89044ecbcedcbf2293d3edbe4b",
    }
}

_SHORT = 12
_HINT = "install HanTa again: `pip install --force-reinstall HanTa`"
_DAMAGED = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(pickle.UnpicklingError, struct.error, zlib.error),
)


def identity(language: str = ENGLISH) -> str:
    """Return ``hanta-VERSION``, or ``hanta-VERSION@DIGEST`` if the model file was changed.

    Raises LanguageError if HanTa or its model is missing.
    """
    try:
        release = version(PACKAGE)
    except PackageNotFoundError:
        raise LanguageError(
            "package-missing", "HanTa is not installed", hint="pip install HanTa"
        ) from None
    digest = _digest(path(language))
    return f"hanta-{release}" + (
        "" if digest == RELEASED.get(release, {}).get(language) else f"@{digest[:_SHORT]}"
    )


def path(language: str = ENGLISH) -> Path:
    """Return the path of the model in the package. Raises LanguageError if it is missing."""
    spec = find_spec(PACKAGE)
    places = (spec and spec.submodule_search_locations) or []
    file = next((Path(place).absolute() / FILES[language] for place in places), None)
    if file is None or not file.is_file():
        message = "the model is missing from the installed package"
        raise LanguageError("package-missing", message, place=file or FILES[language], hint=_HINT)
    return file


@cache
def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def load(language: str = ENGLISH) -> tuple[Any, ...]:
    """Return the parameters of HanTa's tagger.

    Raises LanguageError if the file is damaged or names code other than numpy's number types.
    """
    file = path(language)
    try:
        content = _Parameters(io.BytesIO(gzip.decompress(file.read_bytes()))).load()
        if not isinstance(content, tuple):
            raise pickle.UnpicklingError(f"expected a tuple, got {type(content).__name__}")
    except _DAMAGED as error:
        message = f"not a model of HanTa: {error}"
        raise LanguageError("language-model-invalid", message, place=file, hint=_HINT) from None
    return content


class _Parameters(pickle.Unpickler):
    """An unpickler that refuses every class and function except numpy's 64-bit numbers."""

    def find_class(self, module: str, name: str, /) -> Callable[..., Any]:
        """Return a safe replacement of the class or function. Raises UnpicklingError for others."""
        match module, name:
            case "numpy", "dtype":
                return _Float64
            case (("numpy.core.multiarray" | "numpy._core.multiarray"), "scalar"):
                return _Float64.number
        raise pickle.UnpicklingError(f"the file names the code {module}.{name}")


class _Float64:
    """A safe replacement of numpy's float64, the only numpy type in the file."""

    def __init__(self, code: str, *_: object) -> None:
        if code != "f8":
            raise pickle.UnpicklingError(f"the file has numbers of the type {code!r:.20}")

    def __setstate__(self, state: tuple[object, ...]) -> None:
        if state[1] != "<":
            raise pickle.UnpicklingError(f"the file has the byte order {state[1]!r:.20}")

    def number(self, data: bytes) -> np.float64:
        return np.float64(*struct.unpack("<d", data))
