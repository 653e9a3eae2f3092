"""``cdec score KEY_DIR RESPONSE_DIR``: files with the same name, totals, the mean over files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.program import Run
from tests.tiny_files import given, records

TEXT = [["A", "storm", "hit", "."], ["It", "ended", "."]]
KEY = "#begin document (x); part 000\nx\t0\tA\t(1)\nx\t1\tB\t(1)\nx\t2\tC\t(1)\n\n#end document\n"
HALF = records({"tokens": ["A", "B", "C"], "clusters": [[[0, 0], [1, 1]]]})


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Three key files; one answered in full, one in half, in another format without names."""
    for name in ("key", "mine"):
        (tmp_path / name).mkdir()
    for name in ("a", "b", "c"):
        given(tmp_path / "key", f"{name}.conll", KEY)
    given(tmp_path / "mine", "a.conll", KEY.replace("x", "other"))
    given(tmp_path / "mine", "b.jsonl", HALF)
    given(tmp_path / "mine", ".hidden", "no mentions")
    return tmp_path / "key", tmp_path / "mine"


def test_folders_are_paired_by_the_names_of_files(cdec: Run, folders: tuple[Path, Path]) -> None:
    """MUC links: 2 of 2, 1 of 2, 0 of 2; the mean over files is another number than the total."""
    call = ("score", *folders, "--scope", "document", "--metric", "muc", "-f", "json", "-v")
    ran = cdec(*call, "--by", "file")
    rows = {row["unit"]: row["recall"] for row in ran.json["rows"]}
    assert (rows["a"], rows["b"], rows["c"]) == (1, 0.5, 0)
    assert (rows["micro"], rows["macro"]) == (0.5, 0.5)
    assert "    c\n" in ran.err


def test_a_folder_with_itself_is_perfect_in_every_scope(
    cdec: Run, folders: tuple[Path, Path]
) -> None:
    for scope in ("document", "corpus"):
        call = ("score", folders[0], folders[0], "--scope", scope, "-f", "json")
        assert {row["f1"] for row in cdec(*call).json["rows"]} == {1.0}


def test_lists_of_chains_end_with_their_file(cdec: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        given(tmp_path / "in", f"{name}.jsonl", HALF)
    whole = given(
        tmp_path, "whole.csv", "doc,start,end,chain\na,0,0,1\na,1,1,1\nb,0,0,2\nb,1,1,2\n"
    )
    call = ("score", whole, tmp_path / "in", "--scope", "corpus", "-f", "json")
    assert {row["f1"] for row in cdec(*call).json["rows"]} == {1.0}


def test_folders_that_are_no_key_are_refused(cdec: Run, folders: tuple[Path, Path]) -> None:
    key, mine = folders
    given(mine, "c.csv", "doc,start,end,chain\nx,0,0,1\nx,1,1,-1\nx,2,2,-1\n")
    assert f"{mine / 'c.csv'}:3: " in cdec("score", key, mine, "--scope", "document").err
    shutil.copy(key / "a.conll", key / "a.txt")
    assert cdec("score", key, mine).error == "field-invalid"
    (key / "a.txt").write_text("nothing", "utf-8")
    (key / "a.conll").unlink()
    ran = cdec("score", key, mine)
    assert (ran.error, "a.txt" in ran.said) == ("format-undetected", True)
    empty = mine.parent / "empty"
    empty.mkdir()
    assert cdec("score", empty, mine).error == "file-unreadable"


def test_blocks_of_the_same_name_in_two_files_are_two(cdec: Run, tmp_path: Path) -> None:
    for side in ("k", "r"):
        (tmp_path / side).mkdir()
        for name in ("a.conll", "b.conll"):
            given(tmp_path / side, name, KEY)
    call = ("score", tmp_path / "k", tmp_path / "r", "--scope", "document", "--by", "file")
    ran = cdec(*call, "--metric", "muc", "-f", "json")
    rows = json.loads(ran.out)["rows"]
    counts = {row["unit"]: (row["r_num"], row["r_den"]) for row in rows if row["metric"] == "muc"}
    assert (counts["a"], counts["b"], counts["micro"]) == ((2, 2), (2, 2), (4, 4))
