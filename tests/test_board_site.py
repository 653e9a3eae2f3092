"""The site of a board, from its files: who is ranked, who is bold, what the charts show."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

import cdec as package
from tests.program import Run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DATA = Path(__file__).with_name("data") / "board"
BOARD = (DATA / "one-task.toml").read_text("utf-8")
META = (DATA / "meta.toml").read_text("utf-8")
SYSTEMS = [f"sys{number}" for number in range(10)]
APART = ["person", "gold-pairs"]  # with fewer wrong links than any system
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.fixture
def site(cdec: Run, tmp_path: Path) -> Path:
    """Write the site of ten systems of ten families, sys0 the best, and two rows with no rank."""
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "leaderboard.toml").write_text(BOARD, "utf-8")
    chains = package.load_corpus("sample", "test").selected["chain"]
    gold = [{"mention": mention, "chain": chain} for mention, chain in chains.items()]
    for wrong, name in enumerate([*APART, *SYSTEMS]):
        rows = [
            row | {"chain": str(number)} if number < 25 * wrong else row
            for number, row in enumerate(gold)
        ]
        response, meta = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.toml"
        response.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        uses = {"topics": "gold" if name == "sys0" else "none"}
        uses["pairs"] = "gold" if name == "gold-pairs" else "none"
        meta.write_text(META.format(name=name, **uses), "utf-8")
        options = ("--name", name, "--task", "sample", "--meta", meta, "--folder", folder)
        key = ["--allow-key"] if name == "person" else []
        assert not cdec("leaderboard", "add", response, *options, *key).exit
    person = folder / "systems" / "person.toml"
    text = person.read_text("utf-8").replace("people = false", "people = true")
    person.write_text(text, "utf-8")
    assert "people = true" in text
    assert not cdec("leaderboard", "score", "--folder", folder, "-j", 1).exit
    assert not cdec("leaderboard", "site", "--folder", folder, "-o", tmp_path / "site").exit
    return tmp_path / "site"


def page(path: Path) -> Any:
    return html.fromstring(path.read_bytes())


def bold(tree: Any) -> list[set[str]]:
    """Return for each column of scores the rows whose score is bold."""
    rows = tree.xpath('//table[@id="board"]/tbody/tr')
    cells = [[bool(cell.xpath("strong")) for cell in row.xpath("td[@data-value]")] for row in rows]
    names = [row.get("id").removeprefix("system-") for row in rows]
    columns = zip(*cells, strict=True)
    return [{n for n, best in zip(names, column, strict=True) if best} for column in columns]


def bodies(tree: Any) -> list[set[str]]:
    """Return the rows of each group of the table."""
    groups = tree.xpath('//table[@id="board"]/tbody')
    return [{row.get("id").removeprefix("system-") for row in group} for group in groups]


def charts(tree: Any) -> list[Any]:
    return list(tree.xpath('//*[local-name()="svg"]'))


def texts(svg: Any) -> set[str]:
    return set(svg.xpath('.//*[local-name()="text"]/text()'))


def test_people_and_gold_links_are_not_ranked_and_the_best_have_labels(site: Path) -> None:
    task = page(site / "task" / "sample" / "index.html")
    assert bodies(task) == [set(APART), set(SYSTEMS)]
    assert all(best == {"sys0"} for best in bold(task))
    ranks = texts(charts(task)[0])
    assert ranks >= {*SYSTEMS[:8]}
    assert not ranks & {*APART}


def test_a_board_without_systems_has_a_site(cdec: Run, tmp_path: Path) -> None:
    (tmp_path / "leaderboard.toml").write_text(BOARD, "utf-8")
    assert not cdec("leaderboard", "site", "--folder", tmp_path, "-o", tmp_path / "site").exit
    assert not bodies(page(tmp_path / "site" / "index.html"))[1]


@pytest.mark.skipif(BROWSER is None, reason="no browser: apt-get install chromium")
def test_bold_follows_the_filter(site: Path, tmp_path: Path) -> None:
    address = (site / "task" / "sample" / "index.html").as_uri() + "#hide=gold-topics"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command = [str(BROWSER), *options, f"--user-data-dir={tmp_path / 'user'}", address]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    tree = html.fromstring(shown)
    assert tree.xpath('//tr[@id="system-sys0"]/@hidden')
    assert all(best == {"sys1"} for best in bold(tree))


def test_on_the_published_board_people_and_gold_links_stand_apart(
    cdec: Run, tmp_path: Path
) -> None:
    assert not cdec("leaderboard", "site", "-o", tmp_path / "site").exit
    for task in ("ecb+", "ecb+847"):
        tree = page(tmp_path / "site" / "task" / task / "index.html")
        apart, ranked = bodies(tree)
        people = {f"ahmed-2023-xamr-people{end}" for end in ("", "-lt")}
        assert apart >= {*people, "ahmed-2023-balanced"}
        assert all(best and best <= ranked for best in bold(tree))
        assert not texts(charts(tree)[0]) & apart
        assert "nath-2024-roec-ckd" in texts(charts(tree)[0])


def test_the_picture_of_the_page_labels_the_systems_of_its_bold_sentence() -> None:
    text = (DOCS / "settings-decide.md").read_text("utf-8")
    row = text.partition("| Better under")[2].splitlines()[2]
    named = {cell.strip() for cell in row.split("|")[1:3]}
    picture = etree.parse(DOCS / "settings-decide.svg").getroot()
    assert len(named) == 2
    assert named <= texts(picture)
