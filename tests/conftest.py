"""What all tests share: the data outside the repository, and folders of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import rich.style  # noqa: F401  # its import takes a random number, which a strategy must not
from hypothesis import settings

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
    # A busy machine is no failure.
    settings.register_profile("thorough", deadline=None)
    settings.register_profile("cdec", deadline=None, max_examples=30)
    settings.load_profile(config.getoption("--hypothesis-profile") or "cdec")


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


# Tests that need a folder are skipped where it is missing.
@pytest.fixture(scope="session")
def ecbplus() -> Path:
    return _data("ECBPLUS")


@pytest.fixture(scope="session")
def corpora() -> Path:
    return _data("CORPORA")


@pytest.fixture(scope="session")
def responses() -> Path:
    return _data("RESPONSES")


@pytest.fixture(scope="session")
def corefud() -> Path:
    return _data("COREFUD")


@pytest.fixture(scope="session")
def published_pairs() -> Path:
    return _data("CANDIDATES")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache folder for the whole run, so that nothing is annotated twice."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return tmp_path_factory.mktemp("cache")
    folder = tmp_path_factory.getbasetemp().parent / "cache"  # that of all workers
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _isolation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shared_cache: Path) -> None:
    """Keep tests off the user's corpora and cache, and loopback traffic off proxies."""
    monkeypatch.setenv("CDEC_CACHE", str(shared_cache))
    folder = tmp_path.parent / f"{tmp_path.name}-data"
    folder.mkdir()
    monkeypatch.setenv("CDEC_DATA", str(folder))
    for name in _DATA:
        monkeypatch.delenv(f"CDEC_{name}", raising=False)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture(autouse=True, scope="session")
def _interrupts() -> Iterator[None]:
    """Let children be interrupted: a shell lets those in its background ignore that."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)
