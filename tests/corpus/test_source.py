"""Folders and zips: the same files from either, and one line where there is nothing sound."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.corpus import source as source_module
from cdec.corpus.adapter import open_source
from cdec.corpus.ecbplus.scheme import REVIEWED
from cdec.corpus.source import Source, pack
from cdec.corpus.store.locate import sample_path
from cdec.errors import CorpusError

WriteCorpus = Callable[..., Path]
SHELL_RECIPE = "LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum"
SAMPLE_ZIP = pack(open_source(sample_path()))


def test_folder_its_inner_folder_and_zip_are_the_same(small: Source, tmp_path: Path) -> None:
    packed = tmp_path / "any name.zip"
    packed.write_bytes(pack(small))
    for path in (small.path / "ECB+", packed):
        other = open_source(path)
        assert list(other.files.items()) == list(small.files.items())
        assert (other.digest, other.reviewed) == (small.digest, small.reviewed)


def test_the_zip_of_the_authors_with_the_list_beside_it(small: Source, tmp_path: Path) -> None:
    assert small.reviewed is not None
    with zipfile.ZipFile(tmp_path / "ECB+.zip", "w") as archive:
        for name, data in small.files.items():
            archive.writestr(f"ECB+/{name}", data)
            archive.writestr(f"__MACOSX/ECB+/{name.replace('/', '/._')}", b"\x00\x05\x16\x07")
        archive.writestr("ECB+/.DS_Store", b"\x00")
        archive.writestr("ECB+/1/", b"")
        archive.writestr("ECB+/README.txt", b"not a document")
    (tmp_path / REVIEWED).write_bytes(small.reviewed)
    for path in (tmp_path / "ECB+.zip", tmp_path):
        other = open_source(path)
        assert (other.files, other.reviewed) == (small.files, small.reviewed)


def test_junk_in_a_folder_is_passed_over(small: Source) -> None:
    (small.path / "ECB+" / "1" / "._1_1ecb.xml").write_bytes(b"\x00\x05")
    (small.path / "ECB+" / "notes.xml").write_text("<notes/>")
    (small.path / "README.txt").write_text("hello")
    assert open_source(small.path).files == small.files


def test_files_stand_in_natural_order(write_corpus: WriteCorpus, document: str) -> None:
    names = [f"{topic}/{topic}_{n}ecb.xml" for topic in (1, 2, 10) for n in (1, 2, 10)]
    assert list(open_source(write_corpus(dict.fromkeys(reversed(names), document))).files) == names


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here")
def test_the_digest_is_that_of_the_shell(small: Source) -> None:
    shell = subprocess.run(
        ["bash", "-c", SHELL_RECIPE],
        cwd=small.path / "ECB+",
        check=True,
        capture_output=True,
        text=True,
    )
    assert shell.stdout.split()[0] == small.digest


def test_any_byte_and_any_name_move_the_digest(small: Source) -> None:
    first, second = small.files
    changed = {**small.files, first: small.files[first] + b"\n"}
    swapped = {first: small.files[second], second: small.files[first]}
    digests = {replace(small, files=files).digest for files in (small.files, changed, swapped)}
    assert len(digests) == 3


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", b"nothing of use")
    for name, words in {
        "empty": "no ECB+ documents here",
        "other.zip": "no ECB+ documents here",
        "text": "neither a folder nor a whole zip",
        "absent": "no such file or folder",
    }.items():
        with pytest.raises(CorpusError, match=re.escape(words)) as caught:
            open_source(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_a_document_that_stands_twice_in_a_zip(small: Source, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        for top in ("old", "new"):
            archive.writestr(f"{top}/1/1_1ecb.xml", small.files["1/1_1ecb.xml"])
    with pytest.raises(CorpusError, match=r"twice\.zip: 1/1_1ecb\.xml stands twice in the zip"):
        open_source(tmp_path / "twice.zip")


def test_a_bomb_is_refused_unread(
    small: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "bomb.zip"
    packed.write_bytes(pack(small))
    monkeypatch.setattr(source_module, "LARGEST_FILE", 1000)
    for path in (packed, small.path):
        with pytest.raises(CorpusError, match="bytes are too many for an ECB\\+ document"):
            open_source(path)


def test_a_file_that_cannot_be_read_is_named(small: Source) -> None:
    broken = small.path / "ECB+" / "1" / "1_3ecb.xml"
    broken.mkdir()
    with pytest.raises(CorpusError, match=r"1_3ecb\.xml: cannot be read: Is a directory"):
        open_source(small.path)
    broken.rmdir()
    broken.symlink_to("nowhere")
    with pytest.raises(CorpusError, match=r"1_3ecb\.xml: cannot be read: No such file"):
        open_source(small.path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_zip_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "ECB+.zip"
    path.write_bytes(SAMPLE_ZIP[: int(share * len(SAMPLE_ZIP))])
    with pytest.raises(CorpusError, match=r"ECB\+\.zip: neither a folder nor a whole zip"):
        open_source(path)
    with pytest.raises(CorpusError, match=r"ECB\+\.zip: the zip is damaged"):
        open_source(tmp_path)


@settings(max_examples=100)
@given(data=st.data())
def test_a_damaged_zip_never_passes_for_the_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(SAMPLE_ZIP)
    for at in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=4)):
        damaged[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(damaged)
    try:
        found = open_source(path)
    except CorpusError as error:
        assert "\n" not in str(error)
    else:
        # What zip does not protect (dates, the name in the local header) may differ.
        whole = open_source(sample_path())
        kept = {name: data for name, data in found.files.items() if name in whole.files}
        assert all(whole.files[name] == data for name, data in kept.items())
