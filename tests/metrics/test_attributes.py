"""A metric that uses attributes of mentions: in scores, resamples, exchanges and explanations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import cdec
from cdec.metadocument import MetaDocuments
from cdec.metrics import Metric, measure
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import Share
from cdec.metrics.links import links
from cdec.metrics.registry import REGISTRY
from cdec.metrics.sheet import Sheet
from cdec.metrics.terms import Ratio, Terms
from cdec.statistics import Plan, Units, copies_of, randomisation
from cdec.statistics.bootstrap import bootstrap
from tests.refusals import refused
from tests.strategies import LabelTriple, label_triples


def importance(table: Contingency) -> Terms:
    """LEA whose importance of a chain is the sum of the attribute ``weight``."""
    weights = table.attribute("weight")
    key, response = table.sums("key", weights), table.sums("response", weights)
    k, r = table.key_sizes[table.rows], table.response_sizes[table.cols]
    resolved = np.where((k == 1) & (r == 1), 1, links(table.overlap))
    return Terms(
        precision=[Ratio(response[table.cols] * resolved, np.maximum(links(r), 1))],
        response=response,
        recall=[Ratio(key[table.rows] * resolved, np.maximum(links(k), 1))],
        key=key,
    )


def named(table: Contingency) -> Terms:
    """Count a chain of the key whose name is also the name of the response chain."""
    same = table.attribute("key") == table.attribute("response")
    return Terms(
        recall=[Ratio(np.zeros_like(table.overlap))],
        key=table.sums("key", same),
        precision=[Ratio(np.zeros_like(table.overlap))],
        response=table.sums("response", same),
    )


@pytest.fixture(autouse=True)
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for metric in (
        Metric(id="wlea", label="wLEA", citation="", terms=importance, attributes=("weight",)),
        Metric(id="named", label="N", citation="", terms=named, attributes=("key", "response")),
        Metric(id="undeclared", label="U", citation="", terms=importance),
    ):
        monkeypatch.setitem(REGISTRY._own, metric.id, metric)
    yield


def metas(weights: list[int] | None = None, seed: int = 1) -> tuple[MetaDocuments, Units]:
    """Twelve mentions of three units; chains and meta-documents span units."""
    rng = np.random.default_rng(seed)
    index = [f"d{n % 6}/{n}" for n in range(12)]
    table = pd.DataFrame(
        {"meta": "m", "key": rng.integers(0, 4, 12), "response": rng.integers(0, 4, 12)}, index
    ).astype({"key": object, "response": object})
    table.iloc[3, 2], table.iloc[5, 1] = None, None
    attributes = pd.DataFrame({"weight": weights or [1] * 12}, index)
    units = Units("topic", ("a", "b", "c"), pd.Series([n % 3 for n in range(12)], index))
    return MetaDocuments(table, attributes=attributes), units


@given(triple=label_triples())
def test_equal_weights_are_lea(triple: LabelTriple) -> None:
    ones = {"weight": np.ones(len(triple[0]), dtype=np.int64)}
    table = Contingency.from_labels(*triple, attributes=ones)
    both = {"lea": measure(table, ["lea"])["lea"], "wlea": importance(table).counts()}
    assert both["lea"].f1 == pytest.approx(both["wlea"].f1)


def test_a_weight_is_that_of_copies_of_a_chain() -> None:
    """Weights 2 for the mentions of one chain of two units count as that chain twice."""
    table = Contingency.from_labels([1, 1, 2, 2], [1, 1, 2, 3], attributes={"weight": [2, 2, 1, 1]})
    counts = importance(table).counts()
    assert (counts.r_num, counts.r_den) == (4, 6)
    twice = measure(Contingency.from_labels([1, 1, 9, 9, 2, 2], [1, 1, 9, 9, 2, 3]), ["lea"])
    assert (twice["lea"].r_num, twice["lea"].r_den) == (4, 6)


def test_a_resample_has_the_attributes_of_its_copies() -> None:
    weights = [n % 4 + 1 for n in range(12)]
    both, units = metas(weights)
    copies = copies_of(both, units, ["wlea"])
    drawn = np.array([2, 0, 3])
    table = copies.contingency(drawn)
    of = np.repeat(np.arange(12), drawn[np.arange(12) % 3])
    for side in ("key", "response"):
        present = both.table[side].notna().to_numpy()[of]
        expected = sum(np.array(weights)[of][present])
        sums = table.sums(side, table.attribute("weight"))
        assert int(sums.sum()) == expected
        ones = np.ones(len(of), dtype=np.int64)
        assert table.sums(side, ones).tolist() == table.of(side).sizes.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_equal_weights_have_the_intervals_and_p_of_lea(seed: int) -> None:
    (first, units), (second, _) = metas(seed=seed), metas(seed=seed + 100)
    second = MetaDocuments(
        second.table.assign(key=first.table["key"]), attributes=second.attributes
    )
    plan = Plan(resamples=20, exchanges=20)
    found = bootstrap(first, units, plan, ["lea", "wlea"])
    assert found.centred[..., 0, :] == pytest.approx(found.centred[..., 1, :])
    test = randomisation(first, second, units, plan, ["lea", "wlea"])
    assert test.p[0] == pytest.approx(test.p[1])


def test_contributions_add_up() -> None:
    both, _ = metas([n % 4 + 1 for n in range(12)])
    sheet = Sheet.from_meta_documents(both, ["weight"])
    metric = REGISTRY["wlea"]
    assert isinstance(metric, Metric)
    total = Share.sum(metric.contribution(chain, sheet).share for chain in sheet.key)
    counts = importance(sheet.table).counts()
    assert [float(total.numerator), total.denominator] == pytest.approx(
        [counts.r_num, counts.r_den]
    )


def test_chains_have_names() -> None:
    table = pd.DataFrame({"meta": "m", "key": ["x", "x", "y"], "response": ["x", "z", "y"]})
    counts = measure(
        Contingency.from_meta_documents(MetaDocuments(table), ["key", "response"]), ["named"]
    )
    assert (counts["named"].r_den, counts["named"].p_den) == (2, 2)


def test_an_attribute_that_is_not_there_is_named() -> None:
    both, _ = metas()
    with refused("annotation-missing"):
        Contingency.from_meta_documents(both, ["colour"])
    with refused("annotation-missing"):
        measure(Contingency.from_meta_documents(both), ["undeclared"])
    with refused("annotation-missing"):
        cdec.score({"a": 1}, {"a": 1}, metrics=["wlea"])


def test_a_sum_is_of_integers() -> None:
    table = Contingency.from_labels([1, 1], [1, 1], attributes={"weight": [0.5, 1]})
    with refused("argument-type"):
        importance(table)


def test_a_corpus_gives_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    tags = Metric(
        id="tags",
        label="T",
        citation="",
        attributes=("tag",),
        terms=lambda table: Terms(
            key=table.sums("key", table.attribute("tag") == "ACTION_REPORTING"),
            response=table.sums("response", table.attribute("tag") == "ACTION_REPORTING"),
        ),
    )
    monkeypatch.setitem(REGISTRY._own, "tags", tags)
    corpus = cdec.load_corpus("sample").select("event")
    rows = cdec.evaluate(corpus, "lemma", setting="simple", metrics=["tags"]).to_frame()
    reporting = (corpus.selected["tag"] == "ACTION_REPORTING").sum()
    assert int(rows["r_den"].iloc[0]) == reporting > 0
