"""The tables of the study: computed from the scored responses, kept as CSV files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.io.inputfile import FileKind
from cdec.io.output import save
from cdec.io.progress import Progress, silent
from cdec.leaderboards.entries import SystemEntry
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.score import Scored
from cdec.leaderboards.study.leaks import bounds, crossings
from cdec.leaderboards.study.orders import family_interval, pairs, tau_interval
from cdec.leaderboards.study.resample import LEVEL, METRICS, Resampled, resampled
from cdec.settings import SETTINGS
from cdec.statistics.draws import Plan, largest_unit

FOLDER = "study"
_DIGITS = 6
_HINT = "use `cdec leaderboard study`"
_KIND = FileKind("a table of a study", FormatError, "table-invalid", _HINT)
# A table has at least these; it is without rows where no task could be resampled.
_COLUMNS = {
    "systems": {"name", "title", "family", "trained_on", "ranked", "published", *Uses.model_fields},
    "scores": {"task", "system", "setting", "metric", "f1", "f1_sd", "runs"},
    "intervals": {"task", "unit", "resamples", "system", "setting", "metric", "low", "high"},
    "tests": {"task", "unit", "resamples", "a", "b"},
    "taus": {"task", "first", "second", "metric", "low", "high", "families_low", "families_high"},
    "leaks": {"task", "system"},
    "bounds": {"task", "knows", "singletons", "setting", "conll"},
}


@dataclass(frozen=True, eq=False)
class Study:
    """The tables, by name of file.

    * ``systems``: the fields of each system that the page shows;
    * ``scores``: F1 (mean of runs), its standard deviation, under all combinations of the choices;
    * ``intervals``: by topics, of METRICS under the six settings;
    * ``tests``: CoNLL of each pair of systems under each setting: p, and half the width of the
      95 % interval of the difference (``…_half``);
    * ``taus``: Kendall's τ of each pair of settings with its intervals, by topics and by families;
    * ``leaks``: response chains that cross gold groups; ``bounds``: "yes to all pairs".
    """

    systems: pd.DataFrame
    scores: pd.DataFrame
    intervals: pd.DataFrame
    tests: pd.DataFrame
    taus: pd.DataFrame
    leaks: pd.DataFrame
    bounds: pd.DataFrame

    def save(self, folder: Path) -> None:
        """Write a CSV file per table. Raises FormatError."""
        folder.mkdir(parents=True, exist_ok=True)
        for one in fields(self):
            table: pd.DataFrame = getattr(self, one.name)
            text = table.round(_DIGITS).to_csv(index=False, lineterminator="\n")
            save([text], folder / f"{one.name}.csv")

    @classmethod
    def read(cls, folder: Path) -> Study:
        """Return the tables in a folder. Raises FormatError."""
        tables = {}
        for one in fields(cls):
            path = folder / f"{one.name}.csv"
            if not path.is_file():
                message = "there is no study"
                raise FormatError("results-missing", message, place=path, hint=_HINT)
            tables[one.name] = _read(path)
        return cls(**tables)


def _read(path: Path) -> pd.DataFrame:
    """Return a table; a column without any value holds missing texts. Raises FormatError."""
    data = _KIND.read_bytes(path)
    if not data.endswith(b"\n"):
        raise _KIND.refuse(path, "its end is missing")
    try:
        table = pd.read_csv(BytesIO(data), keep_default_na=False, na_values=[""])
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    except ValueError as error:
        raise _KIND.refuse(path, str(error)) from None
    if lacking := ", ".join(sorted(_COLUMNS[path.stem].difference(table))):
        raise _KIND.refuse(path, f"it has no columns {lacking}")
    empty = [name for name in table if table[name].isna().all()]
    return table.astype(dict.fromkeys(empty, object))


def study(
    board: Leaderboard,
    scored: Sequence[Scored],
    plan: Plan,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Study:
    """Return the tables of all tasks; resampling needs two topics or sub-topics.

    Raises FormatError for a leaderboard without systems.
    """
    # Of the tasks that people answered only those with published values have systems enough.
    published = {value.task for entry in board.systems.values() for value in entry.published}
    theirs = {one.task.name for one in scored if one.entry.people} - published
    scored = [one for one in scored if one.task.name not in theirs]
    if not scored:
        message, hint = "no system has responses", "use `cdec leaderboard add`"
        raise FormatError("results-missing", message, place=board.folder, hint=hint)
    shown = {one.entry.name for one in scored}
    entries = [e for e in board.systems.values() if e.name in shown or not e.responses]
    by_task = {name: [s for s in scored if s.task.name == name] for name in board.tasks}
    parts = [_resampled(of_task, plan, jobs, progress) for of_task in by_task.values() if of_task]
    intervals, tests, taus = (pd.concat(tables) for tables in zip(*parts, strict=True))
    return Study(
        pd.DataFrame([_fields(entry) for entry in entries]),
        pd.DataFrame([row for one in scored for row in _scores(one)]),
        intervals,
        tests,
        taus,
        pd.DataFrame([_leaks(one) for one in scored]),
        pd.DataFrame([row for ones in by_task.values() if ones for row in _bounds(ones)]),
    )


def _fields(entry: SystemEntry) -> dict[str, object]:
    hidden = {"responses", "uses", "copied", "people", *RunDeclaration.model_fields}
    known = entry.model_dump(exclude=hidden)
    return {**known, **entry.uses.model_dump(), "ranked": entry.ranked}


def _scores(one: Scored) -> Iterator[dict[str, object]]:
    """Yield the F1 of all metrics under the six settings, and CoNLL under the others."""
    for setting in one.settings:
        names = None if setting.name in SETTINGS.own else {"conll"}
        for row in one.result(setting).frame.to_dict("records"):
            if names is None or row["metric"] in names:
                yield {
                    "task": one.task.name,
                    "system": one.entry.name,
                    "setting": setting.name,
                    "metric": row["metric"],
                    "f1": row["f1"],
                    "f1_sd": row.get("f1_sd"),
                    "runs": len(one.runs),
                }


def _leaks(one: Scored) -> dict[str, object]:
    """Return the mean numbers of crossing chains over the runs."""
    counts = pd.DataFrame([crossings(run) for run in one.runs]).mean()
    means = {str(name): float(value) for name, value in counts.items()}
    return {"task": one.task.name, "system": one.entry.name, **means}


def _bounds(scored: Sequence[Scored]) -> Iterator[dict[str, object]]:
    whole = max(scored, key=lambda one: len(one.settings))
    six = tuple(setting for setting in whole.settings if setting.name in SETTINGS.own)
    for row in bounds(whole.runs[0], six):
        yield {"task": whole.task.name, **row}


def _resampled(
    scored: Sequence[Scored], plan: Plan, jobs: int | None, progress: Progress
) -> tuple[pd.DataFrame, ...]:
    """Return intervals, tests and taus of a task; empty tables without units to resample."""
    unit, parts = resamples_of(scored, plan, jobs, progress)
    if unit is None:
        return (pd.DataFrame(),) * 3
    names, families = ([getattr(one.entry, n) for one in scored] for n in ("name", "family"))
    about: dict[str, object] = {"task": scored[0].task.name, "unit": unit}
    about |= {"resamples": plan.resamples, "seed": plan.seed}
    tables = (_intervals(names, parts), _tests(names, parts), _taus(families, parts, plan))
    return tuple(
        pd.concat([pd.DataFrame(about, index=table.index), table], axis=1) for table in tables
    )


def resamples_of(
    scored: Sequence[Scored], plan: Plan, jobs: int | None, progress: Progress = silent
) -> tuple[str | None, dict[str, Resampled]]:
    """Return the largest unit of a task, and the resamples of its systems under each setting.

    The settings are those of the six that all systems have; without two units, None and nothing.
    """
    unit = largest_unit([scored[0].runs[0].mentions])
    if unit is None:
        return None, {}
    shared = [
        setting
        for setting in scored[0].settings
        if setting.name in SETTINGS.own and all(setting in one.settings for one in scored)
    ]
    fitted = Plan(unit, plan.resamples, plan.seed, plan.level)
    runs = {one.entry.name: [run.system for run in one.runs] for one in scored}
    return unit, resampled(runs, shared, fitted, jobs, progress)


def _intervals(names: Sequence[str], parts: Mapping[str, Resampled]) -> pd.DataFrame:
    return pd.DataFrame(
        {"system": system, "setting": setting, "metric": metric}
        | {"low": part.low[number, at], "high": part.high[number, at]}
        for setting, part in parts.items()
        for number, system in enumerate(names)
        for at, metric in enumerate(METRICS)
    )


def _tests(names: Sequence[str], parts: Mapping[str, Resampled]) -> pd.DataFrame:
    at = pairs(len(names))
    columns = dict(zip("ab", (np.array(names)[end] for end in at), strict=True))
    for setting, part in parts.items():
        p, half = part.differences()
        columns |= {setting: p[at], f"{setting}_half": half[at]}
    return pd.DataFrame(columns)


def _taus(families: Sequence[str], parts: Mapping[str, Resampled], plan: Plan) -> pd.DataFrame:
    rows = []
    for (first, a), (second, b) in combinations(parts.items(), 2):
        for at, metric in enumerate(METRICS):
            resamples = a.replicates[..., at], b.replicates[..., at]
            low, high = tau_interval(*resamples, plan.level)
            scores = a.estimate[:, at], b.estimate[:, at]
            of_families = family_interval(*scores, families, plan.resamples, plan.seed)
            row = {"first": first, "second": second, "metric": metric, "low": low, "high": high}
            rows.append(row | {"families_low": of_families[0], "families_high": of_families[1]})
    return pd.DataFrame(rows)


def score_intervals(study: Study) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """Return task, system, setting and metric → F1 in the study, and the ends of its interval."""
    names = ["task", "system", "setting", "metric"]
    if study.intervals.empty:
        return {}
    known = study.intervals.merge(study.scores[[*names, "f1"]], on=names)
    keys = zip(*(known[name].astype(str) for name in names), strict=True)
    values = zip(*(known[name].astype(float) for name in ("f1", "low", "high")), strict=True)
    return dict(zip(keys, values, strict=True))


def intervals_made(study: Study, task: str) -> list[str]:
    """Return a sentence on how the intervals of a task were made, if it has any."""
    if study.intervals.empty:
        return []
    made = study.intervals.loc[study.intervals["task"] == task, ["unit", "resamples"]]
    return [
        f"Intervals: {100 * LEVEL:.0f} %, {resamples:,} resamples by {unit}."
        for unit, resamples in made.drop_duplicates().itertuples(index=False)
    ]
