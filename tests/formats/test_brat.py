"""brat's standoff files, as mentions of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdec import load_corpus
from tests.cli.conftest import Run, cdec

__all__ = ["cdec"]  # the fixture
TEXT = "Police shut the road down. The closure angered drivers in Aldham.\r\n"
OTHER = "🔥 A road was shut.\n"
ANN = (
    "T1\tEvent 7 11;21 25\tshut down\n"
    "T2\tClosing 31 38\tclosure\n"
    "E1\tClosing:T2 Place:T4\n"
    "T3\tEvent 39 46\tangered\n"
    "T4\tEntity-Place 58 64\tAldham\n"
    "R1\tCoref Arg1:T1 Arg2:E1\n"
    "R2\tCauses Arg1:T1 Arg2:T3\n"
    "A1\tCertain E1\n"
    "#1\tAnnotatorNotes T1\tsee the map\n"
    "N1\tReference T4 Wikipedia:1\tAldham\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "news"
    (made / "sub").mkdir(parents=True)
    (made / "a.txt").write_bytes(TEXT.encode())
    (made / "sub" / "b.txt").write_bytes(OTHER.encode())
    (made / "a.ann").write_text(ANN, "utf-8", newline="\r\n")
    (made / "sub" / "b.ann").write_text("", "utf-8")
    return made


def imported(cdec: Run, folder: Path, mentions: Path | None = None) -> dict[Any, str]:
    """Mention → chain of the folder."""
    ran = cdec("corpus", "import", folder, "--mentions", mentions or folder, "-q")
    assert ran.code == 0, ran.err
    chains: dict[Any, str] = load_corpus("news").mentions["chain"].to_dict()
    return chains


def test_relations_triggers_and_gaps(folder: Path, cdec: Run) -> None:
    assert imported(cdec, folder) == {
        "a/T1": "a/T1",
        "a/T2": "a/T1",
        "a/T3": "a/T3",
        "a/T4": "a/T4",
    }
    table = load_corpus("news").mentions
    assert table["tokens"]["a/T1"] == (1, 4)
    assert table["tag"].to_dict()["a/T2"] == "Closing"
    assert table["kind"].tolist() == ["event", "event", "event", "entity"]
    assert list(load_corpus("news").documents) == ["a", "sub/b"]


def test_a_chain_attribute_crosses_documents_and_joins_relations(folder: Path, cdec: Run) -> None:
    with (folder / "a.ann").open("a", encoding="utf-8", newline="") as file:
        file.write("A2\tchain E1 closing\n*\tEquiv T1 T2\nA3\tkind T3 entity\n")
    ann = folder / "sub" / "b.ann"
    ann.write_text("T1\tEvent 13 17\tshut\nA1\tCluster_ID T1 closing\n", "utf-8")
    chains = imported(cdec, folder)
    assert [id_ for id_, chain in chains.items() if chain == "closing"] == [
        *("a/T1", "a/T2", "sub/b/T1"),
    ]
    assert load_corpus("news").mentions["kind"]["a/T3"] == "entity"


def test_a_single_file(folder: Path, cdec: Run) -> None:
    assert len(imported(cdec, folder, folder / "a.ann")) == 4


@pytest.mark.parametrize(
    ("ann", "code", "place"),
    [
        ("T1\tEvent 7 11\tstop\nA1\tchain T1 x\n", "offsets-invalid", "b.ann:1"),
        ("T1\tEvent 7 900\tshut\nA1\tchain T1 x\n", "offsets-invalid", "b.ann:1"),
        ("T1\tEvent 7\tshut\n", "corpus-file-invalid", "b.ann:1"),
        ("R1\tCoref Arg1:T1\n", "corpus-file-invalid", "b.ann:1"),
        ("T1\tEvent 13 17\tshut\nR1\tCoref Arg1:T1 Arg2:T9\n", "corpus-file-invalid", "b.ann:2"),
        ("T1\tEvent 13 17\tshut\nA1\tchain T9 x\n", "corpus-file-invalid", "b.ann:2"),
        ("T1\tEvent 13 17\tshut\nA1\tchain T1\n", "corpus-file-invalid", "b.ann:2"),
        ("T1\tEvent 13 17\tshut\nT1\tEvent 4 8\troad\n", "corpus-file-invalid", "b.ann:2"),
        (
            "T1\tEvent 13 17\tshut\nT2\tEvent 4 8\troad\nE1\tX:T1\nE1\tX:T2\n",
            "corpus-file-invalid",
            "b.ann:4",
        ),
        (
            "T1\tEvent 13 17\tshut\nT2\tEvent 4 8\troad\nR1\tCoref Arg1:T1 Arg2:T2\n"
            "A1\tchain T1 x\nA2\tchain T2 y\n",
            "corpus-file-invalid",
            "b.ann:1",
        ),
        (
            "T1\tEvent 13 17\tshut\nA1\tchain T1 x\nA2\tcluster T1 y\n",
            "corpus-file-invalid",
            "b.ann:3",
        ),
        (
            "T1\tEvent 13 17\tshut\nE1\tEvent:T1\nA1\tkind T1 event\nA2\tkind E1 entity\n",
            "corpus-file-invalid",
            "b.ann:4",
        ),
        ("T1\tEvent 13 17\tsh\xffut\n", "file-encoding", "b.ann"),
    ],
)
def test_an_invalid_file_is_refused(
    ann: str, code: str, place: str, folder: Path, cdec: Run
) -> None:
    (folder / "sub" / "b.ann").write_bytes(ann.encode("latin-1"))
    ran = cdec("corpus", "import", folder, "--mentions", folder)
    assert (ran.code, ran.error) == (1, code), ran.err
    assert place in ran.err


def test_hidden_files_and_attributes_that_agree_are_no_error(folder: Path, cdec: Run) -> None:
    with (folder / "a.ann").open("a", encoding="utf-8") as file:
        file.write("A2\tkind T4 event\nA3\tkind T4 event\nA4\tchain T1 x\nA5\tCluster E1 x\n")
    (folder / "._a.ann").write_bytes(b"\x00\x05\x16\x07\x00Mac OS X")
    (folder / "._a.txt").write_bytes(b"\x00\x05\x16\x07\x00Mac OS X")
    chains = imported(cdec, folder)
    assert (chains["a/T1"], chains["a/T2"], chains["a/T4"]) == ("x", "x", "a/T4")


def test_files_without_chains_mentions_or_texts(folder: Path, cdec: Run, tmp_path: Path) -> None:
    (folder / "a.ann").write_text("T1\tEvent 7 11\tshut\nR2\tCauses Arg1:T1 Arg2:T1\n", "utf-8")
    calls = {folder: "corpus-file-invalid", tmp_path / "none": "corpus-empty"}
    (tmp_path / "none").mkdir()
    for mentions, code in calls.items():
        ran = cdec("corpus", "import", folder, "--mentions", mentions)
        assert (ran.code, ran.error) == (1, code), ran.err
    (folder / "a.ann").write_text("", "utf-8")
    assert cdec("corpus", "import", folder, "--mentions", folder).error == "corpus-empty"
    (folder / "c.ann").write_text(ANN, "utf-8")
    ran = cdec("corpus", "import", folder, "--mentions", folder)
    assert (ran.error, "c.ann:1" in ran.err) == ("corpus-record-invalid", True)
