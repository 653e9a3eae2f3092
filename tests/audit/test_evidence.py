"""Scores by chain against a slow reference; single detectors; planted errors."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec import build_corpus
from cdec.auditing import (
    AuditConfig,
    Findings,
    Key,
    ShortList,
    audit,
    between_chains,
    default_calibration,
    inside_chains,
    of_members,
    plant,
    prepare,
    ranking,
    rivals,
)
from cdec.corpus import Corpus
from tests.refusals import refused


@st.composite
def scored_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    size = draw(st.integers(2, 8))
    chain = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    pairs = draw(st.sets(st.sampled_from(list(combinations(range(size), 2))), min_size=1))
    left, right = (np.array(side) for side in zip(*sorted(pairs), strict=True))
    values = st.integers(-8, 8).map(lambda n: n / 4)
    scores = np.array(draw(st.lists(values, min_size=len(left), max_size=len(left))))
    return left, right, chain, scores


def soft_max(values: list[float]) -> float:
    return float(np.log(np.sum(np.exp(4 * np.array(values)))) / 4)


@given(scored_pairs())
def test_between_chains_by_definition(drawn: tuple[np.ndarray, ...]) -> None:
    left, right, chain, scores = drawn
    expected: dict[tuple[int, int], list[int]] = {}
    for row, (a, b) in enumerate(zip(chain[left], chain[right], strict=True)):
        if a != b:
            expected.setdefault((int(min(a, b)), int(max(a, b))), []).append(row)
    table = between_chains(left, right, chain, {"svm": scores})
    assert list(zip(table["one"], table["two"], strict=True)) == sorted(expected)
    for record in table.to_dict("records"):
        rows = expected[record["one"], record["two"]]
        assert record["count"] == len(rows)
        assert record["pair"] == max(rows, key=lambda row: (scores[row], -row))
        assert record["svm"] == pytest.approx(soft_max([scores[row] for row in rows]), abs=1e-9)


@given(scored_pairs())
def test_members_and_rivals_by_definition(drawn: tuple[np.ndarray, ...]) -> None:
    left, right, chain, scores = drawn
    ends = inside_chains(chain)
    inside = [
        pair for pair in combinations(range(len(chain)), 2) if chain[pair[0]] == chain[pair[1]]
    ]
    assert list(zip(*(side.tolist() for side in ends), strict=True)) == inside
    support = np.arange(len(inside)) / 7
    table = of_members(*ends, {"svm": support}).set_index("mention")
    for mention in table.index:
        rows = [row for row, pair in enumerate(inside) if mention in pair]
        expected = soft_max([support[row] for row in rows])
        assert table["svm"][mention] == pytest.approx(expected, abs=1e-9)
        assert table["pair"][mention] == max(rows)
    found = rivals(left, right, chain, {"svm": scores})
    for mention in range(len(chain)):
        others = [
            (scores[row], -place)
            for place, row in enumerate(range(len(left)))
            if mention in (left[row], right[row]) and chain[left[row]] != chain[right[row]]
        ]
        assert (mention in found.index) == bool(others)
        if others:
            assert found["svm"][mention] == max(others)[0]


def test_one_detector_alone(sample: Corpus, sample_cases: ShortList, cached: None) -> None:
    for name in ("duplicate", "svm", "held-out", "companions", "tags"):
        alone = audit(sample, AuditConfig((name,)))
        assert {d for case in alone.cases for d in case.detectors} <= {name}
    flagged = {d for case in sample_cases.cases for d in case.detectors}
    assert {"svm", "held-out"} <= flagged


def test_a_detector_that_cannot_be_trained_is_left_out_with_a_notice() -> None:
    """Two documents of one topic: all pairs are of one unit, so that there are no folds."""
    rows = [
        {"doc": doc, "topic": "1", "from_char": at, "to_char": at + 4, "chain": f"{doc}{at}"}
        for doc in "ab"
        for at in (2, 11)
    ]
    corpus = build_corpus(rows, dict.fromkeys("ab", "A fire. A flood."), name="tiny")
    found = audit(corpus, AuditConfig())
    assert found.about["left_out"] == "held-out,tags"
    codes = ["annotation-missing", "part-too-small", "probabilities-elsewhere"]
    assert [n.code for n in found.notices] == codes
    assert found.notices[1].message.endswith("held-out")
    config = AuditConfig()
    assert Key(corpus, prepare(corpus, config), config).left_out == ["held-out", "tags"]
    for detectors in (("held-out",), ("held-out", "held-out")):
        with refused("part-too-small", "'held-out' cannot be trained"):
            audit(corpus, AuditConfig(detectors))


def test_a_higher_delta_flags_less(sample_key: Key) -> None:
    configs = [AuditConfig(("svm",), delta=delta) for delta in (0.9, 1.2, 1.5)]
    findings = [Findings.of(replace(sample_key, config=config)) for config in configs]
    ranked = [ranking(one, default_calibration()) for one in findings]
    sizes = [int(one.table["svm"].notna().sum()) for one in ranked]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2]


@pytest.mark.parametrize("kind", ["detach", "split", "attach"])
def test_planted_errors_change_the_key_by_their_mentions_only(sample: Corpus, kind: str) -> None:
    planted = plant(sample, kind, 5, seed=1)
    moved = {mention for error in planted.errors for mention in error.mentions}
    before, after = sample.selected["chain"], planted.corpus.selected["chain"]
    changed = set(before.index[(before != after).to_numpy()])
    assert changed == moved
    assert len(planted.errors) == 5
    again = plant(sample, kind, 5, seed=1)
    assert again.errors == planted.errors
    assert plant(sample, kind, 5, seed=2).errors != planted.errors
    for error in planted.errors:
        now = after[list(error.mentions)]
        assert (now == error.rest).all() == (kind == "attach")
        assert now.nunique() == 1


def test_planting_refuses_what_it_cannot_do(sample: Corpus) -> None:
    with refused("name-unknown", "unknown planted error", "'detatch'", "'detach'"):
        plant(sample, "detatch", 5, 0)
    with refused("parameter-invalid", "100,000"):
        plant(sample, "split", 100_000, 0)
