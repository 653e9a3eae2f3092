"""What gold information gives away: what systems declare, what their files show, and the bound.

The bound is "yes to all pairs": all mentions of a gold group in one chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.evaluation.response import SystemRun
from cdec.leaderboards.score import Run
from cdec.metrics.scores import score
from cdec.render.numbers import percent
from cdec.render.page import Grid, Section, anchor
from cdec.settings import Setting, label_of
from cdec.settings.catalog import STRICT_TO_LENIENT

if TYPE_CHECKING:
    from cdec.leaderboards.study.tables import Study

_LEVELS = ("topic", "subtopic")


def document_closure(mentions: pd.DataFrame) -> Ints:
    """Return the component of each mention's document; gold chains join documents.

    >>> table = pd.DataFrame({"doc": ["a", "b", "c"], "key": [1, 1, 2]})
    >>> document_closure(table).tolist()
    [0, 0, 1]
    """
    docs, chains = pd.factorize(mentions["doc"])[0], pd.factorize(mentions["key"])[0]
    known = chains >= 0
    size = int(docs.max()) + 1
    ends = (docs[known], size + chains[known])
    whole = size + int(chains.max()) + 1
    graph = coo_array((np.ones(int(known.sum())), ends), shape=(whole, whole))
    return np.asarray(connected_components(graph, directed=False)[1][docs], dtype=np.int64)


def units_of_gold(run: Run) -> dict[str, Ints]:
    """Return the groups of mentions that gold information gives: name → group per mention."""
    table = run.mentions
    found = {name: pd.factorize(table[name])[0] for name in _LEVELS if name in table}
    groups = {name: np.asarray(codes) for name, codes in found.items() if codes.max() > 0}
    return {**groups, "closure": document_closure(table)}


def crossings(run: Run) -> dict[str, int]:
    """Return, for each kind of gold groups, the number of response chains in two of them.

    ``singletons`` is the number of gold singletons in a longer chain. 0 agrees with the use of the
    gold information, and does not prove it.
    """
    response = run.mentions["response"]
    counts = {
        name: int(pd.Series(groups).groupby(response).nunique().gt(1).sum())
        for name, groups in units_of_gold(run).items()
    }
    single = run.mentions["key"].map(run.mentions["key"].value_counts()) == 1
    joined = response.map(response.value_counts()) > 1
    return {**counts, "singletons": int((single & joined).sum())}


def bounds(run: Run, settings: tuple[Setting, ...]) -> Iterator[dict[str, object]]:
    """Yield the CoNLL F1 of "yes to all pairs" inside gold groups, per setting.

    The response puts all mentions of a group in one chain; ``singletons`` says whether the gold
    singletons are known, too, and stay alone.
    """
    table, key = run.mentions, run.mentions["key"]
    single = (key.map(key.value_counts()) == 1).to_numpy()
    groups = {"nothing": np.zeros(len(table), dtype=np.int64), **units_of_gold(run)}
    for name, codes in groups.items():
        for known in (False, True):
            alone = np.arange(len(table)) + int(codes.max()) + 1
            labels = pd.Series(np.where(single & known, alone, codes), table.index)
            yes = SystemRun("", table[[*run.columns]], Clustering(key.dropna()), Clustering(labels))
            for setting in settings:
                f1 = score(yes.meta_documents(setting), ["conll"])["conll"].f1
                row = {"knows": name, "singletons": known, "setting": setting.name}
                yield {**row, "conll": f1}


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
    names = [setting.name for setting in STRICT_TO_LENIENT if setting.name in table]
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
