"""The chains of plain texts as a page, and the verbs of reporting."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from cdec import load_corpus
from cdec.configs import read_table, read_toml
from cdec.detection import Detector, PlainText, chains_page, quality, with_reporting
from cdec.formats import Annotation, mention_table
from cdec.render import render
from tests.browser import PHONE, Browser, running
from tests.cli.conftest import Run, cdec
from tests.detection.made import NEWS, news
from tests.detection.test_text import detector
from tests.guides import ROOT

__all__ = ["cdec", "detector"]  # fixtures

TEXTS = {
    "2024-03-02-quake": "The quake\nshook <b>Larsund</b>. The quake & the fire: one quake.\n",
    "other": "A mayor said the quake was over. Police said nothing.\n",
    "2024-03-01-first": "A quake struck.\n",
}
# Document, word, which of the equal words, chain.
CHAINS = [
    ("2024-03-02-quake", "quake", 0, "q"),
    ("2024-03-02-quake", "quake", 1, "q"),
    ("2024-03-02-quake", "quake", 2, "q"),
    ("other", "quake", 0, "q"),
    ("other", "said", 0, "s"),
    ("other", "said", 1, "s"),
    ("2024-03-01-first", "quake", 0, "q"),
    ("2024-03-01-first", "struck", 0, "once"),
]


class Known(Detector):
    """A detector that is not trained: the page names it only."""

    kind, trained_on = "event", "ecb+/ycf-train"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    folder = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    plain = PlainText.read(folder)
    docs, words, which, chains = zip(*CHAINS, strict=True)
    tokens = [plain.corpus.documents[doc].tokens for doc in docs]
    equal = [[n for n, t in enumerate(a) if t == w] for a, w in zip(tokens, words, strict=True)]
    at = [places[number] for places, number in zip(equal, which, strict=True)]
    table = mention_table(docs, at, at, chains)
    annotation = Annotation("sac", "corpus", table, dict.fromkeys(TEXTS))
    return plain, with_reporting(plain.located(annotation), plain)


def shown(made: tuple[Any, Any]) -> str:
    plain, annotation = made
    return render(chains_page(annotation, plain, Known()), "html")


def test_the_largest_chain_is_first_and_each_sentence_is_shown_once(made: tuple[Any, Any]) -> None:
    tree: Any = html.document_fromstring(shown(made))
    assert [h.text for h in tree.iter("h2")] == [
        "Chains of several mentions (1)",
        "Chains of reporting verbs (1)",
        "Mentioned once (1)",
    ]
    quake, said, once = tree.xpath("//details[@class='quotes']")
    assert [each.get("open") for each in (quake, said, once)] == ["", None, None]
    assert quake.findtext("summary") == "quake · 5 mentions in 3 documents"
    assert once.findtext("summary") == "struck · 2024-03-01-first"
    # By date, as the names of the documents have it; what has none is last.
    assert [place.text for place in quake.iter("footer")] == [
        "2024-03-01-first",
        "2024-03-02-quake",
        "2024-03-02-quake",
        "other",
    ]
    sentences = [quote.text_content() for quote in quake.xpath("blockquote/p")]
    assert sentences[1:3] == ["The quake shook <b>Larsund</b>.", "The quake & the fire: one quake."]
    marks = [len(quote.xpath("p/mark")) for quote in quake.xpath("blockquote")]
    assert marks == [1, 1, 2, 1]
    assert {mark.text for mark in quake.iter("mark")} == {"quake"}
    assert {mark.text for mark in said.iter("mark")} == {"said"}


def test_other_formats_have_the_sentences_too(made: tuple[Any, Any]) -> None:
    plain, annotation = made
    text = render(chains_page(annotation, plain, Known()), "markdown")
    assert "one and the same event." in text
    assert "The [quake] & the fire: one [quake]. (2024-03-02-quake)" in text


def test_a_chain_is_of_reporting_verbs_if_half_of_its_mentions_are(made: tuple[Any, Any]) -> None:
    plain, annotation = made
    table = annotation.mentions
    assert table.loc[table["reporting"], "chain"].tolist() == ["s", "s"]
    for others, expected in ((1, True), (2, True), (3, False)):
        chains = ["s" if n < others or c == "s" else c for n, c in enumerate(table["chain"])]
        joined = Annotation("x", "corpus", table.assign(chain=chains), annotation.documents)
        found = with_reporting(joined, plain).mentions
        assert set(found.loc[found["chain"] == "s", "reporting"]) == {expected}


def test_mentions_that_overlap_are_marked_as_one(made: tuple[Any, Any]) -> None:
    plain, _ = made
    table = mention_table(["other"] * 3, [1, 2, 5], [3, 2, 5], ["x"] * 3)
    found = plain.located(Annotation("sac", "corpus", table, dict.fromkeys(TEXTS)))
    page = chains_page(found, plain, Known())
    (block,) = page.sections[0].blocks
    assert block.lines == ("A [mayor said the] quake [was] over. (other)",)  # type: ignore[union-attr]


def test_without_mentions_the_page_says_so(tmp_path: Path) -> None:
    plain = PlainText.read(news(tmp_path))
    nothing = Annotation("sac", "corpus", mention_table([], [], [], []), dict.fromkeys(NEWS))
    text = render(chains_page(plain.located(nothing), plain, Known()), "html")
    assert "0 mentions in 0 chains" in text


def test_the_page_and_the_documentation_have_the_measured_figures() -> None:
    page = (ROOT / "docs" / "detection.md").read_text("utf-8")
    for name in ("mentions", "chains"):
        rows = read_table(f"detection/{name}.csv")
        written = [list(rows[0]), *(list(row.values()) for row in rows)]
        lines = re.sub(r"[`]", "", page).splitlines()
        assert {f"| {' | '.join(row)} |" for row in written} <= set(lines)
    chains = {
        (row["part"], row["mentions"], row["trained on"]): row
        for row in read_table("detection/chains.csv")
    }
    figures = set()
    for trained_on in ("ecb+/ycf-train", "ecb+/cybulska-train"):
        row = chains["test", "detector-tagger", trained_on]
        known = quality("sac", trained(trained_on))
        assert f"{row['SIMPLE sac']} (SIMPLE-CDEC) and {row['PURE sac']} (PURE-CDEC)" in known
        assert row["SIMPLE lemma"] in quality("lemma", trained(trained_on))
        assert trained_on in known
        figures.add(known)
    assert len(figures) == 2
    for system, trained_on in (("mine", "ecb+/ycf-train"), ("sac", "ecb+/leak-train")):
        assert "CoNLL" not in quality(system, trained(trained_on))
        assert trained_on in quality(system, trained(trained_on))


def trained(trained_on: str) -> Known:
    return type("Trained", (Known,), {"trained_on": trained_on})()  # type: ignore[no-any-return]


@pytest.mark.slow
def test_the_figures_about_reporting_verbs(ecbplus: Path) -> None:
    from cdec.language import heads

    train = load_corpus(str(ecbplus), "cybulska/train").select("event")
    head = heads(train).loc[train.selected.index]
    verbs = read_toml("detection/reporting.toml")["verbs"]
    is_verb = head["lemma"].isin(verbs) & (head["pos"] == "VERB")
    tagged = train.selected["tag"] == "ACTION_REPORTING"
    figures = (is_verb.sum(), (is_verb & tagged).sum(), (tagged & ~is_verb).sum())
    source = (ROOT / "configs" / "detection" / "reporting.toml").read_text("utf-8")
    comment = "".join(line for line in source.splitlines() if line.startswith("#"))
    assert figures == tuple(int(number) for number in re.findall(r" (\d+) ", comment))


def written(cdec: Run, folder: Path, detector: Path, *arguments: object) -> str:
    ran = cdec("predict", "--text", folder, "--system", "lemma", "--detector", detector, *arguments)
    assert ran.code == 0, ran.err
    return Path(str(arguments[-1])).read_text("utf-8")


def test_the_command_writes_the_page_and_treats_reporting_verbs(
    cdec: Run, tmp_path: Path, detector: Path
) -> None:
    folder, page, lines = news(tmp_path), tmp_path / "c.html", tmp_path / "c.jsonl"
    assert "Chains of reporting verbs (1)" in written(cdec, folder, detector, "-o", page)
    kept = written(cdec, folder, detector, "--reporting", "keep", "-o", page)
    assert "Chains of reporting verbs" not in kept
    assert "<mark>said</mark>" in kept
    dropped = written(cdec, folder, detector, "--reporting", "drop", "-o", page)
    assert "<mark>said</mark>" not in dropped
    assert "<mark>fire</mark>" in dropped
    assert "reporting" not in written(cdec, folder, detector, "-o", lines)
    text = written(cdec, folder, detector, "--reporting", "separate", "-o", lines)
    records = [json.loads(line) for line in text.splitlines()]
    assert {r["text"] for r in records if r["reporting"]} == {"said"}
    table = tmp_path / "c.csv"
    text = written(cdec, folder, detector, "--reporting", "drop", "-o", table)
    assert len(list(csv.DictReader(text.splitlines()))) == len(records) - 1


def test_the_default_system_is_sac(cdec: Run, tmp_path: Path, detector: Path) -> None:
    page = tmp_path / "c.html"
    ran = cdec("predict", "--text", news(tmp_path), "--detector", detector, "-o", page)
    assert ran.code == 0, ran.err
    assert "chains by sac." in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--reporting", "drop"], "option-requires"),
        (["-o", "chains.html"], "option-requires"),
        (["--text", "news", "--reporting", "hide"], "name-unknown"),
        (["--text", "news", "--to", "csv", "-o", "chains.html"], "output-ending"),
    ],
)
def test_a_wrong_call_is_refused(
    arguments: list[str], code: str, cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    news(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = cdec("predict", "--corpus", "sample", *arguments)
    assert (ran.error, list(tmp_path.glob("*.html"))) == (code, [])


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running() as browser:
        yield browser


def test_the_search_shows_matching_sentences_only(
    chromium: Browser, made: tuple[Any, Any], tmp_path: Path
) -> None:
    page = tmp_path / "chains.html"
    page.write_text(shown(made), "utf-8")
    with chromium.visit(page, PHONE) as visit:
        assert (visit.complaints, visit.requests, visit.overflow()) == ([], [], 0)
        box, seen = visit.page.get_by_label("Search words"), "blockquote >> visible=true"
        assert visit.page.locator(seen).count() == 4  # of the one open chain
        box.fill("MAYOR")
        assert visit.page.locator(seen).count() == 2  # of "quake" and of "said"
        assert visit.page.inner_text("output") == "2 of 3 shown"
        box.fill("struck")  # also the label of a chain
        assert visit.page.locator("section >> visible=true").count() == 2
        box.fill("no such word")
        assert visit.page.locator(seen).count() == 0
        box.fill("")
        assert visit.page.locator(seen).count() == 4
        assert visit.complaints == []
