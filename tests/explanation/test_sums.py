"""The contributions of all chains are the counts of the metric."""

from dataclasses import replace

import pytest
from hypothesis import given

from cdec.explanation import SIDES
from cdec.metadocument import MetaDocuments
from cdec.metrics import METRICS
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import Share
from cdec.metrics.sheet import Sheet
from tests.strategies import meta_documents

EXACT = 1e-12


def shares(metric: str, sheet: Sheet, meta: str | None = None) -> list[Share]:
    """The sums for recall and precision, of all chains or of those of one meta-document."""
    return [
        Share.sum(
            METRICS[metric].contribution(c, sheet).share
            for c in sheet.chains(side)
            if meta in (None, c.meta)
        )
        for side in SIDES
    ]


def assert_counts(metric: str, sums: list[Share], meta_documents: MetaDocuments) -> None:
    recall, precision = sums
    counts = METRICS[metric].counts(Contingency.from_meta_documents(meta_documents))
    assert float(recall.numerator) == pytest.approx(counts.r_num, abs=EXACT)
    assert float(precision.numerator) == pytest.approx(counts.p_num, abs=EXACT)
    assert recall.denominator == counts.r_den
    assert precision.denominator == counts.p_den
    assert float(recall.value) == pytest.approx(counts.recall, abs=EXACT)
    assert float(precision.value) == pytest.approx(counts.precision, abs=EXACT)


def test_every_metric_has_words() -> None:
    assert all(metric.words for metric in METRICS.values())


@pytest.mark.parametrize("metric", METRICS)
@given(given=meta_documents())
def test_the_shares_of_all_chains_add_up_to_the_counts(metric: str, given: MetaDocuments) -> None:
    assert_counts(metric, shares(metric, Sheet.from_meta_documents(given)), given)


@pytest.mark.parametrize("metric", METRICS)
@given(given=meta_documents())
def test_the_shares_of_a_meta_document_add_up_to_its_counts(
    metric: str, given: MetaDocuments
) -> None:
    sheet = Sheet.from_meta_documents(given)
    for name in given.names:
        alone = MetaDocuments(given.table[given.table["meta"] == name])
        assert_counts(metric, shares(metric, sheet, name), alone)


@pytest.mark.parametrize("metric", METRICS)
@given(given=meta_documents())
def test_no_share_is_greater_than_one(metric: str, given: MetaDocuments) -> None:
    sheet = Sheet.from_meta_documents(given)
    for chain in (*sheet.key, *sheet.response):
        share = METRICS[metric].contribution(chain, sheet).share
        assert 0 <= share.numerator <= share.denominator


@given(given=meta_documents())
def test_the_formula_ends_in_what_is_counted(given: MetaDocuments) -> None:
    sheet = Sheet.from_meta_documents(given)
    for chain in (*sheet.key, *sheet.response):
        written = METRICS["muc"].contribution(chain, sheet)
        numerator, denominator = written.formula.split(" of ")
        assert int(numerator.rpartition("= ")[2]) == written.share.numerator
        assert int(denominator.rpartition("= ")[2]) == written.share.denominator


@given(given=meta_documents())
def test_every_mention_is_on_the_sheet_once(given: MetaDocuments) -> None:
    sheet = Sheet.from_meta_documents(given)
    for side in SIDES:
        written = [mention for chain in sheet.chains(side) for mention in chain.mentions]
        assert sorted(written) == sorted(given.table.index[given.table[side].notna()])
        for chain in sheet.chains(side):
            shared = [mention for part in chain.parts for mention in part.mentions]
            assert sorted([*shared, *chain.twinless]) == sorted(chain.mentions)


@pytest.mark.parametrize("metric", ["muc", "b3", "blanc_coref", "lea"])
@given(given=meta_documents())
def test_a_chain_counted_alone_has_the_share_of_its_rule(metric: str, given: MetaDocuments) -> None:
    sheet = Sheet.from_meta_documents(given)
    ruled = METRICS[metric]
    unruled = replace(ruled, terms=None, count=ruled.counts)
    for chain in (*sheet.key, *sheet.response):
        by_rule, counted = (m.contribution(chain, sheet).share for m in (ruled, unruled))
        assert float(by_rule.numerator) == pytest.approx(float(counted.numerator), abs=EXACT)
        assert by_rule.denominator == counted.denominator
