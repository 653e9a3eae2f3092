"""The draft of the JOSS paper: sections, length, references, and numbers from their sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.benchmarks.page import rows, text

ROOT = Path(__file__).parents[1]
JOSS = ROOT / "docs" / "joss"
PAPER = (JOSS / "paper.md").read_text("utf-8")
BODY = PAPER.split("\n---\n", 1)[1]
SECTIONS = [
    "Summary", "Statement of need", "State of the field", "Software design",
    "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
]  # fmt: skip
LEAST, MOST = 750, 1750
# In the paper → the file that has the number, and how that says it.
SOURCES = {
    "over 47 F cells the mean absolute difference to the printed values is 1.16":
        ("RESULTS.md", "mean absolute difference of the 47 F cells", ": 1.16 points"),
    "published responses of 72 systems": ("docs/settings-decide.md", "72 published systems"),
    "Of 711 pairs of systems": ("docs/settings-decide.md", "of 711 pairs with p"),
    "105\nare in opposite order": ("docs/settings-decide.md", "105 are reversed"),
    "on five tasks": ("README.md", "72 systems, five tasks"),
    "1,780 in 805 chains": ("docs/benchmarks.md", "1,780 mentions, 805 chains"),
}  # fmt: skip
AS_DOCUMENTED = {"cdec": "75.9", "coval": "80.7", "corefud-scorer": "62.8", "scorch": "75.9"}
IN_THE_FIELD = {
    "cdec": "`cdec`, `--scope corpus`", "coval": "coval",
    "corefud-scorer": "corefud-scorer, defaults", "scorch": "scorch, from JSON",
}  # fmt: skip


def test_sections_and_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert re.findall(r"^# (.*)$", BODY, re.MULTILINE) == SECTIONS
    words = len(BODY.split())
    with capsys.disabled():
        print(f"\ndocs/joss/paper.md: {words} words, tables included")
    assert LEAST <= words <= MOST


def test_every_citation_is_a_reference_and_the_other_way_round() -> None:
    bibliography = (JOSS / "paper.bib").read_text("utf-8")
    entries = re.split(r"^@\w+\{", bibliography, flags=re.MULTILINE)[1:]
    keys = [entry.partition(",")[0] for entry in entries]
    assert len(keys) == len(set(keys))
    assert {*re.findall(r"@([a-z]+\d*)", BODY)} == {*keys}
    for entry in entries:
        assert re.search(r"^  (doi = \{10\.\d+/|url = \{https://)", entry, re.MULTILINE), entry


@pytest.mark.parametrize("sentence", SOURCES, ids=lambda sentence: sentence[:20])
def test_a_number_is_that_of_its_source(sentence: str) -> None:
    file, *words = SOURCES[sentence]
    assert sentence in BODY
    for word in words:
        assert word in (ROOT / file).read_text("utf-8")


def test_the_scores_called_as_documented_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "state-of-the-field.md").read_text("utf-8")
    [row] = re.findall(r"^\| CoNLL F1 of one response, .*$", BODY, re.MULTILINE)
    assert [cell.strip() for cell in row.split("|")[2:6]] == [*AS_DOCUMENTED.values()]
    for tool, score in AS_DOCUMENTED.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| {IN_THE_FIELD[tool]} |")
                  and line.count("|") == 8]  # fmt: skip
        assert line.split("|")[6].strip() == score


def test_the_measured_table_is_that_of_the_benchmarks() -> None:
    measured = rows.read(ROOT / "docs" / "benchmarks.csv")
    assert text.in_paper(measured, PAPER) == PAPER
    assert text.paper_table(measured) in PAPER


def test_the_checklist_names_files_that_exist() -> None:
    checklist = (JOSS / "checklist.md").read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", checklist) if "://" not in link]
    assert links
    assert [link for link in links if not (JOSS / link).exists()] == []
    lines = re.findall(r"^\| ([^*|-][^|]*) \| ([^|]*) \|$", checklist, re.MULTILINE)
    assert len(lines) == 1 + 25  # the head, and all that a reviewer checks of a submission
    assert all(answer.strip() for _, answer in lines)
