"""The reader of a page: her name, where she starts, her reasons, other opinions, and undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import FINE, Decision, Operation, Review, ShortList, to_page
from cdec.corpus import Corpus
from tests.audit.pages import counts, exported, rename
from tests.audit.test_conflicts import entry, written
from tests.browser import Browser, running
from tests.cli.conftest import Run
from tests.refusals import refused


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


@pytest.mark.parametrize("key", ["e", "n", "u"])
def test_the_first_verdict_asks_for_the_name_and_is_then_given(
    browser: Browser, sample_page: Path, tmp_path: Path, key: str
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        page.keyboard.press("2")
        page.keyboard.press(key)
        page.keyboard.press("Escape")
        assert counts(page).startswith("0 of")
        page.keyboard.press(key)
        assert page.locator("#who:modal").count() == 1
        page.keyboard.type("  \n")  # no name
        assert page.locator("#who:modal").count() == 1
        page.keyboard.type("ann\n")
        assert counts(page).startswith("1 of")
        content = exported(page, tmp_path / "one.json")
        assert visit.complaints == []
    data = page_data(sample_page)
    (decision,) = content["decisions"]
    assert (content["reviewer"], decision["case"]) == ("ann", data["cases"][0]["case"])
    assert decision["operation"] == data["cases"][0]["fixes"][1]["operation"]


def page_data(file: Path) -> Any:
    text = file.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0]
    return json.loads(text)


def test_each_reader_of_a_browser_starts_at_her_first_open_case(
    browser: Browser, sample_page: Path
) -> None:
    context = browser.engine.new_context()
    ann, bob, again = (context.new_page() for _ in range(3))
    ann.goto(sample_page.as_uri())
    ann.keyboard.type("eann\nee")
    assert ann.inner_text("#title").startswith("4 of")
    ann.select_option("#state", "error")
    ann.reload()
    assert ann.input_value("#reviewer") == "ann"
    bob.goto(sample_page.as_uri())
    assert bob.input_value("#who-name") == "ann"  # selected: typing replaces it
    assert counts(bob).startswith("0 of")
    bob.keyboard.type("bob\n")
    assert bob.inner_text("#title").startswith("1 of")
    bob.keyboard.type("e")
    assert (counts(bob)[:4], counts(ann)[:4]) == ("1 of", "3 of")
    rename(bob, "ann")
    assert bob.inner_text("#title").startswith("4 of")
    again.goto(sample_page.as_uri())
    again.keyboard.press("Escape")  # no name: then the verdict asks
    again.keyboard.type("eann\n")
    assert (counts(again)[:4], again.inner_text("#title")[:4]) == ("3 of", "4 of")
    context.close()


def test_comments_without_a_name_become_those_of_the_name(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        page.keyboard.type("cfirst\n")
        page.keyboard.type("eann\n")
        (decision,) = exported(page, tmp_path / "one.json")["decisions"]
        assert decision["comment"] == "first"
        rename(page, "")
        assert counts(page).startswith("0 of")


def test_a_digit_gives_the_reason_and_goes_on(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type("n")
        assert page.locator("#why button").count() == 7
        assert page.inner_text("#title").startswith("1 of")
        page.keyboard.type("3nn")  # the second case without a reason
        assert page.inner_text("#title").startswith("3 of")
        page.keyboard.type("n\n")
        page.keyboard.type("u")
        page.uncheck("#ask")
        page.keyboard.press("Escape")
        page.keyboard.type("n")
        assert page.inner_text("#title").startswith("6 of")
        reasons = [d.get("reason") for d in exported(page, tmp_path / "a.json")["decisions"]]
        assert reasons == ["general", None, None, None, None]
        page.keyboard.type("kkkkk")
        page.check("#ask")
        page.keyboard.press("Escape")
        page.keyboard.type("4")
        page.keyboard.type("ke")  # no reason remains with another verdict
        decisions = exported(page, tmp_path / "b.json")["decisions"]
        assert [decisions[0]["verdict"], decisions[0].get("reason")] == ["error", None]
        page.keyboard.type("z")
        assert exported(page, tmp_path / "c.json")["decisions"][0]["reason"] == "part"


def test_undo_survives_a_reload(browser: Browser, sample_page: Path, tmp_path: Path) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type("en2")
        before = exported(page, tmp_path / "one.json")["decisions"]
        page.keyboard.type("ku")
        page.reload()
        page.keyboard.type("z")
        assert exported(page, tmp_path / "two.json")["decisions"] == before
        page.reload()
        page.keyboard.type("zz")
        assert counts(page).startswith("0 of")
        page.keyboard.type("z")
        assert page.inner_text("#message") == "Nothing to undo."
        page.evaluate("""() => { for (const key of Object.keys(localStorage))
            if (key.includes('/undo/')) localStorage.setItem(key, '[[{"id": 3}], 4, ['); }""")
        page.reload()
        assert visit.complaints == []


def opinion(corpus: Corpus, cases: ShortList, **about: str) -> Review:
    first, second = cases.cases[:2]
    decisions = (
        Decision(case=first.id, kind=first.kind, verdict=FINE, operation=Operation(),
                 reason="rule", comment="two reports"),
        Decision(case=second.id, kind=second.kind, verdict="error",
                 operation=second.fixes[0].operation),
    )  # fmt: skip
    origin = {"corpus": corpus.name, "digest": corpus.digest, **about}
    return Review(reviewer="second", decisions=decisions, places={}, about=origin)


def test_an_opinion_is_shown_after_the_own_verdict_only(
    browser: Browser, sample: Corpus, suggested: ShortList, tmp_path: Path
) -> None:
    file = tmp_path / "opinion.html"
    given = opinion(sample, suggested, readers="model")
    file.write_text(to_page(suggested, sample, opinions=[given]), "utf-8")
    with browser.visit(file) as visit:
        page = visit.page
        rename(page, "ann")
        assert page.inner_text("#opinion") == "Second opinion: shown after your verdict"
        page.keyboard.type("e")
        assert page.inner_text("#title").startswith("1 of")  # it differs, so the page waits
        text = page.inner_text("#opinions")
        assert text == "differs: second (model): not error (annotation rule; two reports)"
        page.keyboard.press("Enter")
        assert page.inner_text("#opinion") == "Second opinion: shown after your verdict"
        page.keyboard.type("e")  # equal
        assert page.inner_text("#title").startswith("3 of")
        assert page.locator("#opinion").is_hidden()
        page.keyboard.type("k")
        fix = suggested.cases[1].fixes[0].text
        assert page.inner_text("#opinions") == f"the same: second (model): error, {fix}"
        page.keyboard.type("2")
        assert page.inner_text("#opinions").startswith("differs:")


def test_opinions_are_about_the_page(sample: Corpus, sample_cases: ShortList) -> None:
    given = opinion(sample, sample_cases)
    with refused("case-none", "second"):
        to_page(ShortList(sample_cases.cases[2:], sample_cases.about), sample, opinions=[given])
    with refused("input-mismatch", place="decisions of second"):
        to_page(sample_cases, sample, opinions=[opinion(sample, sample_cases, digest="0")])


def test_the_command_line_reads_opinions(
    cdec: Run, sample: Corpus, sample_cases: ShortList, tmp_path: Path
) -> None:
    cases, page = tmp_path / "cases.jsonl", tmp_path / "page.html"
    assert cdec("audit", "run", "--corpus", "sample", "-q", "-o", cases).code == 0
    bob = written(tmp_path / "b", sample, [entry(sample_cases.cases[0].id, FINE)], "bob")
    call = ("audit", "review", cases, "--corpus", "sample", "-q", "-o", page)
    assert cdec(*call, "--opinion", bob).code == 0
    (vote,) = page_data(page)["opinions"]
    assert (vote["reviewer"], list(vote["decisions"])) == ("bob", [sample_cases.cases[0].id])
    other = written(tmp_path / "o", sample, [entry("other", FINE)], "eve")
    assert cdec(*call, "--opinion", other).error == "case-none"
