"""Scores of each unit, undefined values (0/0) and the macro-average."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from cdec.metadocument import MetaDocuments
from cdec.metrics import ALL, DerivedMetric, UnitValue, Value
from cdec.metrics.counts import Counts
from cdec.metrics.registry import REGISTRY
from cdec.metrics.scores import Scores, by_unit, macro, score, unit_values
from cdec.settings import SETTINGS, build
from tests.strategies import meta_documents, meta_documents_of
from tests.tiny_corpora import Tiny, tiny, tiny_corpora

# Two meta-documents: one perfect link of one; no link of three.
TWO = meta_documents_of([0, 0, 1, 1, 1, 1], [0, 0, 1, 2, 3, 4], [0, 0, 1, 1, 1, 1])
NONE, PERFECT = UnitValue(None, None, None), UnitValue(1, 1, 1)
# d0 has one link; d1 has two singletons; d2 has one mention.
LINKS_IN_ONE = tiny([0, 0, 1, 1, 2], key=[0, 0, 1, 2, 3], response=[0, 0, 1, 2, 3])


def parts_of(metas: MetaDocuments) -> list[Scores]:
    groups = metas.table.groupby("meta", sort=False)
    return [score(MetaDocuments(part)) for _, part in groups]


def units_of(corpus: Tiny, metrics: list[str] | None = None) -> dict[str, Scores]:
    metas = build(SETTINGS["simple"], corpus.table, *corpus.sides)
    return by_unit(metas, corpus.table["doc"], metrics)


def test_micro_and_macro_differ() -> None:
    assert list(score(TWO)["muc"]) == [1, 1 / 4, 2 / 5]
    mean = macro(parts_of(TWO))
    # The response of the second meta-document has no link: its precision is undefined, its F is 0.
    assert list(mean["muc"]) == [1, 1 / 2, 1 / 2]
    assert mean["conll"].precision is None
    assert mean["conll"].f1 == pytest.approx(np.mean([p["conll"].f1 for p in parts_of(TWO)]))


def test_the_mean_of_no_unit_is_empty_and_of_one_is_that_unit() -> None:
    assert macro([]) == {}
    alone = score(TWO)
    assert macro([alone]) == unit_values(alone)


def test_links_across_units_do_not_count() -> None:
    corpus = tiny([0, 0, 1, 1, 2], key=[0, 0, 0, 1, 1], response=[0, 0, 0, 0, 1])
    metas = build(SETTINGS["simple"], corpus.table, *corpus.sides)
    parts = by_unit(metas, corpus.table["doc"], ["muc", "b3"])
    assert list(parts) == ["d0", "d1", "d2"]
    assert [part["muc"] for part in parts.values()] == [(1, 1, 1), (0, 0, 0), (0, 0, 0)]
    values = [unit_values(part)["muc"] for part in parts.values()]
    assert values == [(1, 1, 1), (0, None, 0), NONE]
    assert list(parts["d1"]["b3"]) == [1 / 2, 1, 2 / 3]
    assert list(score(metas, ["muc"])["muc"]) == [2 / 3, 2 / 3, 2 / 3]
    across = by_unit(metas, corpus.table["subtopic"], ["muc"])
    assert [part["muc"] for part in across.values()] == [(2 / 3, 1, 4 / 5), (0, 0, 0)]


def test_units_are_in_text_order_and_have_the_requested_metrics() -> None:
    units = pd.Series({"m5": "a", "m4": "a", "m3": "a", "m2": "a", "m1": "z", "m0": "z"})
    parts = by_unit(TWO, units, ["muc"], "neleval")
    assert list(parts) == ["z", "a"]
    assert {name: list(part.values) for name, part in parts.items()} == {"z": ["muc"], "a": ["muc"]}
    assert parts["a"].counts["muc"] == Counts(0, 0, 0, 3)
    assert "lea" not in by_unit(TWO, units, scorer="neleval")["z"].values


def test_a_unit_without_links_has_no_muc_and_no_conll() -> None:
    units = units_of(LINKS_IN_ONE)
    values = {name: unit_values(scores) for name, scores in units.items()}
    assert values["d0"]["muc"] == values["d0"]["b3"] == PERFECT
    assert values["d1"]["muc"] == values["d1"]["conll"] == values["d1"]["avg4"] == NONE
    assert values["d1"]["b3"] == values["d1"]["lea"] == PERFECT
    # Singletons: non-coreference links only. One mention: no pair at all.
    assert values["d1"]["blanc_coref"] == NONE
    assert values["d1"]["blanc_noncoref"] == values["d1"]["blanc"] == PERFECT
    assert values["d2"]["blanc_noncoref"] == values["d2"]["blanc"] == NONE
    assert units["d1"]["muc"] == (0, 0, 0)


def test_the_macro_average_leaves_undefined_units_out() -> None:
    mean = macro(units_of(LINKS_IN_ONE).values())
    assert mean["muc"] == mean["b3"] == mean["blanc"] == PERFECT
    assert mean["conll"] == mean["avg4"] == UnitValue(None, None, 1)


def test_a_metric_that_no_unit_defines_has_no_macro_average() -> None:
    mean = macro(units_of(tiny([0, 1], key=[0, 1], response=[0, 1])).values())
    assert mean["muc"] == mean["conll"] == mean["blanc"] == NONE
    assert mean["b3"] == PERFECT


def test_one_side_of_0_is_undefined_and_f1_is_0() -> None:
    corpus = tiny([0, 0], key=[0, 0], response=[0, 1])
    values = unit_values(units_of(corpus)["d0"])
    assert values["muc"] == values["blanc_coref"] == values["blanc"] == UnitValue(None, 0, 0)
    metas = build(SETTINGS["bh"], corpus.table, *corpus.sides)
    assert values["conll"].f1 == score(metas)["conll"].f1
    # One mention in the key, two in the response: pairs in the response only.
    values = unit_values(units_of(tiny([0, 0], key=[0, -1], response=[0, 0]))["d0"])
    assert values["blanc"] == values["muc"] == UnitValue(0, None, 0)


def test_a_derived_metric_without_parts_is_averaged_over_its_defined_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def recall_only(muc: Counts) -> Value:
        return Value(muc.precision, muc.recall, muc.recall)

    metric = DerivedMetric(
        id="mine", label="Mine", citation="none", needs=("muc",), value=recall_only
    )
    monkeypatch.setitem(REGISTRY._loaded, "mine", metric)
    monkeypatch.setitem(REGISTRY._own, "mine", metric)
    parts = units_of(tiny([0, 0, 0, 1, 2, 2], [0, 0, 0, 1, 2, 2], [0, 0, 1, 2, 3, 3]), ["mine"])
    assert [unit_values(part)["mine"] for part in parts.values()] == [
        (1, 1 / 2, 1 / 2),
        NONE,
        (1, 1, 1),
    ]
    assert macro(parts.values())["mine"] == (1, 3 / 4, 3 / 4)


@given(meta_documents())
@settings(max_examples=60)
def test_defined_values_are_those_of_the_scorer_and_undefined_ones_are_0(
    metas: MetaDocuments,
) -> None:
    for scores in parts_of(metas):
        values = unit_values(scores)
        assert list(values) == list(scores.values)
        for name, value in values.items():
            whole = scores.values[name]
            if name in ("conll", "avg4") and value.f1 is None:
                continue  # the mean of an undefined value and others
            assert [a or 0.0 for a in value] == [b or 0.0 for b in whole], name


@given(tiny_corpora())
@settings(max_examples=60)
def test_a_perfect_response_has_a_macro_average_of_1(corpus: Tiny) -> None:
    key = corpus.sides[0]
    for setting in SETTINGS.values():
        metas = build(setting, corpus.table, key, key)
        for column in ("doc", "subtopic", "topic"):
            mean = macro(by_unit(metas, corpus.table[column]).values())
            assert all(value in ((1, 1, 1), NONE, (None, None, 1)) for value in mean.values())
            if mean and mean["muc"].f1 is not None:
                assert {mean[name].f1 for name in ALL} <= {1, None}
                assert mean["conll"].f1 == 1
