"""Systems as readers of a key: their votes, their cases, and their place in the order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec import audit as audit_of
from cdec.api import load_corpus
from cdec.auditing import (
    AuditConfig,
    Calibration,
    Readers,
    ShortList,
    audit,
    default_calibration,
    systems_of,
)
from cdec.corpus import Corpus
from cdec.evaluation.response_forms import Named
from cdec.leaderboards import PublishedResponse
from tests.cli.conftest import Done, done
from tests.refusals import refused

__all__ = ["done"]  # a fixture

# Two chains of the key, {0, 1, 2} and {3, 4}, and a singleton.
KEY = np.array([0, 0, 0, 1, 1, 2])
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def test_a_system_links_two_chains_by_half_of_their_mention_pairs() -> None:
    # One links 3 of 6 pairs, two 2 of 6, three 1 of the 1 that it has.
    chains = np.array([[0, 0, 0, 0, 1, 2], [0, 0, 1, 0, 2, 3], [0, -1, -1, 0, -1, 1]])
    said = Readers("systems", ("one", "two", "three"), chains).between(KEY, PAIRS)
    assert said["share"].tolist() == [pytest.approx(2 / 3), 0, 0]
    assert said[["agree", "of", "pairs"]].to_numpy().tolist() == [[2, 3, 3], [0, 3, 0], [0, 3, 0]]


def test_a_mention_that_a_system_lacks_does_not_count() -> None:
    chains = np.array([[0, 0, 0, 0, 0, -1]])
    readers = Readers("systems", ("one",), chains)
    assert readers.linked(KEY).tolist() == [[0, 1]]
    assert readers.between(KEY, PAIRS)["share"].isna().tolist() == [False, True, True]
    # A member is taken out by a system that has another member, and links it with none.
    apart = np.array([[0, 0, 1, 2, -1, 3]])
    shares = Readers("systems", ("one",), apart).members(KEY)["share"]
    assert shares.isna().tolist() == [False, False, False, True, True, True]
    assert shares[:3].tolist() == [0, 0, 1]


def test_runs_of_one_system_share_a_vote() -> None:
    chains = np.array([[0, 0, 0, 0, 0, 0]] * 3 + [[0, 1, 2, 3, 4, 5]])
    said = Readers("systems", ("one", "one", "one", "two"), chains).between(KEY, PAIRS)
    assert set(said["share"]) == {0.5}
    assert set(said["agree"]) == {3}


def _separated(corpus: Corpus, cases: ShortList) -> list[str]:
    """Return two mentions of documents of one topic whose chains are in no case."""
    labels = corpus.gold.labels.drop_duplicates()
    known = {side.chain for case in cases.cases for side in case.sides}
    first = corpus.selected.loc[labels.index[~labels.isin(known)], "topic"]
    return [str(id_) for id_ in first.index[first == first.iloc[0]][:2]]


@pytest.fixture(scope="module")
def own_columns(own_calibration: Calibration) -> Calibration:
    """A calibration of the sample with a weight of systems."""
    names, weights = own_calibration.links.names, list(own_calibration.links.weights)
    weights[names.index("systems")] = 2.0
    links = own_calibration.links.model_copy(update={"weights": tuple(weights)})
    return own_calibration.model_copy(update={"links": links})


def test_what_half_of_the_systems_link_is_a_case_with_a_probability(
    sample: Corpus, sample_cases: ShortList, own_columns: Calibration, cached: None
) -> None:
    bare = audit(sample, AuditConfig(), calibration=own_columns)
    pair = _separated(sample, sample_cases)
    known = next(case for case in bare.cases if case.kind == "missing-singleton-singleton")
    asked = known.asked[:2]
    one = dict.fromkeys(pair, "a") | dict.fromkeys(asked, "b")
    two = {pair[0]: "a", pair[1]: "b"} | dict.fromkeys(asked, "c")
    responses = [Named("one", one), Named("two", two)]
    found = audit(sample, AuditConfig(), calibration=own_columns, responses=responses)
    assert len(found.cases) == len(bare.cases) + 1
    new = next(case for case in found.cases if set(case.asked) == set(pair))
    assert new.detectors == {"systems": 0.5}
    assert new.score is not None
    says = "1 of 2 systems links at least half of the mention pairs of these chains"
    assert says in new.reasons
    after = next(case for case in found.cases if case.id == known.id)
    assert after.detectors == {**known.detectors, "systems": 1.0}
    # What no system answers has the mean of the column, as without responses.
    silent = {case.id: case.score for case in bare.cases if not set(case.asked) & {*pair, *asked}}
    assert silent.items() <= {case.id: case.score for case in found.cases}.items()
    assert [case.rank for case in found.cases] == list(range(1, len(found.cases) + 1))
    (notice,) = found.told
    assert "2 systems in 2 runs" in notice.message
    assert "4 mentions" in notice.message


def test_members_that_most_systems_take_out(sample: Corpus, cached: None) -> None:
    sizes = sample.selected["chain"].map(sample.selected["chain"].value_counts())
    large = sample.selected[sizes > 2]
    chain = large[large["chain"] == large["chain"].iloc[0]].index.tolist()
    response = dict.fromkeys(chain[:-1], "a") | {chain[-1]: "b"}
    found = audit(sample, AuditConfig(), responses=[response])
    (case,) = [c for c in found.cases if c.kind == "spurious-member" and "systems" in c.detectors]
    assert case.asked[0] == chain[-1]
    assert "1 of 1 system links it to no member of its chain" in case.reasons


def test_a_response_to_one_part_in_an_audit_of_the_whole(sample: Corpus, cached: None) -> None:
    part = load_corpus("sample", "test")
    found = audit_of(sample, responses={"key": part.gold, "delta": "lemma-delta"})
    (notice,) = found.value.told
    assert "of 12" not in notice.message
    assert {len(one.detectors) for one in found.value.cases} >= {1}
    assert set(found.value.about) - set(audit_of(sample).value.about) == {"systems"}


def test_without_responses_the_detector_is_refused() -> None:
    with refused("option-requires", "needs responses"):
        audit(load_corpus("sample", "test"), AuditConfig(detectors=("systems",)))


def test_wrong_responses(tmp_path: Path) -> None:
    corpus = load_corpus("sample", "test")
    with refused("file-unreadable", place="none.json"):
        systems_of([str(tmp_path / "none.json")], corpus)
    with refused("name-duplicate"):
        systems_of([corpus.gold, corpus.gold], corpus)
    with refused("argument-type", "expected a list of responses"):
        systems_of("one.json", corpus)
    with refused("mentions-disjoint"):
        systems_of([pd.Series({("none", 1, 2): "a"})], corpus)
    twice = systems_of([Named("a", corpus.gold), Named("b", corpus.gold)], corpus)
    assert twice is not None
    assert [notice.code for notice in twice.notices[1:]] == ["runs-identical"]


def test_scored_pairs_say_nothing_of_mentions_that_were_not_compared(tmp_path: Path) -> None:
    corpus = load_corpus("sample", "test")
    a, b = corpus.selected.index[:2]
    (tmp_path / "scores.csv").write_text(f"a,b,score\n{a},{b},0.9\n", "utf-8")
    readers = systems_of([f"pairs:{tmp_path / 'scores.csv'}@0.5"], corpus)
    assert readers is not None
    assert (readers.chains >= 0).sum() == 2


def test_published_systems_of_one_family_answer_a_part_of_the_whole(whole_ecbplus: Corpus) -> None:
    people = [PublishedResponse.parse(f"xamr-annotator-{number}") for number in (1, 2)]
    one = systems_of(people, whole_ecbplus)
    assert one is not None
    assert len(set(one.voters)) == 1
    known = (one.chains >= 0).any(axis=0).sum()
    assert known == 1245 + 847


def test_the_shipped_order_has_a_column_for_systems() -> None:
    for model in (default_calibration().links, default_calibration().unplanted.links):
        assert "systems" in model.names
        assert not {"svm", "held-out"} & {*model.names}


def test_the_command(done: Done, tmp_path: Path) -> None:
    corpus = load_corpus("sample", "test")
    pairs = zip(*[iter(corpus.selected.index[:40])] * 2, strict=True)
    text = ", ".join(f'["{a}", "{b}"]' for a, b in pairs)
    (tmp_path / "one.json").write_text(f"[{text}]", "utf-8")
    options = ("--corpus", "sample", "--split", "test", "--detector", "companions")
    page = done("audit", "run", *options, "--response", f"mine={tmp_path / 'one.json'}")
    assert "systems" in page
    assert "1 system in 1 run" in page
