"""Write a board as a site: static pages with their data as CSV and JSON, for any web server.

The folder is new, or one that this command wrote: ``site.json`` in it lists the files of the site.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from cdec._version import __version__
from cdec.errors import FormatError
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema
from cdec.files.output import save_bytes
from cdec.formats.declaration import Digest
from cdec.leaderboards import facts
from cdec.leaderboards.board import BOARD, SYSTEMS, Leaderboard
from cdec.leaderboards.table import HEAD, as_json, place_of, results_of, wide
from cdec.metrics import REGISTRY
from cdec.render import to_csv, to_json
from cdec.render.charts import slope_chart
from cdec.render.html import sections_html, stylesheet
from cdec.render.numbers import percent, spread
from cdec.render.page import Block, Chart, Grid, Page, Section, Text
from cdec.settings import label_of

METRICS = ["conll", "lea", "muc", "b3", "ceafe"]  # the first is that of the address of a task
_LIST = "site.json"
_RECOMMENDED = ("pure", "simple")
_DATA = [*HEAD, "runs", "precision", "recall", "f1", "f1_sd", "f1_published", "saved"]
_HIDDEN = {"published", "responses", "uses", "made_from"}  # not as one value
_ASSETS = ("site.html", "site.css", "site.js")
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


def site_files(board: Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the site of a board. Raises FormatError."""
    rows, results = results_of(board), {}
    groups = rows.groupby(["task", "system"], sort=False)
    for (task, system), own in groups:
        text = as_json(own)
        digest = sha256(text.encode()).hexdigest()[:16]
        results[f"result/{task}/{system}/{digest}.json"] = text
    yield from results.items()
    values = ((entry.name, value) for entry in board.systems.values() for value in entry.published)
    published = {(v.task, name, v.setting, v.metric): v.f1 for name, v in values}
    places = zip(*(rows[name] for name in HEAD), strict=True)
    rows["saved"] = np.array([*results], dtype=object)[groups.ngroup()]
    rows["f1_published"] = np.array([published.get(place) for place in places], dtype=float)
    tasks = {str(task): own for task, own in rows.groupby("task", sort=False)}
    yield from _pages(board, tasks)
    known = [e.model_dump(exclude=_HIDDEN) | e.uses.model_dump() for e in board.systems.values()]
    data = {"index": Section("about", "", (), pd.DataFrame(known).convert_dtypes())}
    for task, own in tasks.items():
        order = own["metric"].map(dict(zip(METRICS, range(len(METRICS)), strict=True))).dropna()
        order += pd.factorize(own["system"])[0][own.index.get_indexer(order.index)] * len(METRICS)
        table = own.loc[order.sort_values(kind="stable").index, _DATA]
        data[f"task/{task}/results"] = Section("more", "", (), table)
    for stem, section in data.items():
        yield f"{stem}.csv", to_csv(Page("", (section,)))
        yield f"{stem}.json", to_json(Page("", (section,)))
    yield from ((name, _text(name)) for name in _ASSETS[1:])
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
    known = facts.declared(board, task, rows["system"].unique())
    records = known.to_dict("index")
    took = known[facts.OF_RUN].dropna(how="all").dropna(axis=1, how="all")
    blocks: list[Block] = []
    if len(took):
        table = facts.declared_texts(took, list(took.columns)).rename_axis("System").reset_index()
        caption = "What the runs took, as declared"
        blocks = [Grid.from_frame(caption, table, 1, [facts.NOTE])]
    metrics = [name for name in METRICS if name in set(rows["metric"])]
    labels = {name: REGISTRY[name].label for name in metrics}
    names = dict(zip(metrics, ["index", *metrics[1:]], strict=True))
    paths = {labels[metric]: f"task/{task}/{name}.html" for metric, name in names.items()}
    for metric, label in labels.items():
        f1 = wide(board, rows, metric)
        lines = _lines(board, task, rows[rows["metric"] == metric], f1, records)
        hidden = pd.Series([name for line in lines for name in line["hidden"]], dtype=object)
        some = [name for name, count in hidden.value_counts().items() if count < len(lines)]
        ranked = f1[[board.systems[name].ranked for name in f1.index]]
        picture = _picture(board, ranked, f"{label} F1 under each setting, {task}")
        own = [*(picture if metric == metrics[0] else []), *blocks]
        shown = "F1 against setting" if own and isinstance(own[0], Chart) else "Declared"
        yield {
            "path": paths[label],
            "title": f"{task}: {label} F1",
            "intro": [*_answer(board, ranked, label), f"{task}: {board.tasks[task].title}."],
            "metrics": paths,
            "here": [task, label],
            "caption": f"{task}: {label} F1 in percent",
            "heads": list(map(label_of, f1.columns)),
            "lines": lines,
            "filters": {name: facts.FILTERS[name] for name in facts.FILTERS if name in some},
            "sections": [Section("more", shown, tuple(own))] if own else [],
            "stems": [f"task/{task}/results"],
        }


def _lines(
    board: Leaderboard, task: str, rows: pd.DataFrame, f1: pd.DataFrame, known: dict[Any, Any]
) -> list[dict[str, Any]]:
    """Return the rows of the table of a metric, as of ``f1``: those without a rank first."""
    deviations = rows.pivot(index="system", columns="setting", values="f1_sd").reindex_like(f1)
    ranks = _ranks(f1[[board.systems[name].ranked for name in f1.index]]).reindex(f1.index)
    tied = ranks.iloc[:, 0].duplicated(keep=False)
    saved = dict(zip(rows["system"], rows["saved"], strict=True))
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
            "links": facts.links(board, entry) | {"results": saved[name]},
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
    for setting in [name for name in _RECOMMENDED if name in f1] or f1.columns[:1]:
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
    families = pd.Index([board.systems[name].family for name in scored.index])
    heads = list(map(label_of, scored.columns))
    values = 100 * scored.set_axis(heads, axis=1)
    best = values[~families.duplicated()]
    said = [f"{row[0]}: {', '.join(f'{v:.1f}' for v in row[1:])}" for row in best.itertuples()]
    left = ", ".join(f1.index.difference(scored.index, sort=False))
    caption = (
        f"F1 of {len(values)} ranked systems ({', '.join(heads)}); the best of each family has a "
        f"label. {'; '.join(said)}."
    ) + (f" Without {left}, which have no score under a setting." if left else "")
    chart = partial(slope_chart, title, "; ".join(said), values, list(best.index))
    yield Chart(chart, caption)


# ---- the folder ----


class _List(FileModel):
    """The files of a site: path → SHA-256; ``board``: the digest of what they were made of."""

    files: dict[Annotated[str, Field(pattern=r"^\w[\w.+-]*(/\w[\w.+-]*)*$")], Digest]
    board: str = ""


_SCHEMA = Schema(_KIND, _List, "cdec-leaderboard-site/1")


def write_site(board: Leaderboard, folder: Path) -> list[str]:
    """Write the site of a board to a folder; return the names of its files.

    Each file is replaced as a whole, unchanged files of an earlier site that it no longer has are
    removed, and others are not touched. After an interruption the same call completes the site; a
    complete site of the same board is left as it is. Raises FormatError for results that are
    missing or not valid, a folder that is not of a site, and one that cannot be written.
    """
    known = _List(files={})
    if (folder / _LIST).is_file():
        known = _SCHEMA.read_json(folder / _LIST)
    elif str(folder) == "-" or folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        message = "the folder is not a site of a leaderboard"
        raise FormatError("file-unwritable", message, place=folder, hint=_HINT)
    read = [board.folder / BOARD, place_of(board), *sorted((board.folder / SYSTEMS).glob("*.toml"))]
    parts = [path.read_bytes() for path in (*read, Path(__file__)) if path.is_file()]
    parts += [text.encode() for text in (*map(_text, _ASSETS), stylesheet(), __version__)]
    source = sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()
    there = {name: _digest(folder / name) for name in known.files}
    if known.board == source and there == known.files:
        return list(known.files)
    made = {name: text.encode() for name, text in site_files(board)}
    now = {name: sha256(data).hexdigest() for name, data in made.items()}
    _save_list(folder, known.files | now, "")  # an interrupted site is recognised
    for name, data in made.items():
        if now[name] != there.get(name):
            save_bytes(data, folder / name, parents=True)
    for name in known.files.keys() - now.keys():
        if there[name] == known.files[name]:
            (folder / name).unlink()
    _save_list(folder, now, source)
    return list(made)


def _save_list(folder: Path, names: dict[str, str], source: str) -> None:
    content = {"format": _SCHEMA.format, "files": dict(sorted(names.items())), "board": source}
    save_bytes((json.dumps(content, indent=1) + "\n").encode(), folder / _LIST, parents=True)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, '' if it is not there."""
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
