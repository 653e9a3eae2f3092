"""The real corpus audited once, and the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from cdec.api import load_corpus
from cdec.audit.cases import audit
from cdec.audit.config import AuditConfig
from cdec.audit.shortlist import ShortList
from cdec.cli.app import main
from cdec.corpus.model import Corpus


@dataclass(frozen=True)
class Ran:
    """What a call of the program came to."""

    code: int
    out: str
    err: str


class Cdec(Protocol):
    """The program, called with arguments."""

    def __call__(self, *arguments: object) -> Ran: ...


@pytest.fixture(scope="package")
def cached(shared_cache: Path) -> Iterator[None]:
    """Let fixtures of the whole package share the annotations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        yield


@pytest.fixture(scope="package")
def real(ecbplus: Path) -> Corpus:
    return load_corpus(str(ecbplus))


@pytest.fixture(scope="package")
def found(real: Corpus, cached: None) -> ShortList:
    """Every case of ECB+."""
    return audit(real, AuditConfig())


@pytest.fixture(scope="package")
def sample() -> Corpus:
    return load_corpus("sample")


@pytest.fixture(scope="package")
def sample_cases(sample: Corpus, cached: None) -> ShortList:
    """Every case of the embedded sample."""
    return audit(sample, AuditConfig())


@pytest.fixture
def cdec(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cdec:
    """Call the program in this process."""

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["cdec", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return Ran(int(caught.value.code or 0), said.out, said.err)

    return call


Make = Callable[..., Path]
