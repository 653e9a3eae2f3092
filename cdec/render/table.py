"""A table stated as data: the columns of a frame to show, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from cdec.render.page import Grid

# How a value is written: a function, labels of some values, or a format of numbers (".2f").
Form: TypeAlias = Callable[[Any], str] | Mapping[Any, str] | str
# The columns to show, in order: name → title, or title and form.
Columns: TypeAlias = Mapping[str, str | tuple[str, Form]]


@dataclass(frozen=True)
class Table:
    """What a table shows of a frame; the first ``heads`` of its columns are the row heads.

    A line of ``legend`` is a paragraph. Title, titles of columns and legend may have placeholders
    for the values of ``grid``; ``{undefined}`` is the legend of a dash if a value is
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

    def grid(self, frame: pd.DataFrame, *notes: str, **values: object) -> Grid:
        """Return the table of ``frame``, with ``notes`` below the legend.

        ``values`` fill the placeholders.

        >>> grid = Table("", {"n": "{what}"}).grid(pd.DataFrame({"n": [1]}), "a note", what="Links")
        >>> grid.heads, grid.below
        (('Links',), ('a note',))
        """
        missing = frame[list(self.columns)].isna().any(axis=None)
        values = {**values, "undefined": " –: undefined (0/0)." if missing else ""}
        forms = [(how, "") if isinstance(how, str) else how for how in self.columns.values()]
        columns = (
            [_text(value, form) for value in frame[name].astype(object)]
            for name, (_, form) in zip(self.columns, forms, strict=True)
        )
        titles = [title.format(**values) for title, _ in forms]
        return Grid(
            self.title.format(**values),
            tuple(titles[: self.heads]),
            tuple(("", title) for title in titles[self.heads :]),
            tuple(zip(*columns, strict=True)),
            (*(line.format(**values) for line in self.legend.splitlines()), *notes),
        )


def _text(value: Any, form: Form) -> str:
    """Return a value in its form, else as it is: an integer with separators, '' if missing.

    >>> _text(1234, ""), _text(None, ""), _text(0.125, ".2f"), _text("in", {"in": "inside"})
    ('1,234', '', '0.12', 'inside')
    """
    if callable(form):
        return form(value)
    if isinstance(form, str) and form:
        return "–" if pd.isna(value) else format(value, form)
    if isinstance(form, Mapping) and value in form:
        return form[value]
    if pd.isna(value):
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)
