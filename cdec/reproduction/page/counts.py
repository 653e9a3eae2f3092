"""Table 1: the corpus in numbers, ours, the print and the difference."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.render.page import Cell, Grid, Line, Row
from cdec.reproduction.page.cells import footnotes, marked, marks

_VIEWS = {"annotation": "By annotation, as the paper counts", "size": "By cluster size"}
_FEW = 5  # mentions or chains


def count_grid(view: str, compared: pd.DataFrame) -> Grid:
    """Return one view of ``compared_counts`` (or of statistics without a print)."""
    table = compared[compared["view"] == view]
    known = marks(table["notes"])
    parts = list(dict.fromkeys(table["part"]))
    rows = tuple(
        _row(str(name), part.set_index("part").loc[parts], known)
        for name, part in table.groupby("row", sort=False)
    )
    has_print = bool(table["printed"].notna().any())
    legend = f"Difference: = none, ~ at most {_FEW}, ! more."
    return Grid(
        _VIEWS[view],
        ("Count",),
        tuple(("", part) for part in parts),
        rows,
        footnotes(known),
        (legend,) if has_print else (),
    )


def _row(name: str, row: pd.DataFrame, known: Mapping[str, str]) -> Row:
    has_print = bool(row["printed"].notna().any())
    lines = [Line("ours" if has_print else "", tuple(Cell(f"{count}") for count in row["ours"]))]
    if has_print:
        printed = (
            Cell(f"{r['printed']:.0f}", notes=marked(r["notes"], known))
            for r in row.to_dict("records")
        )
        differences = (_difference(int(value)) for value in row["difference"])
        lines += [Line("print", tuple(printed)), Line("difference", tuple(differences))]
    return Row((name,), tuple(lines))


def _difference(count: int) -> Cell:
    tone, sign = (
        ("close", "=") if count == 0 else ("fair", "~") if abs(count) <= _FEW else ("far", "!")
    )
    return Cell(f"{count:+d}{sign}" if count else sign, tone=tone)
