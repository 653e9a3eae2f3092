"""What a leaderboard has, and the table of a task, from its saved results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pandas as pd

from cdec.api import experiment_of
from cdec.diagnosis.by_stratum import Strata, strata_page
from cdec.errors import FormatError, UsageError, counted, one_of
from cdec.evaluation.results import Results
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.leaderboards.by_name import PublishedResponse
from cdec.leaderboards.declared import DECLARED, NOTE, as_one, declared_table
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.rows import BoardRow, ordered, settings_of
from cdec.leaderboards.saved import saved_results
from cdec.leaderboards.score import corpus_of
from cdec.metrics import REGISTRY
from cdec.render.page import Grid, Page, Section
from cdec.settings import Settings, label_of
from cdec.signature import in_json

_METRIC = "conll"
_Saved = dict[tuple[str, str], Results]
_OF_SYSTEM = ("trained_on", "tuned_on")
_FIELDS = (*RunDeclaration.model_fields, *Uses.model_fields, *_OF_SYSTEM)


def board_page(board: Leaderboard, filters: Sequence[str] = ()) -> Page:
    """Return the page of what the board has: its tasks, and its systems by name.

    ``filters``, as ``saw-test=no``: only the systems that declare this for a task. Its data are all
    saved scores, with what is declared. Raises FormatError for results that are missing or not
    valid, and UsageError for filters that are not valid or leave no system.
    """
    saved = _filtered(board, saved_results(board), filters)
    shown = {system for system, _ in saved} if filters else board.systems.keys()
    systems = [{"System": n, "Title": e.title} for n, e in board.systems.items() if n in shown]
    tasks = {name: _rows(board, name, saved) for name in board.tasks}
    blocks = (_tasks(board, tasks), Grid.from_frame("Systems", pd.DataFrame(systems), 2))
    data = [_data(rows) for rows in tasks.values() if rows] or [pd.DataFrame()]
    signatures = [one for results in saved.values() for one in results.signatures]
    intro = [f"Only the systems that declare {', '.join(filters)}."] if filters else []
    section = Section("board", "What it has", blocks, pd.concat(data, ignore_index=True))
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
    saved = _filtered(board, saved_results(board, task), filters)
    known = {system: results for (system, _), results in saved.items()}
    chosen = [one_of("system", name, known) for name in systems] or list(known)
    if not chosen:
        message, hint = f"no system has responses to '{task}'", "use `cdec leaderboard add`"
        raise FormatError("argument-missing", message, place=board.folder, hint=hint)
    rows = [BoardRow(board, board.systems[name], task, known[name]) for name in chosen]
    records = pd.DataFrame([record for row in rows for record in row.records])
    table = _table(rows, metric)
    if systems:
        table = table.set_index("System").loc[chosen].reset_index()
    best = range(2, len(table.columns))
    unranked = [n for n, s in enumerate(table["System"]) if not board.systems[s].ranked]
    declared = _declared(rows)
    shown = [one_of("declared field", name.replace("-", "_"), DECLARED) for name in columns]
    table = table.merge(declared_table(declared, shown), how="left", on="System").fillna("–")
    signatures = [one for name in chosen for one in known[name].signatures]
    notes = [NOTE] if shown else []
    if others := [f for f in DECLARED if f not in shown and any(f in d for d in declared.values())]:
        notes.append(f"Also declared (--column shows it): {', '.join(others)}.")
    data = records[records["metric"] == metric]
    data = data.join(pd.DataFrame.from_dict(declared, orient="index"), on="system")
    page = Page.from_table(table, data, notes=notes, about=in_json(*signatures))
    return page.with_table(best=best, unranked=unranked)


def _declared(rows: Iterable[BoardRow]) -> dict[str, dict[str, Any]]:
    """Return what systems declare of their runs on a task, for those that declare anything."""
    return {row.name: row.declared for row in rows if row.declared}


def _filtered(board: Leaderboard, saved: _Saved, filters: Sequence[str]) -> _Saved:
    """Return the results that pass all filters. Raises UsageError, also if there are none."""
    for text in filters:
        field, separator, wanted = text.partition("=")
        if not separator:
            message = f"expected FIELD=VALUE, got '{text:.60}'"
            raise UsageError("argument-invalid", message, hint="as in saw-test=no")
        field = one_of("declared field", field.replace("-", "_"), _FIELDS)
        values = {at: _values(board, *at).get(field) for at in saved}
        texts = {at: "" if value is None else str(value) for at, value in values.items()}
        known = {text for text in texts.values() if text}
        saved = {at: saved[at] for at in saved if _says(values[at], wanted)}
        if not saved:
            hint = f"they declare: {', '.join(sorted(known))}" if known else "none declares it"
            raise UsageError("argument-invalid", f"no system with {text}", hint=hint)
    return saved


def _says(value: object, wanted: str) -> bool:
    """Return whether a declared value is the wanted one, as a number or as one of several texts."""
    if isinstance(value, int | float):
        with suppress(ValueError):
            return float(wanted) == value
    text = "" if value is None else str(value)
    return wanted in (text, *text.split(" + "))


def _values(board: Leaderboard, system: str, task: str) -> dict[str, Any]:
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
    nlp: str = "hanta",
    corpora: Mapping[str, str] | None = None,
) -> Page:
    """Return the page of systems of a task by a stratum; by default of those here.

    ``corpora`` maps name in the task → path. Raises as ``score_board`` and ``Strata.of`` do.
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
    strata = Strata.of(by, corpus, partial(part, f"{split}/train".lstrip("/")), nlp)
    answers = [PublishedResponse(name, name, task, board=board) for name in named or here]
    experiment = experiment_of(corpus, answers, setting)
    lines = [notice.line for notice in experiment.notices]
    if left := 0 if named else len(known) - len(here):
        lines.append(
            f"left out: {counted(left, 'system')} with responses elsewhere or to other keys"
        )
    return strata_page(experiment, strata).noted(lines)


def _rows(board: Leaderboard, task: str, saved: _Saved) -> list[BoardRow]:
    """Return the rows of a task, best first."""
    rows = [BoardRow(board, board.systems[s], of, r) for (s, of), r in saved.items() if of == task]
    return ordered(rows, _METRIC) if rows else []


def _data(rows: Sequence[BoardRow]) -> pd.DataFrame:
    """Return the scores of rows with what they declare."""
    records = pd.DataFrame([record for row in rows for record in row.records])
    declared = pd.DataFrame.from_dict(_declared(rows), orient="index")
    return records.assign(task=rows[0].task).join(declared, on="system")


def _tasks(board: Leaderboard, tasks: Mapping[str, Sequence[BoardRow]]) -> Grid:
    """Return the tasks, each with the system that is best under the strictest setting."""
    lines = []
    for name, rows in tasks.items():
        best = next((row for row in rows if row.entry.ranked), None)
        setting = settings_of(rows, _METRIC)[0] if rows else ""
        f1 = f"{best.text(setting, _METRIC)} ({label_of(setting)})" if best else "–"
        head = {"Task": name, "Title": board.tasks[name].title, "Rows": str(len(rows))}
        lines.append(head | {"Best": best.name if best else "–", "CoNLL": f1})
    below = ["`cdec leaderboard show --task TASK` has a table, `cdec leaderboard site` all pages."]
    return Grid.from_frame("Tasks", pd.DataFrame(lines), 2, below)


def _table(rows: Sequence[BoardRow], metric: str) -> pd.DataFrame:
    """Return the F1 of one metric, in the order of ``ordered``."""
    settings = settings_of(rows, metric)
    return pd.DataFrame(
        [
            {"System": row.name, "Title": row.entry.title}
            | {label_of(setting): row.text(setting, metric) for setting in settings}
            for row in ordered(rows, metric)
        ]
    )
