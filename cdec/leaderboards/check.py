"""What on a board is not so: saved scores, declarations, copies, and what a reader must know.

A *problem* fails the check of a board. A *remark* does not: it lists what the maintainer of the
board allows, and responses that do not cover the key.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.evaluation.results import Results
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.copies import NEAR, copies, is_key, share_of_key
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.rules import Task
from cdec.leaderboards.submission import Submission
from cdec.leaderboards.table import NUMBERS, coverage, coverage_text, rows_of
from cdec.matching.alignment import Alignment

TOLERANCE = 1e-9
"""Scores may differ by this much: the order of additions changes the last digits."""
_RELEASE = re.compile(r"\d+(\.\d+)*([a-z]+\d*|\.dev\d+|\+[\w.]+)*")


class Scored(NamedTuple):
    """A submission on a task: its runs beside the key, and its results."""

    task: Task
    submission: Submission
    runs: tuple[Alignment, ...]
    results: Results

    @property
    def place(self) -> str:
        """The names of the system and of the task, for a line on them."""
        return f"{self.submission.name}, {self.task.name}"


@dataclass(frozen=True)
class Finding:
    """A line of the check of a board; a ``problem`` fails it."""

    text: str
    problem: bool = True


def findings(board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]) -> list[Finding]:
    """Return what differs from the saved results, or is otherwise not as declared.

    Saved scores are last: many can differ, and only the first lines are shown.
    """
    return [
        *_keys(scored),
        *_coverage(scored),
        *map(Finding, _families(scored)),
        *map(Finding, _missing_copies(scored)),
        *map(Finding, _undeclared(scored)),
        *_equal_files(board),
        *_equal_chains(scored),
        *map(Finding, _differences(board, saved, scored)),
    ]


# ---- the saved results ----


def _differences(
    board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]
) -> Iterator[str]:
    """Yield where saved rows differ from those of the responses."""
    saved_rows = {}
    for (task, system), rows in saved.groupby(["task", "system"]):
        saved_rows[str(task), str(system)] = rows
    for task, system in saved_rows.keys() - board.jobs.keys():
        yield f"{system}, {task}: results without a system or response"
    for answer in scored:
        old = saved_rows.get((answer.task.name, answer.submission.name), saved.iloc[:0])
        new = rows_of(answer.task.name, answer.results, answer.runs)
        for text in _changes(old, new):
            yield f"{answer.place}: {text}"


def _changes(saved: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    old = _cells(saved)
    new = _cells(now)
    if old != new:
        differing = sorted({*old} ^ {*new})
        words = " ".join(differing[0]) if differing else "their order"
        yield f"{len(old)} saved rows, expected {len(new)}: {words} differs"
        return
    before = saved[NUMBERS].to_numpy()
    after = now[NUMBERS].to_numpy()
    is_close = np.isclose(before, after, TOLERANCE, TOLERANCE, equal_nan=True)
    for row, column in np.argwhere(~is_close):
        values = f"saved {before[row, column]:.6f}, now {after[row, column]:.6f}"
        yield f"{' '.join(new[row])} {NUMBERS[column]}: {values}"
    for (setting, _), *texts in zip(new, saved["signature"], now["signature"], strict=True):
        fields = _differing_fields(*texts)
        if fields:
            yield f"{setting}: the signature differs in {', '.join(fields)}"


def _cells(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return [*zip(rows["setting"], rows["metric"], strict=True)]


def _differing_fields(saved: str, now: str) -> list[str]:
    """Return the fields in which two signatures differ; a later release may check."""
    old = json.loads(saved or "{}")
    new = json.loads(now or "{}")
    if _RELEASE.fullmatch(str(old.get("cdec"))):
        old["cdec"] = new.get("cdec")
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


# ---- declarations ----


def _undeclared(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield where a system is described otherwise than its responses declare.

    A run has the declaration of its file; the system has, of ``uses`` and training data, that of
    one of its files.
    """
    of_system: dict[tuple[str, str], list[Any]] = defaultdict(list)
    submissions = {}
    for answer in scored:
        submission = answer.submission
        submissions[submission.name] = submission
        declared_runs = submission.answers[answer.task.name]
        for alignment, run in zip(answer.runs, declared_runs, strict=True):
            described = submission.entry.run(run).model_dump() | {"seed": run.seed}
            for name, value in alignment.about.get("declared", {}).items():
                if name not in RunDeclaration.model_fields and name != "seed":
                    of_system[submission.name, name].append(value)
                elif described[name] != value:
                    values = f"{described[name]}, but {run.path} declares {value}"
                    yield f"{answer.place}: {name} is {values}"
    for (system, name), in_files in of_system.items():
        entry = submissions[system].entry
        value = getattr(entry.uses if name in Uses.model_fields else entry, name)
        if value not in in_files:
            yield f"{system}: {name} is {value}, but its responses declare {in_files[0]}"


def _families(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield the systems that declare a family of the board which the board does not give them."""
    submissions = {answer.submission.name: answer.submission for answer in scored}
    for name, submission in submissions.items():
        declared = submission.entry.family
        is_family_of_board = {declared, submission.family} & submission.rules.families.keys()
        if declared != submission.family and is_family_of_board:
            family = submission.family
            yield f"{name}: it declares the family {declared}, on the board it is {family}"


def _missing_copies(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield the responses that are declared as copied, but are not in the folder."""
    for answer in scored:
        if answer.submission.entry.copied:
            for run in answer.submission.answers[answer.task.name]:
                if not answer.submission.copy(run.path).is_file():
                    yield f"{answer.place}: {run.path} is not in the folder, but declared as copied"


# ---- copies and coverage ----


def _keys(scored: Iterable[Scored]) -> Iterator[Finding]:
    """Yield the responses that are the key, or nearly."""
    for answer in scored:
        submission = answer.submission
        shares = [1.0 if is_key(run) else share_of_key(run) for run in answer.runs]
        share = max(shares)
        if share < NEAR:
            continue
        text = f"{answer.place}: {coverage_text(share)} of its mentions are in chains of the key"
        is_allowed = submission.name in submission.rules.upper_bounds
        if not is_allowed:
            text += "; is it the key? If it is meant, list it in `upper_bounds` of the board"
        yield Finding(text, problem=not is_allowed)


def _equal_files(board: Leaderboard) -> Iterator[Finding]:
    """Yield the files that two systems have, of the whole board."""
    owners: dict[tuple[str, str, str | None], list[Submission]] = defaultdict(list)
    for task, submission in board.jobs.values():
        for run in submission.answers[task.name]:
            owners[task.name, run.digest, run.pairs].append(submission)
    pairs: dict[tuple[str, str], list[Submission]] = {}
    for (task_name, *_), submissions in owners.items():
        if len(submissions) > 1:
            names = " and ".join(submission.name for submission in submissions)
            pairs[names, task_name] = submissions
    for (names, task_name), submissions in pairs.items():
        families = {submission.family for submission in submissions}
        text = f"{names}, {task_name}: one file is a response of each"
        yield Finding(text + _of_family(families), problem=len(families) > 1)


def _equal_chains(scored: Iterable[Scored]) -> Iterator[Finding]:
    """Yield the systems that have a response of equal, or nearly equal, chains; and equal runs."""
    by_task: dict[str, list[Scored]] = defaultdict(list)
    for answer in scored:
        by_task[answer.task.name].append(answer)
    for task_name, answers in by_task.items():
        submissions = {answer.submission.name: answer.submission for answer in answers}
        highest: dict[tuple[str, str], float] = {}
        for copy in copies([run for answer in answers for run in answer.runs]):
            names = copy.first.system, copy.second.system
            highest[names] = max(copy.share, highest.get(names, 0))
        for names, share in highest.items():
            if names[0] == names[1]:
                if share == 1:
                    yield Finding(f"{names[0]}, {task_name}: two of its runs have equal chains")
                continue
            families = {submissions[name].family for name in names}
            text = f"{' and '.join(names)}, {task_name}: {coverage_text(share)} of the mentions of "
            text += "two responses are in equal chains"
            yield Finding(text + _of_family(families), problem=len(families) > 1)


def _of_family(families: set[str]) -> str:
    """Return the end of a line on systems that the board has in one family."""
    return f" (family {next(iter(families))})" if len(families) == 1 else ""


def _coverage(scored: Iterable[Scored]) -> Iterator[Finding]:
    """Yield the responses that do not have all mentions of the key."""
    for answer in scored:
        share = min(map(coverage, answer.runs))
        if share < 1:
            text = f"{answer.place}: covers {coverage_text(share)} of the mentions of the key"
            yield Finding(text, problem=False)
