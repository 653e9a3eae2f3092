"""A table of shares, shaded, with the numbers in the cells."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from cdec.render.charts.canvas import INK, RULE, axes_svg

_LETTERS = 60  # of the titles of all columns, side by side


def heat_map(
    title: str,
    description: str,
    rows: Sequence[str],
    columns: Sequence[str],
    shares: Sequence[Sequence[float | None]],
) -> str:
    """Return the chart as SVG: row × column, in percent; the number says what the shade shows.

    A share that is None is a dash. A title of a column that is too long has several lines.
    """
    values = np.array(shares, dtype=float)
    highest = np.nanmax(values, initial=0) or 1.0
    letters = max(1, _LETTERS // len(columns))
    heads = ["\n".join(wrap(c.replace("_", " "), letters, break_long_words=False)) for c in columns]

    def draw(axes: Any) -> None:
        look = {"cmap": "Greys", "vmin": 0, "vmax": 1.3 * highest, "edgecolor": RULE}
        axes.pcolormesh(np.nan_to_num(values), **look)
        for (row, column), share in np.ndenumerate(values):
            text = "–" if np.isnan(share) else f"{100 * share:.1f}"
            colour = "white" if share > 0.7 * highest else INK
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)
        axes.set_xticks(np.arange(len(heads)) + 0.5, heads, fontsize="small")
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.invert_yaxis()

    return axes_svg(draw, height=0.9 + 0.4 * len(rows), about=(title, description))
