"""Decisions become a patch; a patch changes the chains of the key and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.auditing import (
    apply_patch,
    make_patch,
    read_patch,
    read_reviews,
    settled,
    shipped,
)
from cdec.auditing.review.decisions import FORMAT
from cdec.clustering import Clustering
from tests.audit.patches import patch_of
from tests.refusals import refused

KEY = Clustering.from_labels(
    {"a1": "A", "a2": "A", "a3": "A", "b1": "B", "b2": "B", "c": "C", "d": "D"}
)


def chains(key: Clustering) -> set[frozenset[str]]:
    return {frozenset(mentions) for mentions in key.chains().values()}


def sets(*texts: str) -> set[frozenset[str]]:
    return {frozenset(text.split()) for text in texts}


def corrected(merge: list[list[str]] = [], move: list[list[str]] = []) -> set[frozenset[str]]:  # noqa: B006
    patch = patch_of(tuple(map(tuple, merge)), tuple(map(tuple, move)))
    return chains(apply_patch(KEY, patch))


def test_merge() -> None:
    assert corrected(merge=[["c", "d"]]) == sets("a1 a2 a3", "b1 b2", "c d")
    assert corrected(merge=[["a1", "c"], ["d", "a3"]]) == sets("a1 a2 a3 c d", "b1 b2")
    assert corrected(merge=[["c", "d", "b2"]]) == sets("a1 a2 a3", "b1 b2 c d")


def test_move() -> None:
    assert corrected(move=[["a1"]]) == sets("a1", "a2 a3", "b1 b2", "c", "d")
    assert corrected(move=[["a1", "a2"]]) == sets("a1 a2", "a3", "b1 b2", "c", "d")


def test_a_mention_moved_and_merged_changes_its_chain() -> None:
    assert corrected([["a1", "b1"]], [["a1"]]) == sets("a2 a3", "a1 b1 b2", "c", "d")
    assert corrected([["a2", "b1"]], [["a1"]]) == sets("a1", "a2 a3 b1 b2", "c", "d")


def test_a_mention_moved_twice_is_a_contradiction() -> None:
    with refused("patch-contradictory", "'a1'"):
        patch_of((), (("a1",), ("a1", "a2")))


def test_a_merge_that_undoes_a_move_is_an_error() -> None:
    with refused("patch-contradictory", "'a1'"):
        corrected([["a1", "b1"], ["b2", "a2"]], [["a1"]])
    with refused("patch-contradictory", "'a1'"):
        corrected([["a1", "a2"]], [["a1"]])


def test_the_key_is_not_modified() -> None:
    before = KEY.labels.copy()
    corrected([["a1", "c"]], [["b1"]])
    pd.testing.assert_series_equal(KEY.labels, before)


def test_a_patch_of_the_whole_serves_a_part_but_not_another_key() -> None:
    part = Clustering.from_labels({"a1": "A", "a2": "A", "c": "C"})
    patch = patch_of((("a1", "c"), ("b1", "d")), ())
    assert chains(apply_patch(part, patch)) == sets("a1 a2 c")
    with refused("input-mismatch", "'d'"):
        apply_patch(part, patch_of((("a1", "d"),), ()))
    with refused("input-mismatch"):
        apply_patch(Clustering.from_labels({"x": 1}), patch)


@given(st.lists(st.lists(st.sampled_from(list(KEY.labels.index)), min_size=2, unique=True)))
def test_merges_only_join_and_their_order_does_not_matter(lines: list[list[str]]) -> None:
    joined = corrected(merge=lines)
    assert joined == corrected(merge=[line[::-1] for line in lines[::-1]])
    assert all(any(old <= new for new in joined) for old in chains(KEY))
    assert all(any(set(line) <= new for new in joined) for line in lines)


def test_the_digest_depends_on_the_operations_only() -> None:
    one = patch_of((("a", "b"), ("c", "d")), (("e",),))
    two = patch_of((("d", "c"), ("b", "a")), (("e",),), name="other")
    assert one.digest == two.digest
    assert one.digest != patch_of((("a", "b"), ("c", "d")), ()).digest


def decisions(path: Path, verdicts: dict[str, str], reviewer: str = "ann", **more: Any) -> Path:
    """Write decisions on cases whose id is made of the mentions to merge, as in ``a1-c``."""
    content = {
        "format": FORMAT,
        "reviewer": reviewer,
        "about": {"corpus": "x", "digest": "1"},
        "places": {"a1": "d/0-0"},
        "decisions": [
            {
                "case": case,
                "kind": "missing-singleton-cluster",
                "verdict": verdict,
                "operation": {"merge": case.split("-")},
            }
            for case, verdict in verdicts.items()
        ],
    } | more
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_the_majority_decides_and_a_tie_is_left_out(tmp_path: Path) -> None:
    files = [
        decisions(tmp_path / "1", {"a1-c": "error", "b1-d": "error", "c-d": "unsure"}, "ann"),
        decisions(tmp_path / "2", {"a1-c": "error", "b1-d": "not-error", "c-d": "error"}, "bob"),
        decisions(tmp_path / "3", {"a1-c": "not-error"}, "cyd"),
    ]
    reviews = read_reviews(files)
    made, disputed = settled(reviews)
    assert {d.case: d.verdict for d in made} == {"a1-c": "error", "c-d": "error"}
    assert disputed == ("b1-d",)
    patch, skipped = make_patch(made, reviews)
    assert skipped == ()
    assert patch.merge == (("a1", "c"), ("c", "d"))
    assert patch.places == {"a1": "d/0-0"}
    (tmp_path / "patch.json").write_text(patch.to_json(), "utf-8")
    assert read_patch(tmp_path / "patch.json").digest == patch.digest


def test_a_removed_mention_cannot_be_linked() -> None:
    with refused("patch-contradictory", "'c'"):
        patch_of((("c", "d"),), (), remove=("c",))


@pytest.mark.parametrize(
    ("equal", "own", "copied"), [(1, 0, True), (4, 0, True), (5, 1, True), (4, 1, False)]
)
def test_a_renamed_copy_of_a_file_is_refused(
    tmp_path: Path, equal: int, own: int, copied: bool
) -> None:
    """All decisions of a file, or at least five; ``own`` differ in the times of the reviewers."""
    entries = [
        {
            "case": f"a-{n}",
            "kind": "spurious-member",
            "verdict": "error",
            "operation": {},
            "time": f"2026-01-01T00:00:0{n}Z",
        }
        for n in range(equal + 2 * own)
    ]
    parts = {"ann": entries[: equal + own], "bob": entries[:equal] + entries[equal + own :]}
    files = [decisions(tmp_path / n, {}, n, decisions=part) for n, part in parts.items()]
    if not copied:
        assert len(read_reviews(files)) == 2
        return
    with refused("name-duplicate", str(equal), "'ann'", "'bob'"):
        read_reviews(files)
    for entry in entries:
        del entry["time"]
    files = [decisions(tmp_path / n, {}, n, decisions=entries) for n in parts]
    assert len(read_reviews(files)) == 2


def test_a_patch_says_who_decided_and_when(tmp_path: Path) -> None:
    files = [decisions(tmp_path / n, {"a-b": "error", "c-d": "unsure"}, n) for n in ("ann", "bob")]
    reviews = read_reviews(files)
    about = make_patch(settled(reviews)[0], reviews)[0].about
    assert about["reviewers"] == ["ann", "bob"]
    assert about["votes"] == {"error": 2, "not-error": 0, "unsure": 2}
    assert about["agreement"][0]["ac1"] == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": "other"}, "format"),
        ({"decisions": [{"case": "x"}]}, "'decisions', item 1"),
        ({"places": []}, "'places'"),
        ({"decisions": 3}, "'decisions' is 3"),
    ],
)
def test_an_invalid_decisions_file(tmp_path: Path, change: Any, field: str) -> None:
    with refused("file-invalid", field, place=tmp_path / "1"):
        read_reviews([decisions(tmp_path / "1", {"a-b": "error"}, **change)])


def test_reviewers_must_differ_and_judge_one_corpus(tmp_path: Path) -> None:
    one = decisions(tmp_path / "1", {"a-b": "error"})
    with refused("name-duplicate", "2", "'ann'"):
        read_reviews([one, one])
    other = decisions(tmp_path / "2", {"a-b": "error"}, "bob", about={"digest": "2"})
    with refused("input-mismatch"):
        read_reviews([one, other])


@pytest.mark.parametrize(
    "about", [{"audit": "corpus:x|key_patch:p|key_patch_digest:1|nlp:y"}, {"key_patch_digest": "1"}]
)
def test_decisions_on_a_corrected_key_are_refused(tmp_path: Path, about: dict[str, str]) -> None:
    file = decisions(tmp_path / "1", {"a-b": "error"}, about={"corpus": "x", "digest": "1"} | about)
    with refused("input-mismatch", place=file):
        read_reviews([file])


def test_a_patch_of_cdec_is_read_by_name_unless_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, _ = shipped()
    assert {read_patch(one).about["corpus"] for one in shipped()} == {"ecb+"}
    Path(name).write_text(patch_of((("d1/a", "d2/b"),), ()).to_json(), "utf-8")
    assert read_patch(name).merge == (("d1/a", "d2/b"),)
    with refused("name-unknown", "unknown key patch", "ecbplus-duplicates"):
        read_patch("ecbplus-duplicate")
    with refused("file-unreadable", place="no-such-patch.json"):
        read_patch("no-such-patch.json")


@pytest.mark.parametrize("text", ["{}", "[1]", '{"format": "cdec-key-patch/1"}', "{"])
def test_an_invalid_patch(tmp_path: Path, text: str) -> None:
    file = tmp_path / "patch.json"
    file.write_text(text, "utf-8")
    with refused("file-invalid", place=None if text == "{" else file):
        read_patch(file)
