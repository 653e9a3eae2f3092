"""A table stated as data: the columns of a frame to show, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from cdec.render.page import Grid, Page

# How a value is written: a function, labels of some values, or a format of numbers (".2f").
Form: TypeAlias = Callable[[Any], str] | Mapping[Any, str] | str
# The columns to show, in order: name → title, or title and form.
Columns: TypeAlias = Mapping[str, str | tuple[str, Form]]


@dataclass(frozen=True)
class Table:
    """What a table shows of a frame; the first ``heads`` of its columns are the row heads.

    A line of ``legend`` is a paragraph. Title, titles of columns and legend may have placeholders
    for the values of ``grid`` and ``page``; ``{undefined}`` is the legend of a dash if a value is
    missing, else ''.

    >>> columns = {"kind": "Links", "f1": ("F", ".1%")}
    >>> links = Table("Links of {system}", columns, "F: in percent.{undefined}")
    >>> grid = links.grid(pd.DataFrame({"kind": ["all"], "f1": [None]}), system="a")
    >>> grid.caption, grid.texts, grid.below
    ('Links of a', [('–',)], ('F: in percent. –: undefined (0/0).',))
    """

    title: str
    columns: Columns
    legend: str = ""
    heads: int = 1

    def grid(self, frame: pd.DataFrame, **values: object) -> Grid:
        """Return the table of ``frame``; ``values`` fill the placeholders.

        >>> Table("", {"n": "{what}"}).grid(pd.DataFrame({"n": [1]}), what="Links").heads
        ('Links',)
        """
        title, view, legend = self._filled(frame, values)
        return Grid.from_frame(title, view, self.heads, legend)

    def page(
        self,
        frame: pd.DataFrame,
        *notes: str,
        about: Mapping[str, Any],
        data: pd.DataFrame | None = None,
        **values: object,
    ) -> Page:
        """Return the table as a page, with ``notes`` below the legend; ``data``: its raw values.

        >>> Table("", {"n": "Links"}).page(pd.DataFrame({"n": [1]}), "a note", about={}).table.below
        ('a note',)
        """
        title, view, legend = self._filled(frame, values)
        data = frame if data is None else data
        return Page.from_table(view, data, title=title, notes=(*legend, *notes), about=about)

    def _filled(
        self, frame: pd.DataFrame, values: Mapping[str, object]
    ) -> tuple[str, pd.DataFrame, list[str]]:
        """Return the title, the text of the columns, and the legend, without placeholders."""
        missing = frame[list(self.columns)].isna().any(axis=None)
        values = {**values, "undefined": " –: undefined (0/0)." if missing else ""}
        view = shown(frame, self.columns)
        view.columns = pd.Index([str(title).format(**values) for title in view.columns])
        legend = [line.format(**values) for line in self.legend.splitlines()]
        return self.title.format(**values), view, legend


def shown(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the columns as text, under their titles.

    >>> frame = pd.DataFrame({"kind": ["in", "all"], "n": [1200, 7], "tau": [0.5, 0.125]})
    >>> columns = {"kind": ("Links", {"in": "inside"}), "n": "Number", "tau": ("τ", ".2f")}
    >>> shown(frame, columns).to_numpy().tolist()
    [['inside', '1,200', '0.50'], ['all', '7', '0.12']]
    """
    text = {}
    for name, how in columns.items():
        title, form = (how, plain) if isinstance(how, str) else how
        text[title] = [_text(value, form) for value in frame[name].astype(object)]
    return pd.DataFrame(text)


def _text(value: Any, form: Form) -> str:
    if isinstance(form, str):
        return "–" if pd.isna(value) else format(value, form)
    return form(value) if callable(form) else form.get(value, plain(value))


def plain(value: Any) -> str:
    """Return a value as it is, an integer with separators; '' if it is missing.

    >>> plain(1234), plain("x"), plain(None)
    ('1,234', 'x', '')
    """
    if pd.isna(value):
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)
