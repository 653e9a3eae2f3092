"""What a pull request changes on a board: what is new, which ranks change, what is not certain.

The board as the pull request leaves it is scored again, and compared with the board before it by
declarations and digests. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.errors import CdecError, FormatError, counted
from cdec.evaluation.saved import load_results
from cdec.io.progress import Progress, silent
from cdec.leaderboards.folder import BOARD, RESPONSES, RESULTS, SYSTEMS, Leaderboard, digest_of
from cdec.leaderboards.rows import UNDECLARED, BoardRow, published_fields, settings_of
from cdec.leaderboards.saved import differences
from cdec.leaderboards.score import Scored, key_of, run_of, score_board
from cdec.leaderboards.study.tables import FOLDER, resamples_of
from cdec.render import Page, render
from cdec.render.numbers import percent, points
from cdec.render.page import Grid, Listing, Section, Text
from cdec.settings import label_of
from cdec.statistics.draws import Plan

LARGEST = 65_536
"""The characters that a forge takes as a comment."""
_MOST, _LEAST, _LONGEST = 20, 4, 200  # lines of a table, at least; characters of a line
_METRIC, _ALPHA, _DIGITS = "conll", 0.05, 9
_FEW = 20  # topics
_AT = ["task", "system", "setting"]
_Row = tuple[str, str]  # task and system


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
    old, problems, made = _state(before), list[str](), None
    with _noting(problems):
        board = Leaderboard.at(folder, responses)
        made = _Submission(board, before, _changes(old, _state(board)), corpora or {}, progress)
        made.score(problems)
    files = [] if base is None else _files_changed(_files(base), _files(folder))
    pages = [_page(problems, files, made, most) for most in (_MOST, _LEAST)]
    return problems, pages[len(render(pages[0], "markdown")) > LARGEST]


def _page(
    problems: Sequence[str], files: Sequence[str], made: _Submission | None, most: int
) -> Page:
    said = (
        f"{counted(len(problems), 'problem')}: it must be corrected." if problems else "No problem."
    )
    if made:
        responses = sum(len(one.runs) for one in made.scored)
        said += f" {counted(responses, 'response')} scored again."
    sections = []
    if problems:
        lines = _listed("To correct", problems, most)
        sections.append(Section("problems", "Problems", (lines,)))
    if files:
        about = Text("A submission only adds files. Those who maintain these must agree.")
        title = "Changes files that were there before"
        sections.append(Section("files", title, (about, _listed("Files", files, most))))
    if made and made.base:
        sections += made.sections(most)
    return Page("Check of the leaderboard", tuple(sections), (said,))


@contextmanager
def _noting(problems: list[str]) -> Iterator[None]:
    """Add an error to the problems."""
    try:
        yield
    except CdecError as error:
        problems.append(str(error.for_command_line()))


def _files(folder: Path) -> dict[str, str]:
    """Return path → SHA-256 of the files of a board."""
    places = (BOARD, *(f"{name}/**/*" for name in (SYSTEMS, RESPONSES, RESULTS, FOLDER)))
    files = sorted(path for name in places for path in folder.glob(name) if path.is_file())
    return {path.relative_to(folder).as_posix(): digest_of(path) for path in files}


def _files_changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the files that are changed or removed."""
    what = {name: "changed" if name in new else "removed" for name in old}
    return [f"{name}: {what[name]}" for name in old if new.get(name) != old[name]]


def _state(board: Leaderboard | None) -> dict[_Row, dict[str, object]]:
    """Return what makes up each row: declaration, responses, saved results and task."""
    files = _files(board.folder) if board else {}
    return {
        (task.name, entry.name): {
            "declaration": entry.model_dump(exclude={"responses"}),
            "responses": [
                (a, files.get(f"{RESPONSES}/{a.path}")) for a in entry.answers(task.name)
            ],
            "results": files.get(f"{RESULTS}/{task.name}/{entry.name}.json"),
            "task": task,
        }
        for entry, task in (board.jobs() if board else ())
    }


def _changes(old: Mapping[_Row, Any], new: Mapping[_Row, Any]) -> dict[_Row, str]:
    """Return the rows that are new, changed or removed, with what changed."""
    parts = {at: [n for n in new[at] if new[at][n] != old[at][n]] for at in new if at in old}
    changed = {at: f"changed: {', '.join(names)}" for at, names in parts.items() if names}
    added = {at: "new" for at in new if at not in old}
    return added | changed | {at: "removed" for at in old if at not in new}


def _rows(board: Leaderboard, scored: Iterable[Scored] = ()) -> Iterator[BoardRow]:
    """Yield the rows of a board with their saved results, or else as scored."""
    known = {(one.entry.name, one.task.name): one for one in scored}
    for entry, task in board.jobs():
        try:
            results = load_results(board.result_path(entry.name, task.name))
        except FormatError:  # a problem already
            if (entry.name, task.name) not in known:
                continue
            results = known[entry.name, task.name].results(board.file.settings)
        yield BoardRow(board, entry, task.name, results)


def _scores(rows: Iterable[BoardRow]) -> pd.DataFrame:
    """Return CoNLL F1 and rank of rows under each setting; people have no rank."""
    records = [
        (row.task, row.name, setting, row.value(setting, _METRIC), row.entry.people)
        for row in rows
        for setting in row.settings.get(_METRIC, ())
    ]
    table = pd.DataFrame(records, columns=[*_AT, "f1", "people"]).astype({"people": bool})
    f1 = table["f1"].astype(float).round(_DIGITS).mask(table.pop("people"))
    places = f1.groupby([table["task"], table["setting"]])
    return table.assign(rank=places.rank(ascending=False, method="min"))


@dataclass(frozen=True, eq=False)
class _Submission:
    """A board, the board before it, and the rows in which they differ."""

    board: Leaderboard
    base: Leaderboard | None
    changes: Mapping[_Row, str]
    corpora: Mapping[str, str]
    progress: Progress
    scored: list[Scored] = field(default_factory=list)

    def score(self, problems: list[str]) -> None:
        """Score what changed, then the rest; add to the problems what is wrong."""
        changed = {name for _, name in self.changes if name in self.board.systems}
        rest = {entry.name for entry, _ in self.board.jobs()} - changed - {*self.elsewhere}
        for names in (changed, rest):
            choice = (self.board, self.corpora, None, self.progress, sorted(names))
            with _noting(problems):
                for one in score_board(*choice) if names else ():
                    self.scored.append(one)
        with _noting(problems):
            problems += map(str, differences(self.board, self.scored))

    @cached_property
    def elsewhere(self) -> list[str]:
        """The systems that are as they were and whose responses are not here."""
        changed, here = {name for _, name in self.changes}, self.board.is_here
        entries = self.board.systems.values() if self.base else ()
        return [
            entry.name
            for entry in entries
            if entry.name not in changed
            and not all(here(name) for a in entry.responses for name in (a.path, a.key) if name)
        ]

    @cached_property
    def rows(self) -> list[BoardRow]:
        """The rows of the board: as saved, else as scored."""
        return list(_rows(self.board, self.scored))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """CoNLL F1 and rank of all rows under each setting, now and before."""
        before = _scores(_rows(self.base) if self.base else ())
        both = _scores(self.rows).merge(before, "outer", on=_AT, suffixes=("", "_before"))
        rows = zip(both["task"], both["system"], strict=True)
        return both.assign(change=[self.changes.get(at, "") for at in rows])

    @cached_property
    def settings(self) -> list[str]:
        """The settings that have scores, strict to lenient."""
        return settings_of(self.rows, _METRIC)

    def sections(self, most: int) -> Iterator[Section]:
        """Yield what is new, which ranks change, and what is not certain."""
        if not self.changes:
            yield Section("new", "Nothing is new", ())
            return
        yield self._new(most)
        yield self._moved(most)
        yield self._uncertain(most)

    def _new(self, most: int) -> Section:
        known = {(r.task, r.system, r.setting): _cell(r) for r in self.scores.itertuples()}
        scores = [
            {"Task": task, "System": name, "Change": change}
            | {label_of(s): known.get((task, name, s), "–") for s in self.settings}
            for (task, name), change in self.changes.items()
        ]
        declared = [
            {
                "Task": row.task,
                "System": row.name,
                "Title": row.entry.title,
                "Licence": row.entry.licence or "–",
                "Declares": ", ".join(row.tags) or "–",
                "Published": "; ".join(map(_published, published_fields(row))) or "–",
            }
            for row in self.rows
            if (row.task, row.name) in self.changes
        ]
        scores_grid = _grid("CoNLL F1 in percent, and rank", scores, most)
        data = self.scores[self.scores["change"] != ""]
        return Section("new", "What is new", (scores_grid, _grid("Declared", declared, most)), data)

    def _moved(self, most: int) -> Section:
        table = self.scores[self.scores["change"] == ""].dropna()
        table = table[table["rank"] != table["rank_before"]].sort_values("rank")
        lines = []
        for (task, setting), part in table.groupby(["task", "setting"], sort=False):
            moves = [f"{r.system} {r.rank_before:.0f} → {r.rank:.0f}" for r in part.itertuples()]
            rest = f", and {len(moves) - _LEAST} others" if len(moves) > _LEAST else ""
            moved = ", ".join(moves[:_LEAST]) + rest
            lines.append({"Task": task, "Setting": label_of(setting), "Systems": moved})
        blocks = (_grid("From → to", lines, most),) if lines else (Text("None of other systems."),)
        return Section("ranks", "Ranks that change", blocks, table)

    def _uncertain(self, most: int) -> Section:
        tests = pd.DataFrame(one for task in self.board.tasks for one in self._tests(task, most))
        rows = [] if tests.empty else tests.groupby(_AT, sort=False)
        lines = [
            {"Task": task, "System": name, "Setting": label_of(setting)}
            | {"Next above": "–", "Next below": "–"}
            | {f"Next {one.side}": _compared(one) for one in part.itertuples()}
            for (task, name, setting), part in rows
        ]
        notes = list(self._notes(tests))
        grid = _grid("Difference from the next system, in points", lines, most)
        blocks = (*([grid] if lines else []), *([_listed("Notes", notes, most)] if notes else []))
        return Section("uncertain", "What is not certain", blocks, tests)

    def _tests(self, task: str, most: int) -> Iterator[dict[str, Any]]:
        """Yield the tests of changed rows against the next above and below, by topics."""
        shown = {name for of, name in [*self.changes][:most] if of == task}
        pairs = [pair for pair in self._pairs(task) if pair["system"] in shown]
        names = {pair[side] for pair in pairs for side in ("system", "other")}
        scored = [s for s in self.scored if s.task.name == task and s.entry.name in names]
        unit, parts = resamples_of(scored, Plan(), None, self.progress) if scored else (None, {})
        number = {one.entry.name: at for at, one in enumerate(scored)}
        tests = {setting: part.differences() for setting, part in parts.items()}
        for pair in pairs:
            at = number.get(pair["system"]), number.get(pair["other"])
            known = pair["setting"] in tests and None not in at
            p, half = (each[at] for each in tests[pair["setting"]]) if known else (nan, nan)
            units = parts[pair["setting"]].units if known else None
            yield pair | {"p": p, "half": half, "unit": unit, "units": units}

    def _pairs(self, task: str) -> Iterator[dict[str, Any]]:
        """Yield each system of a task with its neighbours in rank under each setting."""
        ranked = self.scores[self.scores["task"] == task].dropna(subset="rank")
        for setting in self.settings:
            part = ranked[ranked["setting"] == setting].sort_values(["rank", "system"])
            systems = list(zip(part["system"], part["f1"], strict=True))
            for (above, high), (below, low) in pairwise(systems):
                of = {"task": task, "setting": setting}
                yield of | {
                    "system": above,
                    "side": "below",
                    "other": below,
                    "difference": high - low,
                }
                yield of | {
                    "system": below,
                    "side": "above",
                    "other": above,
                    "difference": low - high,
                }

    def _notes(self, tests: pd.DataFrame) -> Iterator[str]:
        """Yield what is known of the tests, what is not declared, and notices of responses."""
        known = tests.dropna(subset="p") if len(tests) else tests
        for (task, unit), part in known.groupby(["task", "unit"]) if len(known) else ():
            sure, units = (part["p"] < _ALPHA).sum(), int(part["units"].iloc[0])
            few = ", which are few" if units < _FEW else ""
            yield (
                f"{task}: {sure} of {counted(len(part), 'difference')} certain (*: the 95 % "
                f"interval excludes 0), paired by {counted(units, unit)}{few}"
            )
        for row in self.rows:
            if (row.task, row.name) in self.changes:
                yield from (
                    f"{row.task}, {row.name}: {tag}" for tag in row.tags if tag in UNDECLARED
                )
        for one in self.scored:
            if (one.task.name, one.entry.name) in self.changes:
                yield from self._notices(one)
        if self.elsewhere:
            yield f"not scored again, as their responses are not here: {', '.join(self.elsewhere)}"

    def _notices(self, one: Scored) -> Iterator[str]:
        for run in one.runs:
            key = key_of(self.board, one.task, run.answer, self.corpora)
            read = run_of(key, self.board.there(run.answer.path, ""), run.answer)
            yield from (f"{run.answer.path}: {notice.line}" for notice in read.notices)


def _listed(label: str, lines: Sequence[str], most: int) -> Listing:
    """Return lines, the first ones if there are many."""
    rest = [f"… and {len(lines) - most:,} more"] if len(lines) > most else []
    return Listing(label, (*(f"{line:.{_LONGEST}}" for line in lines[:most]), *rest))


def _grid(caption: str, lines: Sequence[Mapping[str, str]], most: int) -> Grid:
    """Return a table of texts, its first rows if there are many."""
    rest = [f"… and {counted(len(lines) - most, 'row')} more"] if len(lines) > most else []
    table = pd.DataFrame(lines[:most]).map(lambda text: f"{text:.{_LONGEST}}")
    return Grid.from_frame(caption, table, 2, rest)


def _cell(row: Any) -> str:
    """Return F1 and rank of a row of ``scores``: before and now, if they differ."""
    places = ((row.f1_before, row.rank_before), (row.f1, row.rank))
    known = [(percent(f1), rank) for f1, rank in places if not isnan(f1)]
    texts = (f1 if isnan(rank) else f"{f1} ({rank:.0f})" for f1, rank in known)
    return " → ".join(dict.fromkeys(texts)) or "–"


def _published(fields: Mapping[str, str]) -> str:
    where = f"{fields['Setting']} {fields['Metric']}"
    return f"{where} {fields['published']}, here {fields['ours']} ({fields['difference']})"


def _compared(test: Any) -> str:
    """Return the difference from another system with its interval, or why there is none."""
    text = f"{test.other} {points(test.difference)}"
    if isnan(test.p):
        return f"{text} (no test)"
    return f"{text} ± {100 * test.half:.1f}{'*' if test.p < _ALPHA else ''}"
