"""The tidy table as people read it: one row a system, metrics side by side, in percent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.metrics import ALL, REGISTRY
from cdec.render.numbers import percent
from cdec.render.page import Page

Placed = tuple[str, str, str, str]  # group, column, metric, field
# Table 3 of Upadhyay et al. (2016), then what came later; other metrics follow, as they are given.
_FIRST = (
    *("muc", "b3", "ceafe", "blanc_coref", "blanc_noncoref", "blanc"),
    *("conll", "avg4", "lea", "ceafm"),
)
_NARROWED = "F1 only: a wider terminal, a pipe or --format shows precision and recall too"


def layout(metrics: Iterable[str]) -> tuple[Placed, ...]:
    """Return the columns of these metrics, in the order of the table."""
    shown = dict.fromkeys(metrics)
    names = [*(n for n in _FIRST if n in shown), *(n for n in shown if n not in _FIRST)]
    return tuple((c.group, c.name, n, c.field) for n in names for c in REGISTRY[n].columns)


LAYOUT = layout(ALL)


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
    """Return a table of text: the columns ``heads`` (column → title), then ``layout``.

    ``frame`` is tidy, one row a combination of heads and metric; a metric that it lacks has no
    column.
    """
    placed = layout(frame["metric"])
    groups = frame.groupby(list(heads), sort=False, dropna=False)
    rows = [[*names, *_cells(part.set_index("metric"), placed)] for names, part in groups]
    titles = [(title, "") for title in heads.values()]
    columns = [*titles, *((group, name) for group, name, *_ in placed)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))


def _cells(part: pd.DataFrame, placed: Sequence[Placed]) -> list[str]:
    return [percent(part.loc[metric, field]) for _, _, metric, field in placed]  # type: ignore[arg-type]
