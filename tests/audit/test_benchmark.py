"""The benchmark on planted errors: its arithmetic on the sample, its targets on ECB+."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from cdec.auditing import (
    AuditConfig,
    Findings,
    Operation,
    Plan,
    Ranked,
    default_calibration,
    in_scope,
    plant,
    ranking,
    seeds_of,
    summary,
)
from cdec.auditing.benchmark.corrections import _Corrected, corrections
from cdec.auditing.benchmark.measure import _measured, benchmark
from cdec.auditing.benchmark.plant import KINDS
from cdec.auditing.key import Key, prepare
from cdec.auditing.patches.apply import apply_patch
from cdec.auditing.patches.model import Correction, Patch
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from tests.refusals import refused


def test_precision_recall_and_average_precision_by_hand() -> None:
    # Three errors are planted; positions 1, 3 and 6 hit 0, 1 and 0; nothing hits 2.
    hits = [(0,), (), (1,), (), (), (0,)]
    ranked = Ranked("x", hits, ["a", "b", "b", "b", "b", "a"])
    values = {(name, at): value for name, at, value in _measured(ranked, ["a", "b", "b"])}
    assert values["precision", 50] == 3 / 6
    assert values["recall", 50] == 2 / 3
    assert values["average-precision", 0] == pytest.approx((1 / 1 + 2 / 3) / 3)
    assert values["topic-recall", 200] == (1 + 1 / 2) / 2


def test_the_recall_by_topic_counts_the_first_items_of_each_topic() -> None:
    hits, topics = [(), (0,)] * 200, ["a", "b"] * 200
    hits[398] = (1,)  # item 200 of topic a
    for extra, share in ((0, 1.0), (1, 0.5)):
        ranked = Ranked("x", [()] * extra + hits, ["a"] * extra + topics)
        values = {(name, at): value for name, at, value in _measured(ranked, ["b", "a"])}
        assert values["topic-recall", 200] == share


def test_a_share_of_nothing_is_undefined() -> None:
    assert all(math.isnan(value) for _, _, value in _measured(Ranked("x", [], []), []))


@pytest.mark.parametrize("runs", [0, -1, 1001, 10**30])
def test_numbers_of_runs_out_of_range(runs: int) -> None:
    with refused("parameter-invalid", f"{runs:,}", "1,000"):
        seeds_of(runs)
    assert len(seeds_of(1000)) == 1000


def test_the_sample_gives_every_measure_for_every_ranking(sample: Corpus, cached: None) -> None:
    plan = Plan(("detach", "attach"), 5, (0,))
    table = benchmark(sample, AuditConfig(), default_calibration(), plan)
    values = table[table["ranking"] != ""]
    assert values["value"].between(0, 1).all()
    assert set(values["ranking"]) == {"cases", "svm", "held-out", "lemma", "random"}
    assert set(values["kind"]) == {"detach", "attach"}


def test_the_interval_of_two_seeds_by_hand() -> None:
    same = {"kind": "split", "ranking": "cases", "measure": "recall", "at": 50}
    table = pd.DataFrame([{**same, "seed": seed, "value": seed / 2} for seed in (0, 1)])
    (row,) = summary(table).to_dict("records")
    # t of 0.975 with one degree of freedom is 12.706; the standard error is 0.25.
    assert (row["mean"], row["count"]) == (0.25, 2)
    assert row["high"] - row["mean"] == pytest.approx(12.706 * 0.25, abs=1e-3)
    assert row["mean"] - row["low"] == pytest.approx(12.706 * 0.25, abs=1e-3)


@pytest.mark.slow
def test_equal_seeds_give_equal_tables(sample: Corpus, cached: None) -> None:
    plan = Plan(("split", "fuse"), 5, (1,))
    one, two = (benchmark(sample, AuditConfig(), default_calibration(), plan) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_planted_errors_are_what_their_kind_says(sample: Corpus, kind: str) -> None:
    planted = plant(sample, kind, 3, 0)
    before = sample.selected["chain"]
    after = planted.corpus.selected["chain"].reindex(before.index)
    moved = [id_ for error in planted.errors for id_ in error.mentions]
    assert sorted(before.index[before != after]) == sorted(moved)
    for error in planted.errors:
        if kind == "unmark":
            assert after[list(error.mentions)].isna().all()
            assert (after == error.rest).any()
            continue
        together = set(after[list(error.mentions)])
        assert len(together) == 1
        joins = kind in ("attach", "lookalike", "fuse")
        assert (error.rest in together) == joins


@pytest.mark.parametrize("scope", ["only", "outside"])
def test_the_scope_of_the_benchmark_is_that_of_the_cases(
    sample_findings: Findings, scope: str
) -> None:
    ranked = ranking(sample_findings, default_calibration())
    reviewed = [case.reviewed for case in ranked.cases()]
    assert set(reviewed) == {True, False}
    table = ranked.table.assign(reviewed=[one is True for one in reviewed])
    for one in sample_findings.tables:
        part, inside = table[table["table"] == one.name], in_scope(one, scope)
        assert (inside[part["row"]] == (part["reviewed"] == (scope == "only"))).all()


@pytest.mark.slow
def test_planted_links_in_the_first_thousand(real: Corpus, cached: None) -> None:
    """In reviewed sentences; elsewhere actual errors fill the first thousand (docs/audit.md)."""
    # The list is at least as good as each single ranking; split chains come later than with the
    # classifiers, since few merges of two chains that were judged were right.
    singles = {"detach": ("svm", "held-out"), "pair": ("svm", "held-out"), "split": ()}
    plan = Plan(tuple(singles), 300, (0,), scope="only")
    table = benchmark(real, AuditConfig(), default_calibration(), plan)
    values = table.set_index(["kind", "ranking", "measure", "at"])["value"]
    for kind, names in singles.items():
        recall = values[kind, "cases", "recall", 1000]
        assert recall > 2 * values[kind, "random", "recall", 1000]
        for name in (*names, "lemma"):
            assert recall >= values[kind, name, "recall", 1000], (kind, name)


@pytest.mark.slow
def test_planted_detachments_come_before_chance(real: Corpus, cached: None) -> None:
    table = summary(
        benchmark(real, AuditConfig(), default_calibration(), Plan(("detach",), seeds=(0,)))
    )
    mean = table.set_index(["ranking", "measure", "at"])["mean"]
    assert mean["svm", "precision", 100] >= 0.35
    for baseline in ("lemma", "random"):
        assert mean["svm", "average-precision", 0] > 5 * mean[baseline, "average-precision", 0]


def test_the_corrections_of_planted_errors(sample: Corpus) -> None:
    plan = Plan(("detach", "split"), 2, (0,))
    table = corrections(sample, AuditConfig(), default_calibration(), plan).set_index("kind")
    assert list(table.index) == ["detach", "split"]
    order = ["planted", "listed", "options", "first", "right"]
    assert (table[order].diff(axis=1).iloc[:, 1:] <= 0).all(axis=None)
    assert table["first"]["detach"] == table["listed"]["detach"] == 2


@pytest.mark.parametrize("kind", ["detach", "pair", "split", "attach", "lookalike", "fuse"])
def test_a_correction_is_right_if_it_restores_the_whole_key(sample: Corpus, kind: str) -> None:
    """By the definition: all chains are as before, without the mentions of other errors."""
    config, before = AuditConfig(), sample.selected["chain"]
    planted = plant(sample, kind, 4, 0, exact=False)
    corrected = _Corrected(planted, Key(planted.corpus, prepare(sample, config), config), before)
    found = set()
    for number, case in corrected._cases(default_calibration(), "all"):
        others = corrected.moved - {*planted.errors[number].mentions}
        rest = before.index[~before.index.isin(others)]
        offered = [fix.operation for fix in case.fixes if fix.fix not in ("remove", "none")]
        first, *_ = case.questioned[0].mentions
        elsewhere = before.index[~corrected.after.isin(corrected.after[[*case.asked]])][0]
        wrong = Operation(merge=(first, str(elsewhere))), Operation(move=(first,))
        for operation in (*offered, *wrong):
            patch = Patch((Correction(**operation.to_dict()),))
            after = apply_patch(Clustering(corrected.after), patch).labels[rest]
            right = set(_chains(after)) == set(_chains(before[rest]))
            assert corrected._right(number, operation) == right, (case.kind, operation)
            found.add(right)
    assert found == {True, False}


def _chains(labels: pd.Series[str]) -> list[frozenset[str]]:
    return [frozenset(part.index) for _, part in labels.groupby(labels)]
