"""Key mentions that a response lacks."""

from __future__ import annotations

import pytest

from cdec.evaluation.response import pair_of_chains
from cdec.matching.policy import FilePolicy
from cdec.metrics.scores import score
from cdec.settings import SIMPLE_CDEC
from tests.refusals import refused

KEY = {"a": 1, "b": 1, "c": 2, "d": 3}
LEFT_OUT = {"a": 1, "b": 1}  # the response without its singletons


@pytest.mark.parametrize(
    ("missing", "mentions", "conll"), [("singletons", (4, 4), 1), ("drop", (2, 2), 1)]
)
def test_a_response_without_its_singletons(
    missing: str, mentions: tuple[int, int], conll: float
) -> None:
    run, _ = pair_of_chains(KEY, LEFT_OUT, FilePolicy(missing=missing))
    assert (len(run.key), len(run.response)) == mentions
    assert score(run.meta_documents(SIMPLE_CDEC), ["conll"])["conll"].f1 == conll
    assert run.signed["missing"] == missing


def test_by_default_they_count_as_not_found_and_the_cure_is_named() -> None:
    run, _ = pair_of_chains(KEY, LEFT_OUT)
    assert (len(run.key), len(run.response)) == (4, 2)
    assert "missing" not in run.signed
    (left_out,) = (n for n in run.notices if n.code == "singletons-left-out")
    assert "--missing singletons" in left_out.message
    assert left_out.count == 2


def test_no_advice_for_a_response_with_singletons_or_that_lacks_long_chains() -> None:
    for response in ({"a": 1, "b": 1, "c": 2}, {"c": 1, "d": 1}):
        codes = [notice.code for notice in pair_of_chains(KEY, response)[0].notices]
        assert "missing-mention" in codes
        assert "singletons-left-out" not in codes


def test_labels_of_added_singletons_are_not_those_of_the_response() -> None:
    response = {"a": "missing:c", "b": "missing:c"}
    run, _ = pair_of_chains(KEY, response, FilePolicy(missing="singletons"))
    assert len(run.response.chains()) == 3


def test_an_unknown_policy() -> None:
    with refused("policy-unknown", "singletons"):
        FilePolicy(missing="some")
