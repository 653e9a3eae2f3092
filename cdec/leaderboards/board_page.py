"""The page of a leaderboard, from its saved results and its study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import pandas as pd

from cdec.errors import FormatError, one_of
from cdec.evaluation.results import Results
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.saved import saved_results
from cdec.leaderboards.study.page import study_sections
from cdec.leaderboards.study.tables import FOLDER, Study
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, spread
from cdec.render.page import Block, Grid, Page, Section, Text, anchor
from cdec.settings import label_of
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import in_json

_METRIC = "conll"
_Saved = dict[tuple[str, str], Results]


def board_page(board: Leaderboard) -> Page:
    """Return the page: a table a task, the systems, and the sections of the study, if there is one.

    Raises FormatError for results that are missing or not valid.
    """
    saved = saved_results(board)
    sections = [_task(board, task, saved) for task in board.tasks]
    sections.append(_systems(board))
    if (board.folder / FOLDER).is_dir():
        sections += study_sections(Study.read(board.folder / FOLDER), board.file.study)
    signatures = [one for results in saved.values() for one in results.signatures]
    intro = ("CoNLL F in percent, mean of the runs ± standard deviation.",)
    return Page(board.file.title, tuple(sections), intro, in_json(*signatures))


def table_page(board: Leaderboard, task: str, systems: Sequence[str], metric: str) -> Page:
    """Return a page of one table: F1 in percent of systems under each setting; by default of all.

    Raises UnknownNameError for a task or metric, or a system without responses to the task, and
    FormatError for results that are missing or not valid, and for a task without systems.
    """
    metric = REGISTRY.require(metric)
    board.task(task)
    known = {system: results for (system, of), results in saved_results(board, task).items()}
    chosen = [one_of("system", name, known) for name in systems] or list(known)
    if not chosen:
        message, hint = f"no system has responses to '{task}'", "use `cdec leaderboard add`"
        raise FormatError("results-missing", message, place=board.folder, hint=hint)
    rows = pd.DataFrame([row for name in chosen for row in _rows(name, known[name])])
    rows = rows[rows["metric"] == metric]
    table = _table(board, rows, "title")
    if systems:
        table = table.set_index("System").loc[chosen].reset_index()
    signatures = [one for name in chosen for one in known[name].signatures]
    page = Page.from_table(table, rows, about=in_json(*signatures))
    ranked = not any(board.systems[name].people for name in chosen)
    return page.with_table(best=range(2, len(table.columns)) if ranked else ())


def _task(board: Leaderboard, task: str, saved: _Saved) -> Section:
    entries = [(system, results) for (system, of), results in saved.items() if of == task]
    rows = pd.DataFrame([row for system, results in entries for row in _rows(system, results)])
    blocks: list[Block] = [Text(board.tasks[task].title)]
    if not rows.empty:
        table = _table(board, rows[rows["metric"] == _METRIC], "family")
        blocks.append(Grid.from_frame(f"{task}: CoNLL F", table, 2))
        blocks += _published(board, task, rows)
    return Section(anchor("task", task), f"Task {task}", tuple(blocks), rows)


def _published(board: Leaderboard, task: str, rows: pd.DataFrame) -> Iterator[Grid]:
    """Yield the values that the authors published beside ours, if there are any."""
    ours = rows.set_index(["system", "setting", "metric"])["f1"]
    shown = []
    for entry in board.systems.values():
        for value in entry.published:
            at = (entry.name, value.setting, value.metric)
            if value.task == task and at in ours.index:
                own = float(ours.loc[at])
                shown.append(
                    {
                        "System": entry.name,
                        "Setting": label_of(value.setting),
                        "Metric": REGISTRY[value.metric].label,
                        "published": percent(value.f1),
                        "ours": percent(own),
                        "difference": f"{100 * (own - value.f1) + 0:+.4f}",
                        "Source": value.source,
                    }
                )
    if shown:
        below = ["F1 in percent, mean of the runs; differences in points, four decimals."]
        caption = f"{task}: values of the authors, and ours"
        yield Grid.from_frame(caption, pd.DataFrame(shown), 3, below)


def _rows(system: str, results: Results) -> Iterator[dict[str, object]]:
    for row in results.frame.dropna(axis=1, how="all").to_dict("records"):
        yield {**{str(name): value for name, value in row.items()}, "system": system}


def _table(
    board: Leaderboard, rows: pd.DataFrame, about: Literal["title", "family"]
) -> pd.DataFrame:
    """Return the F1 of one metric: people, then systems, best under the first setting first."""
    values = rows.pivot(index="system", columns="setting", values="f1")
    known = rows if "f1_sd" in rows else rows.assign(f1_sd=float("nan"))
    deviations = known.pivot(index="system", columns="setting", values="f1_sd")
    settings = [setting.name for setting in STRICT_TO_LENIENT if setting.name in values]
    settings += [str(name) for name in values if name not in settings]
    ranked = values[settings[0]].sort_values(ascending=False, kind="stable").index
    order = sorted(ranked, key=lambda name: not board.systems[str(name)].people)
    return pd.DataFrame(
        [
            {"System": system, about.capitalize(): getattr(board.systems[str(system)], about)}
            | {
                label_of(str(name)): spread(values.loc[system, name], deviations.loc[system, name])
                for name in settings
            }
            for system in order
        ]
    )


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
