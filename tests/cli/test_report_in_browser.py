"""The page of ``cdec report`` in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import DESK, PHONE, Browser, running

WIDER = "e => { const b = e.getBoundingClientRect(); return [b.width, b.height, b.right] }"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running() as browser:
        yield browser


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page, which the first test writes."""
    return tmp_path_factory.mktemp("report")


@pytest.fixture
def report(done: Callable[..., str], made: Path) -> Path:
    scores, page = made / "scores.json", made / "report.html"
    if page.exists():
        return page
    systems = ("--system", "lemma", "--system", "lemma-wd")
    done("eval", *systems, "--ci", "--resamples", 20, "--format", "json", "-o", scores)
    answers = ("-r", "lemma", "-r", "lemma-wd")
    done("report", scores, *answers, "--resamples", 20, "--top", 2, "-o", page)
    return page


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_loads_and_fits(chromium: Browser, report: Path, width: int) -> None:
    with chromium.visit(report, width) as visit:
        assert visit.complaints == []
        assert visit.requests == []
        assert visit.overflow() <= 0


@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (DESK, "screen"), (DESK, "print")])
def test_tables_charts_and_chains_are_visible(
    chromium: Browser, report: Path, width: int, media: str
) -> None:
    with chromium.visit(report, width, media) as visit:
        tables, charts = (visit.page.locator(tag) for tag in ("table", "figure svg"))
        assert tables.count() >= 10
        assert charts.count() == 3
        for chart in charts.all():
            across, down, right = chart.evaluate(WIDER)
            assert across > 300
            assert down > 100
            assert right <= width
        assert all(table.is_visible() for table in tables.all())
        assert visit.page.get_by_text("[said]").first.is_visible()


def test_charts_are_legible_on_a_phone(chromium: Browser, report: Path) -> None:
    with chromium.visit(report, PHONE) as visit:
        for letters in visit.page.locator("figure svg text").all():
            _, height, right = letters.evaluate(WIDER)
            assert height >= 8
            assert right <= PHONE


def test_charts_have_descriptions_with_numbers(chromium: Browser, report: Path) -> None:
    with chromium.visit(report) as visit:
        for chart in visit.page.locator("figure svg").all():
            named = chart.get_attribute("aria-labelledby").split()
            text = " ".join(visit.page.locator(f"#{name}").text_content() for name in named)
            assert "lemma" in text
            assert any(sign.isdigit() for sign in text)
