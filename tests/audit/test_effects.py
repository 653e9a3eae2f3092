"""Effects of corrections that no decision names: fused chains, and mentions of one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import FINE, Known, conflicts, joined_sentences, make_patch
from cdec.corpus import Corpus
from tests.audit.test_conflicts import decided, entry, written
from tests.cli.conftest import Run
from tests.refusals import refused

CHAINS = {
    f"{chain}{n}": chain for chain, size in (("A", 4), ("B", 3), ("C", 2)) for n in range(size)
}
CHAINS |= {single: single for single in ("s", "t")}
THROUGH = [decided("1", merge=("A0", "s")), decided("2", merge=("s", "B0"))]


def test_two_large_chains_are_fused_only_by_a_case_that_names_both() -> None:
    (conflict,) = conflicts(THROUGH, CHAINS)
    assert set(conflict.cases) == {"1", "2"}
    with refused("patch-contradictory", "'A'", "'B'", "4 and 3"):
        make_patch(THROUGH, (), chains=CHAINS)
    patch, skipped = make_patch(THROUGH, (), skip=True, chains=CHAINS)
    assert (skipped, patch.merge) == (("1", "2"), ())
    named = [*THROUGH, decided("3", merge=("A1", "B1"))]
    assert len(make_patch(named, (), chains=CHAINS)[0].merge) == 3
    assert conflicts([*THROUGH, decided("3", FINE, move=("t",))], CHAINS)


@pytest.mark.parametrize(
    ("merges", "moves"),
    [
        ([("A0", "s"), ("s", "C0")], []),  # C has two mentions
        ([("A0", "s"), ("s", "B0")], [("B1",)]),  # B has two mentions without B1
        ([("A0", "s"), ("t", "B0")], []),
        ([("A0", "s", "B0")], []),
        ([("A0", "B0"), ("B1", "s"), ("s", "A1")], []),
    ],
)
def test_what_is_no_indirect_fusion(merges: list[tuple[str]], moves: list[tuple[str]]) -> None:
    operations: list[dict[str, Any]] = [{"merge": merge} for merge in merges]
    operations += [{"move": move} for move in moves]
    assert conflicts([decided(str(n), **each) for n, each in enumerate(operations)], CHAINS) == []


def test_a_chain_that_grows_by_a_split_is_large_by_its_new_size() -> None:
    split = decided("0", move=("A1", "A2", "A3"))
    joined = [decided("1", merge=("A1", "s")), decided("2", merge=("s", "B0"))]
    found = [{*conflict.cases} for conflict in conflicts([split, *joined], CHAINS)]
    assert found == [{"0", "1"}, {"1", "2"}]  # A1 is no anchor, as it leaves its chain


def test_mentions_of_a_sentence_in_one_chain_are_named_with_their_cases() -> None:
    known = Known(CHAINS, {"s": "d#1", "t": "d#1", "C0": "d#2", "C1": "d#2", "A0": "d#3"})
    through = [decided("1", merge=("s", "C0")), decided("2", merge=("C1", "t"))]
    (effect,) = joined_sentences(through, known)
    assert {*effect.cases} == {"1", "2"}
    assert "'s' and 't'" in effect.text
    assert joined_sentences([*through, decided("3", merge=("s", "t"))], known) == []
    assert joined_sentences(through[:1], known) == []
    assert joined_sentences([*through[:1], decided("2", FINE, merge=("C1", "t"))], known) == []


@pytest.fixture
def fusing(sample: Corpus, tmp_path: Path) -> Path:
    """Decisions that add one mention to two large chains."""
    events = sample.selected
    one, two = events["chain"].value_counts().index[:2]
    ends = [str(events.index[events["chain"] == chain][0]) for chain in (one, two)]
    lone = str(events.index[~events["chain"].duplicated(keep=False)][0])
    known = Known.of_corpus(sample)
    entries = [entry(str(n), merge=[lone, end]) for n, end in enumerate(ends)]
    return written(
        tmp_path / "ann.json", sample, entries, chains=known.chains, sentences=known.sentences
    )


def test_apply_refuses_a_fusion_and_knows_what_it_checks(
    fusing: Path, tmp_path: Path, cdec: Run
) -> None:
    call = ("audit", "apply", fusing, "-o", tmp_path / "patch.json", "-v")
    ran = cdec(*call)
    assert ran.error == "patch-contradictory"
    assert "cases 0, 1" in ran.err or "cases 1, 0" in ran.err
    ran = cdec(*call, "--skip-conflicts")
    assert (ran.code, "[case-conflicting]" in ran.err) == (0, True)
    assert "[moves-unchecked]" not in ran.err


def test_report_checks_with_the_corpus(fusing: Path, cdec: Run) -> None:
    call = ("audit", "report", fusing, "--corpus", "sample", "--system", "lemma", "-s", "pure")
    ran = cdec(*call, "--metric", "conll", "-v")
    assert (ran.code, "[case-conflicting]" in ran.err) == (0, True)
    assert "CoNLL" in ran.out
    assert "LEA" not in ran.out
    assert cdec(*call, "--no-skip-conflicts").error == "patch-contradictory"


def test_apply_names_mentions_of_one_sentence(sample: Corpus, tmp_path: Path, cdec: Run) -> None:
    events = sample.selected
    places = events.groupby(["doc", "sentence"])["chain"].agg(list)
    lone = events[~events["chain"].duplicated(keep=False)]
    doc, sentence = next(
        (str(place[0]), int(place[1]))
        for place, labels in zip(places.index, places, strict=True)
        if lone["chain"].isin(labels).sum() > 1
    )
    here = lone[(lone["doc"] == doc) & (lone["sentence"] == sentence)].index[:2]
    other = str(lone.index[lone["doc"] != doc][0])
    entries = [entry(str(n), merge=[str(id_), other]) for n, id_ in enumerate(here)]
    known = Known.of_corpus(sample)
    file = written(
        tmp_path / "ann.json", sample, entries, chains=known.chains, sentences=known.sentences
    )
    ran = cdec("audit", "apply", file, "-o", tmp_path / "patch.json", "-v")
    assert (ran.code, "[sentence-joined]" in ran.err) == (0, True), ran.err
    assert all(f"'{id_}'" in ran.err for id_ in here)
