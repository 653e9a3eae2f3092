"""The page of a leaderboard, from its saved results and its study."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.evaluation.saved import SavedResult
from cdec.leaderboard.folder import Leaderboard
from cdec.leaderboard.saved import saved_results
from cdec.leaderboard.study.page import study_page
from cdec.leaderboard.study.tables import FOLDER, Study
from cdec.render.numbers import spread
from cdec.render.page import Block, Grid, Page, Section, Text, anchor
from cdec.settings import label_of
from cdec.signature import Signature, in_json

_METRIC = "conll"


def board_page(board: Leaderboard) -> Page:
    """Return the page: a table a task, the systems, and the sections of the study, if there is one.

    Raises FormatError for results that are missing or not valid.
    """
    saved = saved_results(board)
    sections = [_task(board, task, saved) for task in board.tasks]
    sections.append(_systems(board))
    if (board.folder / FOLDER).is_dir():
        sections += study_page(Study.read(board.folder / FOLDER)).sections
    signatures = [Signature(one.signature) for results in saved.values() for one in results]
    intro = ("CoNLL F in percent, mean of the runs ± standard deviation.",)
    return Page(board.file.title, tuple(sections), intro, in_json(*signatures))


_Saved = dict[tuple[str, str], tuple[SavedResult, ...]]


def _task(board: Leaderboard, task: str, saved: _Saved) -> Section:
    entries = [(system, results) for (system, of), results in saved.items() if of == task]
    rows = pd.DataFrame([row for system, results in entries for row in _rows(system, results)])
    blocks: list[Block] = [Text(board.tasks[task].title)]
    if not rows.empty:
        blocks.append(_grid(board, task, rows))
    return Section(anchor("task", task), f"Task {task}", tuple(blocks), rows)


def _rows(system: str, results: tuple[SavedResult, ...]) -> Iterator[dict[str, object]]:
    for result in results:
        for row in result.scores.to_dict("records"):
            yield {**{str(name): value for name, value in row.items()}, "system": system}


def _grid(board: Leaderboard, task: str, rows: pd.DataFrame) -> Grid:
    conll = rows[rows["metric"] == _METRIC]
    values = conll.pivot(index="system", columns="setting", values="f1")
    known = conll if "f1_sd" in conll else conll.assign(f1_sd=float("nan"))
    deviations = known.pivot(index="system", columns="setting", values="f1_sd")
    settings = [name for name in ("pure", "simple", "bh", "st", "is", "ycf") if name in values]
    settings += [str(name) for name in values if name not in settings]
    order = values[settings[0]].sort_values(ascending=False, kind="stable").index
    table = pd.DataFrame(
        [
            {"System": system, "Family": board.systems[str(system)].family}
            | {
                label_of(str(name)): spread(values.loc[system, name], deviations.loc[system, name])
                for name in settings
            }
            for system in order
        ]
    )
    return Grid.from_frame(f"{task}: CoNLL F", table, 2)


def _systems(board: Leaderboard) -> Section:
    rows = [
        {
            "System": entry.name,
            "Title": entry.title,
            "Trained on": entry.trained_on or "–",
            "Tuned on": entry.tuned_on or "–",
            "Uses gold": ", ".join(n for n, use in entry.uses.model_dump().items() if use == "gold")
            or "–",
            "Licence": entry.licence or "–",
            "Paper": entry.paper or "–",
        }
        for entry in board.systems.values()
    ]
    table = pd.DataFrame(rows)
    return Section("systems", "Systems", (Grid.from_frame("Systems", table, 1),), table)
