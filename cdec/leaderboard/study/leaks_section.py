"""The section on gold information: what systems declare, what their files show, and the bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cdec.leaderboard.study.tables import Study
from cdec.leaderboard.study.task import STRICT_TO_LENIENT
from cdec.render.numbers import percent
from cdec.render.page import Grid, Section, anchor
from cdec.settings import label_of

_GIVEN = ("mentions", "sentences", "topics", "pairs", "singletons")


def leaks_section(study: Study, task: str) -> Section:
    """Return the gold information that each system uses, and what agrees with it in the file."""
    leaks = study.leaks[study.leaks["task"] == task].set_index("system")
    entries = study.systems.set_index("name").loc[leaks.index]
    declared = entries[list(_GIVEN)].astype(object)
    table = declared.where(declared.notna(), "not declared")
    counts = leaks.drop(columns="task").dropna(axis=1, how="all")
    shown = table.rename(columns=str.capitalize).reset_index(names="System")
    shown["Gold topics, by the file"] = [
        _topics(use, row)
        for use, row in zip(table["topics"], counts.to_dict("records"), strict=True)
    ]
    linked = counts["singletons"] > 0
    shown["Gold singletons, by the file"] = np.where(linked, "excluded", "possible")
    for name in counts:
        title = "gold singletons linked" if name == "singletons" else f"chains over {name}s"
        shown[title] = [f"{value:.1f}" for value in counts[name]]
    below = [
        "Declared by the file or its paper. Chains over …: chains of the response with mentions of "
        "two gold groups (closure: documents joined by gold chains), mean of the runs.",
        "By the file: gold topics are “excluded” if chains cross every kind of group, “possible” "
        "if they cross none of one kind, which does not prove their use; a declared use “agrees” "
        "or is “contradicted”. Gold singletons are excluded if a chain links one. No file shows "
        "whether pairs were filtered by gold; the mentions are checked when a file is scored.",
    ]
    grid = Grid.from_frame(f"{task}: gold information", shown, 1, below)
    return Section(
        anchor("leaks", task), f"What gold leaks: {task}", (grid, *_bounds(study, task)), shown
    )


def _topics(use: object, crossed: Mapping[Any, Any]) -> str:
    """Return what a response shows about the use of gold topics, given the declared use."""
    kept = any(crossed[name] == 0 for name in ("topic", "subtopic", "closure") if name in crossed)
    if use == "gold":
        return "agrees" if kept else "contradicted"
    return "possible" if kept else "excluded"


def _bounds(study: Study, task: str) -> Iterator[Grid]:
    rows = study.bounds[study.bounds["task"] == task]
    if rows.empty:
        return
    table = rows.pivot(index=["knows", "singletons"], columns="setting", values="conll")
    order = [
        name for name in ("nothing", "topic", "subtopic", "closure") if name in set(rows["knows"])
    ]
    names = [name for name in STRICT_TO_LENIENT if name in table]
    shown = [
        {"Knows": knows, "Gold singletons": "known" if single else "unknown"}
        | {label_of(name): percent(_at(table, (knows, single), name)) for name in names}
        for knows in order
        for single in (False, True)
    ]
    below = [
        "CoNLL F of a response that links all mentions in each group: a system without any model."
    ]
    yield Grid.from_frame(f"{task}: “yes to all pairs”", pd.DataFrame(shown), 2, below)


def _at(table: Any, row: object, column: object) -> float:
    return float(table.loc[row, column])
