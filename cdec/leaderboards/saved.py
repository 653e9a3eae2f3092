"""The saved results of a leaderboard, and what has changed since, or from another board."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.errors import FormatError
from cdec.evaluation.results import FORMAT, Results
from cdec.evaluation.saved import load_results
from cdec.files.output import save
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.score import Scored
from cdec.signature import Signature, in_json

TOLERANCE = 1e-9
"""Scores may differ by this much: the order of additions changes the last digits."""
_VALUES = ("precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd", "runs")
# Fields of a signature that a newer release or another place of the files may change.
_FREE = ("cdec",)


@dataclass(frozen=True)
class Difference:
    """A difference between a saved result and the responses."""

    system: str
    task: str
    what: str

    def __str__(self) -> str:
        return f"{self.system}, {self.task}: {self.what}"


def results_text(scored: Scored, settings: Sequence[str]) -> str:
    """Return the results of a system on a task as JSON of `cdec eval`, one row a line."""
    results = scored.results(settings)
    head = {"format": FORMAT, **in_json(*results.signatures)}
    signatures = [json.dumps(signature, ensure_ascii=False) for signature in head.pop("signatures")]
    records = map(_filled, results.frame.to_dict("records"))
    rows = [json.dumps(record, ensure_ascii=False) for record in records]
    lines = ",\n  ".join
    parts = [f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in head.items()]
    parts += [f'"signatures": [\n  {lines(signatures)}\n ]', f'"rows": [\n  {lines(rows)}\n ]']
    return "{" + ",\n ".join(parts) + "}\n"


def _filled(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row without its missing numbers, and with the number of runs as an integer."""
    return {n: int(v) if n == "runs" else v for n, v in row.items() if not pd.isna(v)}


def save_result(board: Leaderboard, one: Scored) -> None:
    """Write the results of a system on a task. Raises FormatError."""
    path = board.result_path(one.entry.name, one.task.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    save([results_text(one, board.file.settings)], path)


def saved_results(board: Leaderboard, only: str | None = None) -> dict[tuple[str, str], Results]:
    """Return (system, task) → the saved results, of all tasks or one.

    Raises FormatError for an invalid file, and for a system whose results on a task have not been
    saved.
    """
    found = {}
    for entry, task in board.jobs():
        if only not in (None, task.name):
            continue
        path = board.result_path(entry.name, task.name)
        if not path.is_file():
            message, hint = "the results have not been saved", "use `cdec leaderboard score`"
            raise FormatError("argument-missing", message, place=path, hint=hint)
        found[entry.name, task.name] = load_results(path)
        _refuse_excused(found[entry.name, task.name])
    return found


def _refuse_excused(results: Results) -> None:
    """Raise FormatError for a result in which missing mentions do not count as not found."""
    excused = [s.fields for s in results.signatures if s.fields.get("missing") is not None]
    if excused:
        message = f"{excused[0]['system']} was scored with missing={excused[0]['missing']}"
        hint = "use `cdec leaderboard score`: a leaderboard counts missing mentions as not found"
        raise FormatError("file-invalid", message, place=results.place, hint=hint)


def differences(board: Leaderboard, scored: Iterable[Scored]) -> Iterator[Difference]:
    """Yield every difference between the saved results and the responses.

    A result without a system, a missing result, another signature, and another score.
    """
    jobs = {(entry.name, task.name) for entry, task in board.jobs()}
    for path in sorted((board.folder / "results").glob("*/*.json")):
        if (path.stem, path.parent.name) not in jobs:
            yield Difference(path.stem, path.parent.name, "results without a system or response")
    for one in scored:
        path = board.result_path(one.entry.name, one.task.name)
        for what in _changes(one, path, board.file.settings):
            yield Difference(one.entry.name, one.task.name, what)


def _changes(scored: Scored, path: Path, settings: Sequence[str]) -> Iterator[str]:
    if not path.is_file():
        yield f"no saved results: use `cdec leaderboard score {scored.entry.name}`"
        return
    saved = {result.setting: result for result in load_results(path)}
    now = {result.setting: result for result in scored.results(settings)}
    for setting in dict.fromkeys([*saved, *now]):
        if setting not in now or setting not in saved:
            there = "only in the saved results" if setting in saved else "not in the saved results"
            yield f"{setting}: {there}"
            continue
        yield from (
            f"{setting}: signature field {field}: saved {old}, now {new}"
            for field, old, new in _fields(saved[setting].signature, now[setting].signature)
        )
        frames = (saved[setting].frame, now[setting].frame)
        yield from (f"{setting}: {text}" for text in _values(*frames))


def _fields(saved: Signature, now: Signature) -> Iterator[tuple[str, Any, Any]]:
    old, new = (json.loads(json.dumps(dict(signature.fields))) for signature in (saved, now))
    for name in dict.fromkeys([*old, *new]):
        if name not in _FREE and old.get(name) != new.get(name):
            yield name, _short(old.get(name)), _short(new.get(name))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _values(saved: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield the metrics whose values differ by more than TOLERANCE."""
    columns = [name for name in (*_VALUES, "p_num", "p_den", "r_num", "r_den") if name in now]
    old, new = (t.set_index("metric").reindex(columns=columns).astype(float) for t in (saved, now))
    for metric in dict.fromkeys([*old.index, *new.index]):
        if metric not in old.index or metric not in new.index:
            yield f"{metric} is only in the {'saved' if metric in old.index else 'new'} results"
            continue
        row, other = old.loc[metric], new.loc[metric]
        same = (row - other).abs().le(TOLERANCE * other.abs().clip(lower=1))
        wrong = row.index[~(same | (row.isna() & other.isna()))]
        for name in wrong:
            yield f"{metric} {name}: saved {row[name]:.6f}, now {other[name]:.6f}"
