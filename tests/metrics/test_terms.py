"""Terms of metrics: their sums are the counts, whole, by block, by chain."""

from dataclasses import astuple, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from cdec.metadocument import NAME, MetaDocuments
from cdec.metrics import METRICS, Metric, measure
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import Share
from cdec.metrics.registry import counted
from cdec.metrics.sheet import Sheet
from cdec.metrics.terms import Blocks
from tests.strategies import LabelTriple, label_triples

ALL = [*METRICS, "mentions"]


@pytest.mark.parametrize("name", ALL)
@given(triple=label_triples())
def test_one_block_has_the_counts_of_the_table(name: str, triple: LabelTriple) -> None:
    table = Contingency.from_labels(*triple)
    metric = counted(name)
    assert metric.terms is not None
    key, response, meta = (
        np.zeros(len(part), dtype=np.int64)
        for part in (table.key_sizes, table.response_sizes, table.key_mentions)
    )
    block = Blocks(table, key, response, meta, 1)
    expected = astuple(metric.counts(table))
    assert block.counts(metric.terms(table))[0].tolist() == pytest.approx(list(expected))


def test_a_metric_has_terms_or_a_count() -> None:
    with pytest.raises(TypeError, match="either terms or count"):
        Metric(id="x", label="X", citation="none")
    with pytest.raises(TypeError, match="either terms or count"):
        replace(METRICS["muc"], count=METRICS["muc"].counts)


def test_the_chains_of_a_repeated_mention_add_up_to_the_counts() -> None:
    """x, which the key lacks, is in two chains of the response."""
    sides = {"key": ["k", "k", "l", None, None], "response": ["1", "1", "2", "2", "3"]}
    table = pd.DataFrame(
        {"meta": "m", **sides, NAME: list("abcxx")}, index=["a", "b", "c", "x", "y"]
    )
    metas = MetaDocuments(table)
    sheet, counts = (
        Sheet.from_meta_documents(metas),
        measure(Contingency.from_meta_documents(metas)),
    )
    for name in METRICS:
        shares = [counted(name).contribution(chain, sheet).share for chain in sheet.response]
        total = Share.sum(shares)
        halves = [float(total.numerator), float(total.denominator)]
        assert halves == pytest.approx([counts[name].p_num, counts[name].p_den])
