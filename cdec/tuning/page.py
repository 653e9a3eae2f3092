"""Output of a tuning: scores over δ as a table and a figure, and comments of the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from cdec.errors import one_of
from cdec.evaluation.view import scores_page
from cdec.language.similarity import Tfidf
from cdec.render.charts.canvas import axes_image
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import in_json
from cdec.tuning.search import DELTAS, Tuning

_FIELDS = list(Tfidf.__annotations__)
_MARK = " *"
IMAGES = ("png", "svg")
_LINES = (
    ("precision", "P", "--", "tab:blue"),
    ("recall", "R", ":", "tab:orange"),
    ("f1", "F", "-", "black"),
)


def tuning_page(tuning: Tuning) -> Page:
    """Return the scores over δ; if tf-idf was tuned as well, the best δ of each choice."""
    table = tuning.table
    one_choice = table["choice"].max() == 0
    shown = table if one_choice else _best_of_each(tuning)
    heads = {**({} if one_choice else {name: name for name in _FIELDS}), "delta": "δ"}
    marked = shown["chosen"].map({True: _MARK, False: ""})
    text = shown.assign(delta=shown["delta"].map("{:.2f}".format) + marked)
    text[_FIELDS] = text[_FIELDS].astype(str)
    return scores_page(
        text,
        heads,
        table,
        title=_title(tuning),
        notes=(f"*: {_chosen(tuning)}", str(tuning.signature)),
        about={**in_json(tuning.signature), "metric": tuning.metric},
    )


def image_format(path: Path) -> str:
    """Return the format of a file name's ending; raises UnknownNameError unless in IMAGES."""
    ending = path.suffix.removeprefix(".").lower()
    one_of("image format", ending, IMAGES)
    return ending


def tuning_figure(tuning: Tuning, format: str) -> bytes:
    """Return precision, recall and F1 over δ as an image; ``format`` is png or svg."""
    parts = tuning.metrics[:-1]
    means = f"\nP and R: means over {', '.join(parts)}" if parts else ""
    return _draw(tuning.curve(), f"{_title(tuning)}{means}", tuning.system.delta, format)


def _draw(curve: pd.DataFrame, title: str, chosen: float, format: str) -> bytes:
    """Return the content of the image file; equal input gives equal bytes.

    ``curve`` is indexed by δ and has the columns ``precision``, ``recall`` and ``f1`` in [0, 1];
    ``chosen`` is the δ to mark, ``format`` one of IMAGES.
    """

    def draw(axes: Any) -> None:
        for column, label, style, colour in _LINES:
            axes.plot(curve.index, 100 * curve[column], style, color=colour, label=label)
        axes.axvline(chosen, color="grey", linewidth=0.8, label=f"δ = {chosen:g}")
        axes.set(xlim=(0, 1), ylim=(0, 100))
        axes.grid(alpha=0.3)
        axes.legend()

    return axes_image(draw, format, title=title, xlabel="δ", ylabel="score (%)")


def config_comments(tuning: Tuning) -> tuple[str, ...]:
    """Return the comment lines for the head of the configuration file of the best point."""
    usage = "Written by `cdec tune`; read by `cdec eval --config` and `cdec predict --config`."
    return usage, _chosen(tuning), str(tuning.signature)


def _title(tuning: Tuning) -> str:
    label = tuning.setting.label
    return f"{tuning.system.name} on {tuning.tuned.part}, {label}: {tuning.metric} over δ"


def _chosen(tuning: Tuning) -> str:
    count = tuning.table["choice"].nunique() * len(DELTAS)
    where = f"{tuning.metric} F1 {percent(tuning.value)} under {tuning.setting.name}"
    return f"the best of {count} points on {tuning.tuned.part}: δ = {tuning.system.delta}, {where}"


def _best_of_each(tuning: Tuning) -> pd.DataFrame:
    table = tuning.table
    ranked = table[table["metric"] == tuning.metric].sort_values(
        ["f1", "delta"], ascending=False, kind="stable"
    )
    best = ranked.drop_duplicates("choice")[["choice", "delta"]]
    return best.merge(table, on=["choice", "delta"])
