"""Folders and zips: the same files from both, and one error line for invalid ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.corpus import (
    LAYOUT,
    REVIEWED,
    Source,
    collect,
    natural_key,
    open_source,
    pack,
    sample_path,
)
from cdec.errors import CorpusError
from tests.refusals import refused

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


def test_other_files_in_a_folder_are_ignored(small: Source) -> None:
    (small.path / "ECB+" / "1" / "._1_1ecb.xml").write_bytes(b"\x00\x05")
    (small.path / "ECB+" / "notes.xml").write_text("<notes/>")
    (small.path / "README.txt").write_text("hello")
    assert open_source(small.path).files == small.files


def test_files_are_in_natural_order(write_corpus: WriteCorpus, document: str) -> None:
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


def test_any_byte_and_any_name_change_the_digest(small: Source) -> None:
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
    for name, code in {
        "empty": "corpus-empty",
        "other.zip": "corpus-empty",
        "text": "corpus-empty",
        "absent": "corpus-not-found",
    }.items():
        with refused(code, place=tmp_path / name):
            open_source(tmp_path / name)


def test_a_duplicate_document_in_a_zip(small: Source, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        for top in ("old", "new"):
            archive.writestr(f"{top}/1/1_1ecb.xml", small.files["1/1_1ecb.xml"])
    with refused("corpus-file-invalid", "1/1_1ecb.xml", place="twice.zip"):
        open_source(tmp_path / "twice.zip")


def test_a_zip_bomb_is_refused_without_unpacking(small: Source, tmp_path: Path) -> None:
    packed = tmp_path / "bomb.zip"
    packed.write_bytes(pack(small))
    sizes = sorted(len(data) for data in small.files.values())
    for path in (packed, small.path):
        with refused("file-too-large", " B", place=path):
            collect(path, replace(LAYOUT, largest=sum(sizes) - 1))
        with refused("file-too-large", " B", place=".xml"):
            collect(path, replace(LAYOUT, largest=sizes[-1] - 1))


def test_a_file_that_cannot_be_read_is_named(small: Source) -> None:
    unreadable = small.path / "ECB+" / "1" / "1_3ecb.xml"
    unreadable.mkdir()
    with refused("file-unreadable", "Is a directory", place="1_3ecb.xml"):
        open_source(small.path)
    unreadable.rmdir()
    unreadable.symlink_to("nowhere")
    with refused("file-unreadable", "No such file", place="1_3ecb.xml"):
        open_source(small.path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_zip_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "ECB+.zip"
    path.write_bytes(SAMPLE_ZIP[: int(share * len(SAMPLE_ZIP))])
    for opened in (path, tmp_path):
        with refused("corpus-file-invalid", place=path):
            open_source(opened)


@settings(max_examples=100)
@given(data=st.data())
def test_a_damaged_zip_is_never_read_as_intact(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(SAMPLE_ZIP)
    for at in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=4)):
        damaged[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(damaged)
    try:
        opened = open_source(path)
    except CorpusError as error:
        assert "\n" not in str(error)
    else:
        # Fields without a checksum (dates, the name in the local header) may differ.
        whole = open_source(sample_path())
        kept = {name: data for name, data in opened.files.items() if name in whole.files}
        assert all(whole.files[name] == data for name, data in kept.items())


def test_names_that_differ_in_leading_zeros_have_one_order() -> None:
    names = ["1_1ecb", "01_1ecb", "1_01ecb", "1_10ecb", "1_2ecb", "1_2", "2_1ecb"]
    orders = {tuple(sorted(order, key=natural_key)) for order in permutations(names)}
    assert orders == {("01_1ecb", "1_01ecb", "1_1ecb", "1_2", "1_2ecb", "1_10ecb", "2_1ecb")}


def test_a_name_that_is_not_utf_8_is_refused(small: Source) -> None:
    folder = Path(os.fsdecode(bytes(small.path) + b"/ECB+/\xff"))
    folder.mkdir(parents=True)
    (folder / "1_1ecb.xml").write_bytes(b"<Document/>")
    with refused("file-unreadable", place=r"\udcff/1_1ecb.xml'"):
        collect(small.path, small.layout)
