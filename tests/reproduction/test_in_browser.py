"""The HTML page in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import DESK, PHONE, Browser


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_page_loads_nothing_and_fits(browser: Browser, sample_page: Path, width: int) -> None:
    with browser.visit(sample_page, width) as visit:
        assert visit.complaints == []
        assert visit.requests == []
        assert visit.overflow() == 0
        for part in ("h1", "nav a", "table", "figure svg", ".notes, .below, p"):
            assert visit.page.locator(part).first.is_visible(), part


def test_every_table_can_be_read_on_a_phone(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page, PHONE) as visit:
        for region in visit.page.locator(".scroll").all():
            box = region.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE
            # A wide table scrolls inside its region, also by keyboard.
            assert region.get_attribute("tabindex") == "0"
            region.evaluate("element => element.scrollTo(element.scrollWidth, 0)")
            last = region.locator("tbody tr").first.locator("td").last.bounding_box()
            assert last["x"] + last["width"] <= PHONE
        letters = visit.page.locator("td").first.evaluate("e => getComputedStyle(e).fontSize")
        assert float(letters.removesuffix("px")) >= 12


def test_chart_has_its_lines_names_and_size(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page) as visit:
        chart = visit.page.locator("figure svg")
        assert chart.get_attribute("aria-label").startswith("CoNLL F of each system")
        text = chart.text_content()
        assert all(name in text for name in ("Lemma-WD", "Lemma-δ", "PURE-CDEC", "YCF"))
        box = chart.bounding_box()
        assert box["width"] > 400
        assert box["height"] > 200


def test_links_lead_somewhere(browser: Browser, sample_page: Path) -> None:
    with browser.visit(sample_page) as visit:
        targets = visit.page.locator("a").evaluate_all("all => all.map(a => a.hash.slice(1))")
        ids = visit.page.locator("[id]").evaluate_all("all => all.map(e => e.id)")
        assert targets
        assert set(targets) <= set(ids)
        assert len(ids) == len(set(ids))


def test_printing_omits_navigation_and_cuts_nothing(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    # A4 across, less the margins of the style, at 96 pixels an inch.
    paper = round((297 - 24) / 25.4 * 96)
    with browser.visit(sample_page, paper, media="print") as visit:
        assert not visit.page.locator("nav").is_visible()
        assert visit.page.locator("table").first.is_visible()
        assert visit.page.locator("figure svg").is_visible()
        assert visit.overflow() == 0
        for region in visit.page.locator(".scroll").all():
            assert region.evaluate("element => element.scrollWidth <= element.clientWidth")
        visit.page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
