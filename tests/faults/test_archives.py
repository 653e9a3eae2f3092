"""Zips that lie: names that lead out, members that are links, twice, or of another size."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.corpus import source
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
    """A zip with a run of wrong bytes in the compressed data."""
    data = bytearray(_zip(method=method))
    start = int(at * len(data))
    data[start : start + 40] = bytes(40)
    return bytes(data)


def _said(old: bytes, new: bytes) -> bytes:
    """A zip of which the directory and the head of the member say something else."""
    data = _zip()
    assert old in data
    return data.replace(old, new)


SIZE = len(DOCUMENT.encode()).to_bytes(4, "little")
LINK = stat.S_IFLNK | 0o777
LEADS_OUT = "leads out of the archive"
# The zip, and a word of the error.
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "above": (lambda: _zip("../1_1ecb.xml"), LEADS_OUT),
    "above, far down": (lambda: _zip("ECB+/1/../../../1_1ecb.xml"), LEADS_OUT),
    "absolute": (lambda: _zip("/etc/1_1ecb.xml"), LEADS_OUT),
    "a Windows path": (lambda: _zip("up\\..\\1_1ecb.xml"), LEADS_OUT),
    "a drive": (lambda: _zip("C:/1/1_1ecb.xml"), LEADS_OUT),
    "a member that is a link": (lambda: _zip(content="/etc/passwd", mode=LINK), "not well-formed"),
    "a name that tells no topic": (lambda: _zip("ECB+/1/notes.xml"), "does not tell topic"),
    "a topic of many digits": (lambda: _zip(f"1/{'9' * 5000}_1ecb.xml", "x"), "not well-formed"),
    "a document twice": (lambda: packed({"1/1_1ecb.xml": "", "2/1/1_1ecb.xml": ""}), "twice"),
    "a document in two folders": (
        lambda: packed(dict.fromkeys(("1/1_1ecb.xml", "2/1_1ecb.xml"), DOCUMENT)),
        "stands twice",
    ),
    "nothing of a corpus": (lambda: packed({"readme.txt": ""}), "no ECB+ documents"),
    "no member": (lambda: packed({}), "no ECB+ documents"),
    "damaged": (_altered, "the zip is damaged"),
    "damaged LZMA": (lambda: _altered(zipfile.ZIP_LZMA), "the zip is damaged"),
    "damaged bzip2": (lambda: _altered(zipfile.ZIP_BZIP2), ""),
    "an unknown method": (
        lambda: _said(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x63\x00"),
        "the zip is damaged: That compression method",
    ),
    "a size that is too small": (lambda: _said(SIZE, b"\x09\0\0\0"), "the zip is damaged"),
    "a size that is too large": (lambda: _said(SIZE, b"\xff\xff\xff\x7f"), "bytes are too many"),
    "a zip in a zip": (lambda: _zip("ECB+.zip", "x"), "no ECB+ documents"),
}


@pytest.mark.parametrize("call", ["zip", "installed zip"])
@pytest.mark.parametrize("fault", REFUSED)
def test_a_zip_that_is_refused(fault: str, call: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[call])
    made, word = REFUSED[fault]
    desk.file.write_bytes(made())
    ran = desk.call()
    assert ran.code == 1, ran.err
    assert word in ran.err
    assert "bug of cdec" not in ran.err
    assert ran.err.startswith("cdec: error: ")
    assert ran.err.endswith(")\n")
    desk.assert_untouched()


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.7, 0.9, 0.99])
def test_a_zip_that_is_cut(share: float, set_up: SetUp) -> None:
    desk = set_up(INPUTS["zip"])
    desk.file.write_bytes(packed()[: int(share * len(packed()))])
    desk.assert_refused(desk.call(), "neither a folder nor a whole zip")


def test_many_members_are_a_bomb_together(set_up: SetUp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_CORPUS", 1000)
    for name in ("zip", "XML"):
        desk = set_up(INPUTS[name])
        ran = desk.call()
        assert ran.code == 1
        assert "bytes are too many for a corpus" in ran.err


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_corpus_holds_no_pipes_and_devices(kind: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS["XML"])
    desk.file.unlink()
    if kind == "pipe":
        os.mkfifo(desk.file)
    else:
        desk.file.symlink_to(Path("/dev/zero"))
    desk.assert_refused(desk.call(), "this is a pipe or a device")


def test_a_folder_that_holds_itself_is_read_once(set_up: SetUp) -> None:
    desk = set_up(INPUTS["XML"])
    (desk.file.parent / "loop").symlink_to(desk.file.parent)
    (desk.folder / "corpus" / "ECB+" / "loop").symlink_to(desk.folder / "corpus" / "ECB+")
    assert desk.call().code == 0
