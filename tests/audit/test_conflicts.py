"""Corrections that exclude each other: all are named, and the patch without them is applicable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cdec.auditing import ERROR, FINE, Operation, Settled, apply_patch, conflicts, make_patch
from cdec.auditing.review.decisions import FORMAT
from cdec.corpus import Corpus
from tests.audit.test_patch import KEY
from tests.cli.conftest import Run
from tests.refusals import refused

CHAINS = {str(mention): str(chain) for mention, chain in KEY.labels.items()}


def decided(case: str, verdict: str = ERROR, **operation: Any) -> Settled:
    readers: dict[str, Any] = {"readers": ("ann",), "agreement": "1 of 1", "reasons": ()}
    named = {"case": case, "kind": "spurious-member", "verdict": verdict, **readers}
    return Settled(operation=Operation(**operation), **named)


def named(decisions: list[Settled]) -> list[set[str]]:
    return [set(conflict.cases) for conflict in conflicts(decisions, CHAINS)]


def test_all_conflicts_are_named_at_once_and_can_be_left_out() -> None:
    made = [
        decided("1", move=("a1",), merge=("a1", "b1")),
        decided("2", move=("a1",)),
        decided("3", remove=("c",)),
        decided("4", merge=("c", "d")),
        decided("5", tag={"b2": "X"}),
        decided("6", tag={"b2": "Y"}),
        decided("7", merge=("a2", "a3")),
        decided("8", merge=("a2", "a3")),
    ]
    assert [conflict.cases for conflict in conflicts(made)] == [("1", "2"), ("3", "4"), ("5", "6")]
    with refused("patch-contradictory", "'a1'", "'c'", "'b2'"):
        make_patch(made, ())
    patch, skipped = make_patch(made, (), skip=True)
    assert skipped == ("1", "2", "3", "4", "5", "6")
    assert patch.merge == (("a2", "a3"),)


def test_more_than_ten_conflicts_are_all_in_the_message() -> None:
    made = [decided(f"{n}{way}", tag={f"m{n}": way}) for n in range(30) for way in "XY"]
    with refused("patch-contradictory") as caught:
        make_patch(made, ())
    assert all(f"'m{n}'" in caught.value.message for n in range(30))


def test_every_case_of_a_removal_is_named() -> None:
    made = [
        *(decided(case, remove=("c",)) for case in ("1", "2")),
        *(decided(case, merge=("c", other)) for case, other in (("3", "d"), ("4", "b1"))),
    ]
    (conflict,) = conflicts(made)
    assert conflict.cases == ("1", "2", "3", "4")
    assert all(case in conflict.text for case in conflict.cases)


def test_a_merge_that_undoes_a_move_is_a_conflict() -> None:
    """Case 1 moves a1 to b1; cases 2 and 3 merge the chain of b1 with that of a2, over c."""
    made = [
        decided("1", move=("a1",), merge=("a1", "b1")),
        decided("2", merge=("b2", "c")),
        decided("3", merge=("c", "a2")),
        decided("4", merge=("c", "d")),
    ]
    assert named(made) == [{"1", "2", "3"}]
    with refused("patch-contradictory", "'a1'"):
        make_patch(made, (), chains=CHAINS)
    patch, skipped = make_patch(made, (), skip=True, chains=CHAINS)
    assert (skipped, patch.merge) == (("1", "2", "3"), (("c", "d"),))
    apply_patch(KEY, patch)


def test_only_the_merges_between_the_sides_that_are_kept_apart_are_left_out() -> None:
    made = [
        decided("no", FINE, merge=("a1", "d")),
        decided("1", merge=("a2", "c")),
        decided("2", merge=("c", "d")),
        decided("3", merge=("d", "b1")),
    ]
    assert named(made) == [{"1", "2"}]
    assert named([made[0], *made[2:]]) == []


def test_a_second_way_around_is_a_conflict_too() -> None:
    made = [
        decided("no", FINE, merge=("c", "d")),
        decided("1", merge=("c", "d")),
        decided("2", merge=("c", "a1")),
        decided("3", merge=("a2", "d")),
    ]
    assert named(made) == [{"1"}, {"2", "3"}]


def test_mentions_that_move_together_are_not_kept_apart() -> None:
    made = [
        decided("no", FINE, merge=("a1", "b1")),
        decided("1", move=("a1", "b1"), merge=("a1", "b1")),
    ]
    assert named(made) == [{"1"}]


MENTIONS = st.lists(st.sampled_from(list(CHAINS)), min_size=2, max_size=3, unique=True)


@given(st.lists(st.tuples(MENTIONS, st.integers(0, 2), st.booleans()), max_size=12))
def test_what_remains_without_the_conflicts_can_be_applied(
    lines: list[tuple[list[str], int, bool]],
) -> None:
    made = [
        decided(str(n), ERROR if error else FINE, merge=tuple(merge), move=tuple(merge[:moved]))
        for n, (merge, moved, error) in enumerate(lines)
    ]
    patch, skipped = make_patch(made, (), skip=True, chains=CHAINS)
    key = apply_patch(KEY, patch).labels
    for decision in made:
        operation = decision.operation
        if decision.verdict == ERROR and decision.case not in skipped:
            assert key[list(operation.merge)].nunique() == 1
        if decision.verdict == FINE and not operation.move:
            before = KEY.labels[list(operation.merge)]
            assert key[list(operation.merge)].nunique() > 1 or before.nunique() < len(before)


def written(
    file: Path, corpus: Corpus, entries: list[dict[str, Any]], name: str = "ann", **more: Any
) -> Path:
    """Write decisions on cases of a corpus."""
    named = {"reviewer": name, "about": {"corpus": corpus.name, "digest": corpus.digest}}
    content = {"format": FORMAT, **named, "places": {}, "decisions": entries, **more}
    file.write_text(json.dumps(content), "utf-8")
    return file


def entry(case: str, verdict: str = ERROR, **operation: Any) -> dict[str, Any]:
    return {"case": case, "kind": "spurious-member", "verdict": verdict, "operation": operation}


def test_apply_writes_only_what_can_be_applied(sample: Corpus, tmp_path: Path, cdec: Run) -> None:
    events = sample.selected
    chain = events["chain"].value_counts().index[0]
    one, two = map(str, events.index[events["chain"] == chain][:2])
    other = str(events.index[events["chain"] != chain][0])
    entries = [entry("1", move=[one], merge=[one, other]), entry("2", merge=[other, two])]
    chains = {id_: str(events["chain"][id_]) for id_ in (one, two, other)}
    file = written(tmp_path / "a.json", sample, entries, chains=chains)
    call = ("audit", "apply", file, "-o", tmp_path / "patch.json")
    assert cdec(*call).error == "patch-contradictory"
    assert not (tmp_path / "patch.json").exists()
    ran = cdec(*call, "--skip-conflicts", "-v")
    assert (ran.code, "[case-conflicting]" in ran.err) == (0, True)
    scored = ("eval", "--system", "lemma", "--setting", "pure", "--corpus", "sample", "-q")
    assert cdec(*scored, "--key-patch", tmp_path / "patch.json").code == 0
    ran = cdec(*call[:2], written(file, sample, [*entries[:1], entry("3")]), *call[3:], "-v")
    assert (ran.code, "[moves-unchecked]" in ran.err) == (0, True)
    assert "1 error without a correction" in ran.err


def test_apply_names_all_conflicts_and_report_says_what_it_leaves_out(
    sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    ids = list(map(str, sample.selected.index[:26]))
    removals = [entry(f"{id_}0", remove=[id_]) for id_ in ids[:25]]
    entries = [*removals, *(entry(f"{id_}1", merge=[id_, ids[25]]) for id_ in ids[:25])]
    files = [
        written(tmp_path / "a.json", sample, [*entries, entry("tie")]),
        written(tmp_path / "b.json", sample, [entry("tie", FINE)], "bob"),
        written(tmp_path / "c.json", sample, [], "cyd"),
    ]
    ran = cdec("audit", "apply", *files, "-o", tmp_path / "patch.json")
    assert ran.error == "patch-contradictory"
    assert all(f"{id_}1" in ran.err for id_ in ids[:25])
    common = ("--corpus", "sample", "--system", "lemma", "--setting", "pure", "-v")
    codes = ("decisions-empty", "case-conflicting", "case-disputed")
    ran = cdec("audit", "report", *files, *common)
    assert [f"[{code}]" in ran.err for code in codes] == [True] * 3, ran.err
    ran = cdec("audit", "report", *files, *common, "--no-scores")
    assert [f"[{code}]" in ran.err for code in codes] == [True, False, True], ran.err
