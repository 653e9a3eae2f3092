"""The results of a board: one frame, whose rows are scores and nothing else.

A row is a metric of a system on a task under a setting. The first row of each setting has its
signature as JSON. ``cdec leaderboard score`` replaces rows; a table with another column, two rows
of one score or a value that is no score is refused.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.evaluation.results import FORMAT, Results
from cdec.files.input import FileKind
from cdec.files.output import save_bytes
from cdec.leaderboards.board import Leaderboard
from cdec.metrics import COUNT_COLUMNS
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import Signature, in_json

HEAD = ["task", "system", "setting", "metric"]
SCORES = ["precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"]
NUMBERS = [*SCORES, "runs", *COUNT_COLUMNS]
COLUMNS = [*HEAD, *NUMBERS, "signature"]
_HINT = "use `cdec leaderboard score`"
_KIND = FileKind("a table of results", FormatError, "file-invalid", _HINT, 2**28)


def place_of(board: Leaderboard) -> Path:
    """Return the path of the table, which is compressed if it was."""
    packed = board.folder / "results.csv.gz"
    return packed if packed.is_file() else packed.with_suffix("")


def results_of(board: Leaderboard) -> pd.DataFrame:
    """Return the saved results of every system with responses, in the order of the jobs.

    Raises FormatError as ``saved_results``, and for a system whose results have not been saved.
    """
    rows = saved_results(board)
    found = {*zip(rows["task"], rows["system"], strict=True)}
    for task, system in board.jobs.keys() - found:
        message = f"the results of {system} on {task} have not been saved"
        raise FormatError("argument-missing", message, place=place_of(board), hint=_HINT)
    return _in_order(board, rows)


def saved_results(board: Leaderboard) -> pd.DataFrame:
    """Return the table of a board in the columns COLUMNS, empty if there is none.

    Raises FormatError.
    """
    path, data = place_of(board), ",".join(COLUMNS).encode()
    if path.is_file():
        data = _KIND.unpacked(_KIND.read_bytes(path), path)
    try:
        rows = pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False, index_col=False)
        rows = rows.fillna("")
        # By Python's float, which is exact.
        exact = {n: [float(text or "nan") for text in rows[n]] for n in NUMBERS if n in rows}
        signed = [isinstance(text and json.loads(text), dict) for text in rows.get("signature", [])]
    except ValueError as error:
        raise _KIND.refuse(path, str(error).splitlines()[0]) from None
    if list(rows) != COLUMNS:
        raise _KIND.refuse(path, f"expected the columns {', '.join(COLUMNS)}")
    rows = rows.assign(**exact).astype(dict.fromkeys(NUMBERS, float))
    values = rows[NUMBERS].to_numpy()
    high = np.where(np.isin(NUMBERS, SCORES), 1 + 1e-9, 1e18)
    scores = (np.isnan(values) | ((values >= 0) & (values <= high))).all(axis=1)
    first = ~rows.duplicated(HEAD[:3])
    for what, wrong in (
        ("two rows of one score", rows.duplicated(HEAD)),
        ("a value that is no score", ~scores | rows["f1"].isna()),
        ("a signature that is missing, or not in the first row of its setting", first != signed),
    ):
        for number in np.flatnonzero(wrong):
            raise _KIND.refuse(f"{path}:{number + 2}", what)
    return rows


def _in_order(board: Leaderboard, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the jobs of a board, in their order, and no others."""
    place = {job: number for number, job in enumerate(board.jobs)}
    at = np.array([place.get(job, -1) for job in zip(rows["task"], rows["system"], strict=True)])
    return rows.iloc[np.argsort(at, kind="stable")[(at < 0).sum() :]].reset_index(drop=True)


def save(board: Leaderboard, saved: pd.DataFrame, new: Iterable[pd.DataFrame]) -> None:
    """Write the table, with new rows instead of those of the same task and system.

    Rows without a system, or without responses to the task, go. Raises FormatError.
    """
    fresh = pd.concat(new)
    replaced = pd.MultiIndex.from_frame(saved[HEAD[:2]]).isin(
        pd.MultiIndex.from_frame(fresh[HEAD[:2]].drop_duplicates())
    )
    rows, path = _in_order(board, pd.concat([saved[~replaced], fresh])), place_of(board)
    whole = {name: rows[name].map(_plain) for name in ("runs", *COUNT_COLUMNS)}
    data = rows.assign(**whole).to_csv(index=False, lineterminator="\n").encode()
    save_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data, path)


def rows_of(task: str, results: Results) -> pd.DataFrame:
    """Return the results of a system on a task as rows of a table."""
    parts: list[pd.DataFrame] = []
    for one, signed in zip(results, results.signatures, strict=True):
        signature = [_json(dict(signed.fields)), *[""] * (len(one.frame) - 1)]
        parts.append(one.frame.assign(task=task, signature=signature))
    rows = pd.DataFrame(pd.concat(parts, ignore_index=True), columns=COLUMNS)
    return rows.astype(dict.fromkeys(NUMBERS, float))


def signatures_of(rows: pd.DataFrame) -> list[Signature]:
    """Return the signatures in rows: JSON has lists for tuples in which several runs differ."""
    signatures = []
    for text in filter(None, rows["signature"]):
        fields = json.loads(text)
        lists = list if "runs" in fields else ()
        each = {n: tuple(v) if isinstance(v, lists) else v for n, v in fields.items()}
        signatures.append(Signature(each))
    return signatures


def wide(board: Leaderboard, rows: pd.DataFrame, metric: str, column: str = "f1") -> pd.DataFrame:
    """Return a value of a metric: a row a system, a column a setting, from strict to lenient.

    First those without a rank, then the others, the best under the strictest setting first.
    """
    own = rows[rows["metric"] == metric]
    known = {*own["setting"]}
    usual = [setting.name for setting in STRICT_TO_LENIENT if setting.name in known]
    settings = [*usual, *sorted(known - {*usual})]
    values = {name: own.pivot(index="system", columns="setting", values=name) for name in
              {"f1", column}}  # fmt: skip
    first = -values["f1"][settings[0]].fillna(-1) if settings else {}
    order = sorted(values["f1"].index, key=lambda n: (board.systems[n].ranked, first[n], n))
    return values[column].loc[order, settings]


def as_json(rows: pd.DataFrame) -> str:
    """Return the results of a system on a task as JSON of `cdec eval`, one row a line."""
    signatures = signatures_of(rows)
    place = {name: signatures[0].fields.get(name, "") for name in ("corpus", "split")}
    head = {"format": FORMAT, **in_json(*signatures)}
    names = ["setting", "system", "metric", *SCORES[:3], *COUNT_COLUMNS, *SCORES[3:], "runs"]
    values = rows[names].astype(object).assign(runs=rows["runs"].map(_plain))
    head["rows"] = [
        {**place, **{n: v for n, v in zip(names, row, strict=True) if v == v and v != ""}}  # noqa: PLR0124
        for row in values.to_numpy().tolist()
    ]
    parts = []
    for name, value in head.items():
        lines = ",\n  ".join(map(_json, value)) if isinstance(value, list) else ""
        parts.append(f'"{name}": ' + (f"[\n  {lines}\n ]" if lines else _json(value)))
    return "{" + ",\n ".join(parts) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: float) -> object:
    """Return a count without ``.0``, '' if it is missing."""
    return "" if isnan(value) else int(value) if value.is_integer() else value
