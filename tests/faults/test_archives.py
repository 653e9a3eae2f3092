"""Invalid zips: paths outside the archive, links, duplicate members, wrong sizes."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.corpus import LAYOUT
from tests.faults.conftest import SetUp
from tests.faults.inputs import DOCUMENT, INPUTS, packed

NAME = "ECB+/1/1_1ecb.xml"


def _zip(
    name: str = NAME, content: str = DOCUMENT, mode: int = 0, method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, content, method)
    return buffer.getvalue()


def _altered(method: int = zipfile.ZIP_DEFLATED, at: float = 0.3) -> bytes:
    """Return a zip with wrong bytes in the compressed data."""
    data = bytearray(_zip(method=method))
    start = int(at * len(data))
    data[start : start + 40] = bytes(40)
    return bytes(data)


def _with_header(old: bytes, new: bytes) -> bytes:
    """Return a zip with changed bytes in the directory and the header of the member."""
    data = _zip()
    assert old in data
    return data.replace(old, new)


SIZE = len(DOCUMENT.encode()).to_bytes(4, "little")
LINK = stat.S_IFLNK | 0o777
# The zip, and the code of the error.
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "above": (lambda: _zip("../1_1ecb.xml"), "corpus-file-invalid"),
    "above, far down": (lambda: _zip("ECB+/1/../../../1_1ecb.xml"), "corpus-file-invalid"),
    "absolute": (lambda: _zip("/etc/1_1ecb.xml"), "corpus-file-invalid"),
    "a Windows path": (lambda: _zip("up\\..\\1_1ecb.xml"), "corpus-file-invalid"),
    "a drive": (lambda: _zip("C:/1/1_1ecb.xml"), "corpus-file-invalid"),
    "a member that is a link": (
        lambda: _zip(content="/etc/passwd", mode=LINK),
        "corpus-file-invalid",
    ),
    "a name without topic": (lambda: _zip("ECB+/1/notes.xml"), "corpus-file-invalid"),
    "a topic of many digits": (
        lambda: _zip(f"1/{'9' * 5000}_1ecb.xml", "x"),
        "corpus-file-invalid",
    ),
    "a document twice": (
        lambda: packed({"1/1_1ecb.xml": "", "2/1/1_1ecb.xml": ""}),
        "corpus-file-invalid",
    ),
    "a document in two folders": (
        lambda: packed(dict.fromkeys(("1/1_1ecb.xml", "2/1_1ecb.xml"), DOCUMENT)),
        "corpus-file-invalid",
    ),
    "another content": (lambda: packed({"readme.txt": ""}), "corpus-empty"),
    "no member": (lambda: packed({}), "corpus-empty"),
    "damaged": (_altered, "corpus-file-invalid"),
    "damaged LZMA": (lambda: _altered(zipfile.ZIP_LZMA), "corpus-file-invalid"),
    "damaged bzip2": (lambda: _altered(zipfile.ZIP_BZIP2), "corpus-file-invalid"),
    "an unknown method": (
        lambda: _with_header(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x63\x00"),
        "corpus-file-invalid",
    ),
    "a size that is too small": (lambda: _with_header(SIZE, b"\x09\0\0\0"), "corpus-file-invalid"),
    "a size that is too large": (
        lambda: _with_header(SIZE, b"\xff\xff\xff\x7f"),
        "file-too-large",
    ),
    "a zip in a zip": (lambda: _zip("ECB+.zip", "x"), "corpus-empty"),
}


@pytest.mark.parametrize("call", ["zip", "installed zip"])
@pytest.mark.parametrize("fault", REFUSED)
def test_a_zip_that_is_refused(fault: str, call: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[call])
    content, error = REFUSED[fault]
    desk.file.write_bytes(content())
    ran = desk.call()
    assert (ran.code, ran.error) == (1, error), ran.err
    assert ran.err.startswith("cdec: error: ")
    assert ran.err.endswith(")\n")
    desk.assert_untouched()


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.7, 0.9, 0.99])
def test_a_zip_that_is_cut(share: float, set_up: SetUp) -> None:
    desk = set_up(INPUTS["zip"])
    desk.file.write_bytes(packed()[: int(share * len(packed()))])
    desk.assert_refused(desk.call(), "corpus-file-invalid")


def test_many_files_are_too_large_together(set_up: SetUp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(LAYOUT), "largest", 1000)
    for name in ("zip", "XML"):
        desk = set_up(INPUTS[name])
        ran = desk.call()
        assert (ran.code, ran.error) == (1, "file-too-large")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_in_a_corpus_are_refused(kind: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS["XML"])
    desk.file.unlink()
    if kind == "pipe":
        os.mkfifo(desk.file)
    else:
        desk.file.symlink_to(Path("/dev/zero"))
    desk.assert_refused(desk.call(), "file-unreadable")


def test_a_folder_with_a_link_to_itself_is_read_once(set_up: SetUp) -> None:
    desk = set_up(INPUTS["XML"])
    (desk.file.parent / "loop").symlink_to(desk.file.parent)
    (desk.folder / "corpus" / "ECB+" / "loop").symlink_to(desk.folder / "corpus" / "ECB+")
    assert desk.call().code == 0
