import logging
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.io import cache

KIND, KEY = "things", "0123"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "cache"))
    cache._warn_once.cache_clear()
    return tmp_path / "cache"


def test_the_variable_overrides_the_folder_of_the_user(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.folder() == place
    monkeypatch.setenv("CDEC_CACHE", "")
    assert cache.folder().name == "cdec"


@pytest.mark.parametrize("body", [b"", b"text", b"\n", b"a\nb\n", bytes(range(256))])
def test_written_content_is_read_back(body: bytes) -> None:
    assert cache.read(KIND, KEY) is None
    cache.write(KIND, KEY, body)
    assert cache.read(KIND, KEY) == body


def test_a_second_write_replaces_the_first() -> None:
    cache.write(KIND, KEY, b"old")
    cache.write(KIND, KEY, b"new")
    assert cache.read(KIND, KEY) == b"new"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data.replace(b"cdec-cache/1", b"cdec-cache/0"),
        lambda _: b"",
        lambda _: b"\x80\x04something of another program\n\n",
    ],
    ids=["cut", "longer", "bit", "schema", "empty", "foreign"],
)
def test_a_damaged_or_foreign_file_reads_as_absent_and_is_replaced(
    damage: Callable[[bytes], bytes],
) -> None:
    cache.write(KIND, KEY, b"body")
    file = cache.path(KIND, KEY)
    file.write_bytes(damage(file.read_bytes()))
    assert cache.read(KIND, KEY) is None
    cache.write(KIND, KEY, b"body")
    assert cache.read(KIND, KEY) == b"body"


def test_a_file_under_another_key_or_kind_is_foreign() -> None:
    cache.write(KIND, KEY, b"body")
    data = cache.path(KIND, KEY).read_bytes()
    for kind, key in ((KIND, "4567"), ("others", KEY)):
        cache.path(kind, key).parent.mkdir(exist_ok=True)
        cache.path(kind, key).write_bytes(data)
        assert cache.read(kind, key) is None


def test_a_folder_in_the_place_of_the_file_is_no_crash(caplog: pytest.LogCaptureFixture) -> None:
    cache.path(KIND, KEY).mkdir(parents=True)
    cache.write(KIND, KEY, b"body")
    assert cache.read(KIND, KEY) is None
    assert "cannot be written" in caplog.text


def test_a_cache_that_cannot_be_written_warns_once_and_goes_on(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        cache.write(KIND, KEY, b"body")
        cache.write(KIND, KEY, b"body")
    assert len(caplog.records) == 1
    assert str(place) in caplog.text
    assert cache.read(KIND, KEY) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_warns_and_goes_on(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place.mkdir(mode=0o500)
    cache.write(KIND, KEY, b"body")
    assert "Permission denied" in caplog.text


def test_a_full_disk_warns_and_leaves_only_the_old_content(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write(KIND, KEY, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    cache.write(KIND, KEY, b"new")
    assert "No space left on device" in caplog.text
    assert cache.read(KIND, KEY) == b"old"
    assert [file.name for file in (place / KIND).iterdir()] == [KEY]


def test_what_does_not_parse_is_absent() -> None:
    assert cache.parsed(KIND, KEY, int) is None
    cache.write(KIND, KEY, b"12")
    assert cache.parsed(KIND, KEY, int) == 12
    cache.write(KIND, KEY, b"twelve")
    assert cache.parsed(KIND, KEY, int) is None


def test_memory_that_does_not_suffice_is_told() -> None:
    def parse(_: bytes) -> int:
        raise MemoryError

    cache.write(KIND, KEY, b"12")
    with pytest.raises(MemoryError):
        cache.parsed(KIND, KEY, parse)


def _write_many(body: bytes) -> int:
    wrong = 0
    for _ in range(50):
        cache.write(KIND, KEY, body)
        wrong += cache.read(KIND, KEY) not in (b"a" * 200_000, b"b" * 100_000)
    return wrong


def test_concurrent_writers_never_expose_incomplete_content(place: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(_write_many, [b"a" * 200_000, b"b" * 100_000])) == [0, 0]
    assert [file.name for file in (place / KIND).iterdir()] == [KEY]


def test_keys_do_not_depend_on_the_process() -> None:
    code = "from cdec.io import cache; print(cache.key('a', 'ü\\ud800'))"
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert run.stdout.strip() == cache.key("a", "ü\ud800")


@given(st.lists(st.text()), st.lists(st.text()))
def test_different_parts_have_different_keys(one: list[str], two: list[str]) -> None:
    assert (cache.key(*one) == cache.key(*two)) == (one == two)
