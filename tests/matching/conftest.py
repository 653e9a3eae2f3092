"""Fixtures of the tests of cdec.matching."""

from collections.abc import Callable
from pathlib import Path

import py7zr
import pytest

from tests.formats.perl import perl_scorer

__all__ = ["perl_scorer"]


@pytest.fixture(scope="session")
def unpacked(responses: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a folder in which each of the named archives of responses is unpacked, once a run."""
    root = tmp_path_factory.mktemp("responses")

    def unpack(*names: str) -> Path:
        for name in names:
            if not (root / name).exists():
                with py7zr.SevenZipFile(responses / f"{name}.7z") as archive:
                    archive.extractall(root / name)
        return root

    return unpack
