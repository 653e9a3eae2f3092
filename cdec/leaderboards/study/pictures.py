"""The pictures of a study: ranks, two settings against each other, and reversals."""

from __future__ import annotations

import pandas as pd

from cdec.leaderboards.study.task import TaskView
from cdec.render.charts import Point, Slope, heat_map, scatter_chart, slope_chart
from cdec.render.numbers import percent
from cdec.render.page import Chart
from cdec.settings import label_of


def ranks_chart(view: TaskView) -> Chart:
    """Return the ranks of all systems under each setting; eight of them have a label."""
    settings, shown = view.settings, view.chosen()
    ranks = {s: pd.Series(-view.scores(s)).rank(method="min").tolist() for s in settings}
    slopes = [
        Slope(name, tuple(ranks[s][number] for s in settings), name in shown)
        for number, name in enumerate(view.systems)
    ]
    described = "; ".join(
        f"{slope.label}: {', '.join(f'{rank:g}' for rank in slope.ranks)}"
        for slope in slopes
        if slope.shown
    )
    heads = [label_of(s) for s in settings]
    title = f"Rank under each setting, {view.name}"
    caption = (
        f"Rank of {len(slopes)} systems by CoNLL F ({', '.join(heads)}): the best of each family "
        f"and those that move most have a label. {described}."
    )
    return Chart(slope_chart(title, described, heads, slopes), caption)


def scatter(view: TaskView, first: str = "simple", second: str = "pure") -> Chart:
    """Return CoNLL under two settings, with the intervals of both, by family."""
    points = [
        Point(family, x, y, view.interval(name, first), view.interval(name, second))
        for name, family, x, y in zip(
            view.systems, view.families, view.scores(first), view.scores(second), strict=True
        )
    ]
    axes = label_of(first), label_of(second)
    title = f"{axes[0]} and {axes[1]}, {view.name}"
    described = "; ".join(
        f"{name}: {percent(p.x)}, {percent(p.y)}"
        for name, p in zip(view.systems, points, strict=True)
    )
    caption = f"CoNLL F under {axes[0]} (across) and {axes[1]} (up), by family of systems."
    if any(point.up for point in points):
        caption += " Lines are 95 % intervals."
    return Chart(scatter_chart(title, described, axes, points), caption)


def reversals(view: TaskView) -> Chart:
    """Return the share of pairs that two settings order differently, for all settings."""
    settings = view.settings
    names = [label_of(s) for s in settings]
    shares = [[view.orders(a, b).share if a != b else 0.0 for b in settings] for a in settings]
    described = "; ".join(
        f"{names[i]} and {names[j]}: {percent(shares[i][j])}"
        for i in range(len(names))
        for j in range(i)
    )
    title = f"Pairs ordered differently, {view.name}"
    caption = "Pairs of systems that two settings order differently, in percent (CoNLL F)."
    return Chart(heat_map(title, described, names, shares), caption)
