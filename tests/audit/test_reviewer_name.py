"""The reviewer of a page: the name of a tab, and decisions that another name takes over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audit.pages import counts, exported, rename
from tests.browser import Browser, running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


def test_a_corrected_name_can_take_over_the_decisions(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "anm")
        assert page.locator("#take").is_hidden()
        page.keyboard.press("e")
        rename(page, "ann")
        assert counts(page).startswith("0 of")
        assert page.inner_text("#take") == "Take over 1 of anm"
        page.click("#take")
        assert counts(page).startswith("1 of")
        assert page.locator("#take").is_hidden()
        page.reload()
        assert counts(page).startswith("1 of")
        rename(page, "anm")
        assert counts(page).startswith("0 of")
        assert visit.complaints == []


def test_decisions_that_are_none_are_not_imported(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.press("e")
        content = exported(page, tmp_path / "one.json")
        (decision,) = content["decisions"]
        odd = {**decision, "operation": {"merge": 3}}
        content["decisions"] = [None, 3, "x", [], odd]
        (tmp_path / "odd.json").write_text(json.dumps(content), "utf-8")
        page.keyboard.press("z")
        page.set_input_files("#file", tmp_path / "odd.json")
        page.locator("#message", has_text="imported: 1").wait_for(state="attached")
        assert "invalid: 4." in page.inner_text("#message")
        assert visit.complaints == []


def test_undo_returns_the_correction_of_a_decided_case(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.press("e")
        (before,) = exported(page, tmp_path / "one.json")["decisions"]
        page.keyboard.press("k")
        page.keyboard.press("2")
        (changed,) = exported(page, tmp_path / "two.json")["decisions"]
        assert changed["operation"] != before["operation"]
        page.keyboard.press("z")
        assert exported(page, tmp_path / "three.json")["decisions"] == [before]
        assert page.locator("#fixlist input").nth(0).is_checked()
        page.keyboard.press("z")
        assert counts(page).startswith("0 of")
