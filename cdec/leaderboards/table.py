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
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.evaluation.results import Results
from cdec.files import output
from cdec.files.input import GZIP, FileKind
from cdec.leaderboards.board import Leaderboard
from cdec.metrics import COUNT_COLUMNS
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import Signature

HEAD = ["task", "system", "setting", "metric"]
SCORES = ["precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"]
_WHOLE = ["runs", *COUNT_COLUMNS]  # written without .0
NUMBERS = [*SCORES, *_WHOLE]
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
    for task, system in board.jobs.keys() - {*zip(rows["task"], rows["system"], strict=True)}:
        message = f"the results of {system} on {task} have not been saved"
        raise FormatError("argument-missing", message, place=place_of(board), hint=_HINT)
    return _in_order(board, rows)


def saved_results(board: Leaderboard) -> pd.DataFrame:
    """Return the table of a board in the columns COLUMNS, empty if there is none.

    Raises FormatError.
    """
    path, data = place_of(board), ",".join(COLUMNS).encode()
    if path.is_file():
        data = _KIND.read_bytes(path)
        data = _KIND.unpacked(data, path) if data.startswith(GZIP) else data
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
    high = np.where(np.isin(NUMBERS, SCORES), 1 + 1e-9, 1e18)
    values = rows[NUMBERS].fillna(0).to_numpy()
    odd = ((values < 0) | (values > high)).any(axis=1) | rows["f1"].isna().to_numpy()
    first = ~rows.duplicated(HEAD[:3])
    for what, wrong in (
        ("two rows of one score", rows.duplicated(HEAD)),
        ("a value that is no score", odd),
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
    fresh, path = pd.concat(new), place_of(board)
    replaced = saved.set_index(HEAD[:2]).index.isin(fresh.set_index(HEAD[:2]).index)
    rows = _in_order(board, pd.concat([saved[~replaced], fresh]))
    exact = {n: rows[n].map("{:.0f}".format).where(rows[n] % 1 == 0, rows[n]) for n in _WHOLE}
    data = rows.assign(**exact).to_csv(index=False, lineterminator="\n").encode()
    output.save([gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data], path)


def rows_of(task: str, results: Results) -> pd.DataFrame:
    """Return the results of a system on a task as rows of a table."""
    parts = []
    for one, signed in zip(results, results.signatures, strict=True):
        text = json.dumps(dict(signed.fields), ensure_ascii=False)
        signature = [text, *[""] * (len(one.frame) - 1)]
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
    f1, values = (own.pivot(index="system", columns="setting", values=n) for n in ("f1", column))
    first = -f1[settings[0]].fillna(-1) if settings else {}
    order = sorted(f1.index, key=lambda n: (board.systems[n].ranked, first[n], n))
    return values.loc[order, settings]
