"""What a leaderboard has, and the table of a task, from its saved results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.errors import FormatError, one_of
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.facts import OF_RUN, declared
from cdec.leaderboards.table import (
    COVERAGE,
    SCORES,
    coverage_text,
    ranked,
    ranks_of,
    results_of,
    signatures_of,
    wide,
)
from cdec.metrics import COUNT_COLUMNS, REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.render.page import WIDTH, Grid, Page, Section, spread
from cdec.settings import label_of
from cdec.signature import in_json

MAIN = DEFAULT[-1]
_HEAD = ["corpus", "split", "setting", "system", "metric"]
_DATA = [*_HEAD, *SCORES[:3], *COUNT_COLUMNS, *SCORES[3:], "runs", COVERAGE, "task"]
_UNRANKED = (
    "below the rule, without a rank: people, and systems that were given gold links"
)
_BELOW = "`cdec leaderboard show --task TASK` has a table, `cdec leaderboard site` all pages."


def board_page(board: Leaderboard) -> Page:
    """Return the page of what the board has: its tasks, and its systems by name.

    Its data are all saved scores, with what is declared. Raises FormatError for results that are
    missing or not valid.
    """
    rows = results_of(board)
    lines = []
    data = [pd.DataFrame()]
    for name, task in board.tasks.items():
        of_task = rows[rows["task"] == name]
        texts = _texts(board, of_task, MAIN)
        best = "–"
        score = "–"
        best_first = ranked(board, texts)
        if len(best_first):
            best = str(best_first.index[0])
            score = f"{texts.loc[best].iloc[0]} ({texts.columns[0]})"
        line = {
            "Task": name,
            "Rows": str(len(texts)),
            "Best": best,
            REGISTRY[MAIN].label: score,
            "Title": task.title,
        }
        lines.append(line)
        if len(of_task):
            data.append(_data(board, of_task, name, texts.index))
    systems = [
        {"System": name, "Title": submission.title}
        for name, submission in board.submissions.items()
    ]
    blocks = (
        replace(Grid.from_frame("Tasks", pd.DataFrame(lines), 0, [_BELOW]), most=WIDTH),
        replace(Grid.from_frame("Systems", pd.DataFrame(systems), 0), most=WIDTH),
    )
    section = Section(
        "board", "What it has", blocks, pd.concat(data, ignore_index=True)
    )
    return Page(board.file.title, (section,), about=in_json(*signatures_of(rows)))


def table_page(
    board: Leaderboard, task: str, systems: Sequence[str], metric: str
) -> Page:
    """Return a page of one table: F1 in percent of systems under each setting; by default of all.

    Its data have all that any of them declares. Raises UnknownNameError for a task, metric or
    system, and FormatError for results that are missing or not valid.
    """
    metric = REGISTRY.require(metric)
    rows = results_of(board)
    rows = rows[rows["task"] == one_of("task", task, board.tasks)]
    f1, _ = wide(board, rows, metric)
    names = [one_of("system", name, f1.index) for name in systems] or [*f1.index]
    if not names:
        raise FormatError(
            "argument-missing",
            f"no system has responses to '{task}'",
            place=board.folder,
            hint="use `cdec leaderboard add`",
        )
    ranks = ranks_of(ranked(board, f1)).iloc[:, 0].dropna().astype(int)
    # The systems with a rank first, the best on top.
    names.sort(key=lambda name: ranks.get(name, len(f1) + 1))
    rows = rows[rows["system"].isin(names)]
    texts = _texts(board, rows, metric).loc[names]
    narrow = range(2, 2 + len(texts.columns))
    coverage = rows.groupby("system")[COVERAGE].min()[names]
    if (coverage < 1).any():
        texts["Coverage"] = coverage.map(coverage_text)
    texts["Title"] = [board.submissions[name].title for name in names]
    texts.insert(0, "System", names)
    texts.insert(0, "Rank", [str(ranks.get(name, "–")) for name in names])
    below = []
    count = sum(name in ranks for name in names)
    rules = []
    if count < len(names):
        below.append(_UNRANKED)
        rules = [count]
    data = _data(board, rows, task, names)
    about = in_json(*signatures_of(rows))
    caption = f"{REGISTRY[metric].label} F1 in percent, {board.tasks[task].title}"
    grid = Grid.from_frame(caption, texts, 0, below)
    grid = replace(
        grid,
        always=(0, 1),
        narrow=narrow,
        rules=rules,
        label=f"tab:{metric}",
        most=WIDTH,
    )
    return Page.of(grid, data[data["metric"] == metric].drop(columns="task"), about)


def _texts(board: Leaderboard, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return F1 in percent, of several runs with its deviation: a row a system, best first."""
    f1, deviation = wide(board, rows, metric)
    texts = {}
    for setting in f1.columns:
        texts[label_of(setting)] = list(map(spread, f1[setting], deviation[setting]))
    return pd.DataFrame(texts, f1.index)


def _data(
    board: Leaderboard, rows: pd.DataFrame, task: str, systems: Iterable[str]
) -> pd.DataFrame:
    """Return scores as raw values, with what systems declare of their runs.

    The coverage is a column if a response does not have all mentions of the key.
    """
    declaration = declared([board.submissions[name] for name in systems], task)
    places = declaration.index.get_indexer(pd.Index(rows["system"]))
    data = rows.copy()
    is_signed = rows["signature"] != ""
    for field in ("corpus", "split"):
        values = [signature.fields.get(field, "") for signature in signatures_of(rows)]
        column = pd.Series(values, rows.index[is_signed])
        data[field] = column.reindex(rows.index).ffill()
    data = data[_DATA].iloc[np.argsort(places, kind="stable")]
    if (data[COVERAGE] == 1).all():
        data = data.drop(columns=COVERAGE)
    return data.join(declaration[OF_RUN], on="system").dropna(axis=1, how="all")
