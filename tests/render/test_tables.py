"""One table in six formats: complete, escaped, rounded once."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from cdec.render import FORMATS, Page, render
from cdec.render.latex import marked
from cdec.render.terminal import to_text
from tests.refusals import refused

AWKWARD = "<script>alert('x')</script> | a_b & 50% $1 #2 {c} ~ ^ \\ δ B³ A − B ±1 ≤ × → ≈ …"
LATEX = (
    r"\textless{}script\textgreater{}alert('x')\textless{}/script\textgreater{} \textbar{} "
    r"a\_b \& 50\% \$1 \#2 \{c\} $\sim$ \textasciicircum{} \textbackslash{} $\delta$ "
    r"B\textsuperscript{3} A $-$ B $\pm$1 $\le$ $\times$ $\to$ $\approx$ \ldots{}"
)


def table(rows: int = 2, title: str = "", notes: tuple[str, ...] = ("a:1|b:2",)) -> Page:
    columns = pd.MultiIndex.from_tuples([("System", ""), ("CEAF_e", "P"), ("CEAF_e", "F")])
    view = pd.DataFrame([[AWKWARD, "12.3", "–"]] * rows, columns=columns)
    data = pd.DataFrame({"system": [AWKWARD] * rows, "f1": [1 / 3] * rows, "n": [None] * rows})
    return Page.from_table(view, data, title=title, notes=notes, about={"digest": "d" * 64})


class Cells(HTMLParser):
    """The texts of the cells of a page, and its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.elements: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.texts += [""] if tag in ("td", "th") else []

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data


def cells(text: str) -> Cells:
    parser = Cells()
    parser.feed(text)
    return parser


def test_an_unknown_format_is_an_error() -> None:
    assert list(FORMATS) == ["table", "markdown", "latex", "csv", "json", "html"]
    with refused("name-unknown", "unknown format", "'latex'?"):
        render(table(), "latecs")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("rows", [0, 1, 200])
def test_every_row_is_there_and_the_text_ends_with_one_line_end(format: str, rows: int) -> None:
    text = render(table(rows), format)
    assert text.count("alert") == rows
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html"])
def test_text_formats_show_title_and_notes(format: str) -> None:
    text = render(table(title="Chain 7 [x]", notes=("one|two", "three")), format)
    for part in ("Chain 7 [x]", "one|two", "three"):
        assert part in text


def test_csv_has_raw_values() -> None:
    (head, row, _) = csv.reader(io.StringIO(render(table(), "csv")))
    assert head == ["system", "f1", "n"]
    assert row == [AWKWARD, repr(1 / 3), ""]


def test_json_has_raw_values_null_and_metadata() -> None:
    def refuse(text: str) -> None:
        raise AssertionError(text)

    content = json.loads(render(table(1), "json"), parse_constant=refuse)
    assert content == {
        "digest": "d" * 64,
        "rows": [{"system": AWKWARD, "f1": 1 / 3, "n": None}],
    }


def test_html_escapes_markup() -> None:
    parsed = cells(render(table(1, title="<b>", notes=("<i>&",)), "html"))
    assert AWKWARD in map(str.strip, parsed.texts)
    assert not parsed.elements & {"script", "b", "i"}
    assert {"table", "caption", "thead", "tbody"} <= parsed.elements


def test_html_cuts_no_long_cell() -> None:
    name = "x" * 500
    view = pd.DataFrame({"System": [name]})
    assert name in render(Page.from_table(view, view), "html")


def test_markdown_has_one_line_for_each_row() -> None:
    lines = render(table(), "markdown").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 4
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert widths == {4}
    assert "CEAF_e P" in rows[0]


def test_latex_is_escaped_and_a_booktabs_table() -> None:
    text = render(table(title="50%", notes=("a\nb",)), "latex")
    lines = text.splitlines()
    assert lines[:3] == ["% 50%", "% a b", r"% in the preamble: \usepackage{booktabs}"]
    assert lines[3] == r"\begin{tabular}{lrr}"
    assert [lines.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert r"System & \multicolumn{2}{c}{CEAF\_e} \\" in lines
    assert f"{LATEX} & 12.3 & -- \\\\" in lines
    body = [line for line in lines if line.endswith(r"\\")]
    assert {_columns(line) for line in body} == {3}
    assert lines[-1] == r"\end{tabular}"


def test_latex_columns_of_numbers_are_aligned_right() -> None:
    cells = {"Unit": ["36", "macro"], "F": ["1.0 [0.5, 2.0]", "–"], "±": ["76.2 ± 1.0", "−0.3"]}
    view = pd.DataFrame({**cells, "Better": ["b", "cannot tell"], "95 %": ["[−2.3, +5.0]", "–"]})
    text = render(Page.from_table(view, view), "latex")
    assert r"\begin{tabular}{lrrlr}" in text


def test_latex_folds_a_long_line_into_comments() -> None:
    signature = "|".join(f"field{number}:{'x' * number}" for number in range(40))
    text = render(table(notes=(signature,)), "latex")
    above = text.partition(r"% in the preamble")[0].splitlines()
    assert all(line.startswith("% ") and len(line) <= 100 for line in above)
    assert signature in "".join(line.removeprefix("% ") for line in above)


def test_latex_has_the_best_in_bold() -> None:
    """Of the rows of one setting, as shown: ties too, missing numbers never, one row never."""
    view = pd.DataFrame(
        {
            "Setting": ["a", "a", "a", "b", "c", "c"],
            "F": ["9.9 ± 0.1", "10.0 [9.0, 11.0]", "–", "50.0", "–", "–"],
            "G": ["7.0", "7.0", "1.0", "9.0", "–", "0.0"],
        }
    )
    page = Page.from_table(view, view).with_table(best=[1, 2], within=[0])
    assert page.table is not None
    best = [[cell.best for cell in row.lines[0].cells] for row in marked(page.table).rows]
    assert best == [
        [False, False, True],
        [False, True, True],
        *[[False] * 3] * 3,
        [False, False, True],
    ]
    assert render(page, "latex").count(r"\textbf{") == 4
    for name in ("table", "markdown", "html"):
        assert render(page, name) == render(Page.from_table(view, view), name)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex: apt-get install texlive")
def test_latex_compiles_with_booktabs(tmp_path: Path) -> None:
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    tabular = render(table(title=AWKWARD), "latex")
    (tmp_path / "table.tex").write_text(f"{head}{tabular}\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def _columns(line: str) -> int:
    spans = [int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
    return len(re.findall(r"(?<!\\)&", line)) + 1 + sum(spans)


def test_latex_cuts_no_large_table() -> None:
    view = pd.DataFrame({"n": ["1"] * 30}).assign(**{f"c{i}": "2" for i in range(4)})
    with pd.option_context("styler.render.max_elements", 20):
        text = render(Page.from_table(view, view), "latex")
    assert text.count("1 & 2 & 2 & 2 & 2") == 30


def test_plain_text_is_neither_coloured_nor_cut() -> None:
    view = pd.DataFrame({"System": ["x" * 300], "F": ["1.0"]})
    text = to_text(Page.from_table(view, view, notes=("n" * 300,)))
    assert "\x1b" not in text
    assert "x" * 300 in text
    assert "n" * 300 in text


def test_a_narrow_screen_gets_the_narrow_table_whole() -> None:
    wide = pd.DataFrame({"System": ["x" * 60], "P": ["1.0"], "F": ["2.0"]})
    page = Page.from_table(wide, wide).with_table(narrow=[0, 2], narrowed="no P here")
    assert "1.0" in to_text(page, screen=80)
    small = re.sub("\x1b\\[[0-9;]*m", "", to_text(page, screen=68))
    assert "1.0" not in small
    assert small.rstrip().endswith("no P here")
    assert "2.0" in small
    assert "x" * 60 in to_text(page, screen=20)


def test_only_html_names_the_column_axis() -> None:
    view = pd.DataFrame({"train": ["1"]}).rename_axis(columns="part")
    page = Page.from_table(view, view)
    assert "part" in map(str.strip, cells(render(page, "html")).texts)
    assert not any("part" in render(page, name) for name in FORMATS if name != "html")
