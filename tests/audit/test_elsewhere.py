"""What applies on a corpus other than ECB+ follows from facts of the corpus."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdec.auditing import (
    AuditConfig,
    Case,
    Findings,
    Key,
    Plan,
    ShortList,
    audit,
    default_calibration,
    prepare,
    ranking,
    sampled,
)
from cdec.auditing.benchmark.measure import benchmark
from cdec.auditing.page import cases_page
from cdec.corpus import Corpus
from tests.pages import notes_of
from tests.refusals import refused


@pytest.fixture(scope="module")
def limited(sample: Corpus) -> Corpus:
    """The sample as if its annotators had never linked the two sub-topics of a topic."""
    return replace(sample, linked_within="subtopic")


@pytest.fixture(scope="module")
def limited_cases(limited: Corpus, cached: None) -> ShortList:
    return audit(limited, AuditConfig())


def spans(case: Case, corpus: Corpus) -> bool:
    """Whether the mentions in question are of two sub-topics."""
    return bool(corpus.mentions["subtopic"][case.asked].nunique() > 1)


def test_no_link_beyond_the_level_is_proposed(
    limited: Corpus, limited_cases: ShortList, sample_cases: ShortList
) -> None:
    links = [case for case in limited_cases.cases if case.kind.startswith("missing")]
    assert links
    assert not any(spans(case, limited) for case in links)
    before = [case for case in sample_cases.cases if case.kind.startswith("missing")]
    assert any(spans(case, limited) for case in before)


def test_a_chain_beyond_the_level_is_an_error_by_rule(
    limited: Corpus, limited_cases: ShortList
) -> None:
    chains = limited.selected.groupby("chain")["subtopic"].nunique()
    beyond = set(chains.index[chains > 1])
    assert beyond
    first = limited_cases.cases[: len(beyond)]
    assert {case.kind for case in first} == {"two-events"}
    assert {side.chain for case in first for side in case.questioned} == beyond
    assert all("inside one only" in case.reasons[0] for case in first)
    config = AuditConfig()
    ranked = ranking(
        Findings.of(Key(limited, prepare(limited, config), config)), default_calibration()
    )
    assert (ranked.table["score"] == 1).sum() == len(beyond)
    certain = ranked.table["score"].to_numpy() == 1
    assert ranked.expected(certain) == (len(beyond), len(beyond), len(beyond))


def test_the_limit_is_in_the_signature_and_in_the_notes(limited_cases: ShortList) -> None:
    assert limited_cases.about["linked_within"] == "sub-topic"
    assert limited_cases.notices[0].message.startswith("mentions of two sub-topics")


def test_random_pairs_are_inside_the_level(limited: Corpus, limited_cases: ShortList) -> None:
    drawn = sampled(limited_cases, limited, 1, 40, 1).cases
    random = [case for case in drawn if case.reasons == ("a random pair",)]
    assert len(random) == 40
    assert not any(spans(case, limited) for case in random)


def test_entities_have_no_signs_of_two_events(sample: Corpus, cached: None) -> None:
    entities = sample.select("entity")
    found = audit(entities, AuditConfig())
    assert found.about["left_out"] == "two-events,no-event"
    note = next(n.message for n in found.notices if n.code == "annotation-missing")
    assert "no-event (mentions of events)" in note
    assert not {case.kind for case in found.cases} & {"two-events", "no-event"}
    with refused("annotation-missing", "no-event needs mentions of events"):
        audit(entities, AuditConfig(("no-event",)))


def test_by_the_rule_entities_are_divided_too(sample: Corpus, cached: None) -> None:
    entities = replace(sample.select("entity"), linked_within="topic")
    docs = list(entities.documents)
    first, last = (
        entities.mentions.index[entities.mentions["doc"] == doc] for doc in (docs[0], docs[-1])
    )
    kinds = entities.mentions["kind"]
    one, two = (next(id_ for id_ in ids if kinds[id_] == "entity") for ids in (first, last))
    chain = entities.mentions["chain"].copy()
    chain[two] = chain[one]
    wrong = replace(entities, mentions=entities.mentions.assign(chain=chain))
    (case, *others) = (k for k in audit(wrong, AuditConfig()).cases if k.kind == "two-events")
    assert not others
    assert {two} in [set(side.mentions) for side in case.sides]
    assert case.rank == 1


def test_paragraphs_are_no_sentences(sample: Corpus, cached: None) -> None:
    found = audit(replace(sample, text="contexts"), AuditConfig())
    assert found.about["left_out"] == "two-events"


def test_the_page_says_how_many_cases_it_does_not_count(limited_cases: ShortList) -> None:
    every = len(limited_cases.cases)
    notes = notes_of(cases_page(limited_cases.select(top=5), every))
    assert any(note.startswith(f"{every - 5} of {every} cases not counted") for note in notes)
    assert "not counted" not in " ".join(notes_of(cases_page(limited_cases)))


def test_a_benchmark_has_only_what_applies(sample: Corpus, cached: None) -> None:
    plan = Plan(("detach",), 3, range(1))
    table = benchmark(sample.select("entity"), AuditConfig(), default_calibration(), plan)
    assert "between" not in set(table["ranking"])
