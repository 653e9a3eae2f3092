"""Cells of a reproduced table: rounded once; a colour and sign show the size of a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from cdec.evaluation.view import LAYOUT
from cdec.render.numbers import percent, points
from cdec.render.page import Cell
from cdec.reproduction.printed import notes, paper
from cdec.settings import label_of

Lines: TypeAlias = list[tuple[str, Iterable[str | Cell]]]  # of a row: name and cells
HEADS = ("Setting", "System")
_SIGNS = {"close": "≈", "fair": "~", "far": "!"}
# System id → label in the paper.
LABELS = {name: label for label, name in paper().systems.items()}
COLUMNS = tuple((group, name) for group, name, *_ in LAYOUT)
F_LAYOUT = tuple(c for c in LAYOUT if c[3] == "f1" and not c[2].startswith("blanc_"))
NARROW = tuple(number for number, c in enumerate(LAYOUT) if c in F_LAYOUT)


def heads(setting: str, system: str) -> tuple[str, str]:
    """Return the labels of a setting and a system, as papers write them."""
    return label_of(setting), LABELS.get(system, system)


def cells(
    frame: pd.DataFrame,
    value: str,
    make: Callable[[Any], str | Cell] | None = None,
    layout: Sequence[Any] = LAYOUT,
) -> tuple[str | Cell, ...]:
    """Return ``make`` (a score) of the value in each column of ``layout``, or a dash.

    ``frame`` is one row of the table, tidy (metric, field); without a ``value`` the cell is a dash.
    """
    present = frame.dropna(subset=value)
    values = present.set_index(["metric", "field"])[value].to_dict()
    write = make or score_cell
    return tuple(
        write(values[metric, field]) if (metric, field) in values else "–"
        for *_, metric, field in layout
    )


def score_cell(value: float, best: float | None = None, marks: Iterable[str] = ()) -> Cell:
    """Return a score in percent; in bold if it equals the best after rounding."""
    text = percent(value)
    return Cell(text, best is not None and text == percent(best), notes=tuple(marks))


def difference_cell(difference: float) -> Cell:
    """Return a difference (in [−1, 1]) in points, with its sign and tone."""
    rule = paper().agreement
    size = abs(difference) * 100
    tone = "close" if size <= rule["close"] else "fair" if size <= rule["fair"] else "far"
    return Cell(f"{points(difference)}{_SIGNS[tone]}", tone=tone)


def legend() -> str:
    """Return the legend of the signs after a difference."""
    rule = paper().agreement
    return (
        "Print: the published value. Difference: ours minus print, in points, before rounding; "
        f"≈ at most {rule['close']:.1f}, ~ at most {rule['fair']:.1f}, ! more. Bold (* in plain "
        "text): the best of a setting."
    )


def marks(used: Iterable[str]) -> Mapping[str, str]:
    """Return note id → mark (a, b, …) of the notes in ``used``, in the order of ``notes``."""
    present = {name for ids in used for name in ids.split(";")}
    ordered = [name for name in notes() if name in present]
    return {name: chr(ord("a") + number) for number, name in enumerate(ordered)}


def marked(ids: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the marks of a cell's notes."""
    return tuple(known[name] for name in ids.split(";") if name in known)


def footnotes(known: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return (mark, text) of the notes."""
    return tuple((mark, notes()[name]) for name, mark in known.items())
