"""The command line, as in the tests of the commands, and SAC fitted to the sample."""

from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.baselines.sac import Sac
from tests.cli.conftest import cdec

__all__ = ["cdec"]


@pytest.fixture(scope="package")
def sample_sac(tmp_path_factory: pytest.TempPathFactory) -> Sac:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(Path(tmp_path_factory.mktemp("cache"))))
        return Sac().fit(load_corpus("sample", "train"), load_corpus("sample", "dev"))
