"""Decisions become a patch; a patch corrects a key and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.audit.patches.apply import apply_patch
from cdec.audit.patches.model import Patch, read_patch
from cdec.audit.review.decisions import FORMAT, agreement, read_reviews, settled, tally
from cdec.audit.review.verdicts import make_patch
from cdec.clustering import Clustering
from cdec.errors import CdecError, FormatError, ScoringError, UsageError

KEY = Clustering.from_labels(
    {"a1": "A", "a2": "A", "a3": "A", "b1": "B", "b2": "B", "c": "C", "d": "D"}
)


def chains(key: Clustering) -> set[frozenset[str]]:
    return {frozenset(mentions) for mentions in key.chains().values()}


def sets(*texts: str) -> set[frozenset[str]]:
    return {frozenset(text.split()) for text in texts}


def corrected(merge: list[list[str]] = [], move: list[list[str]] = []) -> set[frozenset[str]]:  # noqa: B006
    patch = Patch(tuple(map(tuple, merge)), tuple(map(tuple, move)))
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
    with pytest.raises(FormatError, match="contradictory: mention 'a1' is moved twice"):
        Patch((), (("a1",), ("a1", "a2")))


def test_a_circle_is_an_error() -> None:
    with pytest.raises(FormatError, match="bring 'a1' back"):
        corrected([["a1", "b1"], ["b2", "a2"]], [["a1"]])
    with pytest.raises(FormatError, match="bring 'a1' back"):
        corrected([["a1", "a2"]], [["a1"]])


def test_the_key_stays_as_it_is() -> None:
    before = KEY.labels.copy()
    corrected([["a1", "c"]], [["b1"]])
    pd.testing.assert_series_equal(KEY.labels, before)


def test_a_patch_of_the_whole_serves_a_part_but_not_another_key() -> None:
    part = Clustering.from_labels({"a1": "A", "a2": "A", "c": "C"})
    patch = Patch((("a1", "c"), ("b1", "d")), ())
    assert chains(apply_patch(part, patch)) == sets("a1 a2 c")
    with pytest.raises(ScoringError, match="'d' is not in the key"):
        apply_patch(part, Patch((("a1", "d"),), ()))
    with pytest.raises(ScoringError, match="no mention of the patch is in the key"):
        apply_patch(Clustering.from_labels({"x": 1}), patch)


@given(st.lists(st.lists(st.sampled_from(list(KEY.labels.index)), min_size=2, unique=True)))
def test_merges_only_join_and_their_order_is_nothing(lines: list[list[str]]) -> None:
    joined = corrected(merge=lines)
    assert joined == corrected(merge=[line[::-1] for line in lines[::-1]])
    assert all(any(old <= new for new in joined) for old in chains(KEY))
    assert all(any(set(line) <= new for new in joined) for line in lines)


def test_the_digest_says_what_a_patch_does() -> None:
    one = Patch((("a", "b"), ("c", "d")), (("e",),))
    two = Patch((("d", "c"), ("b", "a")), (("e",),), name="other")
    assert one.digest == two.digest
    assert one.digest != Patch((("a", "b"), ("c", "d")), ()).digest


def decisions(path: Path, verdicts: dict[str, str], reviewer: str = "ann", **more: Any) -> Path:
    """Write decisions on cases named by the mentions that they would merge, as in ``a1-c``."""
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
    patch = make_patch(made, reviews)
    assert patch.merge == (("a1", "c"), ("c", "d"))
    assert patch.places == {"a1": "d/0-0"}
    (tmp_path / "patch.json").write_text(patch.to_json(), "utf-8")
    assert read_patch(tmp_path / "patch.json").digest == patch.digest


def test_merging_what_another_decision_keeps_apart_is_an_error(tmp_path: Path) -> None:
    file = decisions(tmp_path / "1", {"a1-c": "error", "c-d": "error", "a1-d": "not-error"})
    reviews = read_reviews([file])
    with pytest.raises(FormatError, match="case a1-d says that the chains of a1, d are not one"):
        make_patch(settled(reviews)[0], reviews)


def test_cohen_s_kappa(tmp_path: Path) -> None:
    # Cohen (1960) by hand: 3 of 4 alike, chance (3·2 + 1·2) / 16 = 1/2, κ = (3/4 − 1/2) / (1/2).
    one = {"a-b": "error", "c-d": "error", "e-f": "error", "g-h": "not-error"}
    two = {"a-b": "error", "c-d": "error", "e-f": "not-error", "g-h": "not-error", "i-j": "error"}
    files = [decisions(tmp_path / "1", one, "ann"), decisions(tmp_path / "2", two, "bob")]
    (row,) = agreement(read_reviews(files)).to_dict("records")
    assert (row["cases"], row["agreed"], row["kappa"]) == (4, 0.75, pytest.approx(0.5))
    counts = tally(read_reviews(files)).set_index(["reviewer", "verdict"])["count"]
    assert counts.to_dict() == {
        ("ann", "error"): 3,
        ("ann", "not-error"): 1,
        ("bob", "error"): 3,
        ("bob", "not-error"): 2,
    }


def test_kappa_of_one_verdict_only_is_missing(tmp_path: Path) -> None:
    files = [decisions(tmp_path / n, {"a-b": "error"}, n) for n in ("1", "2")]
    assert agreement(read_reviews(files))["kappa"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "does not say cdec-audit-decisions"),
        ({"decisions": [{"case": "x"}]}, "'decisions', item 1 has no 'kind'"),
        ({"places": []}, "'places' is a list, not an object"),
        ({"decisions": 3}, "'decisions' is 3, not a list"),
    ],
)
def test_a_file_that_holds_no_decisions(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_reviews([decisions(tmp_path / "1", {"a-b": "error"}, **change)])


def test_reviewers_must_differ_and_speak_of_one_corpus(tmp_path: Path) -> None:
    one = decisions(tmp_path / "1", {"a-b": "error"})
    with pytest.raises(UsageError, match="2 decisions files are by 'ann'"):
        read_reviews([one, one])
    other = decisions(tmp_path / "2", {"a-b": "error"}, "bob", about={"digest": "2"})
    with pytest.raises(UsageError, match="different content"):
        read_reviews([one, other])


@pytest.mark.parametrize("text", ["{}", "[1]", '{"format": "cdec-key-patch/1"}', "{"])
def test_a_file_that_is_no_patch(tmp_path: Path, text: str) -> None:
    file = tmp_path / "patch.json"
    file.write_text(text, "utf-8")
    with pytest.raises(CdecError, match="no patch of a key") as caught:
        read_patch(file)
    assert str(file) in str(caught.value)
