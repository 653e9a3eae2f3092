"""The page of a study: what it finds, its tables and pictures, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from cdec.errors import counted
from cdec.leaderboards.study.facts import Facts, Transfer, Without
from cdec.leaderboards.study.leaks import leaks_section
from cdec.leaderboards.study.orders import adjusted, compare_orders
from cdec.leaderboards.study.sections import (
    by_origin,
    components_section,
    metrics_section,
    orders_section,
    own_section,
    reversed_section,
    scores_section,
)
from cdec.leaderboards.study.tables import Study
from cdec.leaderboards.study.task import TaskView, factorial
from cdec.render.charts import Point, Slope, heat_map, scatter_chart, slope_chart
from cdec.render.numbers import percent, points
from cdec.render.page import Chart, Page, Section, Text
from cdec.settings import label_of


def study_page(study: Study, facts: Facts | None = None, pictures: bool = True) -> Page:
    """Return the page of a study; ``facts``: what its board says of itself."""
    facts = facts or Facts()
    sections = tuple(section for _, section in study_parts(study, facts, pictures))
    return Page(facts.title, sections, (facts.intro,))


def study_parts(study: Study, facts: Facts, pictures: bool = True) -> Iterator[tuple[str, Section]]:
    """Yield the sections of the page, each with its task; with '' those of several tasks.

    A task with one system has no order.
    """
    views = [TaskView.of(study, str(task)) for task in dict.fromkeys(study.scores["task"])]
    several = [view for view in views if view.ranked.sum() > 1]
    yield from _ordering(several, facts, pictures) if several else ()
    yield from ((view.name, leaks_section(study, view.name)) for view in views)
    for view in views:
        yield view.name, scores_section(view, f"{view.name}: F1 in percent")
    if facts.limits:
        limits = tuple(map(Text, facts.limits))
        yield "", Section("limits", "What this does not show", limits)


def _ordering(views: list[TaskView], facts: Facts, pictures: bool) -> Iterator[tuple[str, Section]]:
    """Yield the sections on the order of the systems."""
    yield "", Section("findings", "What comes out", tuple(map(Text, _findings(views, facts))))
    for view in views if pictures else ():
        f1, families = view.table()[view.ranked], np.array(view.families)[view.ranked].tolist()
        named = [name for pair in (facts.transfer.same if facts.transfer else ()) for name in pair]
        ranks = ranks_chart(view.name, f1, chosen(f1, families, named))
        charts = (ranks, reversals(view), scatter(view))
        yield view.name, Section(f"pictures-{view.name}", f"Pictures: {view.name}", charts)
    for view in views:
        yield view.name, orders_section(view)
        if view.p("pure") is not None:
            yield view.name, reversed_section(view, view.settings[-1], "pure")
    yield "", components_section(views)
    yield from ((view.name, metrics_section(view)) for view in views)
    yield from ((view.name, own_section(view)) for view in views)


def _findings(views: list[TaskView], facts: Facts) -> Iterator[str]:
    """Yield what the tables say about each task, and the comparisons that the board asks for."""
    for view in views:
        yield from _about(view)
    main = next((view for view in views if {"ycf", "pure"} <= set(view.settings)), None)
    if main is None:
        return
    if facts.without:
        yield from _part(main, facts.without)
    if facts.transfer:
        yield from _transfer(main, facts.transfer)


def _part(main: TaskView, left_out: Without) -> Iterator[str]:
    """Yield the shares without the systems to leave out, if there are some and others."""
    rest = main.without(left_out.prefixes)
    if 1 < len(rest.systems) < len(main.systems):
        yield (
            f"Without {left_out.title} ({len(rest.systems)} systems on {main.name}), the pairs "
            f"that PURE-CDEC orders differently are: {_shares(rest)}."
        )


def _shares(view: TaskView) -> str:
    others = [name for name in view.settings if name != "pure"]
    texts = (f"{label_of(n)} {percent(view.orders(n, 'pure').share)} %" for n in others)
    return ", ".join(texts)


def _about(view: TaskView) -> Iterator[str]:
    table = factorial(view)
    yield (
        f"{view.name}: {counted(len(view.systems), 'system')} of "
        f"{counted(len(set(view.families)), 'family', 'families')}. "
        f"Pairs that PURE-CDEC and another setting order differently: {_shares(view)}."
    )
    yield f"{view.name}: {_choices(table)}."
    lenient = view.settings[-1]
    orders = view.orders(lenient, "pure")
    if view.p("pure") is not None:
        yield (
            f"{view.name}: of {orders.significant:,} pairs with p < 0.05 under both "
            f"{label_of(lenient)} and PURE-CDEC, {orders.confirmed:,} are reversed; "
            f"{_discovered(view, lenient)}."
        )


def _choices(table: pd.DataFrame) -> str:
    """Return which of the three choices alone reverses most pairs, in words."""
    order = table.groupby("choice")["mean"].max().sort_values(ascending=False)
    most, *others = (
        table[table["choice"] == name].nlargest(1, "mean").iloc[0] for name in order.index
    )
    if not most["mean"]:
        return "none of the three choices alone reverses a pair"
    rest = "; ".join(f"{r['choice']} ({r['step']}) {percent(r['mean'])} %" for r in others)
    return (
        f"of the three choices, {most['choice']} ({most['step']}) alone reverses most pairs, "
        f"{percent(most['mean'])} % on average; {rest}"
    )


def _discovered(view: TaskView, lenient: str) -> str:
    """Return the certain reversals after correction for the number of pairs, in words."""
    p = [view.p(setting) for setting in (lenient, "pure")]
    corrected = [adjusted(table) for table in p if table is not None]
    scores = view.scores(lenient), view.scores("pure")
    orders = compare_orders(*scores, view.families, (corrected[0], corrected[1]))
    return (
        f"with p corrected for the number of pairs (Benjamini and Hochberg 1995), "
        f"{orders.confirmed:,} of {orders.significant:,}"
    )


def _transfer(view: TaskView, facts: Transfer) -> Iterator[str]:
    """Yield the comparison of systems that never saw the corpus with those trained on it.

    The pair with the greatest reversal of those with p < 0.05 under both settings, else of all.
    """
    here = by_origin(view, facts.here)
    elsewhere = by_origin(view, facts.elsewhere) & ~here
    ycf, pure = view.scores("ycf"), view.scores("pure")
    grid = np.meshgrid(np.flatnonzero(elsewhere), np.flatnonzero(here), indexing="ij")
    a, b = (numbers.ravel() for numbers in grid)
    if not len(a):
        return
    table = pd.DataFrame({"a": a, "b": b, "ycf": ycf[a] - ycf[b], "pure": pure[a] - pure[b]})
    p = {name: view.p(name) for name in ("ycf", "pure")}
    for name, values in p.items():
        table[f"p_{name}"] = 1.0 if values is None else values[a, b]
    turned = table[(table["ycf"] > 0) & (table["pure"] < 0)]
    certain = turned[(turned["p_ycf"] < 0.05) & (turned["p_pure"] < 0.05)]
    yield (
        f"{view.name}: of {len(table)} pairs of a system trained on {facts.elsewhere} and "
        f"not on {facts.here} with one trained on {facts.here}, the former is better under "
        f"YCF in {int((table['ycf'] > 0).sum())}, under PURE-CDEC in "
        f"{int((table['pure'] > 0).sum())}; {len(turned)} are better under YCF "
        f"and worse under PURE-CDEC, {len(certain)} of them with p < 0.05 under both."
    )
    shown = certain if len(certain) else turned
    if len(shown):
        most = shown.iloc[int((shown["ycf"] - shown["pure"]).to_numpy().argmax())]
        yield f"{_sentence(view, most)} It is the greatest reversal of these."
    names = np.array(view.systems)
    for _, row in table.iterrows():
        if (str(names[int(row["a"])]), str(names[int(row["b"])])) in facts.same:
            yield _sentence(view, row)


def _sentence(view: TaskView, row: pd.Series) -> str:
    names = (view.systems[int(row["a"])], view.systems[int(row["b"])])
    under = " and ".join(
        f"{points(row[setting])} points under {label_of(setting)}{_test(view, setting, row)}"
        for setting in ("ycf", "pure")
    )
    return f"{view.name}: {names[0]} against {names[1]}: {under}."


def _test(view: TaskView, setting: str, row: pd.Series) -> str:
    """Return the interval and p of a difference, if the task was resampled."""
    half, p = view.half_width(setting), view.p(setting)
    if half is None or p is None:
        return ""
    at = int(row["a"]), int(row["b"])
    low, high = row[setting] - half[at], row[setting] + half[at]
    doubt = "" if p[at] < 0.05 else ", not certain"
    return f" (95 % interval {points(low)} to {points(high)}, p = {p[at]:.4f}{doubt})"


def chosen(f1: pd.DataFrame, families: Sequence[str], named: Sequence[str] = ()) -> list[str]:
    """Return ``named``, the best of each family and, up to eight, those that move most.

    ``f1`` has a row per system, best first, and a column per setting. Movement is the difference of
    ranks between the first and the last setting.
    """
    first = {*f1.index.intersection(list(named)), *f1.index[~pd.Series(families).duplicated()]}
    ranks = (-f1).rank()
    moves = (ranks.iloc[:, 0] - ranks.iloc[:, -1]).abs().sort_values(ascending=False, kind="stable")
    names = list(dict.fromkeys(map(str, [*first, *moves.index])))[: max(8, len(first))]
    return [str(name) for name in f1.index if name in names]


def ranks_chart(task: str, f1: pd.DataFrame, shown: Sequence[str], metric: str = "CoNLL") -> Chart:
    """Return the ranks of all systems under each setting; those ``shown`` have a label.

    ``f1`` has a row per system, best first, and a column per setting.
    """
    ranks = (-f1).rank(method="min")
    slopes = [
        Slope(str(name), tuple(row), name in shown)
        for name, row in zip(f1.index, ranks.to_numpy().tolist(), strict=True)
    ]
    described = "; ".join(
        f"{slope.label}: {', '.join(f'{rank:g}' for rank in slope.ranks)}"
        for slope in slopes
        if slope.shown
    )
    heads = [label_of(str(s)) for s in f1]
    title = f"Rank under each setting, {task}"
    caption = (
        f"Rank of {len(slopes)} systems by {metric} F ({', '.join(heads)}): the best of each "
        f"family and others that move much have a label. {described}."
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
    shares = [[view.orders(a, b).share if a != b else None for b in settings] for a in settings]
    described = "; ".join(
        f"{names[i]} and {names[j]}: {percent(shares[i][j])}"
        for i in range(len(names))
        for j in range(i)
    )
    title = f"Pairs ordered differently, {view.name}"
    caption = "Pairs of systems that two settings order differently, in percent (CoNLL F)."
    return Chart(heat_map(title, described, names, names, shares), caption)
