"""The page of a shared task: the printed tables, our numbers beside them, and the arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.datasets import Pair, score_pairs
from cdec.evaluation.results import Results
from cdec.matching.policy import FilePolicy
from cdec.notices import Notice
from cdec.render import Page
from cdec.render.page import Block, Grid, Section, Text
from cdec.reproduction.shared_tasks import (
    check_datasets,
    checks,
    datasets_of,
    filled,
    preset_of,
    printed,
)
from cdec.signature import in_json

_SOURCES = {
    "conll": "Pradhan et al. (2014), table 1",
    "crac": "Žabokrtský et al. (2022), table 6",
}
_ALSO = {
    "4": "Table 4: the primary score and its variants",
    "5": "Table 5: secondary metrics, recall / precision / F1",
    "7": "Table 7: zeros, recall / precision / F1",
    "8": "Table 8: CoNLL F1 by UPOS of heads",
}
_BESIDE = "printed → computed from the files of the call"


def scored_task(task: str, texts: Sequence[str]) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    Raises UsageError for another text, and for a data set that the task does not have.
    """
    pairs = [Pair.parse(text) for text in texts]
    check_datasets(task, [pair.dataset for pair in pairs])
    if not pairs:
        return task_page(task, None), ()
    preset = preset_of(task)
    policy = FilePolicy(**preset.policy)
    scored = score_pairs(pairs, scope="document", metrics=preset.metrics, policy=policy)
    return task_page(task, scored), scored.notices


def task_page(task: str, scored: Results | None) -> Page:
    """Return the page of ``conll`` or ``crac``."""
    table = filled(task, scored)
    sections = [Section("printed", _SOURCES[task], tuple(_main(task, table)), table)]
    if task == "crac":
        sections += [_further(number, title) for number, title in _ALSO.items()]
    sections.append(Section("arithmetic", "The arithmetic of the print", tuple(_checked(task))))
    given = list(scored.frame["corpus"].unique()) if scored else []
    missing = [name for name in datasets_of(task) if name not in given]
    intro = (
        f"Computed with the preset of {preset_of(task).title}. "
        f"Without files: {', '.join(missing) or 'none'}.",
    )
    about = in_json(scored.signature) if scored else {}
    return Page(f"{preset_of(task).title}: the print", tuple(sections), intro, about)


def _main(task: str, table: pd.DataFrame) -> Iterator[Block]:
    """Yield a table per track (CoNLL), or one of all data sets (CRAC)."""
    parts = table.groupby("dataset", sort=False) if task == "conll" else [("", table)]
    across = "metric" if task == "conll" else "dataset"
    for name, part in parts:
        columns = list(dict.fromkeys(part[across]))
        rows = []
        for system, own in part.groupby("system", sort=False):
            cells = own.set_index(across)
            rows.append([system, *(_cell(cells, column) for column in columns)])
        view = pd.DataFrame(rows, columns=["System", *columns])
        yield Grid.from_frame(str(name), view, below=(_BESIDE,))


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.1f}"


def _cell(cells: pd.DataFrame, column: str) -> str:
    if column not in cells.index:
        return "–"
    row = cells.loc[column].to_dict()
    before, after = _number(row["printed"]), _number(row["computed"])
    return before if after == "–" else f"{before} → {after}"


def _further(number: str, title: str) -> Section:
    table = printed(number)
    if number in ("5", "7"):
        names = list(dict.fromkeys(c.rpartition("_")[0] for c in table.columns if c != "system"))
        view = pd.DataFrame({"System": table["system"]})
        for name in names:
            parts = (table[f"{name}_{half}"].map("{:.0f}".format) for half in "rpf")
            view[name] = [" / ".join(cells) for cells in zip(*parts, strict=True)]
    else:
        shown = table.drop(columns="system").map("{:.2f}".format)
        view = pd.concat([table["system"].rename("System"), shown], axis=1)
    return Section(f"table{number}", title, (Grid.from_frame("", view),), pd.DataFrame())


def _checked(task: str) -> Iterator[Block]:
    rows, wrong = checks(task)
    yield Text(
        f"{counted(rows, 'printed mean')} checked; {len(wrong) or 'none'} not the mean of its row."
    )
    if wrong:
        view = pd.DataFrame(
            [(check.row, f"{check.printed:.1f}", f"{check.computed:.1f}") for check in wrong],
            columns=["Row", "printed", "mean of the row"],
        )
        yield Grid.from_frame("", view)
