"""A row of a board: what its pages show of one system on one task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

from cdec.evaluation.results import Results
from cdec.leaderboards.declared import as_one
from cdec.leaderboards.entries import Published, SystemEntry
from cdec.leaderboards.folder import Leaderboard
from cdec.metrics import REGISTRY
from cdec.render.numbers import bracket, percent, spread
from cdec.settings import label_of
from cdec.settings.catalog import STRICT_TO_LENIENT

_GOLD = ("topics", "pairs", "singletons")  # every system of a task gets its mentions
_DIGITS = 9  # of equal scores: the order of additions changes the last ones
_RAW = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/.*")
FILTERS = {
    "gold-topics": "no gold topics",
    "saw-test": "no language model that may know test",
    "closed": "open outputs",
}
"""What a row can be hidden for → the name of the filter that hides it."""
UNDECLARED = _NO_TOPICS, _NO_SEEN, _NO_LICENCE = (
    "gold topics not declared",
    "saw test: not declared",
    "outputs without licence",
)
"""The tags of what a system should declare and does not."""


@dataclass(frozen=True, eq=False)
class BoardRow:
    """A system of a board with its saved results on a task."""

    board: Leaderboard
    entry: SystemEntry
    task: str
    results: Results

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.entry.name

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """A record for each setting and metric, with raw values."""
        lists = self.results.frame.to_dict("list").items()
        columns = {str(name): cells for name, cells in lists if not all(map(pd.isna, cells))}
        columns["system"] = [self.name] * len(self.results.frame)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(record["setting"], record["metric"]): record for record in self.records}

    @cached_property
    def settings(self) -> dict[str, list[str]]:
        """The settings that have scores, by metric."""
        known: dict[str, list[str]] = {}
        for setting, metric in self._by_name:
            known.setdefault(metric, []).append(setting)
        return known

    def value(self, setting: str, metric: str, column: str = "f1") -> float:
        """Return a raw value, NaN if there is none."""
        value = self._by_name.get((setting, metric), {}).get(column)
        return float("nan") if value is None else float(value)

    def text(self, setting: str, metric: str) -> str:
        """Return F1 in percent, of several runs their mean ± standard deviation."""
        return spread(*(self.value(setting, metric, name) for name in ("f1", "f1_sd")))

    @property
    def published(self) -> Iterator[tuple[Published, float]]:
        """The values that the authors published, each with ours."""
        for value in self.entry.published:
            at = (value.setting, value.metric)
            if value.task == self.task and at in self._by_name:
                yield value, self.value(*at)

    @cached_property
    def declared(self) -> dict[str, Any]:
        """What the system declares of its runs on the task."""
        return as_one(self.entry.runs(self.task), self.name)

    @property
    def is_open(self) -> bool:
        """Whether anybody may have its responses: copied, in an archive, or made by a recipe."""
        entry = self.entry
        known = entry.copied or self.board.is_in_archive(entry) or entry.recipe
        return bool(entry.licence and known)

    @property
    def tags(self) -> Iterator[str]:
        """What a reader must know to compare the row with another."""
        entry, uses = self.entry, self.entry.uses.model_dump()
        yield from ["people"] if entry.people else []
        yield from (f"gold {name}" for name in _GOLD if uses[name] == "gold")
        yield from ["detected mentions"] if uses["mentions"] == "predicted" else []
        yield from [f"trained on {entry.trained_on}"] if entry.trained_on else []
        yield from [f"tuned on {entry.tuned_on}"] if entry.tuned_on else []
        yield from [_NO_TOPICS] if self._hides_topics and not uses["topics"] else []
        yield from (
            f"{title}: {self.declared[name]}"
            for name, title in (("model", "model"), ("saw_test", "saw test"))
            if name in self.declared
        )
        if self._may_know_test and "saw_test" not in self.declared:
            yield _NO_SEEN
        if not self.is_open:
            yield "outputs not public" if entry.licence else _NO_LICENCE

    @property
    def _hides_topics(self) -> bool:
        return self.entry.uses.topics in ("gold", None) and not self.entry.people

    @property
    def _may_know_test(self) -> bool:
        """Whether a run is of a language model and does not declare that it has not seen test."""
        runs = self.entry.runs(self.task)
        return any((run.saw_test or run.model or "no") not in ("no", "none") for run in runs)

    @property
    def hidden_by(self) -> list[str]:
        """The keys of FILTERS that hide the row.

        What is not declared is not taken for harmless: gold topics, and the test data that a
        language model may have seen.
        """
        hides = {
            "gold-topics": self._hides_topics,
            "saw-test": self._may_know_test,
            "closed": not self.is_open,
        }
        return [name for name in FILTERS if hides[name]]

    @property
    def links(self) -> Iterator[tuple[str, str]]:
        """The text and address of its paper, of its code, and of its responses at a commit."""
        paper, papers = self.entry.paper or "", self.board.file.papers
        made = [*(self.entry.made_from or ()), *self.board.addresses(self.entry)]
        known = {
            "paper": [papers[words] for words in sorted(papers, key=len) if words in paper][-1:],
            "code": [self.entry.url or ""],
            "outputs": [_RAW.sub(r"https://github.com/\1/tree/\2", url) for url in made],
        }
        for text, urls in known.items():
            yield from ((text, url) for url in urls[:1] if url.startswith(("https://", "http://")))


def ordered(rows: Sequence[BoardRow], metric: str) -> list[BoardRow]:
    """Return rows without a rank, then the others: best under the strictest setting first."""
    first = settings_of(rows, metric)[0]

    def place(row: BoardRow) -> tuple[bool, float, str]:
        value = row.value(first, metric)
        return row.entry.ranked, float("inf") if pd.isna(value) else -value, row.name

    return sorted(rows, key=place)


def settings_of(rows: Sequence[BoardRow], metric: str) -> list[str]:
    """Return the settings that have scores of a metric, strict to lenient, then others."""
    known = {setting for row in rows for setting in row.settings.get(metric, ())}
    names = [setting.name for setting in STRICT_TO_LENIENT if setting.name in known]
    return names + sorted(known - {*names})


def published_fields(row: BoardRow) -> Iterator[Mapping[str, str]]:
    """Yield each value that the authors published, with ours and the difference, as text."""
    for value, own in row.published:
        yield {
            "System": row.name,
            "Setting": label_of(value.setting),
            "Metric": REGISTRY[value.metric].label,
            "published": percent(value.f1),
            "ours": percent(own),
            "difference": f"{round(100 * (own - value.f1), 4) + 0:+.4f}",
            "Source": value.source,
        }


class Cell(NamedTuple):
    """A score: its raw value for sorting, and as text with its interval."""

    value: float
    text: str
    interval: str
    best: bool


class Line(NamedTuple):
    """A row of the table of a task, under one metric."""

    row: BoardRow
    cells: list[Cell]
    published: list[Mapping[str, str]]


Ends = Callable[[BoardRow, str, str], tuple[float, float] | None]


def lines_of(
    rows: Sequence[BoardRow], settings: Sequence[str], metric: str, ends_of: Ends
) -> list[Line]:
    """Return the rows of a table; ``ends_of`` gives the interval of row, setting and metric."""
    label, ranked = REGISTRY[metric].label, [row for row in rows if row.entry.ranked]
    values = {s: [row.value(s, metric) for row in ranked] for s in settings}
    known = {s: [f1 for f1 in values[s] if not isnan(f1)] for s in settings}
    best = {s: percent(max(known[s])) for s in settings if known[s]}
    lines = []
    for row in rows:
        cells = []
        for setting in settings:
            f1, ends = row.value(setting, metric), ends_of(row, setting, metric)
            is_best = percent(f1) == best.get(setting) and row.entry.ranked
            interval = bracket(*ends) if ends else ""
            cells.append(Cell(f1, row.text(setting, metric), interval, is_best))
        published = [each for each in published_fields(row) if each["Metric"] == label]
        lines.append(Line(row, cells, published))
    return lines


def without_intervals(lines: Sequence[Line], label: str) -> Iterator[str]:
    """Yield the sentence that says which rows have no intervals."""
    without = [line.row.name for line in lines if not any(cell.interval for cell in line.cells)]
    if len(without) == len(lines):
        yield f"There are no intervals of {label} on this task."
    elif without:
        yield f"Without intervals: {', '.join(without)}."
