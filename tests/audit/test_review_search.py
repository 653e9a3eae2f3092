"""Searches of the review page, and the import of decisions that differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.auditing import Known, ShortList, to_page
from cdec.corpus import Corpus
from tests.audit.pages import counts, exported, rename
from tests.browser import PHONE, Browser, running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


def test_a_sentence_is_found_in_the_topic_of_the_case_first(
    browser: Browser, sample_page: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        topic = page.inner_text("#title").rpartition(" ")[2]
        page.keyboard.type("fTHE")
        hits = page.locator("#hits button").all_inner_texts()
        others = [", topic " in hit.splitlines()[0] for hit in hits]
        assert hits and others == sorted(others) and not others[0]
        assert all("the" in hit.lower() for hit in hits)
        assert page.locator("#hits mark").first.inner_text().lower().count("the") == 1
        doc, _, number = hits[0].splitlines()[0].partition(", sentence ")
        assert doc.startswith(f"{topic}_")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.inner_text("#document-title").startswith(doc)
        current = page.locator("#document [aria-current]")
        assert current.get_attribute("value") == number
        assert current.evaluate("e => e.getBoundingClientRect().top < innerHeight")
        page.keyboard.press("Enter")  # back
        page.keyboard.type("no such word")
        assert page.inner_text("#find-count") == "0 sentences"
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert page.inner_text("#title").startswith("2 of")
        assert visit.complaints == []


@pytest.mark.parametrize("kind", ["missing-singleton-singleton", "spurious-member"])
def test_a_chain_that_no_correction_names_is_found_by_search(
    browser: Browser, sample: Corpus, sample_cases: ShortList, tmp_path: Path, kind: str
) -> None:
    case = next(c for c in sample_cases.cases if c.kind == kind)
    file = tmp_path / "one.html"
    file.write_text(to_page(ShortList((case,), sample_cases.about), sample), "utf-8")
    known = Known.of_corpus(sample)
    with browser.visit(file) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type(str(len(case.fixes) + 1))
        own = page.locator("#targets button").nth(1)
        text = own.inner_text().splitlines()[0]
        own.click()
        chosen = page.inner_text("#fixlist label:has(:checked)")
        assert chosen.endswith(f"to the chain {text}")
        page.keyboard.type("e")
        content = exported(page, tmp_path / "a.json")
        page.reload()
        assert exported(page, tmp_path / "b.json") == content
        assert page.inner_text("#fixlist label:has(:checked)") == chosen
    (decision,) = content["decisions"]
    *moved, target = decision["operation"]["merge"]
    members = [id_ for id_, chain in known.chains.items() if chain == known.chains[target]]
    assert f"({len(members)} mentions)" in text
    assert {content["chains"][id_] for id_ in members} == {known.chains[target]}
    asked = [id_ for side in case.sides for id_ in side.mentions]
    alone = kind != "spurious-member"
    assert moved == (asked if alone else asked[:1])
    assert decision["operation"].get("move") == (None if alone else moved)
    assert {*content["places"]} == {*moved, target}


def test_none_of_these_is_the_last_correction(
    browser: Browser, sample_page: Path, tmp_path: Path, sample_cases: ShortList
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type(f"{len(sample_cases.cases[0].fixes)}e")
        (decision,) = exported(page, tmp_path / "a.json")["decisions"]
        assert (decision["verdict"], decision["operation"]) == ("error", {})
        page.keyboard.type("k")
        assert "none of these" in page.inner_text("#fixlist label:has(:checked)")


def test_an_import_names_what_differs(browser: Browser, sample_page: Path, tmp_path: Path) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "bob")
        page.keyboard.type("een1e")
        theirs = exported(page, tmp_path / "bob.json")["decisions"]
        rename(page, "ann")
        page.keyboard.type("e2eu")
        mine = exported(page, tmp_path / "ann.json")["decisions"]

        def load() -> None:
            page.set_input_files("#file", tmp_path / "bob.json")
            page.locator("#compare:modal").wait_for()

        load()
        assert page.inner_text("#compare-title") == "2 decisions differ from bob"
        assert "different event" in page.inner_text("#differing")
        page.keyboard.press("Escape")
        assert exported(page, tmp_path / "a.json")["decisions"] == mine
        load()
        page.locator("#differing fieldset").nth(1).get_by_text("theirs:").click()
        page.keyboard.press("Enter")
        assert "imported: 2. Not imported, your decision differs: 1." in page.inner_text("#message")
        both = [mine[0], mine[1], theirs[2], theirs[3]]
        assert exported(page, tmp_path / "b.json")["decisions"] == both
        page.keyboard.type("z")
        assert exported(page, tmp_path / "c.json")["decisions"] == mine
        load()
        page.click("#all-theirs")
        page.click("#compare [value=ok]")
        assert exported(page, tmp_path / "d.json")["decisions"] == [mine[0], *theirs[1:]]
        assert counts(page).startswith("4 of")
        assert visit.complaints == []


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "null", '{"format": "x"}', "\xff\xfe"])
def test_no_decisions_file_changes_nothing(
    browser: Browser, sample_page: Path, tmp_path: Path, content: str
) -> None:
    (tmp_path / "bad.json").write_bytes(content.encode("latin-1"))
    with browser.visit(sample_page) as visit:
        visit.page.set_input_files("#file", tmp_path / "bad.json")
        visit.page.locator("#message", has_text="bad.json is not").wait_for()
        assert visit.complaints == []


def test_own_corrections_of_a_file_are_kept_if_the_page_knows_their_mentions(
    browser: Browser, sample_page: Path, tmp_path: Path, sample_cases: ShortList
) -> None:
    first, second = sample_cases.cases[:2]
    ids = [first.sides[0].mentions[0], second.sides[0].mentions[0]]
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type("ee")
        content = exported(page, tmp_path / "a.json")
        page.keyboard.type("zz")
        content["decisions"][0]["operation"] = {"merge": ids}
        content["decisions"][1]["operation"] = {"merge": [ids[0], "elsewhere/1"]}
        (tmp_path / "b.json").write_text(json.dumps(content), "utf-8")
        page.set_input_files("#file", tmp_path / "b.json")
        page.locator("#message", has_text="does not offer it: 1.").wait_for()
        decisions = exported(page, tmp_path / "c.json")["decisions"]
    assert decisions[0]["operation"] == {"merge": ids}
    assert decisions[1]["operation"] == second.fixes[0].operation.to_dict()


def test_on_a_phone_the_case_fills_the_screen(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page, width=PHONE - 10) as visit:
        page = visit.page
        page.set_viewport_size({"width": PHONE - 10, "height": 844})
        assert page.locator("#tools").is_hidden()
        top = page.evaluate("document.querySelector('#case').getBoundingClientRect().top")
        foot = page.evaluate("document.querySelector('footer').getBoundingClientRect().top")
        assert (foot - top) / 844 > 0.75
        for button in page.locator("[data-verdict]:is(button)").all():
            assert button.evaluate("e => e.getBoundingClientRect().height") >= 40
            assert button.evaluate("e => e.getBoundingClientRect().bottom > innerHeight - 60")
        page.click("#menu")
        assert page.locator("#tools").is_visible()
        assert page.get_attribute("#menu", "aria-expanded") == "true"
        for keys in ("", "n", "ann\n", "f", "the"):
            page.keyboard.type(keys)
            assert visit.overflow() <= 0
