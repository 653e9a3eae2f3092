"""Pages in every format, with the characters that are special in each."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from lxml import html as lxml_html

from cdec.render import FORMATS, render
from cdec.render.page import (
    Cell,
    Chart,
    Grid,
    Line,
    Listing,
    Page,
    Quotes,
    Row,
    Section,
    Text,
)
from cdec.render.terminal import to_text
from tests.refusals import refused

NASTY = r"a|b <i> & 100 % _x_ *y* ~z ^ \n {q} # $ δ ≈ B³ CEAF_e – … 'é"
GRID = Grid(
    f"Caption {NASTY}",
    ("Setting", "System"),
    (("MUC", "P"), ("MUC", "F"), ("B³", "F")),
    (
        Row(
            ("B&H", NASTY),
            (
                Line("ours", (Cell("1.0", best=True), Cell("2.0"), Cell("–"))),
                Line("print", (Cell("1.5", notes=("a", "b")), Cell("2.0"), Cell("9.9"))),
                Line("difference", (Cell("-0.5≈", tone="close"), Cell("+0.0≈"), Cell("+8!"))),
            ),
        ),
        Row(("S.T.", "x"), (Line("ours", (Cell("4.0"), Cell("5.0", best=True), Cell("6.0"))),)),
    ),
    notes=(("a", f"first {NASTY}"), ("b", "second")),
    below=("legend",),
    narrow=(2,),
)
SVG = '<?xml version="1.0"?>\n<svg width="9" height="9"><text>chart</text></svg>'
BARE = Grid("", ("System",), (("", "n"),), (Row(("x",), (Line("", (Cell("7"),)),)),))
BLOCKS = (
    Text(NASTY),
    GRID,
    Listing("Signatures", (NASTY, "b:2|c:3"), folded=True),
    Chart(SVG, "A chart", "chart.svg"),
)
PAGE = Page(
    f"Title {NASTY}",
    (
        Section("one", "First & second", BLOCKS, pd.DataFrame({"system": ["x"], "ours": [0.5]})),
        Section("two", "", (BARE,), pd.DataFrame({"system": ["y"], "count": [3]})),
    ),
    intro=("intro",),
    about={"citation": "c"},
)


def test_markdown_rows_have_one_cell_a_column() -> None:
    text = render(PAGE, "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows]
    assert cells == [6] * 6 + [2] * 3
    assert "**1.0**" in text
    assert "1.5<sup>a,b</sup>" in text
    assert not re.search(r"(?<!\\)<i>", text.split("```")[0])
    assert "![A chart](chart.svg)" in text
    assert "MUC P" in rows[0]


def test_markdown_keeps_listings_as_they_are() -> None:
    text = render(PAGE, "markdown")
    assert f"<details><summary>Signatures</summary>\n\n```\n{NASTY}\n" in text


def test_html_is_one_file_that_says_what_the_page_says() -> None:
    text = render(PAGE, "html")
    tree: Any = lxml_html.document_fromstring(text)
    assert tree.xpath("//script|//link[@rel='stylesheet']|//img|//iframe") == []
    assert all(not re.match(r"(https?:)?//", at) for at in tree.xpath("//@src|//@href"))
    assert "url(" not in text
    assert "@import" not in text
    assert tree.findtext(".//h1") == PAGE.title
    assert NASTY in [p.text for p in tree.iter("p")]
    assert tree.xpath("//td/strong/text()") == ["1.0", "5.0"]
    assert [a.get("href") for a in tree.xpath("//td/sup/a")] == ["#one-2-a", "#one-2-b"]
    assert tree.xpath("//li[@id='one-2-a']")
    assert tree.xpath("//td[@class='close first']/text()") == ["-0.5≈"]
    assert tree.xpath("//figure/*[@role='img']/@aria-label") == ["A chart"]
    # Every row fills its columns, spans counted.
    for table in tree.iter("table"):
        widths = set()
        open_spans = 0
        for row in table.iter("tr"):
            cells = row.xpath("./td|./th")
            width = sum(int(cell.get("colspan", 1)) for cell in cells)
            if any(cell.get("rowspan") for cell in cells):
                open_spans = sum(1 for cell in cells if cell.get("rowspan"))
                widths.add(width)
            elif row.getparent().tag == "tbody":
                widths.add(width + open_spans)
            else:
                widths.add(width)
        assert len(widths) == 1


def test_latex_has_the_rows_and_escapes() -> None:
    text = render(PAGE, "latex")
    assert r"\usepackage{booktabs}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    tables = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    lines = [line for line in tables[0].splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in lines] == [5] * 4
    assert r"\textbf{1.0}" in text
    assert r"1.5\textsuperscript{a,b}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex: apt-get install texlive")
def test_latex_compiles_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(render(PAGE, "latex").replace("é", "e"), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_plain_text_cuts_nothing_and_needs_no_colour() -> None:
    text = render(PAGE, "table")
    assert "\x1b" not in text
    assert "*1.0" in text
    assert "1.5ᵃᵇ" in text
    assert "-0.5≈" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_small_terminal_gets_the_narrow_table_in_colour() -> None:
    narrow, wide = to_text(PAGE, screen=60), to_text(PAGE, screen=300)
    assert "\x1b[" in narrow
    assert "MUC" not in narrow.split("Signatures")[0].split("Caption")[1]
    assert "MUC" in wide
    # The omission is reported.
    assert "Some columns only" in narrow
    assert "Some columns only" not in wide


def test_csv_and_json_contain_all_sections() -> None:
    records = list(csv.DictReader(io.StringIO(render(PAGE, "csv"))))
    assert [r["section"] for r in records] == ["one", "two"]
    assert records[0]["ours"] == "0.5"
    content = json.loads(render(PAGE, "json"))
    assert content["citation"] == "c"
    assert content["rows"][1]["ours"] is None


def test_an_unknown_format() -> None:
    assert "html" in FORMATS
    with refused("name-unknown", "unknown format", "'htm'"):
        render(PAGE, "htm")


def test_a_section_of_one_table_is_still_a_document() -> None:
    page = Page("Title", (Section("two", "", (BARE,)),))
    assert page.table is None
    assert render(page, "latex").startswith(r"\documentclass")
    assert render(page, "html").startswith("<!DOCTYPE html>")
    assert render(page, "markdown").startswith("# Title")


def test_a_page_without_data_is_empty_for_machines() -> None:
    page = Page("Title", (Section("two", "", (BARE,)),))
    assert render(page, "csv") == "section\n"
    assert json.loads(render(page, "json")) == {"rows": []}


def test_a_quotation_is_the_same_text_in_every_format() -> None:
    quotes = Quotes("Storm", quotes=((("A ", "storm", " came."), "b"),))
    page = Page("x", (Section("x", "", (quotes,)),))
    assert "A [storm] came. (b)" in render(page, "markdown")
    assert "A [storm] came. (b)" in render(page, "table")
    assert "A <mark>storm</mark> came.</p>\n<footer>b</footer>" in render(page, "html")
