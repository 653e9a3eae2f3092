"""Bars of two parts, right and not right, that add up to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cdec.render.charts.canvas import COLOURS, INK, axes_svg, shortened

_LETTERS = 16


@dataclass(frozen=True)
class Bar:
    """The share of ``right`` in right + ``other``; ``group`` is the heading of its bars."""

    label: str
    right: int
    other: int
    other_name: str
    group: str = ""


def bar_chart(title: str, description: str, bars: Sequence[Bar]) -> str:
    """Return the chart as SVG: shares as lengths, followed by the counts."""
    lines: list[Bar | str] = []  # a heading, then its bars
    for group, members in groupby(bars, key=lambda bar: bar.group):
        lines += [*([group] if group else []), *members]

    def draw(axes: Any) -> None:
        for at, bar in enumerate(lines):
            if isinstance(bar, str):
                continue
            whole = bar.right + bar.other
            share = bar.right / whole if whole else 0.0
            other = {
                "facecolor": "white",
                "hatch": "/////",
                "edgecolor": COLOURS[1],
                "linewidth": 0,
            }
            axes.barh(at, share, color=COLOURS[0])
            axes.barh(at, (1.0 - share) * (whole > 0), left=share, **other)
            axes.barh(at, 1.0, color="none", edgecolor=INK, linewidth=0.7)
            counts = f"{bar.right:,} right, {bar.other:,} {bar.other_name}"
            axes.text(1.02, at, counts if whole else "no links", va="center")
        labels = [bar if isinstance(bar, str) else shortened(bar.label, _LETTERS) for bar in lines]
        for label, bar in zip(axes.set_yticks(range(len(lines)), labels), lines, strict=True):
            label.label1.set_fontweight("bold" if isinstance(bar, str) else "normal")
        axes.set(xlim=(0, 1), ylim=(len(lines) - 0.5, -0.5), xticks=[])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return axes_svg(draw, height=0.4 + 0.26 * len(lines), about=(title, description))
