"""What on a board is not so: saved scores, declarations, copies, and what a reader must know.

A *problem* fails the check of a board. A *remark* does not: it lists what the maintainer of the
board allows, and responses that do not cover the key.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.errors import Notice
from cdec.evaluation.results import Results
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.copies import NEAR, copies, is_key, share_of_key
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.rules import Task
from cdec.leaderboards.submission import Submission
from cdec.leaderboards.table import NUMBERS, coverage, coverage_text, jobs_of, rows_of
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


def notices(
    board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]
) -> list[Notice]:
    """Return what differs from the saved results, or is otherwise not as declared.

    A warning is a problem, another notice is a remark. Saved scores are last: many can differ, and
    only the first lines are shown.
    """
    return [
        *_keys(scored),
        *_coverage(scored),
        *map(_problem, _families(scored)),
        *map(_problem, _missing_copies(scored)),
        *map(_problem, _undeclared(scored)),
        *_equal_files(board),
        *_equal_chains(scored),
        *map(_problem, _differences(board, saved, scored)),
    ]


def _problem(text: str) -> Notice:
    return Notice("check-failed", 1, text)


# ---- the saved results ----


def _differences(
    board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]
) -> Iterator[str]:
    """Yield where saved rows differ from those of the responses."""
    for task, system in {*jobs_of(saved)} - board.jobs.keys():
        yield f"{system}, {task}: results without a system or response"
    for answer in scored:
        is_of_system = saved["system"] == answer.submission.name
        before = saved[is_of_system & (saved["task"] == answer.task.name)]
        after = rows_of(answer.task.name, answer.results, answer.runs)
        for text in _changes(before, after):
            yield f"{answer.place}: {text}"


def _changes(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """Yield how the rows of a system on a task differ."""
    cells_before = _cells(before)
    cells = _cells(after)
    if cells_before != cells:
        differing = min({*cells_before} ^ {*cells}, default=("their", "order"))
        yield (
            f"{len(cells_before)} saved rows, expected {len(cells)}: {' '.join(differing)} "
            "differs"
        )
        return
    numbers_before = before[NUMBERS].to_numpy()
    numbers = after[NUMBERS].to_numpy()
    is_close = np.isclose(numbers_before, numbers, TOLERANCE, TOLERANCE, equal_nan=True)
    for row, column in np.argwhere(~is_close):
        yield (
            f"{' '.join(cells[row])} {NUMBERS[column]}: saved "
            f"{numbers_before[row, column]:.6f}, now {numbers[row, column]:.6f}"
        )
    signatures = zip(cells, before["signature"], after["signature"], strict=True)
    for (setting, _), signature_before, signature in signatures:
        fields = _differing_fields(signature_before, signature)
        if fields:
            yield f"{setting}: the signature differs in {', '.join(fields)}"


def _cells(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return [*zip(rows["setting"], rows["metric"], strict=True)]


def _differing_fields(before: str, after: str) -> list[str]:
    """Return the fields in which two signatures differ; a later release may check."""
    fields_before = json.loads(before or "{}")
    fields = json.loads(after or "{}")
    if _RELEASE.fullmatch(str(fields_before.get("cdec"))):
        fields_before["cdec"] = fields.get("cdec")
    names = {**fields_before, **fields}
    return [name for name in names if fields_before.get(name) != fields.get(name)]


# ---- declarations ----


def _undeclared(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield where a system is described otherwise than its responses declare.

    A run has the declaration of its file; the system has, of ``uses`` and training data, that of
    one of its files.
    """
    of_system: dict[tuple[str, str], list[object]] = defaultdict(list)
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
                    yield (
                        f"{answer.place}: {name} is {described[name]}, but {run.path} declares "
                        f"{value}"
                    )
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
        family = submission.family
        is_of_board = not {declared, family}.isdisjoint(submission.rules.families)
        if declared != family and is_of_board:
            yield f"{name}: it declares the family {declared}, on the board it is {family}"


def _missing_copies(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield the responses that are declared as copied, but are not in the folder."""
    for answer in scored:
        if answer.submission.entry.copied:
            for run in answer.submission.answers[answer.task.name]:
                if not answer.submission.copy(run.path).is_file():
                    yield f"{answer.place}: {run.path} is not in the folder, but declared as copied"


# ---- copies and coverage ----


def _keys(scored: Iterable[Scored]) -> Iterator[Notice]:
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
        yield Notice("name-duplicate", 1, text, warning=not is_allowed)


def _equal_files(board: Leaderboard) -> Iterator[Notice]:
    """Yield the files that two systems have, of the whole board."""
    owners: dict[tuple[str, str, str | None], list[Submission]] = defaultdict(list)
    for task, submission in board.jobs.values():
        for run in submission.answers[task.name]:
            owners[task.name, run.digest, run.pairs].append(submission)
    notices_of_text = {}  # of several files one
    for (task_name, _, _), submissions in owners.items():
        if len(submissions) > 1:
            names = " and ".join(submission.name for submission in submissions)
            text = f"{names}, {task_name}: one file is a response of each"
            families = {submission.family for submission in submissions}
            notices_of_text[text] = _copy_notice(text, families)
    yield from notices_of_text.values()


def _equal_chains(scored: Iterable[Scored]) -> Iterator[Notice]:
    """Yield the systems that have a response of equal, or nearly equal, chains; and equal runs."""
    by_task: dict[str, list[Scored]] = defaultdict(list)
    for answer in scored:
        by_task[answer.task.name].append(answer)
    for task_name, answers in by_task.items():
        families = {
            answer.submission.name: answer.submission.family for answer in answers
        }
        shares: dict[tuple[str, str], float] = {}
        for copy in copies([run for answer in answers for run in answer.runs]):
            names = (copy.first.system, copy.second.system)
            shares[names] = max(copy.share, shares.get(names, 0))
        for (first, second), share in shares.items():
            if first != second:
                text = (
                    f"{first} and {second}, {task_name}: {coverage_text(share)} of the mentions "
                    "of two responses are in equal chains"
                )
                yield _copy_notice(text, {families[first], families[second]})
            elif share == 1:
                yield _problem(
                    f"{first}, {task_name}: two of its runs have equal chains"
                )


def _copy_notice(text: str, families: set[str]) -> Notice:
    """Return the notice on systems with one response: a problem unless they are of one family."""
    if len(families) > 1:
        return Notice("name-duplicate", 1, text)
    (family,) = families
    return Notice("name-duplicate", 1, f"{text} (family {family})", warning=False)


def _coverage(scored: Iterable[Scored]) -> Iterator[Notice]:
    """Yield the responses that do not have all mentions of the key."""
    for answer in scored:
        share = min(map(coverage, answer.runs))
        if share < 1:
            yield Notice(
                "missing-mention",
                1,
                f"{answer.place}: covers {coverage_text(share)} of the mentions of the key",
                warning=False,
            )
