"""What the paper could not show: intervals, lost mentions, the other split, the ranking."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from cdec.evaluation.experiment import Result
from cdec.render.numbers import percent
from cdec.render.page import Cell, Grid, Line, Row
from cdec.reproduction.material import STRICT_TO_LENIENT
from cdec.reproduction.page.cells import (
    COLUMNS,
    F_COLUMNS,
    F_LAYOUT,
    NARROW,
    cells,
    difference_cell,
    heads,
    score_cell,
)

_HEADS = ("Setting", "System")
_UNIT_NAMES = {"topic": "by topics", "subtopic": "by sub-topics"}


def interval_grid(caption: str, results: Iterable[Result], ends: pd.DataFrame) -> Grid:
    """Return F and its intervals (``cdec.reproduction.resampling``), one line a unit."""
    rows = []
    for result in results:
        here = ends[(ends["setting"] == result.setting.name) & (ends["system"] == result.system)]
        ours = tuple(score_cell(result.scores[metric].f1) for _, _, metric, _ in F_LAYOUT)
        lines = [Line("ours", ours)]
        lines += [
            Line(_UNIT_NAMES[str(unit)], cells(part, "low", _range, F_LAYOUT))
            for unit, part in here.groupby("unit", sort=False)
        ]
        rows.append(Row(heads(result.setting.name, result.system), tuple(lines)))
    return Grid(caption, _HEADS, F_COLUMNS, tuple(rows), narrow=_narrow())


def sensitivity_grid(caption: str, setting: str, simulated: pd.DataFrame) -> Grid:
    """Return the simulation of lost mentions: mean, standard deviation, print, difference.

    ``simulated``: system, metric, field, mean, sd, printed.
    """
    rows = []
    for system, part in simulated.groupby("system", sort=False):
        shown = part.assign(difference=part["mean"] - part["printed"])
        lines = [
            Line("simulated", cells(shown, "mean", lambda r: score_cell(r["mean"]))),
            Line("sd", cells(shown, "sd", lambda r: score_cell(r["sd"]))),
        ]
        if shown["printed"].notna().any():
            lines += [
                Line("print", cells(shown, "printed", lambda r: score_cell(r["printed"]))),
                Line(
                    "difference",
                    cells(shown, "difference", lambda r: difference_cell(r["difference"])),
                ),
            ]
        rows.append(Row(heads(setting, str(system)), tuple(lines)))
    return Grid(caption, _HEADS, COLUMNS, tuple(rows), narrow=NARROW)


def ranking_grid(caption: str, table: pd.DataFrame) -> Grid:
    """Return ``conll_by_setting`` as a table: the best of each setting in bold."""
    best = table.max()
    rows = tuple(
        Row(
            (heads("", str(system))[1],),
            (Line("", tuple(score_cell(row[name], best[name]) for name in table.columns)),),
        )
        for system, row in table.iterrows()
    )
    columns = tuple(("", setting.label) for setting in STRICT_TO_LENIENT)
    return Grid(caption, ("System",), columns, rows)


def _range(record: Mapping[Hashable, Any]) -> Cell:
    return Cell(f"{percent(record['low'])}–{percent(record['high'])}")


def _narrow() -> tuple[int, ...]:
    """Return the columns for a small terminal: the means."""
    return tuple(n for n, (_, _, metric, _) in enumerate(F_LAYOUT) if metric in ("conll", "avg4"))
