"""The tidy table as people read it: one row a system, metrics side by side, in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.metrics import ALL
from cdec.render.numbers import percent
from cdec.render.page import Page

PRF = (("P", "precision"), ("R", "recall"), ("F", "f1"))
# (group, column, metric, field): Table 3 of Upadhyay et al. (2016), then what came later.
_PLACED = (
    *(("MUC", name, "muc", field) for name, field in PRF),
    *(("B³", name, "b3", field) for name, field in PRF),
    *(("CEAF_e", name, "ceafe", field) for name, field in PRF),
    ("BLANC", "PW", "blanc_coref", "f1"),
    ("BLANC", "PWN", "blanc_noncoref", "f1"),
    ("BLANC", "F", "blanc", "f1"),
    ("CoNLL", "F", "conll", "f1"),
    ("Avg-4", "F", "avg4", "f1"),
    ("LEA", "F", "lea", "f1"),
    ("CEAF_m", "F", "ceafm", "f1"),
)
_FURTHER = ALL.keys() - {metric for _, _, metric, _ in _PLACED}
# A metric that is registered and has no place here stands at the end, by its label.
LAYOUT = (*_PLACED, *((ALL[name].label, "F", name, "f1") for name in ALL if name in _FURTHER))
Column = tuple[str, str, str, str]
_NARROWED = "F1 only: a wider terminal, a pipe or --format shows precision and recall too"


def scores_page(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    data: pd.DataFrame,
    *,
    title: str = "",
    notes: Sequence[str],
    about: Mapping[str, Any],
) -> Page:
    """Return ``wide`` of ``frame`` as a page; a terminal of 80 characters shows F only."""
    view = wide(frame, heads)
    names = view.columns.get_level_values(1)
    narrow = [number for number, name in enumerate(names) if name in ("", "F")]
    return Page.from_table(
        view, data, title=title, notes=notes, about=about, narrow=narrow, narrowed=_NARROWED
    )


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text: the columns ``heads`` (column → title), then LAYOUT.

    ``frame`` is tidy, one row a combination of heads and metric; a metric that it lacks has no
    column.
    """
    shown = set(frame["metric"])
    layout = [column for column in LAYOUT if column[2] in shown]
    groups = frame.groupby(list(heads), sort=False, dropna=False)
    rows = [[*names, *_cells(part.set_index("metric"), layout)] for names, part in groups]
    titles = [(title, "") for title in heads.values()]
    columns = [*titles, *((group, name) for group, name, *_ in layout)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))


def _cells(part: pd.DataFrame, layout: Sequence[Column]) -> list[str]:
    return [percent(part.loc[metric, field]) for _, _, metric, field in layout]  # type: ignore[arg-type]
