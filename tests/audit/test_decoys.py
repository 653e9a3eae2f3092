"""Decoys: cases that are no errors, not to be told from those of the list, and who accepts them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import (
    Case,
    Decision,
    DecoyKey,
    Key,
    Operation,
    Review,
    ShortList,
    agreement,
    estimated,
    read_reviews,
    sampled,
    settled,
    to_tasks,
    with_decoys,
    without_decoys,
)
from cdec.corpus import Corpus
from tests.refusals import refused


@pytest.fixture(scope="module")
def mixed(
    scored_cases: ShortList, sample: Corpus, sample_key: Key
) -> tuple[ShortList, ShortList, DecoyKey]:
    drawn = sampled(scored_cases, sample, 60, 0, 1)
    return drawn, *with_decoys(drawn, scored_cases, sample_key, 0.1, 1)


def test_a_decoy_has_the_fields_and_the_reasons_of_other_cases(
    mixed: tuple[ShortList, ShortList, DecoyKey], scored_cases: ShortList
) -> None:
    drawn, cases, key = mixed
    assert len(cases.cases) == 66
    decoys = {case.id: case for case in cases.cases if case.id in key.decoys}
    assert len(decoys) == 6
    assert not decoys.keys() & {case.id for case in scored_cases.cases}
    others = [case for case in cases.cases if case.id not in decoys]
    assert {case.id for case in others} == {case.id for case in drawn.cases}
    shown = {case.id: _shown(case) for case in scored_cases.cases}
    for case in decoys.values():
        assert _shown(case) in shown.values()
    assert {(case.rank, case.evidence) for case in cases.cases} == {(0, ())}
    ids = [case.id for case in cases.cases]
    places = sorted(ids.index(decoy) for decoy in decoys)
    assert places not in (list(range(6)), list(range(60, 66)))


def _shown(case: Case) -> tuple[Any, ...]:
    """What a reader sees of the evidence, without the numbers of mentions not reviewed."""
    reasons = tuple(why for why in case.reasons if not why.startswith("not in a sentence"))
    return case.kind, case.score, tuple(case.detectors.items()), reasons


def test_a_linked_decoy_is_of_two_sub_topics_and_has_no_common_name(
    mixed: tuple[ShortList, ShortList, DecoyKey], sample: Corpus
) -> None:
    _, cases, key = mixed
    mentions = sample.mentions
    for case in cases.cases:
        if case.id in key.decoys and case.kind.startswith("missing"):
            one, two = (side.mentions[0] for side in case.questioned)
            assert mentions["subtopic"][one] != mentions["subtopic"][two]
            assert mentions["chain"][one] != mentions["chain"][two]
            names = [
                {
                    w
                    for w in sample.documents[doc].sentences[number][1:]
                    if w[0].isupper() or w[0].isdigit()
                }
                for doc, number in mentions.loc[[one, two], ["doc", "sentence"]].to_numpy()
            ]
            assert all(names)
            assert not names[0] & names[1]


def test_the_same_seed_draws_the_same_decoys(
    mixed: tuple[ShortList, ShortList, DecoyKey],
    scored_cases: ShortList,
    sample: Corpus,
    sample_key: Key,
) -> None:
    drawn, cases, key = mixed
    again = with_decoys(drawn, scored_cases, sample_key, 0.1, 1)
    assert again == (cases, key)
    other = with_decoys(drawn, scored_cases, sample_key, 0.1, 2)
    assert other[1] != key
    with refused("input-mismatch", "decoys"):
        sampled(cases, sample, 5, 0, 1)
    for share in (0.001, 50.0):
        with refused("parameter-invalid", "possible"):
            with_decoys(drawn, scored_cases, sample_key, share, 1)


def review(name: str, cases: ShortList, decoys: DecoyKey, accepted: int) -> Review:
    """Errors without decoys; of these ``accepted``, and one that is said to be no event."""
    decisions = []
    called = iter([True] * accepted + [False] * len(decoys.decoys))
    remove = Operation(remove=("x",))
    for case in cases.cases:
        error = case.id not in decoys.decoys or next(called)
        operation = case.fixes[0].operation
        verdict = "error" if error or case.id == decoys.decoys[-1] else "not-error"
        chosen = operation if error else remove
        decisions.append(Decision(case=case.id, kind=case.kind, verdict=verdict, operation=chosen))
    about = {"corpus": "sample", "digest": "d", "sample": cases.about["sample"]}
    return Review(reviewer=name, decisions=tuple(decisions), about=about, places={})


def test_decoys_are_counted_by_reader_and_are_no_decisions(
    mixed: tuple[ShortList, ShortList, DecoyKey], tmp_path: Path
) -> None:
    _, cases, key = mixed
    reviews = [review(name, cases, key, n) for name, n in (("ann", 0), ("bob", 2))]
    for use in (settled, agreement):
        with refused("option-requires", "6 decoys"):
            use(reviews)
    with refused("option-requires", "6 decoys"):
        without_decoys(reviews, None)
    file = tmp_path / "key.json"
    file.write_text(key.to_json(), "utf-8")
    plain, accepted = without_decoys(reviews, file)
    assert [(one.name, one.cases, one.judged, one.errors) for one in accepted] == [
        ("ann", 6, 6, 0),
        ("bob", 6, 6, 2),
    ]
    assert not {case.case for case in settled(plain)[0]} & set(key.decoys)
    assert sum(row.judged for row in estimated(plain)) == 60
    file.write_text(DecoyKey(decoys=key.decoys[1:]).to_json(), "utf-8")
    with refused("input-mismatch", place=file):
        without_decoys(reviews, file)
    with refused("input-mismatch", place=file):
        without_decoys([plain[0]], file)  # of another list, or none
    for text in ("{}", "[]", '{"format": "cdec-audit-decoys/1", "decoys": []}'):
        file.write_text(text, "utf-8")
        with refused("file-invalid", place=file):
            without_decoys(reviews, file)


def test_an_export_of_a_list_with_decoys_needs_their_key(
    mixed: tuple[ShortList, ShortList, DecoyKey], sample: Corpus, tmp_path: Path
) -> None:
    """The tasks say how many decoys there are, but not which, and have no ranges of ranks."""
    _, cases, key = mixed
    text = "".join(to_tasks(cases, sample))
    assert "ranks" not in text
    tasks = json.loads(text)
    verdict = {"from_name": "verdict", "value": {"choices": ["not-error"]}}
    for task in tasks:
        task["annotations"] = [{"completed_by": 1, "result": [verdict]}]
    (tmp_path / "export.json").write_text(json.dumps(tasks), "utf-8")
    (tmp_path / "key.json").write_text(key.to_json(), "utf-8")
    reviews = read_reviews([tmp_path / "export.json"])
    with refused("option-requires", "6 decoys"):
        without_decoys(reviews, None)
    (plain,), (accepted,) = without_decoys(reviews, tmp_path / "key.json")
    assert (len(plain.decisions), accepted.judged, accepted.errors) == (60, 6, 0)
    assert estimated([plain]) == ()
