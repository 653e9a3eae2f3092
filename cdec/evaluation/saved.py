"""Results read back from the JSON of ``Results.save`` or ``cdec eval --format json``.

They can be checked against thresholds, for one's own system.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import ConfigDict, FailFast, Field

from cdec.errors import FormatError, Notice, UsageError, counted
from cdec.evaluation.results import DETAILS, FORMAT, HEAD, Results, frame_of
from cdec.evaluation.view import MICRO
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Filled, Schema, one_of
from cdec.files.strict_json import read_json
from cdec.metrics import COUNT_COLUMNS, REGISTRY, value_of
from cdec.records import Fields, Row
from cdec.render.page import Page, Table, percent
from cdec.settings import find_setting, label_of
from cdec.signature import Signature

_HINT = "score a response file, and save the results as JSON"
_CLOSE = 1e-6  # rounding errors
FAILED = "FAILED"
_KIND = FileKind(
    "a cdec results file",
    FormatError,
    "file-invalid",
    _HINT,
    2**28,
)


class _Signature(FileModel):
    model_config = ConfigDict(extra="allow")
    system: str
    setting: str


_Score = Annotated[float, Field(ge=0, le=1 + 1e-9)] | None  # rounding errors
_Count = Annotated[float, Field(ge=0, le=1e18)] | None


class _Row(_Signature):
    """A metric of one system under one setting; null is a missing or undefined number."""

    corpus: str = ""
    split: str = ""
    unit: str | None = None
    metric: Annotated[str, one_of(REGISTRY)]
    precision: _Score = None
    recall: _Score = None
    f1: _Score
    precision_low: _Score = None
    precision_high: _Score = None
    recall_low: _Score = None
    recall_high: _Score = None
    f1_low: _Score = None
    f1_high: _Score = None
    p_others: _Score = None
    p_against: _Score = None
    p_num: _Count = None
    p_den: _Count = None
    r_num: _Count = None
    r_den: _Count = None


class _Notice(FileModel):
    model_config = ConfigDict(extra="allow")
    code: str
    count: int
    message: str
    examples: Annotated[tuple[str, ...], Field(strict=False)]  # JSON has lists only
    warning: bool


class _File(FileModel):
    model_config = ConfigDict(extra="allow")
    signatures: Annotated[list[_Signature], Field(min_length=1), FailFast()]
    by: Filled | None = None
    rows: Annotated[list[_Row], Field(min_length=1), FailFast()]
    runs: Annotated[list[_Row], FailFast(), Field(default_factory=list)]
    notices: Annotated[list[_Notice], FailFast(), Field(default_factory=list)]


def load_results(path: str | Path) -> Results:
    """Return the results that ``results.save`` or ``cdec eval --format json`` wrote.

    Raises FormatError if it is not a valid results file.

    >>> from tempfile import TemporaryDirectory
    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> with TemporaryDirectory() as folder:
    ...     results.save(f"{folder}/mine.json")
    ...     load_results(f"{folder}/mine.json")["muc"].f1
    1.0
    """
    content = read_json(Path(path), _KIND)
    checked_content = Schema(_KIND, _File, FORMAT, since=1).check(content, Path(path))
    signatures = {}
    for fields in content["signatures"]:
        choices = dict(fields)
        if "runs" in choices:
            # JSON has lists for the tuples of values in which several runs differ.
            for name, value in fields.items():
                choices[name] = tuple(value) if isinstance(value, list) else value
        signatures[_name(fields)] = Signature(choices)
    rows = [*content["rows"]]
    for row in content.get("runs", ()):
        system = row["system"].rpartition("/")[0]  # the run is such as mine/1
        rows.append({**row, "run": row["system"], "system": system})
    rows_of = defaultdict[tuple[str, str], list[Row]](list)
    for row in rows:
        rows_of[_name(row)].append(row)
    records = []
    for name, signature in signatures.items():
        # Corpus and split are in the signature only in some files.
        part = {field: signature.fields.get(field, "") for field in ("corpus", "split")}
        records += [{**part, **row} for row in rows_of[name]]
    table = frame_of(records)
    table["unit"] = table["unit"].fillna("").replace(MICRO, "")
    whole = table[table["unit"] == ""]
    case = ["system", "setting"]
    counted = whole.dropna(subset=[*COUNT_COLUMNS])
    names = {*map(tuple, whole[case].to_numpy())}
    f1 = np.nan_to_num(value_of(counted[[*COUNT_COLUMNS]].to_numpy(float)).f1)
    faults = {
        "two signatures of a result": len(signatures) < len(content["signatures"]),
        "two rows of a metric": table.duplicated([*case, *DETAILS, "metric"]).any(),
        "a row without F1": whole["f1"].isna().any(),
        "an F1 that its counts contradict": (abs(f1 - counted["f1"]) > _CLOSE).any(),
        "a signature without a row": not signatures.keys() <= names,
        "a result of two parts": table.drop_duplicates([*HEAD]).duplicated(case).any(),
    }
    for fault, is_present in faults.items():
        if is_present:
            raise _KIND.refuse(Path(path), fault)
    notices = tuple(Notice(**vars(noticed)) for noticed in checked_content.notices)
    cases = table[[*HEAD]].drop_duplicates().itertuples(index=False, name=None)
    return Results(
        rows=table,
        signature_of=dict(zip(cases, signatures.values(), strict=True)),
        notices=notices,
        intervals=str(content.get("intervals") or ""),
        tests=tuple(map(str, content.get("tests", ()))),
        by=checked_content.by or "",
    )


def _name(record: Fields) -> tuple[str, str]:
    return record["system"], record["setting"]


_THRESHOLD = re.compile(
    r"(?:(?P<setting>.+)/)?(?P<metric>\w+)=(?P<value>[0-9]*\.?[0-9]+)(?P<percent> ?%)?"
)
_CHECKED = Table(
    "{passed} of {checks} passed",
    {
        "verdict": "Verdict",
        "setting": ("Setting", label_of),
        "system": "System",
        "metric": ("Metric", lambda metric: REGISTRY[metric].label),
        "f1": ("F1", percent),
        "least": ("Threshold", percent),
    },
    "In percent, rounded; the verdict is on the exact values.",
    heads=0,
)


def checked(saved: Iterable[Results], thresholds: Iterable[str]) -> pd.DataFrame:
    """Return a row for each threshold and result: setting, system, metric, f1, least, verdict.

    A threshold is ``[SETTING/]METRIC=VALUE``: the least F1 under a setting, or under each. The
    verdict is passed, or FAILED; a setting without a result, and a missing metric, fail. Raises
    UsageError for another text.
    """
    results = list(saved)
    rows = []
    for text in thresholds:
        match = _THRESHOLD.fullmatch(text.strip())
        if match is None:
            raise UsageError(
                "argument-invalid",
                f"expected [SETTING/]METRIC=VALUE, got '{text:.60}'",
                hint="as in pure/conll=67.4",
            )
        metric = REGISTRY.require(match["metric"])
        least = _share(match["value"], is_percent=match["percent"] is not None)
        of_setting = results
        if match["setting"]:
            setting = find_setting(match["setting"]).name
            of_setting = [result for result in results if result.setting == setting]
            if not of_setting:
                rows.append((setting, "no result", metric, None, least, FAILED))
        for result in of_setting:
            value = result.values.get(metric)
            f1 = None if value is None else value.f1
            is_enough = f1 is not None and f1 >= least
            verdict = "passed" if is_enough else FAILED
            rows.append((result.setting, result.system, metric, f1, least, verdict))
    columns = ["setting", "system", "metric", "f1", "least", "verdict"]
    return pd.DataFrame(rows, columns=columns).astype({"f1": float})


def _share(text: str, *, is_percent: bool) -> float:
    """Return the value of a threshold, from 0 to 1. Raises UsageError if it has two readings."""
    value = float(text)
    if value == 1 and not is_percent:
        raise UsageError(
            "argument-invalid",
            f"the threshold {text} can be 1 % or 100 %",
            hint="write 1% or 100",
        )
    if is_percent or value > 1:
        value /= 100
    if value > 1:
        raise UsageError(
            "argument-invalid",
            f"the threshold {text} is above 100 %",
            hint="give an F1, as .674 or 67.4",
        )
    return value


def checked_page(table: pd.DataFrame) -> Page:
    """Return the page of what ``checked`` returns."""
    passed = int((table["verdict"] != FAILED).sum())
    checks = counted(len(table), "check")
    return Page.of(_CHECKED.grid(table, passed=passed, checks=checks), table, {})
