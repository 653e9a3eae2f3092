"""Readers without the page: the text of a case, tables of answers, and Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import (
    REASONS,
    Decision,
    Operation,
    ShortList,
    label_config,
    read_answers,
    read_reviews,
    review_of,
    to_page,
    to_tasks,
)
from cdec.corpus import Corpus
from tests.refusals import refused

HEAD = "case,verdict,correction,reason\n"


def answers(path: Path, *rows: str, head: str = HEAD) -> Path:
    path.write_text(head + "".join(f"{row}\n" for row in rows), "utf-8")
    return path


def tasks(cases: ShortList, corpus: Corpus) -> list[dict[str, Any]]:
    return json.loads("".join(to_tasks(cases, corpus)))  # type: ignore[no-any-return]


def test_a_task_has_all_that_a_reader_needs_and_no_score(
    scored_cases: ShortList, sample: Corpus
) -> None:
    for case, task in zip(scored_cases.cases, tasks(scored_cases, sample), strict=True):
        text = task["data"]["text"]
        for number, fix in enumerate(case.fixes, start=1):
            assert f"\n{number}. {fix.text}\n" in text
        for id_ in case.mentions:
            doc = sample.mentions["doc"][id_]
            parts = (part.splitlines()[1:] for part in text.split(f"\n\n== {doc} ")[1:])
            (quoted,) = (lines[: len(sample.documents[doc].sentences)] for lines in parts)
            for number, sentence in enumerate(sample.documents[doc].sentences):
                assert quoted[number].startswith(f"{number}: ")
                assert sentence[-1] in quoted[number]
        first, *_ = sample.mentions["text"][case.sides[0].mentions[0]].split()
        assert f"[A: {first}" in text
    found: dict[str, Any] = {
        "score": None,
        "rank": 0,
        "reasons": (),
        "detectors": {},
        "evidence": (),
    }
    blind = tuple(case.model_copy(update=found) for case in scored_cases.cases)
    assert tasks(ShortList(blind, scored_cases.about), sample) == tasks(scored_cases, sample)


def test_answers_are_decisions_on_the_offered_corrections(
    sample_cases: ShortList, sample: Corpus, tmp_path: Path
) -> None:
    one, two, three = sample_cases.cases[:3]
    last = f'{three.id},error,0,"odd, I think"'
    file = answers(tmp_path / "a.csv", f"{one.id},error,2,", f"{two.id},not-error,,part", last)
    made = read_answers(file, sample_cases.cases)
    assert [d.verdict for d in made] == ["error", "not-error", "error"]
    assert made[0].operation == one.fixes[1].operation
    assert made[2] == Decision(
        case=three.id,
        kind=three.kind,
        verdict="error",
        operation=Operation(),
        reason="odd, I think",
    )
    review = review_of("ann", made, sample_cases, sample)
    (tmp_path / "ann.json").write_text(review.to_json(), "utf-8")
    assert read_reviews([tmp_path / "ann.json"]) == (review,)
    page = json.loads(to_page(sample_cases, sample).partition('"data">')[2].partition("<")[0])
    members = [(one["chain"], *member) for one in page["chains"] for member in one["members"]]
    places = {id_: f"{doc}/{tokens}" for _, id_, doc, _, tokens, _ in members}
    named = {id_ for case in sample_cases.cases for f in case.fixes for id_ in f.operation.mentions}
    assert (page["about"], {*review.places}) == (review.about, named)
    assert review.places.items() <= places.items() and named <= {*review.chains}
    assert review.chains.items() <= {id_: chain for chain, id_, *_ in members}.items()


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("x,error,1,", "no case 'x'"),
        ("{0},error,,", "''"),
        ("{0},error,9,", "'9'"),
        ("{0},error,-1,", "'-1'"),
        ("{0},error,²,", "'²'"),
        ("{0},not-error,1,", "is not an error"),
        ("{0},wrong,,", "'wrong'"),
        ("{0},not-error,,because", "'because'"),
        ("{0},error,1", "got 3"),
        ('{0},error,1,"', "CSV"),
    ],
)
def test_an_invalid_answer_is_named_with_its_line(
    sample_cases: ShortList, tmp_path: Path, row: str, text: str
) -> None:
    one, two = (case.id for case in sample_cases.cases[:2])
    file = answers(tmp_path / "a.csv", f"{one},error,1,", row.format(two))
    with refused("table-invalid", text, place=f"{file}:3"):
        read_answers(file, sample_cases.cases)


def test_a_case_twice_another_head_and_no_answer(sample_cases: ShortList, tmp_path: Path) -> None:
    row = f"{sample_cases.cases[0].id},error,1,"
    with refused("table-invalid", "duplicate", place=f"{tmp_path / 'a'}:3"):
        read_answers(answers(tmp_path / "a", row, row), sample_cases.cases)
    for head in ("case,verdict,reason\n", "case,case,verdict,correction,reason\n", f"x,{HEAD}", ""):
        with refused("table-invalid", place=f"{tmp_path / 'a'}:1"):
            read_answers(answers(tmp_path / "a", row, head=head), sample_cases.cases)
    with refused("table-invalid", "no answer", place=tmp_path / "a"):
        read_answers(answers(tmp_path / "a"), sample_cases.cases)


def annotation(who: object, *controls: tuple[str, str], **rest: object) -> dict[str, Any]:
    """Return an annotation as Label Studio exports it."""
    result = [
        {
            "id": "x",
            "from_name": name,
            "to_name": "text",
            "type": "textarea" if name == "comment" else "choices",
            "value": {"text": [value]} if name == "comment" else {"choices": [value]},
        }
        for name, value in controls
    ]
    dates = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    return {"completed_by": who, "was_cancelled": False, "result": result, **dates, **rest}


def test_an_export_of_label_studio_is_a_review_of_each_annotator(
    sample_cases: ShortList, sample: Corpus, tmp_path: Path
) -> None:
    one, two, *rest = tasks(sample_cases, sample)
    second = one["data"]["corrections"][1]["value"]
    one["annotations"] = [
        annotation(7, ("verdict", "error"), ("correction", second), ("comment", "sure")),
        annotation({"id": 8, "email": "bob@x.org"}, ("verdict", "unsure")),
    ]
    # The correction was chosen before the verdict was changed.
    words = REASONS["part"]
    chosen = (("verdict", "not-error"), ("correction", second), ("reason", words))
    two["annotations"] = [annotation(7, *chosen), annotation(9, was_cancelled=True)]
    file = tmp_path / "export.json"
    file.write_text(json.dumps([one, two, *rest]), "utf-8")
    ann, bob = read_reviews([file])
    assert (ann.reviewer, bob.reviewer) == ("annotator 7", "bob@x.org")
    assert ann.decisions[0].operation == sample_cases.cases[0].fixes[1].operation
    assert [d.reason for d in ann.decisions] == ["", "part"]
    assert (ann.decisions[0].comment, ann.decisions[0].time) == ("sure", "2026-01-01T00:00:00Z")
    expected = review_of("annotator 7", ann.decisions, sample_cases, sample)
    assert ann == expected
    for name, value in (("verdict", "no"), ("correction", "7. x")):
        broken = annotation(7, *{"verdict": "error", name: value}.items())
        one["annotations"] = [broken]
        file.write_text(json.dumps([one]), "utf-8")
        with refused("file-invalid", place=f"{file}: task 1"):
            read_reviews([file])
    file.write_text(json.dumps(rest), "utf-8")
    with refused("file-invalid", "no task has an annotation", place=file):
        read_reviews([file])


def test_the_labelling_interface_has_the_controls_that_are_read() -> None:
    xml = label_config()
    for name in ("verdict", "correction", "reason", "comment"):
        assert f'name="{name}"' in xml
    assert all(f'alias="{code}"' in xml for code in REASONS)
