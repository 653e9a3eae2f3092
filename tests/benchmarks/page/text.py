"""The rows as a page in Markdown: nothing in it is measured elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.page.files import BY_DOCUMENT
from tests.benchmarks.page.peers import NAMES
from tests.benchmarks.page.rows import NOT_RUN, Row

DIVIDED = """The same files without the join: chains end with their document. This is what coval,
corefud-scorer and the CoNLL scorer are made for.
"""
TEMPLATE = Path(__file__).with_name("page.md")


def page(rows: list[Row]) -> str:
    """Return the page."""
    of = {name: [row for row in rows if row.table == name] for name in _TABLES}
    about = {row.case: row.note for row in of["about"]}
    command = about.pop("command")
    real, divided, made = (
        "\n".join(_case(row, of["files"]) for row in of["cases"] if _kind(row) == kind)
        for kind in ("real", "divided", "made")
    )
    return TEMPLATE.read_text("utf-8").format(
        about=_table(["", ""], map(list, about.items())),
        tools=_table(["Tool", "Version", "Metrics"], map(_tool, of["tools"])),
        real=real,
        divided=f"{DIVIDED}\n{divided}\n" if divided else "",
        made=made,
        cores=_cores(of["cores"]),
        start=_start(of["start"]),
        command=command,
    )


def paper_table(rows: list[Row]) -> str:
    """The tools on the first real case, for the paper."""
    case = next(row.case for row in rows if row.table == "cases")
    here = [row for row in rows if row.table == "files" and row.case == case]
    tools = [row for row in here if row.tool == "cdec, conll" or not row.tool.startswith("cdec")]
    head = ["Tool", *(NAMES[metric] for metric in _PRINTED), "time", "peak (MiB)"]
    return _table(head, map(_printed, tools))


def in_paper(rows: list[Row], paper: str) -> str:
    """Return the paper with the table of ``rows``."""
    before, rest = paper.split(_BEGIN)
    return f"{before}{_BEGIN}\n{paper_table(rows)}\n{_END}{rest.split(_END)[1]}"


def _printed(row: Row) -> list[str]:
    values = {name: f1 for name, _, _, f1 in map(str.split, filter(None, row.values.split("; ")))}
    scores = [f"{float(values[name]):.1f}" if name in values else "–" for name in _PRINTED]
    if not row.values:
        return [f"{row.tool} ({row.note})", *scores, "–", "–"]
    return [row.tool, *scores, row.ratio or "1", row.peak]


_PRINTED = ("muc", "b3", "ceafe", "lea")
_BEGIN, _END = "<!-- benchmarks -->\n", "<!-- /benchmarks -->"
_TABLES = ("about", "tools", "cases", "files", "cores", "start")
_LEFT = {"", "Tool", "Version", "Metrics", "Process"}


def _kind(row: Row) -> str:
    if row.case.startswith("made up"):
        return "made"
    return "divided" if row.case.endswith(BY_DOCUMENT) else "real"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    rule = ["---" if name in _LEFT else "---:" for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, rule, *rows])


def _tool(row: Row) -> list[str]:
    return [row.case, row.version or row.note, row.metrics]


def _case(case: Row, files: list[Row]) -> str:
    head = f"**{case.case}**: {int(case.mentions):,} mentions, {case.note}\n\n"
    here = [row for row in files if row.case == case.case]
    rows = [_file(row) for row in here if row.note != NOT_RUN]
    left_out = ", ".join(row.tool for row in here if row.note == NOT_RUN)
    tail = (
        f"\nNot run, because it had no result on a smaller file: {left_out}.\n" if left_out else ""
    )
    return head + _table(["Tool", "Seconds", "Ratio", "Peak MiB", "Difference"], rows) + tail


def _file(row: Row) -> list[str]:
    name = f"**{row.tool}**" if row.tool.startswith("cdec") else row.tool
    if not row.values:
        return [name, row.note, "–", "–", "–"]
    return [name, row.cpu, row.ratio or "1", row.peak, _points(row.difference)]


def _points(text: str) -> str:
    """A difference below the last digit of every tool is none."""
    if not text:
        return "–"
    return "0" if float(text) == 0 else text


def _cores(rows: list[Row]) -> str:
    first = rows[0] if rows else None
    named = [
        [row.tool, row.wall, row.cpu, f"{float(first.wall) / float(row.wall):.2f}", row.peak]
        if row.wall and first and first.wall
        else [row.tool, row.note, "–", "–", "–"]
        for row in rows
    ]
    head = ["Processes", "Wall seconds", "Processor seconds", "Times faster", "Peak MiB"]
    return f"`{rows[0].case}`:\n\n{_table(head, named)}" if rows else ""


def _start(rows: list[Row]) -> str:
    base = float(rows[0].cpu)
    named = ([row.case, row.cpu, f"{float(row.cpu) / base:.2f}", row.peak] for row in rows)
    return _table(["Process", "Seconds", "Ratio", "Peak MiB"], named)
