"""The published tables of two shared tasks, their arithmetic, and the user's own results in them.

``conll``: Pradhan et al. (2014), table 1, the rescored systems of CoNLL-2011 and 2012. ``crac``:
Žabokrtský et al. (2022), tables 4 to 8. OntoNotes and the submissions cannot be shipped: without
files the tables are shown as printed. What is printed where: ``configs/tables/shared_tasks.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pandas as pd

from cdec.configs import read_table, read_toml
from cdec.errors import UsageError, counted
from cdec.errors.notices import Notice
from cdec.evaluation.datasets import Pair, score_files
from cdec.evaluation.presets import find_preset
from cdec.evaluation.results import Results
from cdec.matching.policy import FilePolicy
from cdec.render import Page
from cdec.render.page import Block, Grid, Section, Text
from cdec.render.table import Table
from cdec.signature import in_json

_HEADS = ["track", "system"]
_BESIDE = "printed → computed from the files of the call"
_WRONG = Table(
    "",
    {"row": "Row", "printed": ("printed", ".1f"), "computed": ("mean of the row", ".1f")},
)


@cache
def _facts(task: str) -> dict[str, Any]:
    return dict(read_toml("tables/shared_tasks.toml")[task])


def printed(table: str) -> pd.DataFrame:
    """Return a printed table of ``configs/tables``.

    >>> printed("crac2022_table4").iloc[0]["primary"]
    np.float64(70.72)
    """
    frame = pd.DataFrame(read_table(f"tables/{table}.csv"))
    return frame.astype({name: float for name in frame if name not in _HEADS})


def checked_means(task: str) -> tuple[int, pd.DataFrame]:
    """Return the number of printed means, and those that are not the mean of their row.

    >>> rows, wrong = checked_means("conll")
    >>> rows, wrong["row"].tolist(), wrong["printed"].tolist(), wrong["computed"].round(1).tolist()
    (52, ['2011-english kobdani', '2012-english stamborg'], [38.7, 54.2], [40.8, 54.5])
    >>> rows, wrong = checked_means("crac")
    >>> rows, len(wrong)
    (9, 0)
    """
    facts, means = _facts(task), _facts(task)["means"]
    table, totals = printed(facts["table"]), printed(means["table"])
    heads = [name for name in _HEADS if name in table]
    rows = pd.DataFrame(
        {
            "row": totals[heads].agg(" ".join, axis=1),
            "printed": totals[means["column"]],
            "computed": table[means.get("of", table.columns.drop(heads))].mean(axis=1),
        }
    )
    outside = (rows["printed"] - rows["computed"]).abs() > facts["rounding"] + 1e-9
    return len(rows), rows[outside]


def tidy_print(task: str) -> pd.DataFrame:
    """Return the printed scores: dataset, system, metric, printed (percent).

    >>> tidy_print("crac").head(1).to_dict("records")
    [{'dataset': 'ca_ancora', 'system': 'straka', 'metric': 'conll', 'printed': 78.18}]
    """
    facts = _facts(task)
    table = printed(facts["table"]).rename(columns={"track": "dataset"})
    if "metric" not in facts:
        return table.melt(["dataset", "system"], var_name="metric", value_name="printed")
    rows = table.melt("system", var_name="dataset", value_name="printed")
    return rows.assign(metric=facts["metric"])[["dataset", "system", "metric", "printed"]]


def filled(task: str, scored: Results | None) -> pd.DataFrame:
    """Return ``tidy_print`` with the column ``computed``: the scores of the user's files.

    A system without printed scores has rows too. Missing values are NaN.
    """
    rows = tidy_print(task)
    if scored is None:
        return rows.assign(computed=float("nan"))
    own = scored.frame.assign(
        computed=100 * scored.frame["f1"],
        dataset=scored.frame["corpus"],
        system=scored.frame["system"].str.lower(),
    )[["dataset", "system", "metric", "computed"]]
    own = own[own["metric"].isin(rows["metric"].unique())]
    keys = ["dataset", "system", "metric"]
    table = rows.merge(own, how="left", on=keys)
    new = own[~pd.MultiIndex.from_frame(own[keys]).isin(pd.MultiIndex.from_frame(rows[keys]))]
    return pd.concat([table, new.assign(printed=float("nan"))], ignore_index=True)


def scored_task(task: str, texts: Sequence[str]) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    Raises UsageError for another text, and for a data set that the task does not have.
    """
    pairs, known = [Pair.parse(text) for text in texts], tidy_print(task)["dataset"].unique()
    for pair in pairs:
        if pair.dataset not in known:
            message = f"'{pair.dataset}' is not a data set of the task"
            raise UsageError("name-unknown", message, hint=f"one of {', '.join(known)}")
    if not pairs:
        return task_page(task, None), ()
    preset = find_preset(_facts(task)["preset"])
    policy = FilePolicy(**preset.policy)
    scored = score_files(pairs, scope="document", metrics=preset.metrics, policy=policy)
    return task_page(task, scored), scored.notices


def task_page(task: str, scored: Results | None) -> Page:
    """Return the page of ``conll`` or ``crac``."""
    facts, table = _facts(task), filled(task, scored)
    title = find_preset(facts["preset"]).title
    sections = [Section("printed", facts["source"], tuple(_main(task, table)), table)]
    sections += [_further(name, text) for name, text in facts.get("further", {}).items()]
    sections.append(Section("arithmetic", "The arithmetic of the print", tuple(_checked(task))))
    given = set(scored.frame["corpus"]) if scored else set()
    missing = [name for name in tidy_print(task)["dataset"].unique() if name not in given]
    intro = (
        f"Computed with the preset of {title}. Without files: {', '.join(missing) or 'none'}.",
    )
    about = in_json(scored.signature) if scored else {}
    return Page(f"{title}: the print", tuple(sections), intro, about)


def _main(task: str, table: pd.DataFrame) -> Iterator[Block]:
    """Yield a table per track (CoNLL), or one of all data sets (CRAC)."""
    of_datasets = "metric" in _facts(task)
    across = "dataset" if of_datasets else "metric"
    for name, part in [("", table)] if of_datasets else table.groupby("dataset", sort=False):
        columns = list(dict.fromkeys(part[across]))
        rows = []
        for system, own in part.groupby("system", sort=False):
            cells = own.set_index(across)
            rows.append([system, *(_cell(cells, column) for column in columns)])
        view = pd.DataFrame(rows, columns=["System", *columns])
        yield Grid.from_frame(str(name), view, below=(_BESIDE,))


def _cell(cells: pd.DataFrame, column: str) -> str:
    """Return the printed score, and the computed one behind an arrow; a dash for a missing one."""
    if column not in cells.index:
        return "–"
    row = cells.loc[column].to_dict()
    values = (float(row[name]) for name in ("printed", "computed"))
    before, after = ("–" if pd.isna(value) else f"{value:.1f}" for value in values)
    return before if after == "–" else f"{before} → {after}"


def _further(name: str, title: str) -> Section:
    """Return a printed table; recall, precision and F1 of a metric are one column."""
    table = printed(name).rename(columns={"system": "System"})
    names = [column[:-2] for column in map(str, table) if column.endswith("_r")]
    if names:
        view = table[["System"]].assign(
            **{
                metric: table[[f"{metric}_{half}" for half in "rpf"]]
                .map("{:.0f}".format)
                .agg(" / ".join, axis=1)
                for metric in names
            }
        )
    else:
        view = table.set_index("System").map("{:.2f}".format).reset_index()
    return Section(name.rpartition("_")[2], title, (Grid.from_frame("", view),), pd.DataFrame())


def _checked(task: str) -> Iterator[Block]:
    rows, wrong = checked_means(task)
    yield Text(
        f"{counted(rows, 'printed mean')} checked; {len(wrong) or 'none'} not the mean of its row."
    )
    if len(wrong):
        yield _WRONG.grid(wrong)
