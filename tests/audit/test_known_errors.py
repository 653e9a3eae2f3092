"""Known errors of ECB+ are among the cases, with the right kind."""

from __future__ import annotations

import numpy as np
import pytest

from cdec.auditing import AuditConfig, Case, ShortList, audit, to_csv, to_jsonl
from cdec.auditing.case import KINDS
from cdec.corpus import Corpus, part_of
from tests.refusals import refused

pytestmark = pytest.mark.slow  # the audit of all of ECB+


def text(corpus: Corpus, id_: str) -> str:
    return str(corpus.mentions["text"][id_]).lower()


def sentence(corpus: Corpus, id_: str) -> tuple[str, ...]:
    mentions = corpus.mentions
    return corpus.documents[str(mentions["doc"][id_])].sentences[int(mentions["sentence"][id_])]


def of_kind(shortlist: ShortList, kind: str, topic: str) -> list[Case]:
    return [case for case in shortlist.cases if (case.kind, case.topic) == (kind, topic)]


def pairs(case: Case) -> list[str]:
    return case.asked


def test_the_paper_s_first_example_earthquake_and_tsunami_in_aceh(
    real_cases: ShortList, real: Corpus
) -> None:
    cases = of_kind(real_cases, "missing-singleton-singleton", "37")
    shown = [[text(real, id_) for id_ in pairs(case)] for case in cases]
    aceh = [any("Aceh" in sentence(real, id_) for id_ in pairs(case)) for case in cases]
    quakes = [
        any("earthquake" in words.split() for words in both)
        and any(words.split()[-1] == "quake" for words in both)
        for both in shown
    ]
    assert any(here and quake for here, quake in zip(aceh, quakes, strict=True))
    tsunamis = [set(both) == {"tsunami"} for both in shown]
    assert any(here and tsunami for here, tsunami in zip(aceh, tsunamis, strict=True))


def test_the_paper_s_second_example_watergate_and_watergate_scandal(
    real_cases: ShortList, real: Corpus
) -> None:
    cases = of_kind(real_cases, "missing-singleton-cluster", "28")
    hits = []
    for case in cases:
        lone = [side for side in case.sides if not side.members]
        chains = [side for side in case.sides if side.members]
        scandal = any(side.descriptor == "t28_watergate_scandal" for side in chains)
        larue = any(
            text(real, s.mentions[0]) == "watergate" and "LaRue" in sentence(real, s.mentions[0])
            for s in lone
        )
        hits.append(scandal and larue)
    assert any(hits)


@pytest.mark.parametrize(
    "mentions",
    [("1_19ecbplus/59", "1_19ecbplus/74"), ("16_9ecbplus/8", "16_9ecbplus/9")],
)
def test_actions_in_the_chain_of_a_participant(
    real_cases: ShortList, mentions: tuple[str, ...]
) -> None:
    cases = [case for case in real_cases.cases if case.kind == "contradicting-members"]
    assert [mentions in [side.mentions for side in case.sides] for case in cases].count(True) == 1


def test_cases_are_sorted_and_distinct_with_scores_in_0_to_1(
    real_cases: ShortList,
) -> None:
    scores = [case.score for case in real_cases.cases if case.score is not None]
    assert [case.rank for case in real_cases.cases] == list(range(1, len(scores) + 1))
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] <= scores[0] <= 1
    assert len({case.id for case in real_cases.cases}) == len(real_cases.cases)
    assert {case.kind for case in real_cases.cases} == set(KINDS)
    assert all(case.fixes for case in real_cases.cases)


def test_kinds_fit_the_sides(real_cases: ShortList) -> None:
    for case in real_cases.cases:
        if not case.kind.startswith("missing"):
            continue
        clusters = sum(bool(side.members) for side in case.questioned)
        assert case.kind.split("-")[1:] == {
            0: ["singleton", "singleton"],
            1: ["singleton", "cluster"],
        }.get(clusters, ["cluster", "cluster"])
        merges = [fix.operation for fix in case.fixes if fix.fix in ("merge", "pair")]
        assert all(set(operation.merge) == set(pairs(case)) for operation in merges)
        assert case.reasons
        assert case.detectors


def test_a_mention_in_the_wrong_chain_moves(real_cases: ShortList) -> None:
    # "ended", of a round of boxing, in the chain of the end of the fight.
    ends = {("7_1ecbplus/77", "7_3ecbplus/120")}
    (case,) = (c for c in real_cases.cases if tuple(pairs(c)) in ends)
    assert case.fixes[0].fix == "move"
    assert case.fixes[0].operation.move == ("7_3ecbplus/120",)


def test_companions_are_behind_duplicates_and_the_list_says_what_it_expects(
    real_cases: ShortList,
) -> None:
    rank = {case.id: at for at, case in enumerate(real_cases.cases)}
    supported = [
        rank[case.id]
        for case in real_cases.cases
        if case.detectors.get("companions", 0) >= 3 / 4
        and case.kind == "missing-singleton-singleton"
        and "duplicate" not in case.detectors
    ]
    assert np.median(supported) < 1500
    first = {(row.scope, row.first): row for row in real_cases.expected}
    assert first["all", 1000].low > 900
    assert {"all", "only", "outside"} == {scope for scope, _ in first}


def test_cases_by_review(real_cases: ShortList) -> None:
    only, outside = (real_cases.select(reviewed=scope) for scope in ("only", "outside"))
    assert len(only.cases) + len(outside.cases) == len(real_cases.cases)
    assert all(case.reviewed for case in only.cases)
    with refused("name-unknown", "unknown review scope", "'x'"):
        real_cases.select(reviewed="x")


def test_a_part_audited_twice_gives_the_same_file(real: Corpus, cached: None) -> None:
    dev = part_of(real, "dev")
    shortlists = [audit(dev, AuditConfig()) for _ in range(2)]
    one, two = ("".join([*to_jsonl(cases, dev), *to_csv(cases, dev)]) for cases in shortlists)
    assert one == two
    assert len(one) > 10_000
