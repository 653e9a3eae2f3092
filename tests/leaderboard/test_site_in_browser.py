"""The site of a board in a real browser: sorting, filters, the choice of metric, all without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdec.leaderboards import Leaderboard, saved_results
from tests.browser import Browser, running

WIDTHS = (390, 1024, 1600)
PAGES = ("index.html", "task/sample/index.html", "system/single.html", "study/index.html")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running() as browser:
        yield browser


def order(page: Any) -> list[str]:
    """Return the names of the rows that are shown."""
    names = [row.get_attribute("id") for row in page.locator("#board tbody tr:visible").all()]
    return [name.removeprefix("system-") for name in names]


def ranked(board: Leaderboard, setting: str, metric: str) -> list[float]:
    """Return the scores of the systems under a setting, best first."""
    results = saved_results(board).values()
    return sorted((one[setting][metric].f1 for one in results), reverse=True)


def shown(page: Any, column: int) -> list[float]:
    cells = page.locator(f"#board tbody tr:visible td:nth-child({column + 1})").all()
    return [float(cell.get_attribute("data-value")) for cell in cells]


def test_a_click_sorts_and_the_choice_follows(
    chromium: Browser, described: Leaderboard, made: Path
) -> None:
    with chromium.visit(made / "task/sample/index.html") as visit:
        page = visit.page
        assert shown(page, 1) == ranked(described, "pure", "conll")
        head = page.locator("#board thead th").nth(6)
        head.get_by_role("button", name="YCF").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert shown(page, 6) == ranked(described, "ycf", "conll")
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert shown(page, 6) == ranked(described, "ycf", "conll")[::-1]
        ranks = page.locator("figcaption").text_content()
        page.get_by_role("link", name="LEA", exact=True).click()
        page.wait_for_url("**/lea.html*")
        assert shown(page, 6) == ranked(described, "ycf", "lea")[::-1]
        assert "LEA F" in page.locator("figcaption").text_content() != ranks
        page.locator("#board thead button").first.click()
        assert order(page) == ["runs", "single", "wd"]
        assert visit.complaints == []


def test_filters_hide_rows(chromium: Browser, made: Path) -> None:
    with chromium.visit(made / "task/sample/index.html") as visit:
        page = visit.page
        assert {*order(page)} == {"runs", "single", "wd"}
        assert page.locator("#filters output").text_content() == "3 of 3 rows"
        page.get_by_label("no language model that may know test").check()
        assert {*order(page)} == {"runs", "wd"}
        page.get_by_role("link", name="MUC", exact=True).click()
        page.wait_for_url("**/muc.html*")
        assert page.get_by_label("no language model that may know test").is_checked()
        assert {*order(page)} == {"runs", "wd"}
        page.get_by_label("no language model that may know test").uncheck()
        page.get_by_label("open outputs").check()
        assert order(page) == ["single"]
        page.evaluate("location.hash = '#hide=saw-test'")  # an address without a column
        page.wait_for_function("document.querySelector('[value=saw-test]').checked")
        assert {*order(page)} == {"runs", "wd"}


def test_without_script_all_is_there(chromium: Browser, described: Leaderboard, made: Path) -> None:
    page = chromium.engine.new_page(java_script_enabled=False)
    try:
        page.goto((made / "task/sample/index.html").as_uri())
        assert shown(page, 1) == ranked(described, "pure", "conll")
        assert not page.locator("#filters").is_visible()
        assert page.locator("#board button").count() == 0
        page.get_by_role("link", name="B³", exact=True).click()
        assert shown(page, 1) == ranked(described, "pure", "b3")
    finally:
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_axe_finds_nothing(chromium: Browser, made: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    for name in PAGES:
        for width in WIDTHS:
            with chromium.visit(made / name, width) as visit:
                visit.page.emulate_media(color_scheme=scheme)
                assert visit.overflow() <= 0, (name, width)
                assert visit.complaints == []
                assert {request.rpartition(".")[2] for request in visit.requests} <= {"css", "js"}
                found = [v["id"] for v in axe.run(visit.page)["violations"]]
                assert found == [], (name, width)


def test_print_shows_the_whole_table(chromium: Browser, made: Path) -> None:
    with chromium.visit(made / "task/sample/index.html", media="print") as visit:
        box = visit.page.locator(".board")
        assert box.evaluate("e => e.scrollHeight - e.clientHeight") <= 0
        assert not visit.page.locator("#filters").is_visible()
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
