"""ECB+ and the sample, each audited once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cdec.api import load_corpus
from cdec.auditing import (
    AuditConfig,
    Calibration,
    Findings,
    Key,
    ShortList,
    audit,
    default_calibration,
    prepare,
    to_page,
)
from cdec.corpus import Corpus
from tests.cli.conftest import cdec

__all__ = ["cdec"]  # a fixture


@pytest.fixture(scope="package")
def cached(shared_cache: Path) -> Iterator[None]:
    """Use one annotation cache for the fixtures of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        yield


@pytest.fixture(scope="package")
def real(ecbplus: Path) -> Corpus:
    return load_corpus(str(ecbplus))


@pytest.fixture(scope="package")
def real_cases(real: Corpus, cached: None) -> ShortList:
    """Every case of ECB+."""
    return audit(real, AuditConfig())


@pytest.fixture(scope="package")
def sample() -> Corpus:
    return load_corpus("sample")


@pytest.fixture(scope="package")
def sample_key(sample: Corpus, cached: None) -> Key:
    """The key of the embedded sample."""
    return Key(sample, prepare(sample, AuditConfig()), AuditConfig())


@pytest.fixture(scope="package")
def sample_findings(sample_key: Key) -> Findings:
    """The results of all detectors on the embedded sample."""
    return Findings.of(sample_key)


@pytest.fixture(scope="package")
def sample_cases(sample: Corpus, cached: None) -> ShortList:
    """Every case of the embedded sample."""
    return audit(sample, AuditConfig())


@pytest.fixture(scope="package")
def own_calibration(sample: Corpus) -> Calibration:
    """The numbers of ECB+ as if they were fitted to judged cases of the sample."""
    about = {"corpus": "sample", "digest": sample.digest}
    return default_calibration().model_copy(update={"about": about})


@pytest.fixture(scope="package")
def scored_cases(sample: Corpus, own_calibration: Calibration, cached: None) -> ShortList:
    """Every case of the embedded sample, with probabilities."""
    return audit(sample, AuditConfig(), calibration=own_calibration)


@pytest.fixture(scope="package")
def suggested(sample_cases: ShortList) -> ShortList:
    """Return the cases of the sample, each with a suggestion, however its evidence is weighed."""
    fixes = (
        [fix.model_copy(update={"tied": False}) for fix in c.fixes] for c in sample_cases.cases
    )
    pairs = zip(sample_cases.cases, fixes, strict=True)
    cases = tuple(case.model_copy(update={"fixes": tuple(plain)}) for case, plain in pairs)
    return replace(sample_cases, cases=cases)


@pytest.fixture(scope="package")
def sample_page(
    sample: Corpus, suggested: ShortList, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    file = tmp_path_factory.mktemp("page") / "review.html"
    file.write_text(to_page(suggested, sample), "utf-8")
    return file
