"""Contributions of mentions: they add up to the counts, and to the rule of each chain."""

from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings

from cdec.metadocument import Side
from cdec.metrics import (
    METRICS,
    Contingency,
    chain_contributions,
    measure,
    mention_contributions,
)
from cdec.metrics.sheet import Sheet
from tests.refusals import refused
from tests.strategies import LabelTriple, label_triples, meta_documents_of

SIDES: dict[Side, tuple[str, str]] = {"key": ("r_num", "r_den"), "response": ("p_num", "p_den")}


@settings(max_examples=40)
@given(triple=label_triples())
def test_the_sum_over_mentions_is_the_count(triple: LabelTriple) -> None:
    key, response, meta = triple
    frame = mention_contributions(key, response, meta=meta, noise="absent")
    sums = frame.groupby(["side", "metric"])[["numerator", "denominator"]].sum()
    for metric, counts in measure(Contingency.from_labels(key, response, meta)).items():
        for side, fields in SIDES.items():
            expected = [getattr(counts, field) for field in fields]
            found = (
                list(sums.loc[[(side, metric)]].to_numpy()[0])
                if (side, metric) in sums.index
                else [0, 0]
            )
            assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(triple=label_triples())
def test_the_sum_over_a_chain_is_its_written_out_contribution(triple: LabelTriple) -> None:
    sheet = Sheet.from_meta_documents(meta_documents_of(*triple))
    frame = chain_contributions(*triple[:2], meta=triple[2], noise="absent")
    for metric, side in product(METRICS, SIDES):
        shares = [METRICS[metric].contribution(chain, sheet).share for chain in sheet.chains(side)]
        rows = frame[(frame["side"] == side) & (frame["metric"] == metric)].sort_values("number")
        assert rows["numerator"].tolist() == pytest.approx([float(s.numerator) for s in shares])
        assert rows["denominator"].tolist() == pytest.approx([float(s.denominator) for s in shares])


def test_rows_name_mention_chain_and_meta_document() -> None:
    key = pd.Series(["fire", "fire", "rain"], index=["d1/1", "d2/1", "d2/2"])
    response = pd.Series(["x", "y", "y"], index=key.index)
    frame = mention_contributions(key, response, ["conll"], meta=["a", "a", "b"])
    assert list(frame["metric"].unique()) == ["muc", "b3", "ceafe"]
    row = frame[(frame["side"] == "response") & (frame["mention"] == "d2/1")].iloc[0]
    assert (row["meta"], row["chain"], row["size"]) == ("a", "y", 1)
    assert len(chain_contributions(key, response, ["b3"], meta=["a", "a", "b"])) == 2 + 3


def test_noise_singletons_are_several_chains() -> None:
    frame = chain_contributions([1, 1], [-1, -1], ["b3"], noise="singleton")
    assert frame[frame["side"] == "response"]["chain"].tolist() == [-1, -1]


def test_a_metric_without_shares_is_refused() -> None:
    with refused("name-unknown", "unknown metric"):
        mention_contributions([1], [1], ["muck"])
