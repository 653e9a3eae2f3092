"""The cache entry of a published corpus is used only if it is the recorded one."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from cdec.configs import read_text, read_toml
from cdec.corpus import RECORDS, content_digest, load, open_source, sample_path
from cdec.corpus.store.load import _key
from cdec.io import cache

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))


def entry(place: Path) -> tuple[str, str]:
    source = open_source(place)
    load(source, "x")
    body = cache.read("corpus", _key(source))
    assert body is not None
    return _key(source), sha256(body).hexdigest()


def test_the_record_of_the_sample() -> None:
    key, digest = entry(sample_path())
    assert read_toml(RECORDS)[key] == digest


@pytest.mark.slow
def test_the_records(ecbplus: Path, corpora: Path) -> None:
    languages = [corpora / "MEANTIME" / language for language in ("en", "es", "it", "nl")]
    places = [sample_path(), ecbplus, *sorted(p for p in corpora.iterdir() if p.is_dir())]
    found = dict(entry(place) for place in [*places, *languages])
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        head = [line for line in read_text(RECORDS).splitlines() if line.startswith("#")]
        lines = [*head, *(f'"{key}" = "{digest}"' for key, digest in found.items())]
        (ROOT / "configs" / RECORDS).write_text("\n".join(lines) + "\n", "utf-8")
    assert read_toml(RECORDS) == found


def test_a_changed_entry_with_a_correct_checksum_is_not_read() -> None:
    source = open_source(sample_path())
    corpus = load(source, "x")
    body = cache.read("corpus", _key(source))
    assert body is not None
    chain = corpus.mentions["chain"].iloc[0].encode()
    cache.write("corpus", _key(source), body.replace(chain, b"other"))
    again = load(source, "x")
    assert (again.digest, content_digest(again)) == (corpus.digest, content_digest(corpus))
