"""The published tables of two shared tasks, their arithmetic, and the user's own results in them.

``conll``: Pradhan et al. (2014), table 1, the rescored systems of CoNLL-2011 and 2012. ``crac``:
Žabokrtský et al. (2022), tables 4 to 8. OntoNotes and the submissions cannot be shipped: without
files the tables are shown as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from cdec.configs import read_table
from cdec.errors import UsageError, one_of
from cdec.evaluation.presets import Preset, find_preset
from cdec.evaluation.results import Results

TASKS = {"crac": "crac22", "conll": "conll12"}
_CONLL = "tables/conll_pradhan2014_table1.csv"
_CRAC = "tables/crac2022_table{}.csv"
_HEADS = ("track", "system")
# A mean of rounded numbers may differ by this from the rounded mean.
_ROUNDING = {"conll": 0.1, "crac": 0.0051}


@dataclass(frozen=True)
class Check:
    """A printed mean that is not the mean of its row."""

    row: str
    printed: float
    computed: float


def preset_of(task: str) -> Preset:
    """Return the preset of a shared task; raises UnknownNameError.

    >>> preset_of("crac").title
    'CRAC 2022'
    """
    return find_preset(TASKS[one_of("shared task", task, TASKS)])


def printed(name: str) -> pd.DataFrame:
    """Return a printed table: ``conll``, or the number of a table of CRAC 2022.

    >>> printed("conll").iloc[0]["system"], float(printed("conll").iloc[0]["conll"])
    ('lee', 51.5)
    """
    frame = pd.DataFrame(read_table(_CONLL if name == "conll" else _CRAC.format(name)))
    numbers = [name for name in frame if name not in _HEADS]
    return frame.astype(dict.fromkeys(numbers, float))


def checks(task: str) -> tuple[int, list[Check]]:
    """Return the number of printed means, and those that are not the mean of their row.

    CoNLL: the mean of MUC, B³ and CEAF_e. CRAC: the primary score of table 4 is the mean over the
    data sets of table 6.

    >>> rows, wrong = checks("conll")
    >>> rows, [(check.row, check.printed, round(check.computed, 1)) for check in wrong]
    (52, [('2011-english kobdani', 38.7, 40.8), ('2012-english stamborg', 54.2, 54.5)])
    >>> checks("crac")
    (9, [])
    """
    if task == "conll":
        table = printed("conll")
        means = table[["muc", "b3", "ceafe"]].mean(axis=1)
        names, totals = table["track"] + " " + table["system"], table["conll"]
    else:
        table, main = printed("6"), printed("4")
        means = table.drop(columns="system").mean(axis=1)
        names, totals = main["system"], main["primary"]
    rows = zip(names, totals, means, strict=True)
    wrong = [Check(*row) for row in rows if abs(row[1] - row[2]) > _ROUNDING[task] + 1e-9]
    return len(table), wrong


def datasets_of(task: str) -> list[str]:
    """Return the data sets of a shared task, as printed.

    >>> datasets_of("conll")
    ['2011-english', '2012-english', '2012-chinese', '2012-arabic']
    """
    if task == "conll":
        return list(printed("conll")["track"].unique())
    return [name for name in printed("6").columns if name != "system"]


def check_datasets(task: str, names: list[str]) -> None:
    """Raise UsageError for a data set that the shared task does not have."""
    known = datasets_of(task)
    for name in names:
        if name not in known:
            message = f"'{name}' is not a data set of the task"
            raise UsageError("name-unknown", message, hint=f"one of {', '.join(known)}")


def filled(task: str, scored: Results | None) -> pd.DataFrame:
    """Return the printed scores in tidy form, with those of the user where there are files.

    Columns: dataset, system, metric, printed, computed; percent. A system without printed scores
    has rows too. Missing values are NaN.
    """
    rows = _tidy(task)
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


def _tidy(task: str) -> pd.DataFrame:
    if task == "conll":
        table = printed("conll").rename(columns={"track": "dataset"})
        return table.melt(["dataset", "system"], var_name="metric", value_name="printed")
    table = printed("6").melt("system", var_name="dataset", value_name="printed")
    return table.assign(metric="conll")[["dataset", "system", "metric", "printed"]]
