"""Members of a zip: no more than their declared size is unpacked."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from cdec.io import read_member

SIZE = 2**26


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_member_longer_than_its_header_says(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a", bytes(SIZE))
    with zipfile.ZipFile(buffer) as archive:
        (info,) = archive.infolist()
        info.file_size = 100
        tracemalloc.start()
        with pytest.raises(zipfile.BadZipFile):
            read_member(archive, info)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < SIZE / 2


def test_a_whole_member() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(range(256)) * 100)
    with zipfile.ZipFile(buffer) as archive:
        assert read_member(archive, archive.infolist()[0]) == bytes(range(256)) * 100
