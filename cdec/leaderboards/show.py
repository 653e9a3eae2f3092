"""What a leaderboard has, and the table of a task, from its saved results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pandas as pd

from cdec.api import by_stratum
from cdec.errors import FormatError, UsageError, counted, one_of
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.declared import DECLARED, NOTE, as_one, declared_table
from cdec.leaderboards.published import PublishedResponse
from cdec.leaderboards.score import corpus_of
from cdec.leaderboards.table import SCORES, ResultTable, wide
from cdec.metrics import COUNT_COLUMNS, REGISTRY
from cdec.render.numbers import spread
from cdec.render.page import Grid, Page, Section
from cdec.settings import Settings, label_of
from cdec.signature import in_json

MAIN = "conll"
_OF_SYSTEM = ("trained_on", "tuned_on")
_FIELDS = (*RunDeclaration.model_fields, *Uses.model_fields, *_OF_SYSTEM)
_DATA = ["corpus", "split", "setting", "system", "metric", *SCORES[:3], *COUNT_COLUMNS]
_DATA += [*SCORES[3:], "runs"]
Jobs = list[tuple[str, str]]  # task and system


def board_page(board: Leaderboard, filters: Sequence[str] = ()) -> Page:
    """Return the page of what the board has: its tasks, and its systems by name.

    ``filters``, as ``saw-test=no``: only the systems that declare this for a task. Its data are all
    saved scores, with what is declared. Raises FormatError for results that are missing or not
    valid, and UsageError for filters that are not valid or leave no system.
    """
    table = ResultTable.of(board)
    jobs = _filtered(board, list(table.jobs), filters)
    names = {system for _, system in jobs} if filters else board.systems.keys()
    systems = [{"System": n, "Title": e.title} for n, e in board.systems.items() if n in names]
    lines, data = [], [pd.DataFrame()]
    for task in board.tasks:
        of_task = [system for name, system in jobs if name == task]
        line = {"Task": task, "Title": board.tasks[task].title, "Rows": str(len(of_task))}
        line |= {"Best": "–", "CoNLL": "–"}
        if of_task:
            rows = table.of_task(task, of_task)
            texts = _texts(board, rows, MAIN)
            ranked = [name for name in texts.index if board.systems[name].ranked]
            for best in ranked[:1]:
                setting = texts.columns[0]
                line |= {"Best": best, "CoNLL": f"{texts.loc[best, setting]} ({setting})"}
            rows = table.of_task(task, texts.index)
            data.append(_data(rows, _declared(board, task, of_task)))
        lines.append(line)
    below = ["`cdec leaderboard show --task TASK` has a table, `cdec leaderboard site` all pages."]
    blocks = (
        Grid.from_frame("Tasks", pd.DataFrame(lines), 2, below),
        Grid.from_frame("Systems", pd.DataFrame(systems), 2),
    )
    intro = [f"Only the systems that declare {', '.join(filters)}."] if filters else []
    section = Section("board", "What it has", blocks, pd.concat(data, ignore_index=True))
    signatures = [one for job in jobs for one in table.signatures[job]]
    return Page(board.file.title, (section,), tuple(intro), in_json(*signatures))


def table_page(
    board: Leaderboard,
    task: str,
    systems: Sequence[str],
    metric: str,
    filters: Sequence[str] = (),
    *,
    columns: Sequence[str] = (),
) -> Page:
    """Return a page of one table: F1 in percent of systems under each setting; by default of all.

    ``columns`` are further columns, of what systems declare of their runs; the data have all that
    any of them declares. ``filters`` as in ``board_page``. Raises UnknownNameError for a task,
    metric or column, or a system without responses to the task, and FormatError for results that
    are missing or not valid, and for a task without systems.
    """
    metric = REGISTRY.require(metric)
    board.task(task)
    table = ResultTable.of(board)
    jobs = [job for job in table.jobs if job[0] == task]
    known = [system for _, system in _filtered(board, jobs, filters)]
    chosen = [one_of("system", name, known) for name in systems] or known
    if not chosen:
        message, hint = f"no system has responses to '{task}'", "use `cdec leaderboard add`"
        raise FormatError("argument-missing", message, place=board.folder, hint=hint)
    rows, declared = table.of_task(task, chosen), _declared(board, task, chosen)
    shown = [one_of("declared field", name.replace("-", "_"), DECLARED) for name in columns]
    texts = _texts(board, rows, metric)
    texts.insert(0, "Title", [board.systems[name].title for name in texts.index])
    texts = texts.loc[chosen if systems else texts.index].rename_axis("System").reset_index()
    best = range(2, len(texts.columns))
    unranked = [n for n, s in enumerate(texts["System"]) if not board.systems[s].ranked]
    view = texts.merge(declared_table(declared, shown), how="left", on="System").fillna("–")
    notes = [NOTE] if shown else []
    if others := [f for f in DECLARED if f not in shown and any(f in d for d in declared.values())]:
        notes.append(f"Also declared (--column shows it): {', '.join(others)}.")
    data = _data(rows, declared)
    data = data[data["metric"] == metric].drop(columns="task")
    signatures = [one for name in chosen for one in table.signatures[task, name]]
    page = Page.from_table(view, data, notes=notes, about=in_json(*signatures))
    return page.with_table(best=best, unranked=unranked)


def _texts(board: Leaderboard, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return F1 in percent, of several runs with its deviation: a row a system, best first."""
    f1, deviation = (wide(board, rows, metric, column) for column in ("f1", "f1_sd"))
    texts = {
        label_of(str(setting)): list(map(spread, f1[setting], deviation[setting])) for setting in f1
    }
    return pd.DataFrame(texts, f1.index)


def _data(rows: pd.DataFrame, declared: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """Return scores as raw values, with what systems declare of their runs."""
    known = [name for name in _DATA if rows[name].notna().any()]
    data = rows[[*known, "task"]]
    return data.join(pd.DataFrame.from_dict(declared, orient="index"), on="system")


def _declared(board: Leaderboard, task: str, systems: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what systems declare of their runs on a task, for those that declare anything."""
    each = {name: as_one(board.systems[name].runs(task), name) for name in systems}
    return {name: fields for name, fields in each.items() if fields}


def _filtered(board: Leaderboard, jobs: Jobs, filters: Sequence[str]) -> Jobs:
    """Return the systems on tasks that pass all filters. Raises UsageError if there are none."""
    for text in filters:
        field, separator, wanted = text.partition("=")
        if not separator:
            message = f"expected FIELD=VALUE, got '{text:.60}'"
            raise UsageError("argument-invalid", message, hint="as in saw-test=no")
        field = one_of("declared field", field.replace("-", "_"), _FIELDS)
        values = {job: _values(board, *job).get(field) for job in jobs}
        jobs = [job for job in jobs if _says(values[job], wanted)]
        if not jobs:
            known = sorted({str(value) for value in values.values() if value is not None} - {""})
            hint = f"they declare: {', '.join(known)}" if known else "none declares it"
            raise UsageError("argument-invalid", f"no system with {text}", hint=hint)
    return jobs


def _says(value: object, wanted: str) -> bool:
    """Return whether a declared value is the wanted one, as a number or as one of several texts."""
    if isinstance(value, int | float):
        with suppress(ValueError):
            return float(wanted) == value
    text = "" if value is None else str(value)
    return wanted in (text, *text.split(" + "))


def _values(board: Leaderboard, task: str, system: str) -> dict[str, Any]:
    """Return all that a system declares for a task."""
    entry = board.systems[system]
    of_system = {name: getattr(entry, name) for name in _OF_SYSTEM}
    return {**dict(entry.uses), **of_system, **as_one(entry.runs(task), system)}


def strata_of(
    board: Leaderboard,
    task: str,
    systems: Sequence[str],
    *,
    setting: Settings,
    by: str,
    corpora: Mapping[str, str] | None = None,
) -> Page:
    """Return the page of systems of a task by a stratum; by default of those here.

    ``corpora`` maps name in the task → path. Raises as ``score_board`` and ``by_stratum`` do.
    """
    chosen, known = board.task(task), {e.name: e for e, t in board.jobs() if t.name == task}
    named = [one_of("system", name, known) for name in systems]
    here = [name for name, entry in known.items() if all(map(board.has, entry.answers(task)))]
    if not (named or here):
        message, hint = f"no response to '{task}' is here", "use `cdec leaderboard fetch`"
        raise FormatError("argument-missing", message, place=board.root, hint=hint)
    choice = (corpora or {}).get(chosen.corpus, chosen.corpus)
    part = partial(corpus_of, choice, variant=chosen.variant)
    corpus, split = part(chosen.split), chosen.split.rpartition("/")[0]
    train = partial(part, f"{split}/train".lstrip("/"))
    answers = [PublishedResponse(name, name, task, board=board) for name in named or here]
    found = by_stratum(corpus, answers, by, setting=setting, train=train)
    left = 0 if named else len(known) - len(here)
    more = f"left out: {counted(left, 'system')} with responses elsewhere or to other keys"
    return found.page.noted([more] if left else [])
