"""The order of the corrections of a case, and which of them is preselected."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest

from cdec.auditing import Findings, Fix, ShortList, plant
from cdec.auditing.benchmark.corrections import _Corrected
from cdec.auditing.fixes import Target, one_chain, two_chains
from cdec.auditing.key import Key
from cdec.corpus import Corpus

A, B, C = Target("a", "one", 3), Target("b", "two", 2), Target("c", "three", 5)
LONE = Target("b", "four", 1)


def kinds(fixes: tuple[Fix, ...]) -> str:
    """Return the corrections as letters, with a * where one is tied with another."""
    names = {"merge": "M", "A to two": "A", "B to one": "B", "A and B to three": "C", "link": "P"}
    letters = []
    for fix in fixes:
        text = fix.text.removeprefix("move ")
        name = next((letter for start, letter in names.items() if text.startswith(start)), "")
        letters.append(name + "*" * fix.tied)
    return "".join(letters)


@pytest.mark.parametrize(
    ("fits", "alike", "third", "expected"),
    [
        # A merge has the mean of both fits, and 4 (alike - 1.5).
        ((3.0, 3.0), 1.82, None, "MBAP"),
        ((3.0, 3.0), 1.81, None, "M*B*AP"),
        ((5.0, 2.0), 1.87, None, "B*M*AP"),
        ((5.0, 2.0), 1.88, None, "M*B*AP"),
        # A move is preselected if it leads by more than 3.
        ((5.1, 2.0), 0.5, None, "BAMP"),
        ((5.0, 2.0), 0.5, None, "B*A*MP"),
        ((2.0, 5.1), 0.5, None, "ABMP"),
        # A third chain must fit better by 1.5.
        ((3.0, 2.0), 0.0, 4.4, "B*C*AMP"),
        ((3.0, 2.0), 0.0, 4.6, "C*B*AMP"),
        ((3.0, 2.0), 0.0, 7.6, "CBAMP"),
    ],
)
def test_merges_and_moves_of_two_chains(
    fits: tuple[float, float], alike: float, third: float | None, expected: str
) -> None:
    further = None if third is None else (third, C)
    assert kinds(two_chains(("a", "b"), [A, B], fits, alike, further)) == expected


@pytest.mark.parametrize(
    ("third", "expected"), [(2.0, "PC"), (4.2, "PC"), (4.3, "P*C*"), (5.6, "C*P*"), (8.6, "CP")]
)
def test_two_singletons_are_linked_unless_a_third_chain_fits(third: float, expected: str) -> None:
    singles = [Target("a", "five", 1), LONE]
    assert kinds(one_chain(("a", "b"), singles, 0.0, (third, C))) == expected


def test_a_singleton_is_never_preselected(sample_cases: ShortList) -> None:
    firsts = [case.fixes[0] for case in sample_cases.cases]
    singles = [fix for fix in firsts if fix.fix == "singleton"]
    assert len(singles) > 5
    assert all(fix.tied for fix in singles)


def test_two_chains_are_alike_by_definition(sample_findings: Findings) -> None:
    key = sample_findings.key
    fit, events, found = key.fixes.fit, key.corpus.selected, set()
    large = [code for code in range(len(key.labels)) if 2 < key.sizes[code] < 7][:12]
    for one, two in combinations(large, 2):
        asked = [int(key.members[code][0]) for code in (one, two)]
        rest = [[int(row) for row in key.members[code][1:]] for code in (one, two)]
        ends = [(rest[0], one, two), (rest[1], two, one)]
        other = fmean(fit.of([row], there, asked) for rows, _, there in ends for row in rows)
        own = fmean(fit.of([row], code, asked) for rows, code, _ in ends for row in rows)
        subtopic = events["subtopic"].tolist()
        same = fmean(subtopic[a] == subtopic[b] for a in rest[0] for b in rest[1])
        assert fit.alike(one, two, asked) == pytest.approx(other / (own + 0.5) + same)
        found.add(same)
    assert len(found) > 1


def test_a_mention_of_a_reviewed_sentence_may_have_been_a_singleton(
    sample: Corpus, sample_findings: Findings
) -> None:
    """Elsewhere it is unknown whether it is one, and the error does not count."""
    planted, before = plant(sample, "attach", 60, 0), sample.selected["chain"]
    key = Key(planted.corpus, sample_findings.key.prepared, sample_findings.key.config)
    known = set(_Corrected(planted, key, before).known)
    moved = {error.mentions[0] for error in planted.errors}
    alone = {id_ for id_ in moved if set(before.index[before == before[id_]]) <= moved}
    reviewed = sample.mentions["reviewed"].astype(bool)
    counted = [id_ not in alone or reviewed[id_] for id_ in (e.mentions[0] for e in planted.errors)]
    assert known == {number for number, one in enumerate(counted) if one}
    assert {bool(reviewed[id_]) for id_ in alone} == {True, False}
