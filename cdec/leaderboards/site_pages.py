"""The pages of a board as a site: its tasks by metric, and its systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isnan
from typing import NamedTuple

import pandas as pd

from cdec.leaderboards.declared import declared_grid
from cdec.leaderboards.folder import Leaderboard, board_of_cdec
from cdec.leaderboards.rows import (
    FILTERS,
    BoardRow,
    Line,
    lines_of,
    ordered,
    published_fields,
    settings_of,
    without_intervals,
)
from cdec.leaderboards.saved import saved_results
from cdec.metrics import REGISTRY
from cdec.render.charts.slopes import Slope, slope_chart
from cdec.render.numbers import bracket
from cdec.render.page import Block, Chart, Grid, Listing, Page, Section, Text
from cdec.settings import label_of

METRICS = ("conll", "lea", "muc", "b3", "ceafe")  # the first is that of the address of a task
_LABELLED = 8  # systems of the chart of ranks, at least
_COLUMNS = ("runs", "precision", "recall", "f1", "f1_sd")
_INDEX = "index.html"
_HIDDEN = {"published", "responses", "uses", "made_from"}  # not as one value
_ABOUT = (
    "F1 in percent, of several runs the mean ± standard deviation; in brackets the interval of a "
    "score that was saved with one. Bold: the best of a column among the rows shown. People, "
    "and systems with gold links of test, come first and are not ranked. Published: the value of "
    "the authors, the setting, and ours minus theirs in points.",
    "A row that does not declare whether it uses gold topics is left out by that filter, and so is "
    "a language model that does not declare whether it saw the test data. Outputs are open if "
    "their licence is known and they are copied, in a public archive, or made by a recipe.",
)


class Link(NamedTuple):
    """A link: its text, and its address, from the root of the site or a whole one."""

    text: str
    to: str
    here: bool = False


@dataclass(frozen=True, eq=False)
class SitePage:
    """A file of the site: its page, the links above it by their label, the table of a task.

    ``stems`` are the paths of the CSV and JSON files of its data, without the ending; ``shared``:
    other files have them.
    """

    path: str
    page: Page
    links: Mapping[str, Sequence[Link]]
    stems: Sequence[str]
    heads: Sequence[str] = ()
    lines: Sequence[Line] = ()
    shared: bool = False

    @property
    def root(self) -> str:
        """The way from the page to the root of the site."""
        return "../" * self.path.count("/")

    @property
    def filters(self) -> Mapping[str, str]:
        """The filters that leave out some of the rows, not all."""
        hidden = [line.row.hidden_by for line in self.lines]
        counts = {name: sum(name in names for names in hidden) for name in FILTERS}
        return {name: FILTERS[name] for name, n in counts.items() if 0 < n < len(hidden)}


@dataclass(frozen=True, eq=False)
class Site:
    """The pages of a board, from its saved results."""

    board: Leaderboard

    def pages(self) -> Iterator[SitePage]:
        """Yield all pages. Raises FormatError for results that are missing or not valid."""
        yield self._index()
        for task in self.tasks:
            rows = [row for row in self.rows if row.task == task]
            metrics = [name for name in METRICS if any(name in row.settings for row in rows)]
            yield from (self._task(rows, metric, metrics) for metric in metrics)
        for name in self.board.systems:
            yield self._system(name)

    @cached_property
    def rows(self) -> list[BoardRow]:
        """All rows, task by task. Raises FormatError."""
        systems, saved = self.board.systems, saved_results(self.board)
        return [BoardRow(self.board, systems[s], t, results) for (s, t), results in saved.items()]

    @cached_property
    def tasks(self) -> list[str]:
        """The tasks that systems have results on."""
        return list(dict.fromkeys(row.task for row in self.rows))

    @cached_property
    def results(self) -> dict[tuple[str, str], tuple[str, bytes]]:
        """Task and system → the path, with the digest, and the bytes of the saved results."""
        known = {}
        for row in self.rows:
            data = self.board.result_path(row.name, row.task).read_bytes()
            path = f"result/{row.task}/{row.name}/{sha256(data).hexdigest()[:16]}.json"
            known[row.task, row.name] = path, data
        return known

    def _ends(self, row: BoardRow, setting: str, metric: str) -> tuple[float, float] | None:
        """Return the interval of a score, if its results have one."""
        low, high = (row.value(setting, metric, f"f1_{end}") for end in ("low", "high"))
        return None if isnan(low) else (low, high)

    def _above(self, here: str) -> dict[str, Sequence[Link]]:
        """Return the links of every page."""
        links = [Link("All tasks", _INDEX, here == _INDEX)]
        links += [Link(name, _of_task(name), name == here) for name in self.tasks]
        return {"Board": links}

    def _index(self) -> SitePage:
        rows = pd.Series([row.task for row in self.rows]).value_counts()
        titles = {name: f"{name}: {self.board.tasks[name].title}" for name in self.tasks}
        entries = self.board.systems.values()
        links = {
            **self._above(_INDEX),
            "Tasks": [Link(f"{titles[n]} ({rows[n]} rows)", _of_task(n)) for n in self.tasks],
            "Systems": [Link(entry.title, _of_system(entry.name)) for entry in entries],
        }
        facts = [
            {**e.model_dump(exclude=_HIDDEN), **e.uses.model_dump(), "page": _of_system(e.name)}
            for e in entries
        ]
        table = pd.DataFrame(facts).convert_dtypes()
        about = Section("about", "How to read it", tuple(map(Text, _ABOUT)), table)
        return SitePage(_INDEX, Page(self.board.file.title, (about,)), links, ["index"])

    def _task(self, rows: list[BoardRow], metric: str, metrics: Sequence[str]) -> SitePage:
        task, settings, label = rows[0].task, settings_of(rows, metric), REGISTRY[metric].label
        lines = lines_of(ordered(rows, metric), settings, metric, self._ends)
        shared = metric != metrics[0]
        data = pd.DataFrame() if shared else self._data(rows)
        blocks: list[Block] = [*_ranks([line.row for line in lines], settings, metric)]
        if declared := {line.row.name: line.row.declared for line in lines if line.row.declared}:
            blocks.append(declared_grid(declared))
        section = Section("more", "Ranks, and what the runs took", tuple(blocks), data)
        choice = [Link(REGISTRY[n].label, _of_task(task, n, metrics), n == metric) for n in metrics]
        intro = (self.board.tasks[task].title, *without_intervals(lines, label))
        return SitePage(
            _of_task(task, metric, metrics),
            Page(f"{task}: {label} F1", (section,), intro),
            {**self._above(task), "Metric": choice},
            [f"task/{task}/results"],
            [label_of(name) for name in settings],
            lines,
            shared,
        )

    def _data(self, rows: Sequence[BoardRow]) -> pd.DataFrame:
        """Return what the pages show of rows, as raw values; the saved results have all."""
        records = []
        for row in rows:
            published = {(value.setting, value.metric): value.f1 for value, _ in row.published}
            head = {"task": row.task, "system": row.name}
            for setting, metric in ((s, m) for m in METRICS for s in row.settings.get(m, ())):
                values = (row.value(setting, metric, name) for name in _COLUMNS)
                low, high = self._ends(row, setting, metric) or (None, None)
                records.append(
                    head
                    | {"setting": setting, "metric": metric}
                    | dict(zip(_COLUMNS, values, strict=True))
                    | {"f1_low": low, "f1_high": high}
                    | {"f1_published": published.get((setting, metric))}
                    | {"saved": self.results[row.task, row.name][0]}
                )
        return pd.DataFrame(records)

    def _system(self, name: str) -> SitePage:
        entry, rows = self.board.systems[name], [row for row in self.rows if row.name == name]
        facts = entry.model_dump(exclude=_HIDDEN, exclude_none=True)
        uses = entry.uses.model_dump(exclude_none=True).items()
        facts |= {f"gold, predicted or no {thing}": use for thing, use in uses}
        table = pd.DataFrame({"Field": list(facts), "Value": list(map(str, facts.values()))})
        declared = Section("declared", "Declaration", (Grid.from_frame("As declared", table),))
        saved = [self.results[row.task, name][0] for row in rows]
        links = {
            **self._above(""),
            "Source": [Link(*pair) for pair in (rows[0].links if rows else ())],
            "On the board": [Link(row.task, f"{_of_task(row.task)}#system-{name}") for row in rows],
            "Saved results": [Link(path.partition("/")[2], path) for path in saved],
        }
        sections = (declared, *([self._scores(rows)] if rows else []))
        known = self.board.folder == board_of_cdec().folder
        page = Page(entry.title, sections, (f"In cdec: leaderboard:{name}",) if known else ())
        stems = ["index", *(f"task/{row.task}/results" for row in rows)]
        return SitePage(_of_system(name), page, links, stems, shared=True)

    def _scores(self, rows: Sequence[BoardRow]) -> Section:
        """Return the scores of a system, the values published, its responses and signatures."""
        scores = [fields for row in rows for fields in self._texts(row)]
        published = [{"Task": row.task, **v} for row in rows for v in published_fields(row)]
        answers = [answer for row in rows for answer in row.entry.answers(row.task)]
        responses = (
            f"{each.task}: {each.path} {each.pairs or ''} sha256:{each.digest}" for each in answers
        )
        signatures = (f"{row.task}: {row.results.signature}" for row in rows)
        blocks: list[Block] = [
            Grid.from_frame("F1 in percent", pd.DataFrame(scores).fillna("–"), 2)
        ]
        if published:
            table = pd.DataFrame(published).drop(columns="System")
            blocks.append(Grid.from_frame("Values of the authors, and ours", table, 3))
        blocks += [Listing("Responses", tuple(responses)), Listing("Signatures", tuple(signatures))]
        return Section("scores", "Scores", tuple(blocks))

    def _texts(self, row: BoardRow) -> Iterator[dict[str, str]]:
        for metric in (name for name in METRICS if name in row.settings):
            settings = settings_of([row], metric)
            cells = (
                (label_of(s), row.text(s, metric), self._ends(row, s, metric)) for s in settings
            )
            shown = {label: f"{f1} {bracket(*at) if at else ''}".strip() for label, f1, at in cells}
            yield {"Task": row.task, "Metric": REGISTRY[metric].label, **shown}


def _ranks(rows: Sequence[BoardRow], settings: Sequence[str], metric: str) -> Iterator[Block]:
    """Yield the ranks of the systems that have scores under all settings, if there are several."""
    systems = [row for row in rows if row.entry.ranked]
    scored = [r for r in systems if not any(isnan(r.value(s, metric)) for s in settings)]
    if len(scored) > 1 and len(settings) > 1:
        values = {s: [row.value(s, metric) for row in scored] for s in settings}
        f1 = pd.DataFrame(values, [row.name for row in scored])
        families = [row.entry.family for row in scored]
        yield ranks_chart(rows[0].task, f1, chosen(f1, families), REGISTRY[metric].label)
        left = [row.name for row in systems if row not in scored]
        without = f"; without {', '.join(left)}, which lack a setting" if left else ""
        yield Text(f"All ranked systems, whatever the filters{without}.")


def ranks_chart(task: str, f1: pd.DataFrame, shown: Sequence[str], metric: str) -> Chart:
    """Return the ranks of all systems under each setting; those ``shown`` have a label.

    ``f1`` has a row per system, best first, and a column per setting.
    """
    ranks = (-f1).rank(method="min")
    slopes = [
        Slope(str(name), tuple(row), name in shown)
        for name, row in zip(f1.index, ranks.to_numpy().tolist(), strict=True)
    ]
    described = "; ".join(
        f"{slope.label}: {', '.join(f'{rank:g}' for rank in slope.ranks)}"
        for slope in slopes
        if slope.shown
    )
    heads = [label_of(str(s)) for s in f1]
    title = f"Rank under each setting, {task}"
    caption = (
        f"Rank of {len(slopes)} systems by {metric} F ({', '.join(heads)}): the best of each "
        f"family and others that move much have a label. {described}."
    )
    return Chart(slope_chart(title, described, heads, slopes), caption)


def chosen(f1: pd.DataFrame, families: Sequence[str]) -> list[str]:
    """Return the best of each family and, up to eight, those that move most.

    ``f1`` has a row per system, best first, and a column per setting. Movement is the difference of
    ranks between the first and the last setting.
    """
    first = {*f1.index[~pd.Series(families).duplicated()]}
    ranks = (-f1).rank()
    moves = (ranks.iloc[:, 0] - ranks.iloc[:, -1]).abs().drop(list(first))
    most = moves.sort_values(ascending=False, kind="stable").index
    return [*first, *most[: max(_LABELLED - len(first), 0)]]


def _of_task(task: str, metric: str = "", metrics: Sequence[str] = ()) -> str:
    return f"task/{task}/{'index' if metric in ('', *metrics[:1]) else metric}.html"


def _of_system(name: str) -> str:
    return f"system/{name}.html"
