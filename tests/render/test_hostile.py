"""Names and texts of a user's files in every format: shown as text, never run, never a new line."""

from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cdec.render import Page, render
from cdec.render.page import Cell, Grid, Line, Listing, Row, Section, Text
from cdec.render.terminal import to_text

HOSTILE = [
    "\x1b]0;title\x07\x1b[31mred",
    "a\nb",
    "a\r\nb | c",
    "\u202eright to left",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[link](javascript:alert(1))",
    "![image](http://example.org/x.png)",
    "[name]: http://example.org",
    "`code` and ``more``",
    "```",
    "*[2pt]",
    "[2pt] first",
    "=1+1",
    "+cmd",
    "-2",
    "@SUM(A1)",
    "Событие 事件",
    "a\\b",
    "a|b",
]
names = st.sampled_from(HOSTILE) | st.text(max_size=12).filter(lambda t: t.split() != [])
parser = MarkdownIt("commonmark").enable("table")


def table(name: str) -> Page:
    columns = pd.MultiIndex.from_tuples([("System", ""), (name, "F")])
    view = pd.DataFrame([[name, "12.3"], ["other", "45.6"]], columns=columns)
    data = pd.DataFrame({"system": [name, "other"], "f1": [-0.5, 0.5]})
    return Page.from_table(view, data, title=name, notes=(name,))


def document(name: str) -> Page:
    grid = Grid(name, (name,), (("", name),), (Row((name,), (Line("", (Cell(name),)),)),))
    blocks = (Text(name), grid, Listing(name, (name,)), Listing(name, (name,), folded=True))
    sections = (Section("s", name, blocks), Section("s", "other", ()))
    return Page(name, sections, (name,))


@given(names)
def test_no_control_character_reaches_a_terminal(name: str) -> None:
    for page in (table(name), document(name)):
        assert all(sign.isprintable() or sign == "\n" for sign in to_text(page))
    assert to_text(table(name)).count("\n") == to_text(table("plain")).count("\n")


@given(names)
def test_markdown_has_no_link_image_or_element(name: str) -> None:
    plain = [token.type for token in parser.parse(render(table("plain"), "markdown"))]
    assert [token.type for token in parser.parse(render(table(name), "markdown"))] == plain
    for page in (table(name), document(name)):
        for token in parser.parse(render(page, "markdown")):
            inner = {child.type for child in token.children or ()}
            assert not inner & {"link_open", "image", "html_inline"}
            assert token.type != "html_block" or re.match("</?details>", token.content)


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_rows_begin_with_no_option(name: str) -> None:
    for page in (table(name), document(name)):
        text = render(page, "latex")
        assert not re.search(r"(\\\\|rule)\s*[\[*]", text)
        assert text.count("\\begin{tabular}") == text.count("\\end{tabular}")


def test_latex_says_how_to_set_letters_outside_latin() -> None:
    assert r"\DeclareUnicodeCharacter{4E8B}{[U+4E8B]}" in render(table("事件"), "latex")
    assert "DeclareUnicodeCharacter" not in render(table("Événement"), "latex")
    whole = render(document("事件"), "latex")
    assert whole.index("DeclareUnicodeCharacter") < whole.index(r"\begin{document}")


@given(names)
def test_html_has_no_element_of_a_name(name: str) -> None:
    plain = re.findall(r"<\w+", render(document("plain"), "html"))
    assert re.findall(r"<\w+", render(document(name), "html")) == plain


@given(names)
def test_no_csv_cell_is_a_formula_and_numbers_stay(name: str) -> None:
    rows = list(csv.reader(io.StringIO(render(table(name), "csv"))))
    assert not rows[1][0].startswith(("=", "+", "-", "@"))
    assert [row[1] for row in rows[1:]] == ["-0.5", "0.5"]


def test_sections_have_ids_of_their_own() -> None:
    sections = tuple(Section(id_, id_, ()) for id_ in ("a", "a", "a-2", "a"))
    ids = [section.id for section in Page("", sections).sections]
    assert ids == ["a", "a-2", "a-2-2", "a-3"]
