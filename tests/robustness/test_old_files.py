"""Files of each release are read as they were; newer and damaged ones are refused in one line.

The files in ``tests/fixtures`` are never written again (``python -m tests.make_fixtures`` writes
those of a new release).
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdec.baselines.sac import store
from cdec.errors import CdecError
from cdec.io import cache
from tests.refusals import refused
from tests.saved_files import BARE, FIXTURES, READERS

RELEASES = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())
FILES = [
    pytest.param(release, name, id=f"{release}-{name}")
    for release in RELEASES
    for name in json.loads((FIXTURES / release / "expected.json").read_text("utf-8"))
]
_VERSION = re.compile(rb"(cdec-[a-z-]+/)([0-9]+)")
_MODEL = "model.sac"
LARGEST = 300_000


def expected(release: str) -> dict[str, Any]:
    text = (FIXTURES / release / "expected.json").read_text("utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def newer(data: bytes, name: str) -> bytes:
    """The content with the version of its format raised."""
    if name != _MODEL:
        changed, count = _VERSION.subn(lambda m: m[1] + b"9", data, count=1)
        assert count == 1, "no format with a version"
        return changed
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    about = arrays["about"].tobytes().replace(store.FORMAT.encode(), b"cdec-sac/9")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays | {"about": np.frombuffer(about, np.uint8)})
    return buffer.getvalue()


def copied(release: str, name: str, folder: Path) -> Path:
    """The folder of a release as a copy that a test may change."""
    for path in (p for p in (FIXTURES / release).rglob("*") if p.is_file()):
        target = folder / path.relative_to(FIXTURES / release)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return folder / name


def test_there_is_a_file_of_each_kind_and_they_are_small() -> None:
    assert RELEASES
    assert set(expected(RELEASES[-1])) == set(READERS), "make the files of this release"
    for release in RELEASES:
        sizes = [path.stat().st_size for path in (FIXTURES / release).rglob("*") if path.is_file()]
        assert sum(sizes) < LARGEST


@pytest.mark.parametrize(("release", "name"), FILES)
def test_a_file_of_a_release_is_read_as_it_was(release: str, name: str) -> None:
    read = READERS[name](FIXTURES / release / name)
    assert json.loads(json.dumps(read)) == expected(release)[name]


@pytest.mark.parametrize("name", [name for name in READERS if name not in BARE])
def test_a_newer_version_is_refused(name: str, tmp_path: Path) -> None:
    file = copied(RELEASES[-1], name, tmp_path)
    file.write_bytes(newer(file.read_bytes(), name))
    with pytest.raises(CdecError) as caught:
        READERS[name](file)
    error = caught.value
    assert (error.code, error.hint) == ("file-too-new", "install a newer cdec")
    assert file.name in str(error.place) and "/9" in str(error)


@pytest.mark.parametrize("name", READERS)
def test_a_truncated_file_is_refused_or_is_a_shorter_one(name: str, tmp_path: Path) -> None:
    file = copied(RELEASES[-1], name, tmp_path)
    data, whole = file.read_bytes(), expected(RELEASES[-1])[name]
    for size in (0, len(data) // 3, len(data) - 2):
        file.write_bytes(data[:size])
        try:
            read = READERS[name](file)
        except CdecError as error:
            assert file.stem in str(error.place), error
            assert error.hint, error
        else:
            cut = data[:size].rpartition(b"\n")[2]
            lines = name.endswith((".toml", ".jsonl"))  # a shorter one may be valid
            assert name in BARE or (lines and (not cut or read != whole))


def test_a_cache_of_another_version_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path))
    key = cache.key("a")
    cache.write("corpus", key, b"{}")
    assert cache.read("corpus", key) == b"{}"
    place = cache.path("corpus", key)
    place.write_bytes(newer(place.read_bytes(), "corpus"))
    assert cache.read("corpus", key) is None
    assert cache.parsed("corpus", key, json.loads) is None


@pytest.mark.parametrize("name", [name for name in READERS if "/study/" in name])
def test_a_table_of_a_study_without_a_column(name: str, tmp_path: Path) -> None:
    file = copied(RELEASES[-1], name, tmp_path)
    rows = file.read_text("utf-8").splitlines()
    file.write_text("".join(row.partition(",")[2] + "\n" for row in rows), "utf-8")
    gone = rows[0].partition(",")[0]
    with refused("table-invalid", f"no columns {gone}", "leaderboard study", place=file.name):
        READERS[name](file)
