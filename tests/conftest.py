"""What all tests share: the real corpus where it is, and a data and cache folder of their own."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from functools import cache, wraps
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import typer.main
import typer.testing
from hypothesis import settings

from cdec.api import load_corpus
from cdec.corpus import Corpus
from cdec.errors import CdecError
from cdec.errors.codes import catalogue
from cdec.errors.notices import Notice
from tests.program import cdec  # noqa: F401  a fixture

# Data that is not in the repository: name → the folder beside the checkout, and what it holds.
_DATA = {
    "ECBPLUS": ("ecbplus", "ECB+"),
    "CORPORA": ("corpora", "other corpora"),
    "RESPONSES": ("responses", "response files of published systems"),
    "COREFUD": ("corefud-data", "CorefUD data"),
    "CANDIDATES": ("candidates", "candidate pairs of published systems"),
}
# Read before the isolation below removes them.
_GIVEN = {name: os.environ.get(f"CDEC_{name}") for name in _DATA}
_BESIDE = Path(__file__).parents[2] / "shared"


def pytest_configure(config: pytest.Config) -> None:
    """Say what holds for every test before the first is collected."""
    # A busy machine is no failure: speed is tested in tests/benchmarks.
    settings.register_profile("thorough", deadline=None)
    settings.register_profile("cdec", deadline=None, max_examples=30)
    settings.load_profile(config.getoption("--hypothesis-profile") or "cdec")


def pytest_collection_finish() -> None:
    """Let the garbage collector leave out what lives as long as the run: modules and tests."""
    gc.collect()
    gc.freeze()


def _data(name: str) -> Path:
    """Return a folder of data; the test is skipped, or fails, without it."""
    given, (folder, title) = _GIVEN[name], _DATA[name]
    path = Path(given) if given else _BESIDE / folder
    if path.exists():
        return path.resolve()
    reason = f"no {title} at {path}: set CDEC_{name} to the folder"
    if os.environ.get(f"CDEC_REQUIRE_{name}") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def ecbplus() -> Path:
    """The folder of the ECB+ 1.0 release; tests that need it are skipped where it is missing."""
    return _data("ECBPLUS")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the other corpora (GVC, WEC-Eng, CD²CR, …), found as ``ecbplus`` is."""
    return _data("CORPORA")


@pytest.fixture(scope="session")
def responses() -> Path:
    """The folder of published response files (7z archives), found as ``ecbplus`` is."""
    return _data("RESPONSES")


@pytest.fixture(scope="session")
def corefud() -> Path:
    """The folder of CorefUD data, found as ``ecbplus`` is."""
    return _data("COREFUD")


@pytest.fixture(scope="session")
def published_pairs() -> Path:
    """The folder of the candidate pairs of published systems, found as ``ecbplus`` is."""
    return _data("CANDIDATES")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache folder for the whole run, so that nothing is annotated twice."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return tmp_path_factory.mktemp("cache")
    folder = tmp_path_factory.getbasetemp().parent / "cache"  # that of all workers
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def whole_ecbplus(ecbplus: Path, shared_cache: Path) -> Corpus:
    """All of ECB+, read once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        return load_corpus(str(ecbplus))


@pytest.fixture(scope="session")
def data_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of new folders: ``mktemp`` would list all earlier ones for each of thousands."""
    parent = tmp_path_factory.mktemp("data", numbered=False)
    return (parent / str(number) for number in count())


@pytest.fixture(autouse=True)
def _isolation(
    monkeypatch: pytest.MonkeyPatch, data_folders: Iterator[Path], shared_cache: Path
) -> None:
    """Keep tests off the user's corpora and cache, and loopback traffic off proxies."""
    monkeypatch.setenv("CDEC_CACHE", str(shared_cache))
    folder = next(data_folders)
    folder.mkdir()
    monkeypatch.setenv("CDEC_DATA", str(folder))
    for name in _DATA:
        monkeypatch.delenv(f"CDEC_{name}", raising=False)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture(autouse=True, scope="session")
def _codes() -> Iterator[None]:
    """Let every error and notice of the run prove that its code is in the catalogue."""
    with pytest.MonkeyPatch.context() as patch:
        for made in (CdecError, Notice):
            patch.setattr(made, "__init__", _checked(made.__init__))
        yield


def _checked(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def init(self: CdecError | Notice, *args: Any, **values: Any) -> None:
        original(self, *args, **values)
        assert self.code in catalogue(), f"no code '{self.code}' in codes.toml"

    return init


@pytest.fixture(autouse=True, scope="session")
def _one_command_line() -> Iterator[None]:
    """Build the commands from their functions once, not for each of thousands of calls."""
    with pytest.MonkeyPatch.context() as patch:
        once = cache(typer.main.get_command)
        patch.setattr(typer.main, "get_command", once)
        patch.setattr(typer.testing, "_get_command", once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _interrupts() -> Iterator[None]:
    """Let children be interrupted: a shell lets those in its background ignore that."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)
