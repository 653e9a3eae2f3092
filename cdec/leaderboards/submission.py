"""What a pull request changes on a board: what is new, which ranks change, what is not certain.

The board as the pull request leaves it is scored again, and compared with the board before it by
declarations and digests. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import CdecError, counted
from cdec.evaluation.saved import load_results
from cdec.io.progress import Progress, silent
from cdec.leaderboards.comment import (
    MOST,
    certain,
    declared,
    difference,
    few,
    grid,
    listed,
    move,
    place,
)
from cdec.leaderboards.folder import RESPONSES, RESULTS, SYSTEMS, Leaderboard
from cdec.leaderboards.rows import (
    UNDECLARED,
    BoardRow,
    ranks_of,
    rows_of,
    settings_of,
)
from cdec.leaderboards.saved import Changes, changes, differences, files_of, state_of
from cdec.leaderboards.score import Scored, key_of, run_of, score_board
from cdec.leaderboards.study.tables import resamples_of
from cdec.render import Page
from cdec.render.page import Block, Grid, Section, Text
from cdec.settings import label_of
from cdec.statistics.draws import Plan

_METRIC = "conll"
_ROW = ["task", "system"]
_OTHERS = "A submission adds files. Whoever maintains these must agree to the change:"


def check_board(
    folder: Path,
    base: Path | None = None,
    responses: Path | None = None,
    corpora: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> tuple[list[str], Page]:
    """Score a board again; return what is wrong with it, and a page in the size of a comment.

    ``base``: the folder of the board before; the page says what is new, which ranks change and what
    is not certain. Systems that are as they were, and whose responses are not here, are not scored
    again; without ``base``, all must be here. ``corpora`` maps the name of a corpus in the tasks →
    its path. Raises FormatError for a ``base`` that is not valid.
    """
    before = None if base is None else Leaderboard.at(base)
    old, problems, further = state_of(before), list[str](), list[Section]()
    said, own = list[str](), set[str]()
    with _noting(problems):
        board = Leaderboard.at(folder, responses)
        made = _Submission(board, before, changes(old, state_of(board)), corpora or {}, progress)
        own.update(made.files)
        made.score(problems)
        said += [f"{counted(len(made.scored), 'row')} scored again."]
        if made.elsewhere:
            said += [f"Not scored again, without their responses: {few(made.elsewhere)}."]
        further += made.sections() if before else ()
    files, now = files_of(base), files_of(folder)
    other = [
        f"{name}{'' if name in now else ' (removed)'}"
        for name in files
        if files[name] != now.get(name)
    ]
    lists = {"Problems": problems, "Changes files that were there before": other}
    lists["Adds files of no row"] = sorted(now.keys() - files.keys() - own) if own and base else []
    sections = [
        Section(f"list-{at}", title, listed([_OTHERS, *lines] if lines is other else lines))
        for at, (title, lines) in enumerate(lists.items())
        if lines
    ]
    verdict = counted(len(problems), "problem") if problems else "No problem"
    return problems, Page("Check of the leaderboard", (*sections, *further), (f"{verdict}.", *said))


@contextmanager
def _noting(problems: list[str]) -> Iterator[None]:
    """Add an error to the problems."""
    try:
        yield
    except CdecError as error:
        problems.append(str(error))


@dataclass(frozen=True, eq=False)
class _Submission:
    """A board, the board before it, and the rows in which they differ."""

    board: Leaderboard
    base: Leaderboard | None
    changes: Changes
    corpora: Mapping[str, str]
    progress: Progress
    scored: list[Scored] = field(default_factory=list)

    def score(self, problems: list[str]) -> None:
        """Score what changed, then the rest; add to the problems what is wrong."""
        changed = {name for _, name in self.changes} & self.board.systems.keys()
        rest = {entry.name for entry, _ in self.board.jobs()} - changed - {*self.elsewhere}
        for name in sorted(changed) if self.base else ():
            if outside := self.board.outside(self.board.systems[name]):
                problems.append(f"{name}: not in the folder of the responses: {few(outside)}")
                changed.remove(name)
        for names in filter(None, (changed, rest)):
            with _noting(problems):
                choice = (self.board, self.corpora, None, self.progress, sorted(names))
                self.scored.extend(score_board(*choice))
        with _noting(problems):
            problems.extend(map(str, differences(self.board, self.scored)))
        for entry, task in self.board.jobs():
            if entry.name in self.elsewhere:
                with _noting(problems):
                    load_results(self.board.result_path(entry.name, task.name))

    @property
    def files(self) -> Iterator[str]:
        """The files that belong to a row."""
        for entry, task in self.board.jobs():
            yield f"{SYSTEMS}/{entry.name}.toml"
            yield f"{RESULTS}/{task.name}/{entry.name}.json"
            for answer in entry.answers(task.name):
                yield from (f"{RESPONSES}/{name}" for name in (answer.path, answer.key) if name)

    @cached_property
    def elsewhere(self) -> list[str]:
        """The systems that are as they were and whose responses are not here."""
        changed, here = {name for _, name in self.changes}, self.board.is_here
        answers = [(e.name, answer) for e in self.board.systems.values() for answer in e.responses]
        lacking = {n for n, a in answers if not here(a.path) or (a.key and not here(a.key))}
        return sorted(lacking - changed) if self.base else []

    @cached_property
    def _rows(self) -> list[BoardRow]:
        return list(rows_of(self.board, self.scored))

    @cached_property
    def _scores(self) -> pd.DataFrame:
        """CoNLL F1 and rank of all rows under each setting, now and before."""
        before = ranks_of(rows_of(self.base) if self.base else (), _METRIC)
        at, ends = [*_ROW, "setting"], ("", "_before")
        both = ranks_of(self._rows, _METRIC).merge(before, "outer", at, suffixes=ends)
        rows = zip(both["task"], both["system"], strict=True)
        return both.assign(change=[self.changes.get(row, "") for row in rows])

    def sections(self) -> Iterator[Section]:
        """Yield what is new, which ranks change, and what is not certain."""
        if not self.changes:
            yield Section("same", "", (Text("No row of the board changes."),))
            return
        is_new = self._scores["change"] != ""
        new, others = self._scores[is_new], self._scores[~is_new]
        changed = [row for row in self._rows if (row.task, row.name) in self.changes]
        moved = others[others["rank"] != others["rank_before"]].dropna().sort_values("rank")
        tests = self._tests()
        notes = [note for row in changed for note in self._notes(row)]
        notes = [*certain(tests), *sorted(notes, key=lambda note: "its own key" not in note)]
        parts: dict[str, tuple[Block | None, ...]] = {
            "What is new": (self._wide("F1", new, [*_ROW, "change"], place), declared(changed)),
            "Ranks of others that change": (self._wide("From → to", moved, ["task"], move),),
            "What is not certain": (
                self._wide("Difference in points", tests, [*_ROW, "next"], difference),
                *listed(notes),
            ),
        }
        for at, (title, blocks) in enumerate(parts.items()):
            data = (new, moved, tests)[at]
            shown: tuple[Block, ...] = tuple(filter(None, blocks)) or (Text("None."),)
            yield Section(f"part-{at}", title, shown, data)

    def _wide(
        self, caption: str, table: pd.DataFrame, heads: Sequence[str], text: Callable[[Any], str]
    ) -> Grid | None:
        """Return a table with a row for each of ``heads`` and a column for each setting."""
        cells: dict[tuple[str, ...], dict[str, list[str]]] = {}
        for row in table.itertuples():
            at = cells.setdefault(tuple(getattr(row, name) for name in heads), {})
            at.setdefault(str(row.setting), []).append(text(row))
        settings = settings_of(self._rows, _METRIC)
        lines = [
            dict(zip(map(str.capitalize, heads), at, strict=True))
            | {label_of(setting): few(texts.get(setting, ["–"])) for setting in settings}
            for at, texts in cells.items()
        ]
        return grid(f"CoNLL: {caption}", lines, len(heads))

    def _tests(self) -> pd.DataFrame:
        """Return the differences of new rows from the next above and below, tested by topics."""
        ranked = self._scores.dropna(subset="rank").sort_values(["rank", "system"])
        by, shown = ranked.groupby(["task", "setting"]), sorted(self.changes)[:MOST]
        sides = [
            ranked.assign(
                next=side,
                other=by["system"].shift(step),
                difference=ranked["f1"] - by["f1"].shift(step),
            )
            for side, step in (("above", 1), ("below", -1))
        ]
        pairs = pd.concat(sides).dropna(subset="other").sort_values([*_ROW, "next"])
        pairs = pairs[pd.MultiIndex.from_frame(pairs[_ROW]).isin(shown)]
        tested = [self._tested(str(task), part) for task, part in pairs.groupby("task")]
        return pd.concat(tested) if tested else pairs

    def _tested(self, task: str, pairs: pd.DataFrame) -> pd.DataFrame:
        """Return pairs of one task with p, half of the interval, and the number of units."""
        names = {*pairs["system"], *pairs["other"]}
        # Responses to keys of their own have other documents, and no topics.
        scored = [
            one
            for one in self.scored
            if one.task.name == task
            and one.entry.name in names
            and not any(answer.key for answer in one.entry.answers(task))
        ]
        unit, parts = resamples_of(scored, Plan(), None, self.progress) if scored else (None, {})
        order = [one.entry.name for one in scored]
        tests = {
            (setting, system, other): (p[i, j], half[i, j])
            for setting, (p, half) in ((name, part.differences()) for name, part in parts.items())
            for i, system in enumerate(order)
            for j, other in enumerate(order)
        }
        rows = zip(pairs["setting"], pairs["system"], pairs["other"], strict=True)
        p, half = np.array([tests.get(row, (nan, nan)) for row in rows]).T
        units = next((part.units for part in parts.values()), 0)
        return pairs.assign(p=p, half=half, unit=unit or "topic", units=units)

    def _notes(self, row: BoardRow) -> Iterator[str]:
        """Yield what a row does not declare, its own keys, and the notices of its responses."""
        keys = {answer.key for answer in row.entry.answers(row.task) if answer.key}
        yield from (f"{row.task}, {row.name}: scored against its own key {key}" for key in keys)
        yield from (f"{row.task}, {row.name}: {tag}" for tag in row.tags if tag in UNDECLARED)
        for one in self.scored:
            # The responses to a part of another task have its other documents, too.
            same = (one.task.name, one.entry.name) == (row.task, row.name)
            if same and not one.task.responses_of:
                for answer in row.entry.answers(row.task):
                    key = key_of(self.board, one.task, answer, self.corpora)
                    read = run_of(key, self.board.there(answer.path, ""), answer)
                    yield from (f"{answer.path}: {notice.line}" for notice in read.notices)
