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
from cdec.arrays import Floats
from cdec.errors import FormatError, escaped
from cdec.evaluation.view import RECOMMENDED
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema
from cdec.files.output import save
from cdec.leaderboards import facts
from cdec.leaderboards.board import Leaderboard, board_of_cdec
from cdec.leaderboards.table import (
    COVERAGE,
    HEAD,
    ranked,
    ranks_of,
    results_of,
    signatures_of,
    wide,
)
from cdec.metrics import REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.records import Row
from cdec.render import to_csv, to_json
from cdec.render.charts import INK, draw_chart, draw_points
from cdec.render.html import sections_html, stylesheet
from cdec.render.page import Block, Chart, Grid, Page, Section, Text, percent, spread
from cdec.settings import label_of
from cdec.signature import in_json

METRICS = [DEFAULT[-1], *DEFAULT[:-1]]  # the first is that of the address of a task
_LIST = "site.json"
_CLAIM = "f1_published"
_DATA = [*HEAD, "runs", "precision", "recall", "f1", "f1_sd", _CLAIM]
_HIDDEN = {"published", "responses", "uses", "made_from"}  # not as one value
_HINT = "name a new folder, or one that `cdec leaderboard site` wrote"
_KIND = FileKind(
    "the list of files of a site", FormatError, "file-invalid", _HINT, 2**24
)
_ABOUT = (
    "F1 in percent; of several runs, the mean ± standard deviation. Bold: the best of a column "
    "among the rows shown. The number before a system is its rank under the first setting (=: a "
    "tie) and, in brackets, from its best to its worst rank under all settings, the first one "
    "included. People, and systems with gold links of test, come first and have no rank. "
    "Published: a value that the declaration of the system claims, its setting, and the computed "
    "value minus it in points. Tick two rows to see their difference.",
    "What a row does not declare is not taken for harmless: without a word on gold topics or, from "
    "a language model, on the test data, it goes with the rows that use them. Outputs are open if "
    "their licence is known and they are copied, in a public archive, or made by a recipe.",
)


class _List(FileModel):
    """The paths of the files of a site."""

    files: list[Annotated[str, Field(pattern=r"^\w[\w.+-]*(/\w[\w.+-]*)*$")]]


_SCHEMA = Schema(_KIND, _List, "cdec-leaderboard-site/1")


def leaderboard_site(
    output: str | Path, folder: str | Path | None = None
) -> list[Path]:
    """Write the saved results of a leaderboard as a site; return the paths of its files.

    As ``cdec leaderboard site`` does. ``folder`` has ``leaderboard.toml``; by default the board of
    cdec. ``output`` is a new folder, or one that this wrote before. Only files that changed are
    written, and those of the earlier site that it no longer has are removed; others stay as they
    are. After an interruption the same call completes the site. Raises FormatError for results that
    are missing or not valid, a folder that is not of a site, and one that cannot be written.
    """
    board = board_of_cdec() if folder is None else Leaderboard.at(Path(folder))
    target = Path(output)
    earlier: list[str] = []
    if (target / _LIST).is_file():
        earlier = _SCHEMA.read_json(target / _LIST).files
    elif str(output) == "-" or (
        target.exists() and (not target.is_dir() or any(target.iterdir()))
    ):
        raise FormatError(
            "file-unwritable",
            "the folder is not a site of a leaderboard",
            place=target,
            hint=_HINT,
        )
    contents = {name: text.encode() for name, text in site_files(board)}
    listing = _listing({*earlier, *contents})  # of an interrupted call, too
    for name, data in ((_LIST, listing), *contents.items()):
        path = target / name
        if not path.is_file() or path.read_bytes() != data:
            save([data], path, parents=True)
    for name in {*earlier} - contents.keys():
        (target / name).unlink(missing_ok=True)
    save([_listing({*contents})], target / _LIST)
    return [target / name for name in contents]


def _listing(names: set[str]) -> bytes:
    content = {"format": _SCHEMA.format, "files": sorted(names)}
    return (json.dumps(content, indent=1) + "\n").encode()


def site_files(board: Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the site of a board. Raises FormatError."""
    rows = results_of(board)
    rows = rows.merge(_claims(board), "left", HEAD)
    tasks = {str(task): of_task for task, of_task in rows.groupby("task", sort=False)}
    yield from _pages(board, tasks)
    yield from _data_files("index", _systems(board), {})
    for task, of_task in tasks.items():
        signatures = in_json(*signatures_of(of_task))
        yield from _data_files(f"task/{task}/results", _scores(of_task), signatures)
    for name in ("site.css", "site.js"):
        yield name, _text(name)
    yield "page.css", stylesheet()


def _claims(board: Leaderboard) -> pd.DataFrame:
    """Return the scores that declarations claim to be published."""
    claims = [
        (score.task, name, score.setting, score.metric, score.f1)
        for name, submission in board.submissions.items()
        for score in submission.entry.published
    ]
    return pd.DataFrame(claims, columns=[*HEAD, _CLAIM])


def _systems(board: Leaderboard) -> pd.DataFrame:
    """Return what systems declare, a row a system; the family is that of the board."""
    rows = []
    for submission in board.submissions.values():
        entry = submission.entry.model_dump(exclude=_HIDDEN) | {
            "family": submission.family
        }
        rows.append(entry | submission.entry.uses.model_dump())
    return pd.DataFrame(rows).convert_dtypes()


def _scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of a task by the metrics of the site, in the order of the pages."""
    rows = rows[rows["metric"].isin(METRICS)]
    systems = pd.factorize(rows["system"])[0]
    metrics = rows["metric"].map(METRICS.index)
    rows = rows.iloc[np.lexsort((metrics, systems))]
    columns = [*_DATA]
    if (rows[COVERAGE] < 1).any():
        columns.append(COVERAGE)
    return rows[columns]


def _data_files(
    stem: str, table: pd.DataFrame, signatures: Row
) -> Iterator[tuple[str, str]]:
    page = Page("", (Section("more", "", (), table),), about=signatures)
    yield f"{stem}.csv", to_csv(page)
    yield f"{stem}.json", to_json(page)


def _pages(
    board: Leaderboard, tasks: dict[str, pd.DataFrame]
) -> Iterator[tuple[str, str]]:
    """Yield the pages: one a task and metric, and the front page, that of the first task."""
    from jinja2 import Environment  # noqa: PLC0415  slow
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_text("site.html"))
    home = {"Front page": "index.html"}
    for task in tasks:
        home[task] = f"task/{task}/index.html"
    pages: list[Row] = []
    for task, rows in tasks.items():
        pages += _task(board, task, rows)
    for page in [_front_page(board, tasks, pages), *pages]:
        body = sections_html(Page(page["title"], tuple(page["sections"])))
        page["nav"] = {"Board": home, "Metric": page.get("metrics", {})}
        page["root"] = "../" * page["path"].count("/")
        page["body"] = Markup(body)  # noqa: S704  the template of pages escapes
        yield page["path"], _printable(template.render(page, version=__version__))


def _printable(page: str) -> str:
    """Return a page without control characters, and without signs that turn the text around.

    A board refuses them in declarations; no other text brings them to a page, either.
    """
    return "\n".join(map(escaped, page.split("\n")))


def _front_page(
    board: Leaderboard, tasks: dict[str, pd.DataFrame], pages: list[Row]
) -> Row:
    """Return what the template shows on the front page: the first page, and how to read it."""
    lines = []
    for task, rows in tasks.items():
        count = str(rows["system"].nunique())
        lines.append({"Task": task, "Title": board.tasks[task].title, "Rows": count})
    grid = Grid.from_frame("Tasks", pd.DataFrame(lines), 2)
    about = Section("about", "How to read it", (grid, *map(Text, _ABOUT)))
    first: Row = {"sections": [], "stems": [], "here": [], "filters": {}}
    if pages:
        first = pages[0]
    return first | {
        "path": "index.html",
        "title": board.file.title,
        "sections": [*first["sections"], about],
        "stems": ["index", *first["stems"]],
        "here": ["Front page", *first["here"]],
        "folded": True,
    }


def _task(board: Leaderboard, task: str, rows: pd.DataFrame) -> Iterator[Row]:
    """Yield what the template shows of a task, for each metric; the first has the picture."""
    metrics = {*rows["metric"]}
    labels = {name: REGISTRY[name].label for name in METRICS if name in metrics}
    paths = {}
    for metric, label in labels.items():
        stem = "index" if metric == METRICS[0] else metric
        paths[label] = f"task/{task}/{stem}.html"
    for metric, label in labels.items():
        f1, deviation = wide(board, rows, metric)
        lines = _lines(board, task, rows[rows["metric"] == metric], f1, deviation)
        of_ranked = ranked(board, f1)
        sections = []
        if metric == METRICS[0]:
            picture = tuple(
                _picture(board, of_ranked, f"{label} F1 under each setting, {task}")
            )
            if picture:
                sections.append(Section("more", "F1 against setting", picture))
        yield {
            "path": paths[label],
            "title": f"{task}: {label} F1",
            "intro": [
                *_answer(board, of_ranked, label),
                f"{task}: {board.tasks[task].title}.",
            ],
            "metrics": paths,
            "here": [task, label],
            "caption": f"{task}: {label} F1 in percent",
            "heads": list(map(label_of, f1.columns)),
            "lines": lines,
            "filters": _filters(lines),
            "sections": sections,
            "stems": [f"task/{task}/results"],
        }


def _filters(lines: list[Row]) -> dict[str, str]:
    """Return the filters that hide some rows, and not all."""
    filters = {}
    for name, text in facts.FILTERS.items():
        is_hidden = [name in line["hidden"] for line in lines]
        if any(is_hidden) and not all(is_hidden):
            filters[name] = text
    return filters


def _lines(
    board: Leaderboard,
    task: str,
    rows: pd.DataFrame,
    f1: pd.DataFrame,
    deviation: pd.DataFrame,
) -> list[Row]:
    """Return the rows of the table of a metric, as of ``f1``: those without a rank first."""
    submissions = [board.submissions[name] for name in f1.index]
    declaration = facts.declared(submissions, task).to_dict("index")
    coverage = rows.groupby("system")[COVERAGE].min()
    ranks = ranks_of(ranked(board, f1)).reindex(f1.index)
    is_tied = ranks.iloc[:, 0].duplicated(keep=False)
    claims = _claim_texts(rows)
    lines = []
    for submission in submissions:
        name = submission.name
        hidden = facts.hidden_by(submission, task)
        scores = f1.loc[name]
        texts = map(spread, scores, deviation.loc[name])
        places = ranks.loc[name].to_numpy()
        line: Row = {
            "system": submission,
            "cells": [*zip(scores, texts, places == 1, strict=True)],
            "claims": claims.get(name, []),
            "tags": facts.tags(submission, declaration[name], hidden, coverage[name]),
            "hidden": hidden,
            "links": facts.links(submission),
            **_rank_texts(places, tied=bool(is_tied[name])),
        }
        lines.append(line)
    return lines


def _rank_texts(ranks: Floats, *, tied: bool) -> dict[str, str]:
    """Return the rank under the first setting, and the range of ranks under all settings."""
    if np.isnan(ranks[0]):
        return {"rank": "", "ranks": ""}
    low = np.nanmin(ranks)
    high = np.nanmax(ranks)
    rank = f"={ranks[0]:.0f}" if tied else f"{ranks[0]:.0f}"
    return {"rank": rank, "ranks": f"{low:.0f}–{high:.0f}" if low < high else ""}


def _claim_texts(rows: pd.DataFrame) -> dict[str, list[tuple[str, str]]]:
    """Return for each system the scores that it claims, and how they differ from the computed."""
    claims: dict[str, list[tuple[str, str]]] = {}
    for row in rows.dropna(subset=_CLAIM).to_dict("records"):
        difference = 100 * (row["f1"] - row[_CLAIM])
        about = f"claimed, {label_of(row['setting'])}, {difference:+z.4f}"
        claims.setdefault(row["system"], []).append((percent(row[_CLAIM]), about))
    return claims


def _answer(board: Leaderboard, f1: pd.DataFrame, label: str) -> Iterator[str]:
    """Yield who is best under the recommended settings, and who moves most between settings."""
    titles = pd.Series(
        {name: board.submissions[name].title for name in f1.index}, dtype=object
    )
    ranks = ranks_of(f1)
    best: dict[str, list[str]] = {}
    settings = [name for name in RECOMMENDED if name in f1] or f1.columns[:1]
    for setting in settings:
        names = " and ".join(titles[ranks[setting] == 1])
        best.setdefault(names, []).append(
            f"{label_of(setting)} ({percent(f1[setting].max())})"
        )
    winners = [
        f"{names} under {' and '.join(under)}" for names, under in best.items() if names
    ]
    if winners:
        yield f"Best of {len(f1)} ranked systems by {label} F1: {'; '.join(winners)}."
    low = ranks.min(axis=1)
    high = ranks.max(axis=1)
    if len(f1) > 2 and (high - low).max() > 1:
        name = str((high - low).idxmax())
        yield (
            f"The order depends on the setting: {titles[name]} has ranks from {low[name]:.0f} to "
            f"{high[name]:.0f}."
        )


def _picture(board: Leaderboard, f1: pd.DataFrame, title: str) -> Iterator[Block]:
    """Yield F1 against setting of the ranked systems that have scores under all settings."""
    complete = f1.dropna()
    if min(complete.shape) < 2:
        return
    values = 100 * complete.set_axis(list(map(label_of, complete.columns)), axis=1)
    families = pd.Index([board.submissions[name].family for name in complete.index])
    best = values[~families.duplicated()]
    texts = []
    for row in best.itertuples():
        scores = ", ".join(f"{value:.1f}" for value in row[1:])
        texts.append(f"{row[0]}: {scores}")
    description = "; ".join(texts)
    caption = (
        f"F1 of {len(values)} ranked systems ({', '.join(map(str, values))}); "
        f"the best of each family has a label. {description}."
    )
    incomplete = f1.index.difference(complete.index, sort=False)
    if len(incomplete):
        caption += (
            f" Without {', '.join(incomplete)}, which have no score under a setting."
        )
    chart = partial(
        draw_chart,
        partial(_draw_lines, values=values, best=best),
        title,
        description,
    )
    yield Chart(cache(chart), caption)  # on two pages


def _draw_lines(axes: Any, values: pd.DataFrame, best: pd.DataFrame) -> None:
    """Draw the lines of the best systems, in front of grey ones of the others."""
    for row in values.drop(index=best.index).to_numpy():
        axes.plot(row, color=INK, alpha=0.3, linewidth=0.7)
    last = best.columns[-1]
    falling = best.sort_values(last, ascending=False, kind="stable")
    rows = falling.rename_axis("line").melt(
        var_name="condition", value_name="value", ignore_index=False
    )
    draw_points(
        axes, rows.reset_index().assign(low=np.nan, high=np.nan), "F1 (%)", joined=True
    )


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
