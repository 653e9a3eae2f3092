"""The sections of the page of a study, one function each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.errors import counted
from cdec.leaderboard.study.orders import compare_orders
from cdec.leaderboard.study.view import TaskView, factorial, significant_reversals
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Block, Cell, Grid, Line, Row, Section, Text, anchor
from cdec.settings import label_of

_SHOWN = ("conll", "avg4", "lea")
_OWN = {"is": "scope=corpus,ignore_singletons=own", "ycf": "scope=subtopic,ignore_singletons=own"}


def scores_section(view: TaskView, title: str) -> Section:
    """Return the scores: three lines a system, with intervals."""
    entries = view.study.systems.set_index("name")
    rows = []
    for name in view.systems:
        lines = tuple(
            Line(REGISTRY[m].label, tuple(_score(view, name, s, m) for s in view.settings))
            for m in _SHOWN
        )
        rows.append(Row((name, str(entries.loc[name, "family"])), lines))
    columns = tuple(("", label_of(s)) for s in view.settings)
    below = ["Mean of the runs ± standard deviation; in brackets 95 % intervals by topics."]
    if view.interval(view.systems[0], "pure") is None:
        below = ["Mean of the runs ± standard deviation. One topic: there are no intervals."]
    grid = Grid(title, ("System", "Family"), columns, tuple(rows), below=tuple(below))
    return Section(anchor("scores", view.name), f"Scores: {view.name}", (grid,), _data(view))


def _score(view: TaskView, name: str, setting: str, metric: str) -> Cell:
    f1, deviation = view.mean(name, setting, metric)
    spread = "" if pd.isna(deviation) else f" ± {percent(deviation)}"
    ends = view.interval(name, setting, metric)
    within = f" [{percent(ends[0])}, {percent(ends[1])}]" if ends else ""
    best = view.f1[setting, metric].max()
    text = percent(f1)
    return Cell(f"{text}{spread}{within}", best=text == percent(best))


def _data(view: TaskView) -> pd.DataFrame:
    table = view.study.scores
    return table[(table["task"] == view.name) & table["system"].isin(view.systems)]


def orders_section(view: TaskView) -> Section:
    """Return how often two settings order two systems differently."""
    taus = view.study.taus
    rows = []
    for a, b in combinations(view.settings, 2):
        orders = view.orders(a, b)
        row: dict[str, object] = {"first": a, "second": b, **vars(orders), "share": orders.share}
        if not taus.empty:
            known = taus[(taus["task"] == view.name) & (taus["metric"] == "conll")]
            known = known[known["first"].isin([a, b]) & known["second"].isin([a, b])]
            ends = ("low", "high", "families_low", "families_high")
            row |= {end: float(known[end].iloc[0]) for end in ends} if len(known) else {}
        rows.append(row)
    data = pd.DataFrame(rows).sort_values("share", ascending=False, kind="stable")
    shown = pd.DataFrame([_orders(row) for row in data.to_dict("records")])
    below = [
        "Reversed: share of the pairs that both settings order, in percent. Between families: the "
        "mean over pairs of families, so that each counts once; within: both of one family.",
        "Certain: pairs that differ under both settings with p < 0.05 (t test over topics and "
        "runs, not corrected for the number of pairs), and how many of them are reversed.",
        "τ: Kendall's τ_a; intervals over resampled topics, and over resampled families.",
        *_drawn(view),
    ]
    grid = Grid.from_frame(f"Pairs of {len(view.systems)} systems, CoNLL F", shown, 2, below)
    name = f"Orders: {view.name}"
    return Section(anchor("orders", view.name), name, (grid,), data.assign(task=view.name))


def _orders(row: dict[Any, Any]) -> dict[str, str]:
    known = "low" in row and not pd.isna(row["low"])
    certain = f"{row['confirmed']} of {row['significant']}" if known else "–"
    return {
        "Setting": label_of(str(row["first"])),
        "and": label_of(str(row["second"])),
        "pairs": f"{row['ordered']:,}",
        "reversed": percent(row["share"]),
        "between families": percent(row["across"]),
        "within": percent(row["within"]),
        "certain": certain,
        "τ": f"{row['tau']:.2f}",
        "by topics": _ends(row, "low", "high") if known else "–",
        "by families": _ends(row, "families_low", "families_high") if known else "–",
    }


def _drawn(view: TaskView) -> Iterator[str]:
    tests = view.study.tests
    for about in tests[tests["task"] == view.name].head(1).to_dict("records") if len(tests) else ():
        yield f"{about['resamples']} resamples by {about['unit']}, seed {about['seed']}."


def _ends(row: dict[Any, Any], low: str, high: str) -> str:
    return f"[{row[low]:.2f}, {row[high]:.2f}]"


def components_section(views: list[TaskView]) -> Section:
    """Return which of the three choices reorders systems, all others fixed."""
    blocks: list[Block] = [
        Text(
            "A setting is three choices: scope, singletons, reduction within documents. Each row "
            "changes one of them and fixes the two others, in all combinations; the share of "
            "reversed pairs is the mean over these combinations, with the least and the greatest. "
            "“key” removes the singletons of the key from both sides, “own” each side's own."
        )
    ]
    tables = []
    for view in views:
        table = factorial(view)
        shown = pd.DataFrame(
            {
                "Choice": table["choice"],
                "Step": table["step"],
                "combinations": table["n"].astype(str),
                "reversed": table["mean"].map(percent),
                "least": table["least"].map(percent),
                "most": table["most"].map(percent),
            }
        )
        blocks.append(Grid.from_frame(f"{view.name}: one choice alone", shown, 2))
        tables.append(table.assign(task=view.name))
    return Section("components", "Which choice it is", tuple(blocks), pd.concat(tables))


def metrics_section(view: TaskView) -> Section:
    """Return the share of reversed pairs by metric."""
    steps = [p for p in combinations(view.settings, 2) if "pure" in p]
    names = [name for name in REGISTRY.own if ("pure", name) in view.f1]
    rows = [
        {"Metric": REGISTRY[name].label}
        | {label_of(b): percent(view.orders(a, b, name).share) for a, b in steps}
        | {"as CoNLL": percent(_against_conll(view, name))}
        for name in names
    ]
    below = [
        "Columns: pairs ordered differently under PURE-CDEC and this setting, in percent. Last: "
        "pairs that the metric and CoNLL order differently, both under PURE-CDEC."
    ]
    table = pd.DataFrame(rows)
    grid = Grid.from_frame(f"{view.name}: reversed pairs by metric", table, 1, below)
    return Section(anchor("metrics", view.name), f"By metric: {view.name}", (grid,), table)


def _against_conll(view: TaskView, name: str) -> float:
    scores = view.scores("pure", name), view.scores("pure")
    return compare_orders(*scores, view.families).share


def own_section(view: TaskView) -> Section:
    """Return what changes if each side drops its own singletons instead of the key's."""
    rows = []
    for setting, own in _OWN.items():
        if setting not in view.settings or (own, "conll") not in view.f1:
            continue
        gap = view.scores(own) - view.scores(setting)
        rows.append(
            {
                "Setting": label_of(setting),
                "mean change": points(float(gap.mean())),
                "least": points(float(gap.min())),
                "greatest": points(float(gap.max())),
                "reversed, key and own": percent(view.orders(setting, own).share),
                "reversed, PURE-CDEC and own": percent(view.orders("pure", own).share),
                "reversed, PURE-CDEC and key": percent(view.orders("pure", setting).share),
            }
        )
    table = pd.DataFrame(rows)
    grid = Grid.from_frame(f"{view.name}: own singletons instead of the key's", table)
    return Section(anchor("own", view.name), f"Own singletons: {view.name}", (grid,), table)


def reversed_section(view: TaskView, first: str, second: str, most: int = 12) -> Section:
    """Return the pairs that are certain under both settings, and reversed."""
    rows = sorted(significant_reversals(view, first, second), key=lambda r: -float(str(r["first"])))
    names = label_of(first), label_of(second)
    sentence = (
        f"{counted(len(rows), 'pair')} of systems differ with p < 0.05 under {names[0]} and under "
        f"{names[1]}, in opposite directions."
    )
    table = pd.DataFrame(
        [
            {
                f"Better under {names[0]}": row["better"],
                "than": row["worse"],
                names[0]: points(float(str(row["first"]))),
                "p": f"{row['p_first']:.4f}",
                names[1]: points(float(str(row["second"]))),
                "p ": f"{row['p_second']:.4f}",
            }
            for row in rows[:most]
        ]
    )
    blocks: list[Block] = [Text(sentence)]
    if len(table):
        blocks.append(Grid.from_frame(f"{view.name}: the first {len(table)}, in points", table, 2))
    data = pd.DataFrame(rows)
    return Section(
        anchor("reversed", view.name, first), f"Certain reversals: {view.name}", tuple(blocks), data
    )


def by_origin(view: TaskView, marked: str) -> Bools:
    """Return which systems were trained on data whose name contains ``marked``."""
    trained = view.study.systems.set_index("name")["trained_on"]
    return np.array([marked in str(trained[name]) for name in view.systems])
