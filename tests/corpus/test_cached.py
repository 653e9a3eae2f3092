"""A corpus from the cache equals the corpus from its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cdec.corpus import Corpus, Source, build, load, open_source, sample_path, stamped
from cdec.corpus.store import load as cached
from cdec.io import cache


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def sample() -> Source:
    return open_source(sample_path())


def parsed_files(source: Source, name: str = "corpus") -> tuple[Corpus, int]:
    ticks: list[None] = []
    corpus = load(source, name, lambda: ticks.append(None))
    return corpus, len(ticks)


def assert_same(one: Corpus, other: Corpus) -> None:
    pd.testing.assert_frame_equal(one.mentions, other.mentions)
    assert list(one.documents.items()) == list(other.documents.items())
    assert (one.name, one.digest, one.part) == (other.name, other.digest, other.part)


def kept_file(folder: Path) -> Path:
    (file,) = (folder / "corpus").iterdir()
    return file


def test_from_the_cache_as_from_the_files(sample: Source) -> None:
    fresh, parsed = parsed_files(sample)
    again, parsed_again = parsed_files(sample)
    assert (parsed, parsed_again) == (36, 0)
    assert_same(fresh, build(sample, "corpus"))
    assert_same(again, fresh)


def test_the_name_is_that_of_the_call(sample: Source) -> None:
    load(sample, "one")
    assert load(sample, "two").name == "two"


@pytest.mark.slow
def test_the_real_corpus_from_the_cache(release_source: Source, release_corpus: Corpus) -> None:
    key = cached._key(release_source)
    read = stamped(release_corpus, release_source)
    cache.write("corpus", key, cached._to_json(read))
    again, parsed = parsed_files(release_source, "ecb+")
    assert parsed == 0
    assert_same(again, release_corpus)


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[:-10],
        lambda data: data.replace(b"4_1ecb", b"4_9ecb", 1),
        lambda data: b"",
        lambda data: b"{}",
    ],
    ids=["cut", "changed", "empty", "foreign"],
)
def test_a_damaged_cache_entry_is_replaced(
    harm: Callable[[bytes], bytes], sample: Source, cache_folder: Path
) -> None:
    fresh, _ = parsed_files(sample)
    file = kept_file(cache_folder)
    file.write_bytes(harm(file.read_bytes()))
    again, parsed = parsed_files(sample)
    assert parsed == 36
    assert_same(again, fresh)
    assert parsed_files(sample)[1] == 0


def test_other_files_another_list_or_none_are_other_corpora(sample: Source) -> None:
    name, data = next(iter(sample.files.items()))
    changed = replace(sample, files=sample.files | {name: data + b"\n"})
    unlisted = replace(sample, reviewed=None)
    shorter = replace(sample, reviewed=b"Topic,File,Sentence Number\n")
    for source in (sample, changed, unlisted, shorter):
        assert parsed_files(source)[1] == 36
    assert not load(shorter, "shorter").mentions["reviewed"].any()
    assert load(sample, "sample").mentions["reviewed"].any()


def test_a_cache_that_cannot_be_written_costs_time_only(
    sample: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "cache"))
    assert [parsed_files(sample)[1] for _ in range(2)] == [36, 36]
