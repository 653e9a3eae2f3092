"""Pages in a browser: quiet, offline, usable on a phone; the board sorts, a review is exported."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cdec as library
from tests.browser import DESK, PHONE, Browser, Visit, running
from tests.cases import cases
from tests.program import Run

PAGES = cases("tables")["pages"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


def quiet(visit: Visit, folder: Path) -> None:
    """Check that the page logs nothing, loads files of its folder only, and fits the window."""
    assert visit.complaints == []
    assert all(address.startswith((folder.as_uri(), "data:")) for address in visit.requests)
    assert visit.overflow() == 0


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_and_fits(
    name: str, browser: Browser, cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "pairs":
        a, b, c = library.load_corpus("sample", "test").selected.index[:3]
        Path("pairs.csv").write_text(f"a,b,score\n{a},{b},0.9\n{a},{c},0.2\n", "utf-8")
    file = tmp_path / "page.html"
    assert cdec(f"{PAGES[name]} -q -o {file}").exit == 0
    rows = cdec("eval lemma lemma-wd -q -f json").json["rows"]
    scores = {f"{100 * row['f1']:.1f}" for row in rows if row["metric"] == "conll"}
    for width, media in ((PHONE, "screen"), (DESK, "screen"), (DESK, "print")):
        with browser.visit(file, width, media) as visit:
            assert visit.page.locator("table").count() > 0
            if name == "eval":
                assert scores <= {*visit.page.inner_text("body").replace("†", "").split()}
            assert visit.requests == []
            quiet(visit, tmp_path)
            assert media == "print" or visit.violations() == []


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return the page of two systems, and its numbers."""
    part = library.load_corpus("sample", "test")
    found = library.diagnose(part, ["lemma", "lemma-wd"], setting="simple", top=10**6)
    file = tmp_path_factory.mktemp("diagnosis") / "page.html"
    found.save(file)
    return file, found.to_frame()


def exported(page: Any, folder: Path) -> list[dict[str, str]]:
    """Return the links that the page exports."""
    with page.expect_download() as caught:
        page.click("#export")
    caught.value.save_as(folder / "links.csv")
    with (folder / "links.csv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def test_the_links_of_an_error_browser_are_those_of_the_tables(
    browser: Browser, diagnosis: tuple[Path, Any], tmp_path: Path
) -> None:
    file, frame = diagnosis
    links = frame[(frame["table"] == "links") & (frame["lemma"] == "all")].set_index("kind")
    links = links[links["system"] == "lemma"]
    with browser.visit(file) as visit:
        page = visit.page
        found = Counter(row["error"] for row in exported(page, tmp_path))
        assert found == {name: links[name]["all"] for name in ("missed", "wrong")}
        page.select_option("#distance", index=2)  # across documents of a sub-topic
        page.select_option("#side", "key")
        rows = exported(page, tmp_path)
        assert Counter(row["error"] for row in rows) == {"missed": links["missed"]["subtopic"]}
        part = library.load_corpus("sample", "test")
        for row in rows[:20]:
            a, b = (part.documents[row[f"document_{end}"]] for end in "ab")
            assert a.id != b.id
            assert a.subtopic == b.subtopic
            assert " ".join(a.sentences[int(row["sentence_a"])]) == row["text_a"]
        # Of two systems side by side: the links of each that the other lacks.
        page.select_option("#view", "2")
        side = frame[frame["a"].notna() & (frame["lemma"] == "all")].set_index("kind")
        only = Counter(row["error"] for row in exported(page, tmp_path))
        for letter, name in (("a", "lemma"), ("b", "lemma-wd")):
            columns = [f"{letter}_right", f"{letter}_wrong"]
            assert only[f"only {name}"] == side[columns].sum(axis=1)["all"]
        quiet(visit, file.parent)
        assert visit.violations() == []


def test_an_error_browser_is_read_with_keys_and_links(
    browser: Browser, diagnosis: tuple[Path, Any]
) -> None:
    file, frame = diagnosis
    worst = frame[(frame["table"] == "worst") & (frame["system"] == "lemma")]
    with browser.visit(file, PHONE) as visit:
        page = visit.page
        chains = page.locator("#list a")
        assert chains.count() == len(worst)
        shown = page.locator("#list a b").all_text_contents()
        assert shown[:5] == worst["words"].tolist()[:5]
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert page.locator("#list [aria-current] b").text_content() == shown[2]
        heading = page.inner_text("#chain h2")
        address = page.url
        page.keyboard.press("/")
        page.keyboard.type("earthquake")
        assert 0 < chains.count() < len(worst)
        page.locator("#chain .place").first.click()
        assert page.locator("#text .here mark, #text .here a").count() > 0
        page.keyboard.press("t")
        page.keyboard.press("Escape")
        page.locator("#chain h3 a").first.click()
        assert page.inner_text("#chain h2") != heading
        page.goto(address)
        assert page.inner_text("#chain h2") == heading
        quiet(visit, file.parent)
        assert visit.violations() == []


def test_text_of_a_corpus_is_no_markup(browser: Browser, tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    documents = [
        {"id": f"{hostile}{number}", "topic": "<b>", "sentences": [[hostile, "fell"]]}
        for number in range(3)
    ]
    mentions = [{"doc": one["id"], "tokens": [0], "chain": hostile} for one in documents]
    corpus = library.build_corpus(mentions, documents, name="made")
    chains = {hostile: [(str(documents[0]["id"]), 0, 0), (str(documents[1]["id"]), 0, 0)]}
    file = tmp_path / "page.html"
    library.diagnose(corpus, {"<b>": chains}, setting="simple").save(file)
    with browser.visit(file) as visit:
        assert visit.page.locator("#browser img, #browser b b").count() == 0
        assert hostile in visit.page.inner_text("#chain li p")
        quiet(visit, tmp_path)


def test_a_corpus_without_texts_is_refused(cdec: Run, tmp_path: Path) -> None:
    response, file = tmp_path / "mine.conll", tmp_path / "corpus.jsonl"
    part = library.load_corpus("sample", "test")
    assert cdec("predict", "-o", response).exit == 0
    part.save(file)
    head, rest = file.read_text("utf-8").split("\n", 1)
    file.write_text(json.dumps({**json.loads(head), "text": "none"}) + f"\n{rest}", "utf-8")
    ran = cdec("diagnose", response, "--corpus", file, "-o", tmp_path / "page.html", "-q")
    assert (ran.exit, ran.error) == (1, "annotation-missing")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("board") / "site"


def rows(page: Any) -> list[list[str]]:
    """Return the rows of the board that are shown, without those that have no rank."""
    shown = page.locator("#board tbody").last.locator("tr:visible")
    return [line.split("\t") for line in shown.all_inner_texts()]


def values(page: Any, column: int) -> list[float]:
    script = f"cells => cells.map(cell => Number.parseFloat(cell.children[{column}].dataset.value))"
    shown = page.locator("#board tbody").last.locator("tr:visible")
    return [value for value in shown.evaluate_all(script) if value == value]  # noqa: PLR0124


def test_the_board_sorts_and_hides(browser: Browser, cdec: Run, site: Path) -> None:
    assert cdec("leaderboard", "site", "-o", site).exit == 0
    task = site / "task" / "ecb+" / "index.html"
    with browser.visit(task) as visit:
        page = visit.page
        every = rows(page)
        for column in (1, 3):
            for up in (False, True):
                if column > 1 or up:  # it comes sorted by the first setting, the best first
                    page.locator("#board thead th").nth(column).locator("button").click()
                found = values(page, column)
                assert len(found) > 20
                assert found == sorted(found, reverse=not up)
        box = page.locator("#filters input").first
        box.check()
        left = rows(page)
        assert 0 < len(left) < len(every)
        # The choice is in the address.
        page.reload()
        assert rows(page) == left
        assert page.locator("#filters input").first.is_checked()
        page.locator("#filters input").first.uncheck()
        assert len(rows(page)) == len(every)
        assert visit.complaints == []
        assert visit.violations() == []
    for file in (site / "index.html", task, task.with_name("lea.html")):
        for width in (PHONE, DESK):
            with browser.visit(file, width) as visit:
                quiet(visit, site)


def test_two_rows_of_the_board_are_compared(browser: Browser, cdec: Run, site: Path) -> None:
    assert cdec("leaderboard", "site", "-o", site).exit == 0
    with browser.visit(site / "task" / "ecb+" / "index.html") as visit:
        page = visit.page
        ticks = page.locator("#board tbody input")
        for number in (3, 4):
            ticks.nth(number).check()
        one, other, *_ = rows(page)
        # The difference of the scores as they are, not of what is shown.
        shown = page.locator("#board tfoot td").all_inner_texts()[:-1]
        for column, text in enumerate(shown, start=1):
            first, second = values(page, column)[:2]
            assert float(text) == round(100 * (first - second), 1), (one, other)
        ticks.nth(5).check()  # instead of the first
        assert [ticks.nth(number).is_checked() for number in (3, 4, 5)] == [False, True, True]
        ticks.nth(4).uncheck()
        assert page.locator("#board tfoot tr").count() == 0
        assert visit.complaints == []


def test_a_review_is_stored_and_exported_and_applied(
    browser: Browser, cdec: Run, tmp_path: Path
) -> None:
    cases, file = tmp_path / "cases.jsonl", tmp_path / "review.html"
    chosen = ("--detector", "svm", "--kind", "missing-singleton-singleton", "--top", 4)
    assert cdec("audit", "run", "--corpus", "sample", *chosen, "-o", cases).exit == 0
    assert cdec("audit", "review", cases, "-o", file).exit == 0
    _, first, second, *_ = map(json.loads, cases.read_text("utf-8").splitlines())
    with browser.visit(file, PHONE) as visit:
        quiet(visit, tmp_path)
        assert visit.requests == []
        assert visit.violations() == []
    with browser.visit(file) as visit:
        page = visit.page
        page.fill("#reviewer", "ann")
        page.press("#reviewer", "Enter")
        page.click("[data-verdict=error]")
        page.click("[data-verdict=unsure]")
        page.reload()
        with page.expect_download() as caught:
            page.click("#export")
        exported = tmp_path / "decisions.json"
        caught.value.save_as(exported)
        quiet(visit, tmp_path)
    content = json.loads(exported.read_text("utf-8"))
    found = {one["case"]: one for one in content["decisions"]}
    assert content["reviewer"] == "ann"
    assert {case: one["verdict"] for case, one in found.items()} == {
        first["case"]: "error", second["case"]: "unsure",
    }  # fmt: skip
    claims = first["fixes"][0]["claims"]
    assert found[first["case"]]["claims"] == claims
    patch = tmp_path / "patch.json"
    assert cdec("audit", "apply", exported, "-o", patch).exit == 0
    applied = json.loads(patch.read_text("utf-8"))["claims"]
    assert {claim["case"] for claim in applied} == {first["case"]}
    before, after = (
        library.load_corpus("sample", key_patch=one).mentions["chain"] for one in (None, str(patch))
    )
    linked = {claim[end] for claim in claims for end in ("mention", "to")}
    assert len({before[one] for one in linked}) > 1
    assert len({after[one] for one in linked}) == 1


def test_copies_of_a_sentence_are_judged_together(
    browser: Browser, cdec: Run, tmp_path: Path
) -> None:
    copied = ["Gunmen", "attacked", "the", "old", "bank"]
    copied += ["and", "police", "arrested", "two", "men", "."]
    documents = [
        {"id": doc, "topic": "1", "subtopic": "1", "sentences": [copied]} for doc in ("a", "b")
    ]
    mentions = [{"doc": d, "tokens": [t], "chain": f"{d}{t}"} for d in "ab" for t in (1, 7)]
    corpus, cases, file = (tmp_path / name for name in ("made.jsonl", "cases.jsonl", "review.html"))
    library.build_corpus(mentions, documents, name="made").save(corpus)
    call = ("--corpus", corpus, "--detector", "duplicate", "-o", cases)
    assert cdec("audit", "run", *call).exit == 0
    _, *listed = map(json.loads, cases.read_text("utf-8").splitlines())
    assert [case["group"] for case in listed] == [listed[0]["case"]] * 2
    assert cdec("audit", "review", cases, "--corpus", corpus, "-o", file).exit == 0
    with browser.visit(file) as visit:
        page = visit.page
        page.fill("#reviewer", "ann")
        page.press("#reviewer", "Enter")
        assert page.locator(".side").count() == page.locator("#batch input").count() == 2
        page.locator("#batch input").last.uncheck()
        page.click("[data-verdict=error]")
        with page.expect_download() as caught:
            page.click("#export")
        caught.value.save_as(tmp_path / "decisions.json")
        quiet(visit, tmp_path)
    content = json.loads((tmp_path / "decisions.json").read_text("utf-8"))
    found = {one["case"]: one["verdict"] for one in content["decisions"]}
    assert found == {listed[0]["case"]: "error", listed[1]["case"]: "not-error"}
