"""Write a board as a site: static pages with their data as CSV and JSON, for any web server.

The folder is new, or one that this command wrote: ``site.json`` in it lists the files of the site.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from math import isnan, nan
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import AfterValidator

from cdec._version import __version__
from cdec.errors import FormatError
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, complaint
from cdec.files.output import save_bytes
from cdec.formats.declaration import Digest
from cdec.leaderboards import facts
from cdec.leaderboards.board import BOARD, SYSTEMS, Leaderboard, SystemEntry, board_of_cdec
from cdec.leaderboards.declared import as_one, declared_grid
from cdec.leaderboards.table import ResultTable, place_of, wide
from cdec.metrics import REGISTRY
from cdec.render import to_csv, to_json
from cdec.render.charts.slopes import Slope, slope_chart
from cdec.render.html import sections_html, stylesheet
from cdec.render.numbers import percent, spread
from cdec.render.page import Block, Chart, Grid, Listing, Page, Section, Text
from cdec.settings import label_of
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import merged

LIST = "site.json"
METRICS = ("conll", "lea", "muc", "b3", "ceafe")  # the first is that of the address of a task
_LABELLED = 8  # systems of the picture, at least
_RECOMMENDED = ("pure", "simple")
_COLUMNS = ("runs", "precision", "recall", "f1", "f1_sd")
_HIDDEN = {"published", "responses", "uses", "made_from"}  # not as one value
_ASSETS = ("site.css", "site.js")
_FORMAT = "cdec-leaderboard-site/1"
_HINT = "name a new folder, or one that `cdec leaderboard site` wrote"
_KIND = FileKind("the list of files of a site", FormatError, "file-invalid", _HINT, 2**24)
_ABOUT = (
    "F1 in percent; of several runs, the mean ± standard deviation. Bold: the best of a column "
    "among the rows shown. The number before a system is its rank under the first setting (=: a "
    "tie) and, in brackets, from its best to its worst rank under the others. People, and systems "
    "with gold links of test, come first and have no rank. Published: the value of the authors, "
    "the setting, and ours minus theirs in points.",
    "What a row does not declare is not taken for harmless: without a word on gold topics or, from "
    "a language model, on the test data, it goes with the rows that use them. Outputs are open if "
    "their licence is known and they are copied, in a public archive, or made by a recipe.",
)


class Link(NamedTuple):
    """A link: its text, and its address, from the root of the site or a whole one."""

    text: str
    to: str
    here: bool = False


class Cell(NamedTuple):
    """A score: its raw value for sorting, and as text."""

    value: float
    text: str
    best: bool


@dataclass(frozen=True)
class Line:
    """A row of the table of a task, under one metric."""

    entry: SystemEntry
    rank: str
    ranks: str
    cells: Sequence[Cell]
    published: Sequence[Mapping[str, str]]
    tags: Sequence[str]
    hidden_by: Sequence[str]
    links: Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class SitePage:
    """A file of the site: its page, the links above it by their label, the table of a task.

    ``stems`` are the paths of the CSV and JSON files of its data, without the ending; ``folded``:
    links that are shown when asked for, and whether the table opens with a row a family.
    """

    path: str
    page: Page
    links: Mapping[str, Sequence[Link]]
    stems: Sequence[str]
    heads: Sequence[str] = ()
    lines: Sequence[Line] = ()
    folded: Mapping[str, Sequence[Link]] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The way from the page to the root of the site."""
        return "../" * self.path.count("/")

    @property
    def filters(self) -> Mapping[str, str]:
        """The filters that leave out some of the rows, not all."""
        hidden = [line.hidden_by for line in self.lines]
        counts = {name: sum(name in names for names in hidden) for name in facts.FILTERS}
        return {n: facts.FILTERS[n] for n, count in counts.items() if 0 < count < len(hidden)}


@dataclass(frozen=True, eq=False)
class Site:
    """The pages of a board, from its saved results."""

    board: Leaderboard
    table: ResultTable

    @cached_property
    def tasks(self) -> dict[str, pd.DataFrame]:
        """The tasks that systems have results on, with their rows. Raises FormatError."""
        names = dict.fromkeys(task for task, _ in self.table.jobs)
        return {name: self.table.of_task(name) for name in names}

    @cached_property
    def scores(self) -> dict[tuple[str, str], dict[tuple[str, str], tuple[float, float]]]:
        """Task and system → setting and metric → F1 and its standard deviation."""
        known: dict[tuple[str, str], dict[tuple[str, str], tuple[float, float]]] = {}
        columns = ["task", "system", "setting", "metric", "f1", "f1_sd"]
        for task, system, setting, metric, *values in self.table.rows[columns].to_numpy():
            known.setdefault((task, system), {})[setting, metric] = (values[0], values[1])
        return known

    @cached_property
    def results(self) -> dict[tuple[str, str], tuple[str, bytes]]:
        """Task and system → the path, with the digest, and the bytes of the saved results."""
        known = {}
        for task, system in self.table.jobs:
            data = self.table.text(task, system).encode()
            path = f"result/{task}/{system}/{sha256(data).hexdigest()[:16]}.json"
            known[task, system] = path, data
        return known

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the path and the content of each file. Raises FormatError."""
        from jinja2 import Environment  # noqa: PLC0415  slow
        from markupsafe import Markup  # noqa: PLC0415

        environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(_text("site.html"))
        for page in self._pages():
            body = Markup(sections_html(page.page))  # noqa: S704  the template of pages escapes
            yield page.path, template.render(site=page, page=page.page, body=body, version=_VERSION)
        for stem, section, data in self._data():
            own = Page("", (Section(section, "", (), data),))
            yield f"{stem}.csv", to_csv(own)
            yield f"{stem}.json", to_json(own)
        yield from self.results.values()
        yield from ((name, _text(name)) for name in _ASSETS)
        yield "page.css", stylesheet()

    def _pages(self) -> Iterator[SitePage]:
        for task, rows in self.tasks.items():
            metrics = [name for name in METRICS if name in set(rows["metric"])]
            for metric in metrics:
                page = self._task(task, rows, metric, metrics)
                yield page
                if task == next(iter(self.tasks)) and metric == metrics[0]:
                    yield self._front(page)
        if not self.tasks:
            yield self._front(SitePage("", Page("", ()), {}, []))
        for name in self.board.systems:
            yield self._system(name)

    def _above(self, here: str) -> dict[str, Sequence[Link]]:
        """Return the links of every page."""
        links = [Link("Front page", "index.html", here == "index.html")]
        return {"Board": links + [Link(name, _of_task(name), name == here) for name in self.tasks]}

    def _front(self, main: SitePage) -> SitePage:
        """Return the front page: the table of the first task, and the links to all others."""
        counts = {task: rows["system"].nunique() for task, rows in self.tasks.items()}
        tasks = [
            Link(f"{name}: {self.board.tasks[name].title} ({n} rows)", _of_task(name))
            for name, n in counts.items()
        ]
        systems = [Link(e.title, _of_system(e.name)) for e in self.board.systems.values()]
        about = Section("about", "How to read it", tuple(map(Text, _ABOUT)))
        page = Page(self.board.file.title, (*main.page.sections, about), main.page.intro)
        links = {
            **self._above("index.html"),
            **{k: v for k, v in main.links.items() if k != "Board"},
        }
        folded = {f"All {len(tasks)} tasks": tasks, f"All {len(systems)} systems": systems}
        return SitePage(
            "index.html", page, links, ["index", *main.stems], main.heads, main.lines, folded
        )

    def _task(self, task: str, rows: pd.DataFrame, metric: str, metrics: Sequence[str]) -> SitePage:
        label, f1 = REGISTRY[metric].label, wide(self.board, rows, metric)
        lines = self._lines(task, f1, metric)
        declared = {name: as_one(self.board.systems[name].runs(task), name) for name in f1.index}
        f1 = f1[[self.board.systems[name].ranked for name in f1.index]]
        pictured = metric == metrics[0]  # one picture a task: each takes a tenth of a second
        blocks: list[Block] = [*self._picture(task, f1, label)] if pictured else []
        if declared := {name: fields for name, fields in declared.items() if fields}:
            blocks.append(declared_grid(declared))
        title = "F1 against setting" if pictured else "Declared" if blocks else ""
        section = Section("more", title, tuple(blocks))
        choice = [Link(REGISTRY[n].label, _of_task(task, n, metrics), n == metric) for n in metrics]
        return SitePage(
            _of_task(task, metric, metrics),
            Page(f"{task}: {label} F1", (section,), (*self._answer(f1, label), self._about(task))),
            {**self._above(task), "Metric": choice},
            [f"task/{task}/results"],
            [label_of(str(name)) for name in f1],
            lines,
        )

    def _about(self, task: str) -> str:
        return f"{task}: {self.board.tasks[task].title}."

    def _answer(self, f1: pd.DataFrame, label: str) -> Iterator[str]:
        """Yield who is best under the recommended settings, and who moves most between settings."""
        shown = [name for name in _RECOMMENDED if name in f1] or [*f1.columns[:1]]
        best: dict[str, list[str]] = {}
        for setting in shown:
            texts = f1[setting].map(percent)
            if f1[setting].notna().any():
                top = percent(f1[setting].max())
                who = " and ".join(
                    self.board.systems[name].title for name in f1.index[texts == top]
                )
                best.setdefault(who, []).append(f"{label_of(setting)} ({top})")
        if best:
            each = (f"{who} under {' and '.join(under)}" for who, under in best.items())
            yield f"Best of {len(f1)} ranked systems by {label} F1: {'; '.join(each)}."
        ranks = _ranks(f1)
        moved = ranks.max(axis=1) - ranks.min(axis=1)
        if len(f1) > 2 and moved.max() > 1:
            name = str(moved.idxmax())
            own = ranks.loc[[name]].to_numpy()
            low, high = int(np.nanmin(own)), int(np.nanmax(own))
            title = self.board.systems[name].title
            yield f"The order depends on the setting: {title} has ranks from {low} to {high}."

    def _lines(self, task: str, f1: pd.DataFrame, metric: str) -> list[Line]:
        """Return the rows of a table, those without a rank first."""
        ranked = [name for name in f1.index if self.board.systems[name].ranked]
        best = {s: percent(highest) for s, highest in f1.loc[ranked].max().dropna().items()}
        label = REGISTRY[metric].label
        ranks = dict(zip(ranked, _ranks(f1.loc[ranked]).to_numpy().tolist(), strict=True))
        first = Counter(each[0] for each in ranks.values())
        lines = []
        for name in f1.index:
            entry, scores = self.board.systems[name], self.scores[task, name]
            each = [scores.get((str(setting), metric), (nan, nan)) for setting in f1]
            cells = [
                Cell(both[0], spread(*both), entry.ranked and percent(both[0]) == best.get(setting))
                for setting, both in zip(f1, each, strict=True)
            ]
            own = [rank for rank in ranks.get(name, ()) if not isnan(rank)]
            rank = f"{ranks[name][0]:.0f}" if own and not isnan(ranks[name][0]) else ""
            tie = "=" if rank and first[ranks[name][0]] > 1 else ""
            between = f"{min(own):.0f}–{max(own):.0f}" if len({*own}) > 1 else ""
            published = [v for v in self._published(task, name) if v["Metric"] == label]
            tags = [*facts.tags(self.board, entry, task)]
            hidden = facts.hidden_by(self.board, entry, task)
            links = [*facts.links(self.board, entry)]
            lines.append(
                Line(entry, f"{tie}{rank}", between, cells, published, tags, hidden, links)
            )
        return lines

    def _published(self, task: str, system: str) -> Iterator[Mapping[str, str]]:
        """Yield each value that the authors published, with ours and the difference, as text."""
        for value in self.board.systems[system].published:
            own, _ = self.scores[task, system].get((value.setting, value.metric), (None, None))
            if value.task == task and own is not None:
                yield {
                    "Setting": label_of(value.setting),
                    "Metric": REGISTRY[value.metric].label,
                    "published": percent(value.f1),
                    "ours": percent(own),
                    "difference": f"{round(100 * (own - value.f1), 4) + 0:+.4f}",
                    "Source": value.source,
                }

    def _picture(self, task: str, f1: pd.DataFrame, label: str) -> Iterator[Block]:
        """Yield F1 against setting of the ranked systems that have scores under all settings."""
        scored = f1.dropna()
        if len(scored) < 2 or len(scored.columns) < 2:
            return
        families = [self.board.systems[name].family for name in scored.index]
        shown = _labelled(scored, families)
        slopes = [Slope(n, tuple(100 * row), n in shown) for n, row in zip(
            scored.index, scored.to_numpy(), strict=True)]  # fmt: skip
        told = [f"{s.label}: {', '.join(f'{v:.1f}' for v in s.values)}" for s in slopes if s.shown]
        heads = [label_of(str(name)) for name in scored]
        title = f"{label} F1 under each setting, {task}"
        caption = (
            f"{label} F1 of {len(slopes)} ranked systems ({', '.join(heads)}): the best of each "
            f"family and others that move much have a label. {'; '.join(told)}."
        )
        left = [str(name) for name in f1.index.difference(scored.index, sort=False)]
        without = f" Without {', '.join(left)}, which have no score under a setting."
        caption += without if left else ""
        yield Chart(slope_chart(title, "; ".join(told), heads, slopes), caption)

    def _data(self) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """Yield the tables by path and section: of the systems, and the scores of each task."""
        entries = self.board.systems.values()
        known = [
            {**e.model_dump(exclude=_HIDDEN), **e.uses.model_dump(), "page": _of_system(e.name)}
            for e in entries
        ]
        yield "index", "about", pd.DataFrame(known).convert_dtypes()
        for task, rows in self.tasks.items():
            data = rows[rows["metric"].isin(METRICS)]
            order = (
                data["metric"].map(METRICS.index) + len(METRICS) * pd.factorize(data["system"])[0]
            )
            data = data.loc[order.sort_values(kind="stable").index]
            published = {
                (e.name, v.setting, v.metric): v.f1
                for e in entries for v in e.published if v.task == task
            }  # fmt: skip
            at = zip(data["system"], data["setting"], data["metric"], strict=True)
            data = data[["task", "system", "setting", "metric", *_COLUMNS]].assign(
                f1_published=pd.Series([published.get(each) for each in at], data.index),
                saved=[self.results[task, system][0] for system in data["system"]],
            )
            yield f"task/{task}/results", "more", data

    def _system(self, name: str) -> SitePage:
        entry = self.board.systems[name]
        tasks = [task for task, system in self.table.jobs if system == name]
        declared = entry.model_dump(exclude=_HIDDEN, exclude_none=True)
        uses = entry.uses.model_dump(exclude_none=True).items()
        declared |= {f"gold, predicted or no {thing}": use for thing, use in uses}
        table = pd.DataFrame({"Field": list(declared), "Value": list(map(str, declared.values()))})
        sections = [Section("declared", "Declaration", (Grid.from_frame("As declared", table),))]
        saved = [self.results[task, name][0] for task in tasks]
        links = {
            **self._above(""),
            "Source": [Link(*pair) for pair in facts.links(self.board, entry)] if tasks else [],
            "On the board": [Link(task, f"{_of_task(task)}#system-{name}") for task in tasks],
            "Saved results": [Link(path.partition("/")[2], path) for path in saved],
        }
        if tasks:
            sections.append(Section("scores", "Scores", tuple(self._scores(entry, tasks))))
        known = self.board.folder == board_of_cdec().folder
        intro = (f"In cdec: leaderboard:{name}",) if known else ()
        stems = ["index", *(f"task/{task}/results" for task in tasks)]
        return SitePage(_of_system(name), Page(entry.title, tuple(sections), intro), links, stems)

    def _scores(self, entry: SystemEntry, tasks: Sequence[str]) -> Iterator[Block]:
        """Yield the scores of a system, the values published, its responses and signatures."""
        lines: list[dict[str, str]] = []
        for task in tasks:
            scores = self.scores[task, entry.name]
            known = dict.fromkeys(setting for setting, _ in scores)
            settings = [*(s.name for s in STRICT_TO_LENIENT if s.name in known), *known]
            for metric in METRICS:
                own = {label_of(s): spread(*scores[s, metric]) for s in settings
                       if (s, metric) in scores}  # fmt: skip
                lines += [{"Task": task, "Metric": REGISTRY[metric].label, **own}] if own else []
        yield Grid.from_frame("F1 in percent", pd.DataFrame(lines).fillna("–"), 2)
        published = [{"Task": t, **v} for t in tasks for v in self._published(t, entry.name)]
        if published:
            yield Grid.from_frame("Values of the authors, and ours", pd.DataFrame(published), 3)
        answers = [answer for task in tasks for answer in entry.answers(task)]
        each = (f"{a.task}: {a.path} {a.pairs or ''} sha256:{a.digest}" for a in answers)
        yield Listing("Responses", tuple(each))
        signed = (f"{t}: {self._signature(t, entry.name)}" for t in tasks)
        yield Listing("Signatures", tuple(signed))

    def _signature(self, task: str, system: str) -> str:
        return str(merged(self.table.signatures[task, system]))


def _ranks(f1: pd.DataFrame) -> pd.DataFrame:
    """Return the rank under each setting of what is shown: equal texts have equal ranks."""
    return f1.mul(100).round(1).rank(ascending=False, method="min")


def _labelled(f1: pd.DataFrame, families: Sequence[str]) -> list[str]:
    """Return the best of each family and, up to eight, those that move most between settings."""
    first = {*f1.index[~pd.Series(families).duplicated()]}
    ranks = (-f1).rank()
    moves = (ranks.iloc[:, 0] - ranks.iloc[:, -1]).abs().drop(list(first))
    most = moves.sort_values(ascending=False, kind="stable").index
    return [*first, *most[: max(_LABELLED - len(first), 0)]]


def _of_task(task: str, metric: str = "", metrics: Sequence[str] = ()) -> str:
    return f"task/{task}/{'index' if metric in ('', *metrics[:1]) else metric}.html"


def _of_system(name: str) -> str:
    return f"system/{name}.html"


# ---- the folder ----


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise complaint(f"is '{name:.60}', not in the folder")
    return name


class _List(FileModel):
    """The files of a site: path → SHA-256; ``board``: the digest of what they were made of."""

    files: dict[Annotated[str, AfterValidator(_inside)], Digest]
    board: str = ""


_SCHEMA = Schema(_KIND, _List, _FORMAT)


def write_site(board: Leaderboard, folder: Path) -> list[str]:
    """Write the site of a board to a folder; return the names of its files.

    Each file is replaced as a whole, unchanged files of an earlier site that it no longer has are
    removed, and others are not touched. After an interruption the same call completes the site; a
    complete site of the same board is left as it is. Raises FormatError for results that are
    missing or not valid, a folder that is not of a site, and one that cannot be written.
    """
    known = _known(folder)
    source = _source(board)
    if known.board == source and all(_digest(folder / n) == d for n, d in known.files.items()):
        return list(known.files)
    site = Site(board, ResultTable.of(board))
    made = {n: t if isinstance(t, bytes) else t.encode() for n, t in site.files()}
    now = {name: sha256(data).hexdigest() for name, data in made.items()}
    for name in now:
        if name not in known.files and (folder / name).exists():
            message = "a file of another origin is in the way of the site"
            raise FormatError("file-unwritable", message, place=folder / name, hint=_HINT)
    _save_list(folder, known.files | now, "")  # an interrupted site is recognised
    for name, data in made.items():
        if known.files.get(name) != now[name] or _digest(folder / name) != now[name]:
            save_bytes(data, folder / name, parents=True)
    for name in known.files.keys() - now.keys():
        if _digest(folder / name) == known.files[name]:
            (folder / name).unlink()
    _save_list(folder, now, source)
    return list(made)


def _source(board: Leaderboard) -> str:
    """Return the digest of all that the pages are made of."""
    read = [board.folder / BOARD, place_of(board), *sorted((board.folder / SYSTEMS).glob("*.toml"))]
    parts = [path.read_bytes() for path in read if path.is_file()]
    parts += [_text(name).encode() for name in ("site.html", *_ASSETS)] + [stylesheet().encode()]
    parts += [Path(__file__).read_bytes(), _VERSION.encode()]
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()


def _known(folder: Path) -> _List:
    """Return the files that a folder has of an earlier site."""
    if str(folder) == "-":
        message = "a site is a folder, not standard output"
        raise FormatError("file-unwritable", message, place=folder, hint=_HINT)
    if (folder / LIST).is_file():
        return _SCHEMA.read_json(folder / LIST)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = "the folder is not a site of a leaderboard"
        raise FormatError("file-unwritable", message, place=folder, hint=_HINT)
    return _List(files={})


def _save_list(folder: Path, names: Mapping[str, str], source: str) -> None:
    content: dict[str, Any] = {"format": _FORMAT, "files": dict(sorted(names.items()))}
    content |= {"board": source}
    save_bytes((json.dumps(content, indent=1) + "\n").encode(), folder / LIST, parents=True)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, '' if it is not there."""
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


_VERSION = __version__
