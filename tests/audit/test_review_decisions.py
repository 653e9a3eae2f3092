"""Decisions on the review page: by reviewer, in another list, in another tab, and their judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.auditing import (
    Case,
    CaseSide,
    Decision,
    Fix,
    Operation,
    Review,
    ShortList,
    disagreements,
    to_page,
)
from cdec.corpus import Corpus
from tests.audit.pages import counts, exported, page_of, rename
from tests.browser import Browser, running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


def test_reviewers_do_not_see_each_other_s_verdicts(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        for name, before in (("ann", 0), ("bob", 0), ("ann", 1)):
            rename(page, name)
            assert counts(page).startswith(f"{before} of")
            if not before:
                page.keyboard.press("e")


def test_a_fix_a_link_and_scores_after_the_verdict(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        page.select_option("#kind", "missing-singleton-cluster")
        page.keyboard.press("Escape")
        assert page.locator("#model[open]").count() == 0
        page.keyboard.type("2eann\n")  # the filter stays when the name is given
        (decision,) = exported(page, tmp_path / "one.json")["decisions"]
        assert len(decision["operation"]["move"]) == 1
        page.keyboard.press("k")
        assert page.locator("#model[open]").count() == 1
        assert page.url.endswith(f"#case={decision['case']}")
        page.fill("#search", decision["case"])
        assert page.inner_text("#title").startswith("1 of 1:")
        assert page.locator("#last a").count() == 1


def test_a_stored_decision_keeps_its_correction_in_another_list(
    browser: Browser, sample: Corpus, sample_cases: ShortList, tmp_path: Path
) -> None:
    """Decisions are stored by case; a later list may offer the corrections in another order."""
    case = next(case for case in sample_cases.cases if len(case.fixes) > 2)
    orders = {"first": case.fixes, "later": case.fixes[::-1], "fewer": case.fixes[:1]}
    pages = {name: tmp_path / f"{name}.html" for name in orders}
    for name, fixes in orders.items():
        shortlist = ShortList((case.model_copy(update={"fixes": fixes}),), sample_cases.about)
        pages[name].write_text(to_page(shortlist, sample), "utf-8")
    with browser.visit(pages["first"]) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type("2e")
        page.goto(pages["later"].as_uri())
        (decision,) = exported(page, tmp_path / "later.json")["decisions"]
        assert decision["operation"] == case.fixes[1].operation.to_dict()
        page.goto(pages["fewer"].as_uri())
        (decision,) = exported(page, tmp_path / "fewer.json")["decisions"]
        assert decision["operation"] == case.fixes[1].operation.to_dict()
        assert page.inner_text("#fixlist label:has(:checked)").strip().startswith("2 ")


def test_a_link_keeps_two_mentions_and_a_click_returns_to_the_keys(
    browser: Browser, sample: Corpus, tmp_path: Path
) -> None:
    ids = tuple(str(id_) for id_ in sample.selected.index[:3])
    sides = tuple(CaseSide(mentions=(id_,), chain="chain") for id_ in ids)
    fix = Fix(fix="merge", text="link all", operation=Operation(merge=ids))
    case = Case(
        kind="missing-singleton-singleton",
        score=1.0,
        topic="1",
        sides=sides,
        fixes=(fix,),
        detectors={"svm": 1.0},
        reasons=(),
    )
    with browser.visit(page_of(case, sample, tmp_path / "three.html")) as visit:
        page = visit.page
        rename(page, "ann")
        boxes = page.locator(".pick input")
        boxes.nth(0).click()
        boxes.nth(1).click()
        assert page.inner_text("#message").endswith("two mentions.")
        page.keyboard.press("e")  # the focus is on no control
        (decision,) = exported(page, tmp_path / "one.json")["decisions"]
        assert decision["operation"]["merge"] == list(ids[1:])


def test_a_chain_of_several_mentions_can_be_left_out(
    browser: Browser, sample: Corpus, tmp_path: Path
) -> None:
    chains = sample.selected.groupby("chain", sort=False).groups.values()
    groups = [tuple(map(str, ids)) for ids in chains if len(ids) > 1]
    (chain, other), (one, two, *_) = groups[:2], (g[0] for g in groups[2:])
    sides = (
        *(CaseSide(mentions=(id_,), chain=id_) for id_ in (one, two)),
        CaseSide(mentions=chain[:1], members=chain[1:], chain="chain"),
    )
    third = CaseSide(mentions=other[:1], members=other[1:], chain="other", evidence=True)
    merge = Operation(merge=(one, two, chain[0], other[0]), move=chain[:1])
    case = Case(
        kind="missing-singleton-cluster",
        score=1.0,
        topic="1",
        sides=(*sides, third),
        fixes=(Fix(fix="move", text="all to D", operation=merge),),
        detectors={"svm": 1.0},
        reasons=(),
    )
    with browser.visit(page_of(case, sample, tmp_path / "four.html")) as visit:
        page = visit.page
        rename(page, "ann")
        boxes = page.locator(".pick input")
        assert boxes.count() == len(sides)  # D is not in question
        boxes.nth(2).click()
        boxes.nth(0).click()
        assert page.inner_text("#message").endswith("two mentions.")
        page.keyboard.press("e")
        (decision,) = exported(page, tmp_path / "one.json")["decisions"]
        assert decision["operation"] == {"merge": [one, two, other[0]]}


def test_a_verdict_in_another_tab_keeps_the_comment_that_is_typed(
    browser: Browser, sample_page: Path
) -> None:
    context = browser.engine.new_context()
    here, there = context.new_page(), context.new_page()
    for page in (here, there):
        page.goto(sample_page.as_uri())
        rename(page, "ann")
    here.keyboard.press("c")
    here.keyboard.type("half a sen")
    there.keyboard.press("e")
    here.locator("#counts", has_text="1 of").wait_for()
    assert here.input_value("#comment") == "half a sen"
    here.keyboard.press("Enter")
    assert here.inner_text("#verdict") == "error"
    context.close()


def test_adjudication_shows_both_verdicts(
    browser: Browser, sample: Corpus, sample_cases: ShortList, tmp_path: Path
) -> None:
    case = sample_cases.cases[0]
    reviews = [
        Review(
            reviewer=name,
            decisions=(
                Decision(
                    case=case.id,
                    kind=case.kind,
                    verdict=verdict,
                    operation=case.fixes[0].operation,
                    comment=name,
                ),
            ),
            about={"corpus": "sample", "digest": sample.digest},
            places={},
        )
        for name, verdict in (("ann", "error"), ("bob", "not-error"))
    ]
    assert disagreements(reviews, sample_cases) == [case.id]
    chosen = sample_cases.select(ids=[case.id])
    file = tmp_path / "adjudication.html"
    file.write_text(to_page(chosen, sample, reviews=reviews), "utf-8")
    with browser.visit(file) as visit:
        lines = visit.page.locator("#others li").all_inner_texts()
    assert [line.split(":")[0] for line in lines] == ["ann", "bob"]
    assert case.fixes[0].text in lines[0]
