"""The review page in a browser: decisions by keyboard, reload, export, patch, new scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cdec.auditing import Case, CaseSide, Fix, Known, Operation, ShortList, to_jsonl, to_page
from cdec.auditing.case import KINDS
from cdec.corpus import Corpus, Document
from tests.audit.pages import counts, exported, page_of, rename
from tests.browser import DESK, PHONE, Browser, running
from tests.cli.conftest import Run

LEVELS = [*(f"wcag2{level}" for level in ("a", "aa", "aaa")), "wcag21aa", "best-practice"]
EVIL = "<img src=x onerror=\"document.title='broken'\">"
CLOSING = "</script><script>document.title='broken'</script><!--"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as engine:
        yield engine


def test_twenty_cases_by_keyboard_survive_a_reload_and_move_the_scores(
    browser: Browser, sample_page: Path, tmp_path: Path, cdec: Run, sample_cases: ShortList
) -> None:
    keys = ["1e", "1e", "n1", "u"] * 5
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        page.keyboard.type("".join(keys))
        assert counts(page).startswith("20 of")
        page.reload()
        assert counts(page).startswith("20 of")
        assert "10 errors, 5 not errors, 5 unsure" in counts(page)
        content = exported(page, tmp_path / "decisions.json")
        assert visit.complaints == []
    verdicts = {"1e": "error", "n1": "not-error", "u": "unsure"}
    assert {d["case"] for d in content["decisions"]} <= {c.id for c in sample_cases.cases}
    assert [d["verdict"] for d in content["decisions"]] == [verdicts[key] for key in keys]
    fixes = {c.id: c.fixes[0].operation.to_dict() for c in sample_cases.cases}
    assert all(d["operation"] == fixes[d["case"]] for d in content["decisions"])
    patch = tmp_path / "patch.json"
    assert (
        cdec(
            *("audit", "apply", tmp_path / "decisions.json", "--skip-conflicts", "-o", patch, "-q"),
            *("--reviewed", "only", "--corpus", "sample"),
        ).code
        == 0
    )
    common = ("--corpus", "sample", "--split", "all", "--system", "lemma", "-q", "-f", "json")
    before = json.loads(cdec("eval", *common).out)
    after = json.loads(cdec("eval", *common, "--key-patch", patch).out)
    assert "key_patch:patch.json|key_patch_digest:" in after["signature"]
    scores = [[row["f1"] for row in result["rows"]] for result in (before, after)]
    assert scores[0] != scores[1]
    report = json.loads(
        cdec("audit", "report", tmp_path / "decisions.json", *common[:-2], "-f", "json").out
    )
    rows = [row for row in report["rows"] if row["product"] == "A"]
    for row, old, new in zip(rows, before["rows"], after["rows"], strict=True):
        assert (row["f1_before"], row["f1_after"]) == (old["f1"], new["f1"])


def test_an_export_has_chain_and_sentence_of_all_members_of_corrected_chains(
    browser: Browser, sample_page: Path, tmp_path: Path, sample: Corpus
) -> None:
    with browser.visit(sample_page) as visit:
        rename(visit.page, "ann")
        visit.page.keyboard.type("eee")
        content = exported(visit.page, tmp_path / "decisions.json")
    known = Known.of_corpus(sample)
    chains = {known.chains[id_] for id_ in content["places"]}
    members = {id_: chain for id_, chain in known.chains.items() if chain in chains}
    assert len(members) > len(content["places"])
    assert content["chains"] == members
    assert content["sentences"] == {id_: known.sentences[id_] for id_ in members}


def test_undo_comment_filter_and_import(
    browser: Browser, sample_page: Path, tmp_path: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "Ann B")
        title = page.inner_text("#title")
        page.keyboard.press("e")
        page.keyboard.press("z")
        assert counts(page).startswith("0 of")
        assert page.inner_text("#title") == title
        page.keyboard.press("c")
        page.keyboard.type("not sure: n e u z are letters here")
        page.keyboard.press("Enter")
        page.keyboard.press("n")
        content = exported(page, tmp_path / "one.json")
        assert content["reviewer"] == "Ann B"
        (decision,) = content["decisions"]
        assert decision["comment"] == "not sure: n e u z are letters here"
        page.select_option("#state", "not-error")
        assert page.inner_text("#title").startswith("1 of 1:")
        page.select_option("#state", "all")
        page.select_option("#kind", "missing-singleton-cluster")
        assert "missing singleton cluster" in page.inner_text("#title")
    with browser.visit(sample_page) as visit:
        page = visit.page
        assert counts(page).startswith("0 of")  # a browser without history
        page.set_input_files("#file", tmp_path / "one.json")
        page.locator("#who").wait_for()
        assert page.input_value("#who-name") == "Ann B"
        page.keyboard.press("Enter")
        page.locator("#message", has_text="imported: 1").wait_for(state="attached")
        assert counts(page).startswith("1 of")
        again = exported(page, tmp_path / "two.json")
        assert again["decisions"] == content["decisions"]
        (tmp_path / "bad.json").write_text("{}", "utf-8")
        page.set_input_files("#file", tmp_path / "bad.json")
        page.locator("#message", has_text="bad.json").wait_for(state="attached")


def test_nothing_is_loaded_and_a_phone_needs_no_sideways_scroll(
    browser: Browser, sample_page: Path
) -> None:
    with browser.visit(sample_page, width=PHONE) as visit:
        for _ in range(5):
            visit.page.keyboard.press("m")
            assert visit.overflow() <= 0
            visit.page.keyboard.press("j")
        assert (visit.requests, visit.complaints) == ([], [])


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_axe_finds_nothing_of_any_level(
    browser: Browser, sample_page: Path, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    with browser.visit(sample_page, width=width) as visit:
        page = visit.page
        page.emulate_media(color_scheme=scheme)
        # The first case; each dialog; a case with a verdict, reasons, members and document open.
        views = ["", "n", "ann\nmd", "fthe", "\t\n", "\0t"]
        for view in views:
            page.keyboard.press("Escape") if view.startswith("\0") else None
            page.keyboard.type(view.strip("\0"))
            found = axe.run(page, options={"runOnly": {"type": "tag", "values": LEVELS}})
            assert (view, [(v["id"], v["impact"]) for v in found["violations"]]) == (view, [])
        page.keyboard.press("Escape")
        # No case fits the filter.
        page.click("#menu") if width == PHONE else None
        page.fill("#search", "no such word")
        found = axe.run(page, options={"runOnly": {"type": "tag", "values": LEVELS}})
        assert [(v["id"], v["impact"]) for v in found["violations"]] == []


def test_a_held_key_decides_once_and_a_control_in_focus_keeps_its_keys(
    browser: Browser, sample_page: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        rename(page, "ann")
        for _ in range(5):  # without "up" in between, the key is held
            page.keyboard.down("e")
        page.keyboard.up("e")
        assert counts(page).startswith("1 of")
        page.focus("#kind")
        page.keyboard.press("u")
        assert counts(page).startswith("1 of")
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        assert counts(page).startswith("2 of")


def test_every_control_has_a_name_and_the_verdict_is_announced(
    browser: Browser, sample_page: Path
) -> None:
    with browser.visit(sample_page) as visit:
        page = visit.page
        for role in ("button", "combobox", "textbox", "progressbar"):
            for control in page.get_by_role(role).all():
                assert control.evaluate(
                    "e => (e.getAttribute('aria-label') || e.textContent "
                    "|| (e.labels && e.labels[0] && e.labels[0].textContent)).trim().length"
                )
        rename(page, "ann")
        page.keyboard.press("e")
        page.keyboard.press("k")
        assert page.inner_text("#live").endswith("error")
        pressed = page.locator("[data-verdict=error][aria-pressed=true]")
        assert pressed.count() == 1


def test_a_tie_between_corrections_needs_a_choice(
    browser: Browser, sample: Corpus, tmp_path: Path
) -> None:
    ids = [str(id_) for id_ in sample.selected.index[:2]]
    sides = tuple(CaseSide(mentions=(id_,), chain="chain") for id_ in ids)
    fixes = tuple(
        Fix(fix="move", text=id_, operation=Operation(move=(id_,)), tied=True) for id_ in ids
    )
    case = Case(
        kind="missing-cluster-cluster",
        score=None,
        topic="5",
        sides=sides,
        fixes=fixes,
        detectors={"svm": 1.0},
        reasons=(),
        rank=7,
    )
    with browser.visit(page_of(case, sample, tmp_path / "tied.html")) as visit:
        page = visit.page
        rename(page, "ann")
        assert page.locator("#fixlist input:checked").count() == 0
        page.keyboard.press("e")
        assert counts(page).startswith("0 of")
        page.keyboard.press("2")
        page.keyboard.press("e")
        assert counts(page).startswith("1 of")
        (decision,) = exported(page, tmp_path / "decisions.json")["decisions"]
        assert decision["operation"]["move"] == [ids[1]]
        reasons = page.text_content("#reasons")
        assert "rank in the whole list: 7" in reasons
        assert "probability of an error" not in reasons


def test_markup_in_a_mention_stays_text(browser: Browser, sample: Corpus, tmp_path: Path) -> None:
    corpus = poisoned(sample)
    ids = list(corpus.selected.index[:2])
    sides = tuple(CaseSide(mentions=(id_,), chain=EVIL, descriptor=CLOSING) for id_ in ids)
    case = Case(
        kind="missing-singleton-singleton",
        score=1.0,
        topic=EVIL,
        sides=sides,
        fixes=(Fix(fix="merge", text=EVIL, operation=Operation(merge=tuple(ids))),),
        detectors={"svm": 1.0},
        reasons=(CLOSING,),
    )
    shortlist = ShortList((case,), {"corpus": EVIL, "digest": corpus.digest})
    file = tmp_path / "evil.html"
    file.write_text(to_page(shortlist, corpus), "utf-8")
    with browser.visit(file) as visit:
        assert visit.page.title() == "Annotation review"
        assert EVIL in visit.page.inner_text("#sides")
        assert CLOSING in visit.page.text_content("#reasons")
        assert visit.page.locator("img").count() == 0
        assert visit.complaints == []


def poisoned(corpus: Corpus) -> Corpus:
    """Return the corpus with markup for the tokens of its first document."""

    def hostile(document: Document) -> Document:
        words = tuple(
            tuple((EVIL, CLOSING)[place % 2] for place, _ in enumerate(sentence))
            for sentence in document.sentences
        )
        return replace(document, sentences=words)

    first = next(iter(corpus.documents))
    documents = {**corpus.documents, first: hostile(corpus.documents[first])}
    return replace(corpus, documents=documents)


@pytest.mark.slow
def test_all_cases_take_a_key_in_thirty_milliseconds(
    browser: Browser, real_cases: ShortList, real: Corpus, tmp_path: Path
) -> None:
    file = tmp_path / "review.html"
    file.write_text(to_page(real_cases, real), "utf-8")
    press = """keys => [...keys].map(key => {
        const begun = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        return performance.now() - begun;
    })"""
    with browser.visit(file) as visit:
        assert visit.page.inner_text("#title").startswith(f"1 of {len(real_cases.cases)}")
        rename(visit.page, "ann")
        keys = "enujkmoEdz"
        spent = np.reshape(visit.page.evaluate(press, keys * 15), (15, len(keys)))
    # The median of each key, which does not depend on what else the machine does.
    assert dict(zip(keys, np.median(spent, axis=0) < 30, strict=True)) == dict.fromkeys(keys, True)


def test_the_short_list_and_the_page_on_the_command_line(
    cdec: Run, tmp_path: Path, sample: Corpus, sample_cases: ShortList
) -> None:
    cases, page = tmp_path / "cases.jsonl", tmp_path / "review.html"
    ran = cdec("audit", "run", "--corpus", "sample", "-o", cases)
    assert ran.code == 0, ran.err
    assert cases.read_text("utf-8") == "".join(to_jsonl(sample_cases, sample))
    assert cdec("audit", "review", cases, "--corpus", "sample", "-o", page, "-q").code == 0
    assert page.read_text("utf-8") == to_page(sample_cases, sample)
    table = cdec("audit", "run", "--corpus", "sample", "-q", "-f", "json")
    rows = json.loads(table.out)["rows"]
    totals = {row["kind"]: row["cases"] for row in rows if row["column"] == "cases"}
    assert totals == {
        kind: count
        for kind in KINDS
        if (count := sum(case.kind == kind for case in sample_cases.cases))
    }
    top = cdec(
        *("audit", "run", "--corpus", "sample", "--kind", "spurious-member", "--top", "3"),
        *("--topic", "1", "-q", "-o", tmp_path / "few.csv"),
    )
    assert top.code == 0
    assert 1 < len((tmp_path / "few.csv").read_text("utf-8").splitlines()) <= 4


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("run", "--corpus", "sample", "--kind", "spurious"), 2, "name-unknown"),
        (("run", "--corpus", "sample", "--detector", "svn"), 2, "name-unknown"),
        (("run", "--corpus", "sample", "--delta", "0"), 2, "parameter-invalid"),
        (("run", "--corpus", "sample", "--top", "0"), 2, "parameter-invalid"),
        (("review", "none.jsonl", "--corpus", "sample"), 1, "file-unreadable"),
        (("apply", "none.json"), 1, "file-unreadable"),
        (("benchmark", "--corpus", "sample", "--errors", "0"), 2, "parameter-invalid"),
    ],
)
def test_a_wrong_call_is_an_error_of_one_line(
    cdec: Run, arguments: tuple[str, ...], code: int, error: str
) -> None:
    ran = cdec("audit", *arguments, "-q")
    assert (ran.code, ran.error) == (code, error), ran.err
    assert ran.err.count("\n") == 1
