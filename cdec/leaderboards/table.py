"""The results of a board: one frame, whose rows are scores and nothing else.

A row is a metric of a system on a task under a setting. The first row of each setting has its
signature as JSON; ``coverage`` is the share of the key's mentions that the response has, of several
runs the lowest. ``cdec leaderboard score`` replaces rows; a table with another column, a cell too
many or too few, two rows of one score or a value that is no score is refused.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import pandas as pd

from cdec.arrays import StrSeries
from cdec.errors import CdecError, FormatError
from cdec.evaluation.results import Results
from cdec.files import output
from cdec.files.input import GZIP, FileKind
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.lock import locked
from cdec.leaderboards.paths import inside
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, REGISTRY
from cdec.render.page import percent
from cdec.settings import SETTINGS
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import Signature

HEAD = ["task", "system", "setting", "metric"]
COVERAGE = "coverage"
SCORES = ["precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"]
_SHARES = [*SCORES, COVERAGE]
_WHOLE = ["runs", *COUNT_COLUMNS]  # written without .0
NUMBERS = [*SCORES, *_WHOLE, COVERAGE]
_FILLED = ["f1", COVERAGE]
COLUMNS = [*HEAD, *NUMBERS, "signature"]
_HINT = "use `cdec leaderboard score`"
_KIND = FileKind("a table of results", FormatError, "file-invalid", _HINT, 2**28)
_ROUNDING = 1e-9  # of a score that was added up
_LARGEST_COUNT = 1e18


def place_of(board: Leaderboard) -> Path:
    """Return the path of the table, which is compressed if it was. No link is allowed."""
    packed = inside(board.folder, "results.csv.gz")
    return packed if packed.is_file() else inside(board.folder, "results.csv")


def results_of(board: Leaderboard) -> pd.DataFrame:
    """Return the saved results of every system with responses, in the order of the jobs.

    Raises FormatError as ``saved_results``, and for a system whose results have not been saved.
    """
    rows = saved_results(board)
    for task, system in board.jobs.keys() - {*jobs_of(rows)}:
        raise FormatError(
            "argument-missing",
            f"the results of {system} on {task} have not been saved",
            place=place_of(board),
            hint=_HINT,
        )
    return _in_order(board, rows)


def saved_results(board: Leaderboard) -> pd.DataFrame:
    """Return the table of a board in the columns COLUMNS, empty if there is none.

    Raises FormatError.
    """
    path = place_of(board)
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS).astype(dict.fromkeys(NUMBERS, float))
    data = _KIND.read_bytes(path)
    if data.startswith(GZIP):
        data = _KIND.unpacked(data, path)
    rows = _read_cells(_KIND.decode(data, path), path)
    _check_rows(rows, path)
    return rows


def _read_cells(text: str, path: Path) -> pd.DataFrame:
    """Return the cells of the table, numbers as such. Raises FormatError with the line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    limit = csv.field_size_limit(len(text) + 1)  # a signature of many runs is long
    try:
        records = [*reader]
    except csv.Error as error:
        raise _KIND.refuse(f"{path}:{reader.line_num}", str(error)) from None
    finally:
        csv.field_size_limit(limit)
    if records[:1] != [COLUMNS]:
        raise _KIND.refuse(path, f"expected the columns {', '.join(COLUMNS)}")
    for line, record in enumerate(records, start=1):
        if len(record) != len(COLUMNS):
            raise _KIND.refuse(
                f"{path}:{line}", f"{len(record)} cells, expected {len(COLUMNS)}"
            )
    rows = pd.DataFrame(records[1:], columns=COLUMNS, dtype=str)
    rows.index += 2  # the line of each
    for name in NUMBERS:
        rows[name] = _numbers(rows[name], path)
    return rows


def _numbers(cells: StrSeries, path: Path) -> pd.Series[float]:
    """Return cells as numbers by Python's float, which is exact; an empty cell has none."""
    values = []
    for line, cell in cells.items():
        try:
            values.append(float(cell or "nan"))
        except ValueError:
            raise _KIND.refuse(f"{path}:{line}", f"'{cell}' is not a number") from None
    return pd.Series(values, cells.index, dtype=float)


def _check_rows(rows: pd.DataFrame, path: Path) -> None:
    """Raise FormatError for the first row that is no score. The index has the lines."""
    numbers = rows[NUMBERS].fillna(0).to_numpy()
    limits = np.where(np.isin(NUMBERS, _SHARES), 1 + _ROUNDING, _LARGEST_COUNT)
    is_outside = (numbers < 0) | (numbers > limits)
    is_empty = rows[_FILLED].isna().to_numpy()
    is_no_score = is_outside.any(axis=1) | is_empty.any(axis=1)
    is_first = ~rows.duplicated(HEAD[:3])
    is_signed = rows["signature"] != ""
    is_object = rows["signature"].map(_is_object).astype(bool)
    faults = {
        "two rows of one score": rows.duplicated(HEAD),
        "a value that is no score": is_no_score,
        "a setting that does not exist": ~rows["setting"].isin({*SETTINGS}),
        "a metric that does not exist": ~rows["metric"].isin({*REGISTRY}),
        "a signature that is missing, or not in the first row of its setting": (
            is_first != is_signed
        ),
        "a signature that is no JSON object": is_signed & ~is_object,
    }
    for fault, is_wrong in faults.items():
        for line in rows.index[np.asarray(is_wrong, dtype=bool)]:
            raise _KIND.refuse(f"{path}:{line}", fault)


def _is_object(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell or "null"), dict)
    except ValueError:
        return False


def _in_order(board: Leaderboard, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the jobs of a board, in their order, and no others."""
    jobs = pd.MultiIndex.from_tuples(board.jobs, names=HEAD[:2])
    order = jobs.get_indexer(jobs_of(rows))
    is_known = order >= 0
    in_order = np.argsort(order[is_known], kind="stable")
    return rows[is_known].iloc[in_order].reset_index(drop=True)


def merge(board: Leaderboard, rows: pd.DataFrame, *, repair: bool) -> None:
    """Write new rows into the table, instead of those of the same task and system.

    The table is read again and written under the lock of the board: another process may have
    written other rows since. Rows without a system, or without responses to the task, go. With
    ``repair`` a table that is not valid gets the ending ``.old``, and a new one is written.
    Raises FormatError; the new rows are then in a file that the hint names.
    """
    try:
        with locked(board.folder):
            present = board.again()
            path = place_of(present)
            try:
                saved = saved_results(present)
            except FormatError:
                if not repair:
                    raise
                saved = rows.iloc[:0]
                path.replace(path.with_name(f"{path.name}.old"))
            replaced = jobs_of(saved).isin(jobs_of(rows))
            merged = _in_order(present, pd.concat([saved[~replaced], rows]))
            data = _text(merged).encode()
            if path.suffix == ".gz":
                data = gzip.compress(data, 9, mtime=0)
            output.save([data], path)
    except CdecError as error:
        with NamedTemporaryFile(
            "w", encoding="utf-8", prefix="cdec-results-", suffix=".csv", delete=False
        ) as rescued:
            rescued.write(_text(rows))
        error.hint = f"{error.hint}; the new rows are in {rescued.name}"
        raise


def jobs_of(rows: pd.DataFrame) -> pd.MultiIndex:
    """Return the task and the system of each row."""
    return pd.MultiIndex.from_frame(rows[HEAD[:2]])


def _text(rows: pd.DataFrame) -> str:
    """Return rows as CSV; whole numbers have no fraction."""
    cells = rows[COLUMNS].copy()
    for name in _WHOLE:
        is_whole = cells[name] % 1 == 0
        cells[name] = cells[name].map("{:.0f}".format).where(is_whole, cells[name])
    return cells.to_csv(index=False, lineterminator="\n")


def rows_of(task: str, results: Results, runs: Sequence[Alignment]) -> pd.DataFrame:
    """Return the results of a system on a task as rows of a table."""
    parts = []
    for result in results:
        fields = dict(result.signatures[0].fields)
        text = json.dumps(fields, ensure_ascii=False)
        cells = [text, *[""] * (len(result.frame) - 1)]
        parts.append(result.frame.assign(task=task, signature=cells))
    rows = pd.DataFrame(pd.concat(parts, ignore_index=True), columns=COLUMNS)
    rows[COVERAGE] = min(map(coverage, runs))
    return rows.astype(dict.fromkeys(NUMBERS, float))


def coverage(run: Alignment) -> float:
    """Return the share of the key's mentions that a response has."""
    is_in_response = run.mentions["response"].notna()
    return float(is_in_response[run.mentions["key"].notna()].mean())


def coverage_text(share: float) -> str:
    """Return a coverage in percent, cut and not rounded: only a complete response has 100 %."""
    return f"{np.floor(1000 * share) / 10:.1f} %"


def ranked(board: Leaderboard, f1: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the systems that have a rank."""
    return f1[[board.submissions[name].ranked for name in f1.index]]


def ranks_of(f1: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks of systems by F1 as it is shown, a column a setting; NaN without a score."""
    numbers = f1.map(percent).replace("–", np.nan).astype(float)
    return numbers.rank(ascending=False, method="min")


def signatures_of(rows: pd.DataFrame) -> list[Signature]:
    """Return the signatures in rows: JSON has lists for tuples in which several runs differ."""
    signatures = []
    for text in filter(None, rows["signature"]):
        fields = json.loads(text)
        if "runs" in fields:
            for name, value in fields.items():
                if isinstance(value, list):
                    fields[name] = tuple(value)
        signatures.append(Signature(fields))
    return signatures


def wide(
    board: Leaderboard, rows: pd.DataFrame, metric: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return F1 of a metric, and its deviation: a row a system, a column a setting.

    Settings go from strict to lenient. First are the systems without a rank, then the others, the
    best under the strictest setting first.
    """
    of_metric = rows[rows["metric"] == metric]
    names_of_settings = {*of_metric["setting"]}
    strict_to_lenient = [setting.name for setting in STRICT_TO_LENIENT]
    settings = [name for name in strict_to_lenient if name in names_of_settings]
    settings += sorted(names_of_settings.difference(settings))
    f1 = of_metric.pivot(index="system", columns="setting", values="f1")
    deviation = of_metric.pivot(index="system", columns="setting", values="f1_sd")
    strictest = f1[settings[:1]].fillna(-1).max(axis=1)

    def place(name: str) -> tuple[bool, float, str]:
        return board.submissions[name].ranked, -strictest[name], name

    names = sorted(f1.index, key=place)
    return f1.loc[names, settings], deviation.loc[names, settings]
