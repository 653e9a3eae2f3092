"""The sections of the page of a study, one function each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.errors import counted
from cdec.leaderboards.study.facts import STUDY
from cdec.leaderboards.study.orders import compare_orders
from cdec.leaderboards.study.task import TaskView, factorial, significant_reversals
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Block, Cell, Grid, Section, Text, anchor
from cdec.render.table import Table, grid_of_lines
from cdec.settings import label_of

_ORDERS = Table(
    "Pairs of {systems} systems, CoNLL F",
    {
        "first": ("Setting", label_of),
        "second": ("and", label_of),
        "ordered": ("pairs", ","),
        "share": ("reversed", percent),
        "across": ("between families", percent),
        "within": ("within", percent),
        "certain": "certain",
        "tau": ("τ", ".2f"),
        "by_topics": "by topics",
        "by_families": "by families",
    },
    "Reversed: share of the pairs that both settings order, in percent. Between families: the "
    "mean over pairs of families, so that each counts once; within: both of one family.\n"
    "Certain: pairs that differ under both settings with p < 0.05 (t test over topics and "
    "runs, not corrected for the number of pairs), and how many of them are reversed.\n"
    "τ: Kendall's τ_a; intervals over resampled topics, and over resampled families.",
    heads=2,
)
_CHOICES = Table(
    "{task}: one choice alone",
    {
        "choice": "Choice",
        "step": "Step",
        "n": ("combinations", str),
        "mean": ("reversed", percent),
        "least": ("least", percent),
        "most": ("most", percent),
    },
    heads=2,
)


def scores_section(view: TaskView, title: str) -> Section:
    """Return the scores: three lines a system, with intervals."""
    entries, settings = view.study.systems.set_index("name"), view.settings
    rows = [
        (
            (name, str(entries.loc[name, "family"])),
            [
                (REGISTRY[m].label, [_score(view, name, s, m) for s in settings])
                for m in STUDY["shown"]
            ],
        )
        for name in view.f1.index[np.argsort(view.ranked, kind="stable")]
    ]
    below = ["Mean of the runs ± standard deviation; in brackets 95 % intervals by topics."]
    if view.interval(view.systems[0], "pure") is None:
        below = ["Mean of the runs ± standard deviation. One topic: there are no intervals."]
    below += [f"Not ranked, people or gold links: {s}." for s in view.f1.index[~view.ranked]]
    titles, table = map(label_of, settings), view.study.scores
    shown = (table["task"] == view.name) & table["system"].isin(view.systems)
    grid = grid_of_lines(title, ("System", "Family"), titles, rows, below=tuple(below))
    return Section(anchor("scores", view.name), f"Scores: {view.name}", (grid,), table[shown])


def _score(view: TaskView, name: str, setting: str, metric: str) -> Cell:
    f1, deviation = view.mean(name, setting, metric)
    spread = "" if pd.isna(deviation) else f" ± {percent(deviation)}"
    ends = view.interval(name, setting, metric)
    within = f" [{percent(ends[0])}, {percent(ends[1])}]" if ends else ""
    ranked = pd.Series(view.scores(setting, metric), view.systems)[view.ranked]
    text = percent(f1)
    return Cell(f"{text}{spread}{within}", best=name in ranked and text == percent(ranked.max()))


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
    records = data.to_dict("records")
    shown = data.assign(
        certain=[_certain(row) for row in records],
        by_topics=[_ends(row, "low", "high") for row in records],
        by_families=[_ends(row, "families_low", "families_high") for row in records],
    )
    grid = _ORDERS.grid(shown, systems=len(view.systems))
    grid = replace(grid, below=(*grid.below, *_drawn(view)))
    name = f"Orders: {view.name}"
    return Section(anchor("orders", view.name), name, (grid,), data.assign(task=view.name))


def _certain(row: Any) -> str:
    return f"{row['confirmed']} of {row['significant']}" if pd.notna(row.get("low")) else "–"


def _drawn(view: TaskView) -> Iterator[str]:
    tests = view.study.tests
    for about in tests[tests["task"] == view.name].head(1).to_dict("records") if len(tests) else ():
        yield f"{about['resamples']} resamples by {about['unit']}, seed {about['seed']}."


def _ends(row: Any, low: str, high: str) -> str:
    return f"[{row[low]:.2f}, {row[high]:.2f}]" if pd.notna(row.get("low")) else "–"


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
        blocks.append(_CHOICES.grid(table, task=view.name))
        tables.append(table.assign(task=view.name))
    return Section("components", "Which choice it is", tuple(blocks), pd.concat(tables))


def metrics_section(view: TaskView) -> Section:
    """Return the share of reversed pairs by metric."""
    steps = [p for p in combinations(view.settings, 2) if "pure" in p]
    names = [name for name in REGISTRY.own if ("pure", name) in view.f1]
    pure = view.scores("pure")
    rows = [
        {"Metric": REGISTRY[name].label}
        | {label_of(b): percent(view.orders(a, b, name).share) for a, b in steps}
        | {
            "as CoNLL": percent(
                compare_orders(view.scores("pure", name), pure, view.families).share
            )
        }
        for name in names
    ]
    below = [
        "Columns: pairs ordered differently under PURE-CDEC and this setting, in percent. Last: "
        "pairs that the metric and CoNLL order differently, both under PURE-CDEC."
    ]
    table = pd.DataFrame(rows)
    grid = Grid.from_frame(f"{view.name}: reversed pairs by metric", table, 1, below)
    return Section(anchor("metrics", view.name), f"By metric: {view.name}", (grid,), table)


def own_section(view: TaskView) -> Section:
    """Return what changes if each side drops its own singletons instead of the key's."""
    rows = []
    for setting, own in STUDY["own"].items():
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
