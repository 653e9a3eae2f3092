"""A corpus of two documents, for tests of invalid input, and the real corpus, read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cdec.corpus import REVIEWED, Corpus, Source, build, open_source

# Tests of errors use the line numbers.
DOCUMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<Document doc_name="1_1ecb.xml" doc_id="D1">
<token t_id="1" sentence="0" number="0">Fire</token>
<token t_id="2" sentence="0" number="1">broke</token>
<token t_id="3" sentence="0" number="2">quickly</token>
<token t_id="4" sentence="0" number="3">out</token>
<token t_id="5" sentence="1" number="0">Aña</token>
<token t_id="6" sentence="1" number="1">saw</token>
<token t_id="7" sentence="1" number="2">it</token>
<Markables>
<ACTION_OCCURRENCE m_id="11"><token_anchor t_id="2"/><token_anchor t_id="4"/></ACTION_OCCURRENCE>
<ACTION_PERCEPTION m_id="12"><token_anchor t_id="6"/></ACTION_PERCEPTION>
<HUMAN_PART_PER m_id="13"><token_anchor t_id="5"/></HUMAN_PART_PER>
<ACTION_OCCURRENCE m_id="14"><token_anchor t_id="7"/></ACTION_OCCURRENCE>
<ACTION_OCCURRENCE m_id="21" RELATED_TO="" TAG_DESCRIPTOR="t1_fire" instance_id="ACT1"/>
<HUMAN_PART_PER m_id="22" RELATED_TO="" TAG_DESCRIPTOR="t1_ana" instance_id="HUM1"/>
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="1" note="ACT1">
<source m_id="11"/>
<source m_id="14"/>
<target m_id="21"/>
</CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="2">
<source m_id="13"/>
<target m_id="22"/>
</INTRA_DOC_COREF>
</Relations>
</Document>
"""
FILES = {
    "1/1_1ecb.xml": DOCUMENT,
    "1/1_2ecbplus.xml": DOCUMENT.replace("1_1ecb.xml", "1_2ecbplus.xml"),
}
LIST = "Topic,File,Sentence Number\n1,1ecb,1\n"

WriteCorpus = Callable[..., Path]


@pytest.fixture(scope="session")
def document() -> str:
    """The text of a valid document."""
    return DOCUMENT


@pytest.fixture
def write_corpus(tmp_path: Path) -> WriteCorpus:
    """Return a function that writes files in the layout of the release and returns the folder."""

    def write(
        files: Mapping[str, str | bytes] = FILES, reviewed: str | bytes | None = LIST
    ) -> Path:
        folder = tmp_path / "corpus"
        for name, content in files.items():
            _put(folder / "ECB+" / name, content)
        if reviewed is not None:
            _put(folder / REVIEWED, reviewed)
        return folder

    return write


@pytest.fixture
def small(write_corpus: WriteCorpus) -> Source:
    """The small corpus, opened."""
    return open_source(write_corpus())


@pytest.fixture(scope="session")
def release_source(ecbplus: Path) -> Source:
    """The real corpus, opened."""
    return open_source(ecbplus)


@pytest.fixture(scope="session")
def release_corpus(release_source: Source) -> Corpus:
    """The real corpus, read."""
    return build(release_source, "ecb+")


def _put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
