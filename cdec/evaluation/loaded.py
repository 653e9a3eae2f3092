"""Results read back from the JSON of ``Results.save`` or ``cdec eval --format json``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.evaluation.experiment import Result
from cdec.evaluation.intervals import Intervals
from cdec.evaluation.results import Results
from cdec.evaluation.saved import SavedResult, content_of, saved_results
from cdec.evaluation.several import SD_COLUMNS
from cdec.metrics import Counts, Value
from cdec.metrics.scores import COUNT_COLUMNS, Scores
from cdec.notices import Notice
from cdec.settings import SETTINGS, Setting, find_setting
from cdec.signature import Signature

_HOW = ("ci", "unit", "resamples", "seed")


@dataclass(frozen=True)
class StoredScores(Scores):
    """Scores whose values are those of a file: it may lack the counts behind them."""

    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 in [0, 1]."""
        return {r["metric"]: Value(r["precision"], r["recall"], r["f1"]) for r in self.records}

    def rows(self) -> list[dict[str, object]]:
        """Return the records of the file."""
        return [dict(record) for record in self.records]


def load_results(path: str | Path) -> Results:
    """Return the results in a file; of a breakdown, the scores over all units.

    Raises FormatError if it is not a valid results file.
    """
    content = content_of(Path(path))
    saved = saved_results(Path(path), content)
    words = content.get("intervals")
    intervals = None
    if isinstance(words, str):
        frame = pd.concat([result.scores for result in saved], ignore_index=True)
        how = {name: saved[0].signature[name] for name in _HOW if name in saved[0].signature}
        intervals = Intervals(frame, words, how)
    notices = tuple(saved_notices(content))
    runs = content.get("runs", ())
    return Results(tuple(_result(result, runs) for result in saved), notices, intervals)


def _result(saved: SavedResult, runs: Iterable[Mapping[str, Any]] = ()) -> Result:
    """Return the result; ``runs`` are the rows of all runs in the file, by name of the run."""
    records = tuple(_record(row) for row in saved.scores.to_dict("records"))
    counts = {
        r["metric"]: Counts(*(r[name] for name in COUNT_COLUMNS))
        for r in records
        if r["p_num"] is not None
    }
    about = {name: value for name, value in saved.signature.items() if name not in _HOW}
    name = str(saved.scores["setting"].iloc[0])
    result = Result(
        str(about.get("corpus", "")),
        str(about.get("split", "")),
        _setting(name, saved.setting),
        saved.system,
        StoredScores(tuple(r["metric"] for r in records), counts, records),
        Signature(about),
    )
    own = [r for r in runs if r["setting"] == name and r["system"].startswith(f"{saved.system}/")]
    each = [list(rows) for _, rows in groupby(own, key=itemgetter("system"))]
    return replace(result, runs=tuple(_run(result, rows) for rows in each))


def _run(mean: Result, rows: Sequence[Mapping[str, Any]]) -> Result:
    """Return the result of one of the runs behind a mean."""
    records = tuple(map(_record, rows))
    scores = StoredScores(tuple(r["metric"] for r in records), {}, records)
    return replace(mean, system=str(rows[0]["system"]), scores=scores)


def _record(row: Mapping[Any, Any]) -> dict[str, Any]:
    kept = ("metric", *Value._fields, *COUNT_COLUMNS)
    several = SD_COLUMNS if not pd.isna(row.get("runs", None)) else ()
    values = {name: row.get(name) for name in (*kept, *several)}
    return {name: None if pd.isna(value) else value for name, value in values.items()}


def _setting(name: str, signed: str) -> Setting:
    return SETTINGS[name] if name in SETTINGS else replace(find_setting(signed), name=name)


def saved_notices(content: Mapping[str, Any]) -> Iterator[Notice]:
    """Yield the notices in the content of a results file."""
    for record in content.get("notices", ()):
        code, count = str(record.get("code") or record.get("kind", "")), int(record["count"])
        message, examples = str(record["message"]), tuple(map(str, record["examples"]))
        yield Notice(code, count, message, examples, bool(record.get("warning", True)))
