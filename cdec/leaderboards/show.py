"""What a leaderboard has, and the table of a task, from its saved results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cdec.errors import FormatError, one_of
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.facts import OF_RUN, declared
from cdec.leaderboards.table import SCORES, results_of, signatures_of, wide
from cdec.metrics import COUNT_COLUMNS, REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.render.page import Grid, Page, Section, spread
from cdec.settings import label_of
from cdec.signature import in_json

MAIN = DEFAULT[-1]
_DATA = ["corpus", "split", "setting", "system", "metric", *SCORES[:3], *COUNT_COLUMNS]
_DATA += [*SCORES[3:], "runs", "task"]


def board_page(board: Leaderboard) -> Page:
    """Return the page of what the board has: its tasks, and its systems by name.

    Its data are all saved scores, with what is declared. Raises FormatError for results that are
    missing or not valid.
    """
    rows, lines, data = results_of(board), [], [pd.DataFrame()]
    for name, task in board.tasks.items():
        own = rows[rows["task"] == name]
        texts = _texts(board, own, MAIN)
        best = next((system for system in texts.index if board.systems[system].ranked), "–")
        score = f"{texts.loc[best].iloc[0]} ({texts.columns[0]})" if best in texts.index else "–"
        line = {"Task": name, "Title": task.title, "Rows": str(len(texts))}
        lines.append(line | {"Best": best, REGISTRY[MAIN].label: score})
        if len(own):
            data.append(_data(own, declared(board, name, texts.index)))
    systems = [{"System": name, "Title": entry.title} for name, entry in board.systems.items()]
    below = ["`cdec leaderboard show --task TASK` has a table, `cdec leaderboard site` all pages."]
    blocks = (
        Grid.from_frame("Tasks", pd.DataFrame(lines), 2, below),
        Grid.from_frame("Systems", pd.DataFrame(systems), 2),
    )
    section = Section("board", "What it has", blocks, pd.concat(data, ignore_index=True))
    return Page(board.file.title, (section,), about=in_json(*signatures_of(rows)))


def table_page(
    board: Leaderboard, task: str, systems: Sequence[str] = (), metric: str = MAIN
) -> Page:
    """Return a page of one table: F1 in percent of systems under each setting; by default of all.

    Its data have all that any of them declares. Raises UnknownNameError for a task, metric or
    system, and FormatError for results that are missing or not valid.
    """
    metric, rows = REGISTRY.require(metric), results_of(board)
    rows = rows[rows["task"] == one_of("task", task, board.tasks)]
    texts = _texts(board, rows, metric)
    chosen = [one_of("system", name, texts.index) for name in systems] or [*texts.index]
    if not chosen:
        message, hint = f"no system has responses to '{task}'", "use `cdec leaderboard add`"
        raise FormatError("argument-missing", message, place=board.folder, hint=hint)
    rows = rows[rows["system"].isin(chosen)]
    texts = _texts(board, rows, metric).loc[chosen]
    texts.insert(0, "Title", [board.systems[name].title for name in chosen])
    data = _data(rows, declared(board, task, chosen))
    return Page.from_table(
        texts.rename_axis("System").reset_index(),
        data[data["metric"] == metric].drop(columns="task"),
        about=in_json(*signatures_of(rows)),
    )


def _texts(board: Leaderboard, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return F1 in percent, of several runs with its deviation: a row a system, best first."""
    f1, deviation = (wide(board, rows, metric, column) for column in ("f1", "f1_sd"))
    texts = {label_of(s): list(map(spread, f1[s], deviation[s])) for s in f1.columns}
    return pd.DataFrame(texts, f1.index)


def _data(rows: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return scores as raw values, with what systems declare of their runs."""
    order = np.argsort(known.index.get_indexer(pd.Index(rows["system"])), kind="stable")
    signed, data = rows.index[rows["signature"] != ""], rows.copy()
    for field in ("corpus", "split"):
        values = [signature.fields.get(field, "") for signature in signatures_of(rows)]
        data[field] = pd.Series(values, signed).reindex(rows.index).ffill()
    data = data[_DATA].iloc[order].join(known[OF_RUN], on="system")
    return data.dropna(axis=1, how="all")
