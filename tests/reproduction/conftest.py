"""Fixtures of the tests of the reproduction: the reproduced sample, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cdec.cli.app import app
from tests.browser import Browser, running


def reproduce(*arguments: str | Path) -> str:
    """Run ``cdec reproduce`` and return what it prints."""
    result = CliRunner().invoke(app, ["reproduce", *map(str, arguments)])
    assert result.exit_code == 0, result.stderr or result.exception
    return result.stdout


@pytest.fixture(scope="module")
def cached(shared_cache: Path) -> Iterator[None]:
    """The cache of the session, for fixtures of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        yield


@pytest.fixture(scope="module")
def sample_page(cached: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All artefacts as HTML, on the embedded sample."""
    file = tmp_path_factory.mktemp("page") / "sample.html"
    reproduce("--corpus", "sample", "--resamples", "20", "-q", "-f", "html", "-o", file)
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    with running() as chromium:
        yield chromium
