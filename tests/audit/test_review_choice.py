"""The cases that `cdec audit review` selects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import ERROR, FINE, ShortList, to_jsonl, to_page
from cdec.corpus import Corpus
from tests.audit.test_conflicts import entry, written
from tests.cli.conftest import Run
from tests.refusals import refused


@pytest.fixture(scope="module")
def few(sample_cases: ShortList) -> ShortList:
    return ShortList(sample_cases.cases[:4], sample_cases.about)


@pytest.fixture
def call(few: ShortList, sample: Corpus, tmp_path: Path) -> tuple[Any, ...]:
    (tmp_path / "cases.jsonl").write_text("".join(to_jsonl(few, sample)), "utf-8")
    given = (tmp_path / "cases.jsonl", "-o", tmp_path / "page.html")
    return ("audit", "review", *given, "--corpus", "sample", "-q")


def test_spaces_and_commas_around_ids_are_ignored(
    call: tuple[Any, ...], few: ShortList, sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    ids = [case.id for case in few.cases[:2]]
    page = to_page(few.select(ids=ids), sample)
    for text in (",".join(ids), f" {ids[0]}, {ids[1]},"):
        ran = cdec(*call, "--cases", text)
        assert (ran.code, (tmp_path / "page.html").read_text("utf-8") == page) == (0, True)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--cases", ""), "name-unknown"),
        (("--cases", ","), "name-unknown"),
        (("--cases", "nothing"), "name-unknown"),
        (("--topic", "6", "--kind", "contradicting-members"), "case-none"),
    ],
)
def test_no_page_without_cases(
    call: tuple[Any, ...], options: tuple[str, ...], code: str, tmp_path: Path, cdec: Run
) -> None:
    assert cdec(*call, *options).error == code
    assert not (tmp_path / "page.html").exists()


def test_disputed_cases_of_those_that_are_named(
    call: tuple[Any, ...], few: ShortList, sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    ids = [case.id for case in few.cases]
    ann = written(tmp_path / "a", sample, [entry(id_) for id_ in ids[:3]])
    bob = written(tmp_path / "b", sample, [entry(id_, FINE) for id_ in ids[:2]], "bob")
    for named, written_ids in ((ids, ids[:2]), (ids[1:], ids[1:2])):
        assert cdec(*call, "--disputed", ann, bob, "--cases", ",".join(named)).code == 0
        page = (tmp_path / "page.html").read_text("utf-8")
        assert [f'"case":"{id_}"' in page for id_ in ids] == [id_ in written_ids for id_ in ids]


def test_disputed_cases_need_two_decisions_on_the_list(
    call: tuple[Any, ...], few: ShortList, sample: Corpus, tmp_path: Path, cdec: Run
) -> None:
    ids = [case.id for case in few.cases]
    old = {"corpus": "sample", "digest": "0"}

    def error(one: list[str], two: list[str], **more: Any) -> str | None:
        ann = written(tmp_path / "a", sample, [entry(id_) for id_ in one], **more)
        bob = written(tmp_path / "b", sample, [entry(id_, ERROR) for id_ in two], "bob", **more)
        return cdec(*call, "--disputed", ann, bob).error

    assert error(ids, ids) == "case-none"
    assert error(ids[:1], ids[1:]) == "case-none"
    assert error(["other"], ["other"]) == "case-none"
    assert error(ids, ids, about=old) == "input-mismatch"


def test_a_list_of_a_corrected_key_has_no_page(few: ShortList, sample: Corpus) -> None:
    about = {**few.about, "key_patch": "p.json", "key_patch_digest": "1"}
    with refused("input-mismatch", place="cases.jsonl"):
        to_page(ShortList(few.cases, about), sample, "cases.jsonl")
