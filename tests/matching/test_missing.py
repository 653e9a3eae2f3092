"""Key mentions that a response lacks."""

from __future__ import annotations

import pytest

from cdec.evaluation import match_pair
from cdec.matching import FilePolicy
from cdec.metrics.scores import score
from cdec.settings import SIMPLE_CDEC
from cdec.settings.setting import Setting, Singletons
from tests.refusals import refused

KEY = {"a": 1, "b": 1, "c": 2, "d": 3}
LEFT_OUT = {"a": 1, "b": 1}  # the response without its singletons


@pytest.mark.parametrize(
    ("missing", "mentions", "conll"), [("singletons", (4, 4), 1), ("drop", (2, 2), 1)]
)
def test_a_response_without_its_singletons(
    missing: str, mentions: tuple[int, int], conll: float
) -> None:
    run, _ = match_pair(KEY, LEFT_OUT, FilePolicy(missing=missing))
    assert (len(run.key), len(run.response)) == mentions
    assert score(run.meta_documents(SIMPLE_CDEC), ["conll"])["conll"].f1 == conll
    assert run.signed["missing"] == missing


def test_by_default_they_count_as_not_found_and_the_cure_is_named() -> None:
    run, _ = match_pair(KEY, LEFT_OUT)
    assert (len(run.key), len(run.response)) == (4, 2)
    assert "missing" not in run.signed
    (left_out,) = (n for n in run.notices if n.code == "singletons-left-out")
    assert "missing=singletons" in left_out.message
    assert left_out.count == 2


def test_no_advice_for_a_response_with_singletons_or_that_lacks_long_chains() -> None:
    for response in ({"a": 1, "b": 1, "c": 2}, {"c": 1, "d": 1}):
        codes = [notice.code for notice in match_pair(KEY, response)[0].notices]
        assert "missing-mention" in codes
        assert "singletons-left-out" not in codes


def test_labels_of_added_singletons_are_not_those_of_the_response() -> None:
    response = {"a": "missing:c", "b": "missing:c"}
    run, _ = match_pair(KEY, response, FilePolicy(missing="singletons"))
    assert len(run.response.chains()) == 3


GAMED = {"a": 1, "b": 1, "f": 4}  # without the chains 2 and 3, and without one mention of 4
LARGE = {**KEY, "f": 4, "g": 4, "h": 4}


@pytest.mark.parametrize("missing", ["singletons", "drop"])
def test_what_is_excused_is_in_warning_and_signature(missing: str) -> None:
    """4 of 7 mentions are missing, and with them 3 of 4 links."""
    run, _ = match_pair(LARGE, GAMED, FilePolicy(missing=missing))
    (excused,) = (notice for notice in run.notices if notice.code == "missing-excused")
    assert (excused.count, excused.warning) == (4, True)
    assert run.signed["missing_share"] == {"mentions": 0.5714, "links": 0.75}
    assert {"57.1", "75.0"} <= set(excused.message.split())
    codes = [notice.code for notice in match_pair(LARGE, GAMED)[0].notices]
    assert "missing-excused" not in codes
    whole = match_pair(LARGE, LARGE, FilePolicy(missing=missing))[0]
    assert "missing_share" not in whole.signed


@pytest.mark.parametrize(("size", "warned"), [(101, False), (100, True)])
def test_from_one_percent_on_it_is_a_warning(size: int, warned: bool) -> None:
    key = {f"m{number}": number for number in range(size)}
    response = dict(list(key.items())[1:])
    run, _ = match_pair(key, response, FilePolicy(missing="drop"))
    assert [(n.code, n.warning) for n in run.notices] == [("missing-excused", warned)]


@pytest.mark.parametrize(("across", "links"), [(True, 0.6667), (False, 1.0)])
def test_links_are_those_of_chains_that_end_with_their_document(across: bool, links: float) -> None:
    key = {"d/a": 1, "d/b": 1, "e/a": 1}
    policy = FilePolicy(missing="drop")
    run, _ = match_pair(key, {"d/a": 1, "e/a": 1}, policy, across=across)
    assert run.signed["missing_share"]["links"] == links


@pytest.mark.parametrize("ignored", ["key", "own"])
def test_singletons_of_the_key_are_those_of_the_whole_key(ignored: Singletons) -> None:
    """What is left of the chain of f, g and h is no singleton; d is."""
    run, _ = match_pair(LARGE, {"a": 1, "b": 1, "d": 3, "f": 4}, FilePolicy(missing="drop"))
    metas = run.meta_documents(Setting("", "", "corpus", ignored))
    assert metas.table["key"].dropna().index.tolist() == ["a", "b", "f"]


def test_an_unknown_policy() -> None:
    with refused("name-unknown", "unknown policy", "singletons"):
        FilePolicy(missing="some")
