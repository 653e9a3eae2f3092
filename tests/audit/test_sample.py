"""A random sample of a list, the pairs that it lacks, and the estimate from their verdicts."""

from __future__ import annotations

from cdec.auditing import (
    ERROR,
    UNLISTED,
    CaseSide,
    Decision,
    Operation,
    Review,
    ShortList,
    estimated,
    sampled,
)
from cdec.corpus import Corpus
from tests.refusals import refused


def test_a_random_pair_offers_the_corrections_of_the_audit(
    sample: Corpus, sample_cases: ShortList
) -> None:
    drawn = sampled(sample_cases, sample, 1, 400, 1)
    pairs = [case for case in drawn.cases if case.reasons == ("a random pair",)]
    offered = {case.kind: [fix.fix for fix in case.fixes] for case in pairs}
    assert offered == {
        "missing-singleton-singleton": ["merge", "remove", "none"],
        "missing-singleton-cluster": ["merge", "pair", "remove", "none"],
        "missing-cluster-cluster": ["move", "move", "merge", "pair", "remove", "none"],
    }
    for case in pairs:
        sizes = [len(side.members) for side in case.sides]
        if min(sizes) > 0:
            smaller = case.sides[sizes.index(min(sizes))]
            assert case.fixes[0].operation.move == smaller.mentions


def test_only_pairs_of_two_chains_of_a_topic_are_in_the_list(
    sample: Corpus, sample_cases: ShortList
) -> None:
    first = sample.selected.drop_duplicates("chain")
    sizes = first.groupby("topic").size()
    all_pairs = int((sizes * (sizes - 1) // 2).sum())
    case = sample_cases.cases[0]
    chains = [str(chain) for chain in first["chain"][first["topic"] == case.topic][:2]]
    far = str(first["chain"][first["topic"] != case.topic].iloc[0])
    listed = {"same": [chains[0]] * 2, "far": [chains[0], far], "two": chains}
    for name, pair in listed.items():
        sides = tuple(CaseSide(mentions=(chain,), chain=chain) for chain in pair)
        shortlist = ShortList((case.model_copy(update={"sides": sides}),), sample_cases.about)
        strata = sampled(shortlist, sample, 1, 1, 1).about["sample"]["strata"]
        counts = {stratum["name"]: stratum["cases"] for stratum in strata}
        assert counts[UNLISTED] == all_pairs - (name == "two")


def test_a_sample_of_reviewed_sentences(sample: Corpus, sample_cases: ShortList) -> None:
    drawn = sampled(sample_cases, sample, 5, 30, 1, reviewed="only")
    assert {case.reviewed for case in drawn.cases} == {True}
    pairs = [case for case in drawn.cases if case.reasons == ("a random pair",)]
    shown = [id_ for case in pairs for id_ in case.asked]
    assert len(pairs) == 30
    assert sample.selected["reviewed"][shown].all()
    listed = {frozenset(s.chain for s in case.sides[:2]) for case in sample_cases.cases}
    assert not listed & {frozenset(side.chain for side in case.sides) for case in pairs}
    with refused("option-conflict", "--reviewed outside"):
        sampled(sample_cases, sample, 1, 1, 1, reviewed="outside")


def test_a_negative_seed_is_out_of_range(sample: Corpus, sample_cases: ShortList) -> None:
    with refused("parameter-invalid", "-1"):
        sampled(sample_cases, sample, 1, 0, -1)


def review(name: str, total: int) -> Review:
    stratum = {"name": "ranks 1–9", "cases": total, "drawn": ["c"]}
    about = {"sample": {"seed": 1, "strata": [stratum]}} if total else {}
    decision = Decision(case="c", kind="no-event", verdict=ERROR, operation=Operation())
    return Review(reviewer=name, decisions=(decision,), about=about, places={})


def test_the_estimate_does_not_depend_on_the_order_of_the_files() -> None:
    files = [review("ann", 9), review("bob", 0)]
    assert estimated(files) == estimated(files[::-1]) != ()
    assert [row.errors for row in estimated(files)] == [1]
    assert estimated([review("ann", 9), review("bob", 9)]) != ()
    with refused("input-mismatch"):
        estimated([review("ann", 9), review("bob", 8)])
