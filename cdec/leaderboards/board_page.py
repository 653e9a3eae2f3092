"""The page of a leaderboard, from its saved results and its study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import pandas as pd

from cdec.api import experiment_of
from cdec.diagnosis.by_stratum import Strata, strata_page
from cdec.errors import FormatError, UsageError, counted, one_of
from cdec.evaluation.declared import (
    DECLARED,
    NOTE,
    as_one,
    cost_charts,
    declared_grid,
    declared_table,
)
from cdec.evaluation.results import Results
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.leaderboards.by_name import PublishedResponse
from cdec.leaderboards.entries import SystemEntry
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.rows import BoardRow, ordered, published_fields, settings_of
from cdec.leaderboards.saved import saved_results
from cdec.leaderboards.score import corpus_of
from cdec.leaderboards.study.page import study_sections
from cdec.leaderboards.study.tables import FOLDER, Study
from cdec.metrics import REGISTRY
from cdec.render.page import Block, Grid, Page, Section, Text, anchor
from cdec.settings import label_of
from cdec.settings.catalog import Settings
from cdec.signature import in_json

_METRIC = "conll"
_Saved = dict[tuple[str, str], Results]
_OF_SYSTEM = ("trained_on", "tuned_on")
_FIELDS = (*RunDeclaration.model_fields, *Uses.model_fields, *_OF_SYSTEM)


def board_page(board: Leaderboard, filters: Sequence[str] = ()) -> Page:
    """Return the page: a table a task, the systems, and the sections of the study, if there is one.

    ``filters``, as ``saw-test=no``: only the systems that declare this for a task;
    the study, which is of all systems, is left out. Raises FormatError for results that are missing
    or not valid, and UsageError for filters that are not valid or leave no system.
    """
    saved = _filtered(board, saved_results(board), filters)
    sections = [_task(board, task, saved) for task in board.tasks]
    shown = {system for system, _ in saved} if filters else board.systems.keys()
    sections.append(_systems([one for name, one in board.systems.items() if name in shown]))
    if (board.folder / FOLDER).is_dir() and not filters:
        sections += study_sections(Study.read(board.folder / FOLDER), board.file.study)
    signatures = [one for results in saved.values() for one in results.signatures]
    intro = ["CoNLL F in percent, mean of the runs ± standard deviation."]
    intro += [f"Only the systems that declare {', '.join(filters)}."] if filters else []
    return Page(board.file.title, tuple(sections), tuple(intro), in_json(*signatures))


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
        raise FormatError("results-missing", message, place=board.folder, hint=hint)
    rows = [BoardRow(board, board.systems[name], task, known[name]) for name in chosen]
    records = pd.DataFrame([record for row in rows for record in row.records])
    table = _table(rows, metric, "title")
    if systems:
        table = table.set_index("System").loc[chosen].reset_index()
    ranked = not any(board.systems[name].people for name in chosen)
    best = range(2, len(table.columns)) if ranked else ()
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
    return page.with_table(best=best)


def _declared(rows: Iterable[BoardRow]) -> dict[str, dict[str, Any]]:
    """Return what systems declare of their runs on a task, for those that declare anything."""
    return {row.name: row.declared for row in rows if row.declared}


def _filtered(board: Leaderboard, saved: _Saved, filters: Sequence[str]) -> _Saved:
    """Return the results that pass all filters. Raises UsageError, also if there are none."""
    for text in filters:
        field, separator, wanted = text.partition("=")
        if not separator:
            message = f"expected FIELD=VALUE, got '{text:.60}'"
            raise UsageError("option-invalid", message, hint="as in saw-test=no")
        field = one_of("declared field", field.replace("-", "_"), _FIELDS)
        values = {at: _values(board, *at).get(field) for at in saved}
        texts = {at: "" if value is None else str(value) for at, value in values.items()}
        known = {text for text in texts.values() if text}
        saved = {at: saved[at] for at in saved if _says(values[at], wanted)}
        if not saved:
            hint = f"they declare: {', '.join(sorted(known))}" if known else "none declares it"
            raise UsageError("option-invalid", f"no system with {text}", hint=hint)
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
        raise FormatError("results-missing", message, place=board.root, hint=hint)
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


def _task(board: Leaderboard, task: str, saved: _Saved) -> Section:
    rows = [BoardRow(board, board.systems[s], of, r) for (s, of), r in saved.items() if of == task]
    records = pd.DataFrame([record for row in rows for record in row.records])
    blocks: list[Block] = [Text(board.tasks[task].title)]
    if rows:
        table = _table(rows, _METRIC, "family")
        blocks.append(Grid.from_frame(f"{task}: CoNLL F", table, 2))
        blocks += _published(task, rows)
        declared = _declared(ordered(rows, _METRIC))
        records = records.join(pd.DataFrame.from_dict(declared, orient="index"), on="system")
        if declared:
            blocks.append(declared_grid(declared))
            blocks += cost_charts(records[records["metric"] == _METRIC], declared, "CoNLL")
    return Section(anchor("task", task), f"Task {task}", tuple(blocks), records)


def _published(task: str, rows: Sequence[BoardRow]) -> Iterator[Grid]:
    """Yield the values that the authors published beside ours, if there are any."""
    shown = [fields for row in rows for fields in published_fields(row)]
    if shown:
        below = ["F1 in percent, mean of the runs; differences in points, four decimals."]
        caption = f"{task}: values of the authors, and ours"
        yield Grid.from_frame(caption, pd.DataFrame(shown), 3, below)


def _table(
    rows: Sequence[BoardRow], metric: str, about: Literal["title", "family"]
) -> pd.DataFrame:
    """Return the F1 of one metric: people, then systems, best under the first setting first."""
    settings = settings_of(rows, metric)
    return pd.DataFrame(
        [
            {"System": row.name, about.capitalize(): getattr(row.entry, about)}
            | {label_of(setting): row.text(setting, metric) for setting in settings}
            for row in ordered(rows, metric)
        ]
    )


def _systems(entries: Iterable[SystemEntry]) -> Section:
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
        for entry in entries
    ]
    table = pd.DataFrame(rows)
    return Section("systems", "Systems", (Grid.from_frame("Systems", table, 1),), table)
