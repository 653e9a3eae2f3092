"""The page of a study in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.leaderboards import Leaderboard, score_board, study_page
from cdec.leaderboards.study.tables import study
from cdec.render import render
from cdec.statistics import Plan
from tests.browser import DESK, Browser, running

PHONE = 390


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running() as browser:
        yield browser


@pytest.fixture
def page(board: Leaderboard, tmp_path: Path) -> Path:
    made = study(board, list(score_board(board, jobs=1)), Plan(unit="topic", resamples=10), jobs=1)
    file = tmp_path / "study.html"
    file.write_text(render(study_page(made), "html"), "utf-8")
    return file


def test_the_page_fits_and_axe_finds_nothing(chromium: Browser, page: Path) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    for width in (PHONE, DESK):
        with chromium.visit(page, width) as visit:
            assert (visit.complaints, visit.requests) == ([], [])
            assert visit.overflow() <= 0
            found = [(v["id"], v["impact"]) for v in axe.run(visit.page)["violations"]]
            assert found == []
            charts = visit.page.locator("figure svg")
            assert charts.count() == 3
            for letters in visit.page.locator("figure svg text").all():
                box = letters.bounding_box()
                assert box is not None
                assert box["height"] >= 7
                assert box["x"] + box["width"] <= width


def test_the_pictures_need_no_colour(chromium: Browser, page: Path) -> None:
    """Lines differ in dash, systems in the marker, shares are numbers, and all have words."""
    with chromium.visit(page) as visit:
        ranks, shares, scatter = visit.page.locator("figure svg").all()
        lines = ranks.locator("polyline").all()
        dashes = [line.get_attribute("stroke-dasharray") for line in lines]
        assert len(set(dashes)) == len(dashes)
        numbers = [text.text_content() or "" for text in shares.locator("text").all()]
        assert sum(text.replace(".", "").isdigit() for text in numbers) == 6 * 5
        for chart in (ranks, shares, scatter):
            named = (chart.get_attribute("aria-labelledby") or "").split()
            text = " ".join(visit.page.locator(f"#{n}").text_content() or "" for n in named)
            assert any(sign.isdigit() for sign in text)
