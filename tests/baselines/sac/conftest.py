"""The sample by part, and SAC fitted to it."""

from pathlib import Path

import pytest

from cdec.baselines.sac import Sac
from cdec.corpus import Corpus, divided, read, sample_path

CONFIGS = Path(__file__).parents[3] / "configs" / "systems"


@pytest.fixture(scope="package")
def sample() -> dict[str, Corpus]:
    return divided(read(sample_path()))


@pytest.fixture(scope="package")
def fitted(sample: dict[str, Corpus], tmp_path_factory: pytest.TempPathFactory) -> Sac:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(tmp_path_factory.mktemp("cache")))
        return Sac().fit(sample["train"], sample["dev"])
