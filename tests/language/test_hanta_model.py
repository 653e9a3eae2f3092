import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdec.language import hanta_model, pipeline
from cdec.language.taggers import tagger
from tests.refusals import refused

Replace = Callable[[bytes], Path]


class Harmful:
    """What a stranger would put into the file: to load it is to run a call."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.file),))


@pytest.fixture
def replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Replace:
    def put(data: bytes) -> Path:
        file = tmp_path / hanta_model.FILES["en"]
        file.write_bytes(data)
        monkeypatch.setattr(hanta_model, "path", lambda language: file)
        return file

    return put


def packed(content: object) -> bytes:
    return gzip.compress(pickle.dumps(content))


def test_the_content_is_what_pickle_loads() -> None:
    with gzip.open(hanta_model.path()) as file:
        expected = pickle.load(file)  # noqa: S301  of the installed package
    loaded = hanta_model.load()
    assert loaded == expected
    assert list(map(type, loaded)) == list(map(type, expected))
    assert np.float64 in types(loaded)
    assert types(loaded) == types(expected)


def types(value: object) -> set[type]:
    """Return the types that occur in nested containers."""
    inner: set[type] = {type(value)}
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set):
        inner = inner.union(*map(types, value))
    return inner


def test_the_file_is_that_of_the_package_whatever_the_working_directory_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harmed = tmp_path / "harmed"
    (tmp_path / hanta_model.FILES["en"]).write_bytes(packed(Harmful(harmed)))
    (tmp_path / "HanTa").mkdir()
    monkeypatch.chdir(tmp_path)
    assert tagger()(("They", "left", "."))[1] == ("leave", "VVD", "VERB")
    assert not harmed.exists()
    assert hanta_model.path().is_absolute()


def test_the_released_model_is_known_by_the_version() -> None:
    release = version("HanTa")
    digest = sha256(hanta_model.path().read_bytes()).hexdigest()
    assert hanta_model.RELEASED[release]["en"] == digest
    assert pipeline("hanta").identity == f"hanta-{release}"


def test_another_model_has_another_identity(replace: Replace) -> None:
    other = packed(({}, {}))
    replace(other)
    digest = sha256(other).hexdigest()[:12]
    assert pipeline("hanta").identity == f"hanta-{version('HanTa')}@{digest}"


def test_a_release_that_is_not_known_has_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hanta_model, "version", lambda _: "9.9")
    assert pipeline("hanta").identity == "hanta-9.9@99ddc9b14b3f"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        gzip.compress(b""),
        gzip.compress(b"text"),
        gzip.compress(pickle.dumps(({}, {}))[:-4]),
        packed({}),
        packed((print,)),
        packed((np.zeros(3),)),
        packed((np.float32(1),)),
        packed((np.dtype("O"),)),
        packed((np.dtype(">f8"),)),
    ],
    ids=[
        "empty",
        "text",
        "nothing",
        "text-inside",
        "cut",
        "kind",
        "code",
        "array",
        "single",
        "object",
        "order",
    ],
)
def test_a_damaged_file_is_refused(data: bytes, replace: Replace) -> None:
    file = replace(data)
    with refused("language-model-invalid", place=file):
        hanta_model.load()


def test_code_in_the_file_is_not_run(replace: Replace, tmp_path: Path) -> None:
    harmed = tmp_path / "harmed"
    replace(packed((Harmful(harmed),)))
    with refused("language-model-invalid", f"{os.mkdir.__module__}.mkdir"):
        hanta_model.load()
    assert not harmed.exists()


def test_a_package_without_the_file_or_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(hanta_model.FILES, "en", "morphmodel_xx.pgz")
    with refused("package-missing", place="morphmodel_xx.pgz"):
        pipeline("hanta")

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(hanta_model, "version", missing)
    with refused("package-missing", "HanTa is not installed"):
        pipeline("hanta")


def test_the_identity_needs_neither_the_model_nor_spacy() -> None:
    code = (
        "import sys; from cdec.language import pipeline; pipeline('hanta').identity;"
        "print([name for name in ('spacy', 'HanTa.HanoverTagger') if name in sys.modules])"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "[]\n"
