"""Write a board as a site: static pages with their data as CSV and JSON, for any web server.

The folder is new, or one that this command wrote: ``site.json`` in it lists the files of the site.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from cdec._version import __version__
from cdec.errors import FormatError
from cdec.evaluation.view import RECOMMENDED
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema
from cdec.files.output import save
from cdec.leaderboards import facts
from cdec.leaderboards.board import Leaderboard, board_of_cdec
from cdec.leaderboards.table import HEAD, results_of, signatures_of, wide
from cdec.metrics import REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.render import to_csv, to_json
from cdec.render.charts import slope_chart
from cdec.render.html import sections_html, stylesheet
from cdec.render.page import Block, Chart, Grid, Page, Section, Text, percent, spread
from cdec.settings import label_of
from cdec.signature import in_json

METRICS = [DEFAULT[-1], *DEFAULT[:-1]]  # the first is that of the address of a task
_LIST = "site.json"
_DATA = [*HEAD, "runs", "precision", "recall", "f1", "f1_sd", "f1_published"]
_HIDDEN = {"published", "responses", "uses", "made_from"}  # not as one value
_HINT = "name a new folder, or one that `cdec leaderboard site` wrote"
_KIND = FileKind("the list of files of a site", FormatError, "file-invalid", _HINT, 2**24)
_ABOUT = (
    "F1 in percent; of several runs, the mean ± standard deviation. Bold: the best of a column "
    "among the rows shown. The number before a system is its rank under the first setting (=: a "
    "tie) and, in brackets, from its best to its worst rank under the others. People, and systems "
    "with gold links of test, come first and have no rank. Published: the value of the authors, "
    "the setting, and ours minus theirs in points. Tick two rows to see their difference.",
    "What a row does not declare is not taken for harmless: without a word on gold topics or, from "
    "a language model, on the test data, it goes with the rows that use them. Outputs are open if "
    "their licence is known and they are copied, in a public archive, or made by a recipe.",
)


class _List(FileModel):
    """The paths of the files of a site."""

    files: list[Annotated[str, Field(pattern=r"^\w[\w.+-]*(/\w[\w.+-]*)*$")]]


_SCHEMA = Schema(_KIND, _List, "cdec-leaderboard-site/2")


def leaderboard_site(output: str | Path, folder: str | Path | None = None) -> list[Path]:
    """Write the saved results of a leaderboard as a site; return the paths of its files.

    As ``cdec leaderboard site`` does. ``folder`` has ``leaderboard.toml``; by default the board of
    cdec. ``output`` is a new folder, or one that this wrote before. Only files that changed are
    written, and those of the earlier site that it no longer has are removed; others stay as they
    are. After an interruption the same call completes the site. Raises FormatError for results that
    are missing or not valid, a folder that is not of a site, and one that cannot be written.
    """
    board, target = (
        board_of_cdec() if folder is None else Leaderboard.at(Path(folder)),
        Path(output),
    )
    known: list[str] = []
    if (target / _LIST).is_file():
        known = _SCHEMA.read_json(target / _LIST).files
    elif str(output) == "-" or (target.exists() and not (target.is_dir() and _is_empty(target))):
        message = "the folder is not a site of a leaderboard"
        raise FormatError("file-unwritable", message, place=target, hint=_HINT)
    made = {name: text.encode() for name, text in site_files(board)}
    for name, data in ((_LIST, _listing({*known, *made})), *made.items()):
        path = target / name
        if not path.is_file() or path.read_bytes() != data:
            save([data], path, parents=True)
    for name in {*known} - made.keys():
        (target / name).unlink(missing_ok=True)
    save([_listing({*made})], target / _LIST)
    return [target / name for name in made]


def _is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


def _listing(names: set[str]) -> bytes:
    content = {"format": _SCHEMA.format, "files": sorted(names)}
    return (json.dumps(content, indent=1) + "\n").encode()


def site_files(board: Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the site of a board. Raises FormatError."""
    rows = results_of(board)
    published = pd.DataFrame(
        [
            (v.task, n, v.setting, v.metric, v.f1)
            for n, e in board.systems.items()
            for v in e.published
        ],
        columns=[*HEAD, "f1_published"],
    )
    rows = rows.merge(published, "left", HEAD)
    tasks = {str(task): own for task, own in rows.groupby("task", sort=False)}
    yield from _pages(board, tasks)
    about = [e.model_dump(exclude=_HIDDEN) | e.uses.model_dump() for e in board.systems.values()]
    data: dict[str, Any] = {"index": (pd.DataFrame(about).convert_dtypes(), {})}
    for task, own in tasks.items():
        shown = own[own["metric"].isin(METRICS)]
        order = pd.factorize(shown["system"])[0], shown["metric"].map(METRICS.index)
        table = shown.iloc[np.lexsort(order[::-1])][_DATA]
        data[f"task/{task}/results"] = (table, in_json(*signatures_of(own)))
    for stem, (table, signed) in data.items():
        page = Page("", (Section("more", "", (), table),), about=signed)
        yield f"{stem}.csv", to_csv(page)
        yield f"{stem}.json", to_json(page)
    yield from ((name, _text(name)) for name in ("site.css", "site.js"))
    yield "page.css", stylesheet()


def _pages(board: Leaderboard, tasks: dict[str, pd.DataFrame]) -> Iterator[tuple[str, str]]:
    """Yield the pages: one a task and metric, and the front page, that of the first task."""
    from jinja2 import Environment  # noqa: PLC0415  slow
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_text("site.html"))
    home = {"Front page": "index.html"} | {task: f"task/{task}/index.html" for task in tasks}
    pages = [page for task, rows in tasks.items() for page in _task(board, task, rows)]
    counts = {task: str(rows["system"].nunique()) for task, rows in tasks.items()}
    lines = [{"Task": t, "Title": board.tasks[t].title, "Rows": n} for t, n in counts.items()]
    grid = Grid.from_frame("Tasks", pd.DataFrame(lines), 2)
    about = Section("about", "How to read it", (grid, *(Text(text) for text in _ABOUT)))
    empty: dict[str, Any] = {"sections": [], "stems": [], "here": [], "filters": {}}
    first = pages[0] if pages else empty
    front = first | {
        "path": "index.html",
        "title": board.file.title,
        "sections": [*first["sections"], about],
        "stems": ["index", *first["stems"]],
        "here": ["Front page", *first["here"]],
        "folded": True,
    }
    for page in [front, *pages]:
        body = sections_html(Page(page["title"], tuple(page["sections"])))
        page["nav"] = {"Board": home, "Metric": page.get("metrics", {})}
        page["root"] = "../" * page["path"].count("/")
        page["body"] = Markup(body)  # noqa: S704  the template of pages escapes
        yield page["path"], template.render(page, version=__version__)


def _task(board: Leaderboard, task: str, rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield what the template shows of a task, for each metric; the first has the picture."""
    known = facts.declared(board, task, rows["system"].unique()).to_dict("index")
    labels = {name: REGISTRY[name].label for name in METRICS if name in set(rows["metric"])}
    paths = {
        label: f"task/{task}/{metric if metric != METRICS[0] else 'index'}.html"
        for metric, label in labels.items()
    }
    for metric, label in labels.items():
        f1 = wide(board, rows, metric)
        lines = _lines(board, task, rows[rows["metric"] == metric], f1, known)
        hidden = [{*line["hidden"]} for line in lines]
        some = {*set().union(*hidden)} - set.intersection(*hidden)
        ranked = f1[[board.systems[name].ranked for name in f1.index]]
        picture = _picture(board, ranked, f"{label} F1 under each setting, {task}")
        blocks = tuple(picture if metric == METRICS[0] else ())
        yield {
            "path": paths[label],
            "title": f"{task}: {label} F1",
            "intro": [*_answer(board, ranked, label), f"{task}: {board.tasks[task].title}."],
            "metrics": paths,
            "here": [task, label],
            "caption": f"{task}: {label} F1 in percent",
            "heads": list(map(label_of, f1.columns)),
            "lines": lines,
            "filters": {name: text for name, text in facts.FILTERS.items() if name in some},
            "sections": [Section("more", "F1 against setting", blocks)] if blocks else [],
            "stems": [f"task/{task}/results"],
        }


def _lines(
    board: Leaderboard, task: str, rows: pd.DataFrame, f1: pd.DataFrame, known: dict[Any, Any]
) -> list[dict[str, Any]]:
    """Return the rows of the table of a metric, as of ``f1``: those without a rank first."""
    deviations = rows.pivot(index="system", columns="setting", values="f1_sd").reindex_like(f1)
    ranks = _ranks(f1[[board.systems[name].ranked for name in f1.index]]).reindex(f1.index)
    tied = ranks.iloc[:, 0].duplicated(keep=False)
    published: dict[str, list[tuple[str, str]]] = {name: [] for name in f1.index}
    for row in rows.dropna(subset="f1_published").to_dict("records"):
        difference = round(100 * (row["f1"] - row["f1_published"]), 4) + 0
        about = f"{label_of(row['setting'])}, {difference:+.4f}"
        published[row["system"]].append((percent(row["f1_published"]), about))
    lines = []
    parts = (part.to_numpy() for part in (ranks, f1, deviations))
    for name, own, scores, spreads in zip(f1.index, *parts, strict=True):
        entry = board.systems[name]
        hidden, distinct = facts.hidden_by(board, entry, task), np.unique(own[~np.isnan(own)])
        line = {
            "entry": entry,
            "rank": "" if np.isnan(own[0]) else f"{'=' if tied[name] else ''}{own[0]:.0f}",
            "ranks": f"{distinct[0]:.0f}–{distinct[-1]:.0f}" if len(distinct) > 1 else "",
            "cells": [*zip(scores, map(spread, scores, spreads), own == 1, strict=True)],
            "published": published[name],
            "tags": facts.tags(entry, known[name], hidden),
            "hidden": hidden,
            "links": facts.links(board, entry),
        }
        lines.append(line)
    return lines


def _ranks(f1: pd.DataFrame) -> pd.DataFrame:
    """Return the rank under each setting of what is shown: equal texts have equal ranks."""
    shown = f1.map(percent).replace("–", np.nan).astype(float)
    return shown.rank(ascending=False, method="min")


def _answer(board: Leaderboard, f1: pd.DataFrame, label: str) -> Iterator[str]:
    """Yield who is best under the recommended settings, and who moves most between settings."""
    titles = pd.Series({name: board.systems[name].title for name in f1.index}, dtype=object)
    ranks = _ranks(f1)
    best: dict[str, list[str]] = {}
    for setting in [name for name in RECOMMENDED if name in f1] or f1.columns[:1]:
        under = f"{label_of(setting)} ({percent(f1[setting].max())})"
        best.setdefault(" and ".join(titles[ranks[setting] == 1]), []).append(under)
    each = [f"{who} under {' and '.join(under)}" for who, under in best.items() if who]
    if each:
        yield f"Best of {len(f1)} ranked systems by {label} F1: {'; '.join(each)}."
    low, high = ranks.min(axis=1), ranks.max(axis=1)
    if len(f1) > 2 and (high - low).max() > 1:
        most = np.argmax(high - low)
        moves = f"{titles.iloc[most]} has ranks from {low.iloc[most]:.0f} to {high.iloc[most]:.0f}"
        yield f"The order depends on the setting: {moves}."


def _picture(board: Leaderboard, f1: pd.DataFrame, title: str) -> Iterator[Block]:
    """Yield F1 against setting of the ranked systems that have scores under all settings."""
    scored = f1.dropna()
    if min(scored.shape) < 2:
        return
    values = 100 * scored.set_axis(list(map(label_of, scored.columns)), axis=1)
    families = pd.Index([board.systems[name].family for name in scored.index])
    best = values[~families.duplicated()]
    said = [f"{row[0]}: {', '.join(f'{v:.1f}' for v in row[1:])}" for row in best.itertuples()]
    left = ", ".join(f1.index.difference(scored.index, sort=False))
    caption = (
        f"F1 of {len(values)} ranked systems ({', '.join(map(str, values))}); "
        f"the best of each family has a label. {'; '.join(said)}."
    ) + (f" Without {left}, which have no score under a setting." if left else "")
    chart = partial(slope_chart, title, "; ".join(said), values, list(best.index))
    yield Chart(cache(chart), caption)  # on two pages


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
