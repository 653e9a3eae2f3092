"""Reports on tuning: the scores over δ as a table and as a figure, and the configuration file."""

from __future__ import annotations

import pandas as pd

from cdec.evaluation.table import wide
from cdec.language.vectors import Tfidf
from cdec.render.charts.curve import draw
from cdec.render.numbers import percent
from cdec.render.report import Report
from cdec.signature import in_json
from cdec.tuning import DELTAS, Tuning

_FIELDS = list(Tfidf.__annotations__)
_MARK = " *"


def tuning_report(tuning: Tuning) -> Report:
    """Return the scores over δ; where tf-idf was tuned too, the best δ of each choice."""
    table = tuning.table
    one_choice = table["choice"].max() == 0
    shown = table if one_choice else _best_of_each(tuning)
    heads = {**({} if one_choice else {name: name for name in _FIELDS}), "delta": "δ"}
    marked = shown["chosen"].map({True: _MARK, False: ""})
    text = shown.assign(delta=shown["delta"].map("{:.2f}".format) + marked)
    text[_FIELDS] = text[_FIELDS].astype(str)
    return Report(
        view=wide(text, heads),
        narrow=wide(text, heads, compact=True),
        data=table,
        title=_title(tuning),
        notes=(f"*: {_chosen(tuning)}", str(tuning.signature)),
        about={**in_json(tuning.signature), "metric": tuning.metric},
    )


def tuning_figure(tuning: Tuning, format: str) -> bytes:
    """Return precision, recall and F1 over δ as an image; ``format`` is png or svg."""
    parts = tuning.metrics[:-1]
    told = f"\nP and R: means over {', '.join(parts)}" if parts else ""
    return draw(tuning.curve(), f"{_title(tuning)}{told}", tuning.system.delta, format)


def config_comments(tuning: Tuning) -> tuple[str, ...]:
    """Return how to get the chosen point, for the head of its configuration file."""
    written = "Written by `cdec tune`; read by `cdec eval --config` and `cdec predict --config`."
    return written, _chosen(tuning), str(tuning.signature)


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
