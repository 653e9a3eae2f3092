"""Several data sets at once, each with its key: systems ranked by the mean over the data sets.

The mean is that of a shared task: of precision, recall and F1 separately, over all data sets; a
data set for which a system has no response counts 0 (Žabokrtský et al. 2022, CRAC, table 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd

from cdec.errors import Notice, UsageError
from cdec.evaluation.experiment import Experiment, prepare_pair
from cdec.evaluation.results import VALUES, Results
from cdec.evaluation.view import wide
from cdec.matching.policy import FilePolicy
from cdec.render import Page
from cdec.render.page import Grid, Section, Text
from cdec.signature import in_json


def score_datasets(
    pairs: Sequence[str],
    *,
    scope: str,
    metrics: Iterable[str] | None,
    policy: FilePolicy,
    macro: bool = False,
) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    The data sets are the corpora of the results. ``macro``: with the means over the data sets.
    Raises UsageError for another text, and for two responses of a system to one data set.
    """
    chosen = None if metrics is None else list(metrics)
    scored: dict[tuple[str, str], Experiment] = {}
    for text in pairs:
        dataset, _, rest = text.partition("=")
        key, _, response = rest.partition(":")
        if not (dataset and key and response) or "/" in dataset:
            hint = "DATASET=KEY:[SYSTEM=]RESPONSE, as in cs_pdt=key.conllu:mine=out.conllu"
            raise UsageError("argument-invalid", f"'{text}' is not a pair of files", hint=hint)
        one = prepare_pair(key, response, scope=scope, metrics=chosen, scorer="cdec", policy=policy)
        name = (dataset, one.runs[0].system)
        if name in scored:
            message = f"two responses of '{name[1]}' to '{dataset}'"
            hint = "give one another name, as in DATASET=KEY:NAME=FILE"
            raise UsageError("name-duplicate", message, hint=hint)
        scored[name] = one
    notices = tuple(
        replace(notice, message=f"{dataset}: {notice.message}")
        for (dataset, _), experiment in scored.items()
        for notice in experiment.notices
    )
    each = [(dataset, one.results()) for (dataset, _), one in scored.items()]
    named = (replace(one, rows=one.rows.assign(corpus=name)) for name, one in each)
    results = Results.joined(named, notices)
    frame, sections = results.frame, []
    if macro:
        # Zeros are not averaged: most data sets have none.
        table, number = _means(frame[frame["metric"] != "zeros"]), frame["corpus"].nunique()
        below = f"Mean of precision, recall and F1 separately over {number} data sets; "
        below += "a data set without a response of the system counts 0."
        grid = Grid.from_frame("", wide(table, {"system": "System"}), heads=1, below=[below])
        sections.append(Section("ranking", "Mean over the data sets", (grid,), table))
    view = wide(frame, {"corpus": "Data set", "system": "System"})
    blocks = Grid.from_frame("", view, heads=2), Text(str(results.signature))
    sections.append(Section("metrics", "By data set", blocks, frame))
    about = {**in_json(results.signature), "notices": [notice.record for notice in notices]}
    return Page("", tuple(sections), about=about), notices


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the data sets of each system and metric, best system first.

    Columns: system, metric, precision, recall, f1, datasets (for which there is a response).
    """
    groups = frame.groupby(["system", "metric"], sort=False)
    table = groups[[*VALUES]].sum(min_count=1) / frame["corpus"].nunique()
    table = table.assign(datasets=groups["corpus"].nunique()).reset_index()
    metrics = table["metric"].unique().tolist()
    best = table[table["metric"] == ("conll" if "conll" in metrics else metrics[0])]
    order = best.sort_values("f1", ascending=False, kind="stable")["system"].tolist()
    return table.sort_values(
        "system", key=lambda names: names.map(order.index), kind="stable", ignore_index=True
    )
