"""Several data sets at once, each with its key: systems ranked by the mean over the data sets.

The mean is that of a shared task: of precision, recall and F1 separately, over all data sets; a
data set for which a system has no response counts 0 (Žabokrtský et al. 2022, CRAC, table 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdec.errors import Notice, UsageError, counted
from cdec.evaluation.experiment import Experiment, prepare_pair
from cdec.evaluation.results import VALUES, Results
from cdec.evaluation.view import wide
from cdec.matching.policy import FilePolicy
from cdec.render import Page
from cdec.render.page import Grid, Section, Text
from cdec.signature import in_json


def score_datasets(
    pairs: Sequence[str], *, scope: str, metrics: list[str] | None, policy: FilePolicy
) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    The data sets are the corpora of the results. Raises UsageError for another text, and for two
    responses of a system to one data set.
    """
    scored: dict[tuple[str, str], Experiment] = {}
    for text in pairs:
        dataset, _, rest = text.partition("=")
        key, _, response = rest.partition(":")
        if not (dataset and key and response) or "/" in dataset:
            hint = "DATASET=KEY:[SYSTEM=]RESPONSE, as in cs_pdt=key.conllu:mine=out.conllu"
            raise UsageError("argument-invalid", f"'{text}' is not a pair of files", hint=hint)
        about: Any = {"scope": scope, "metrics": metrics, "scorer": "cdec", "policy": policy}
        one = prepare_pair(key, response, **about)
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
    frame, number = results.frame, results.frame["corpus"].nunique()
    # Zeros are not averaged: most data sets have none.
    groups = frame[frame["metric"] != "zeros"].groupby(["system", "metric"], sort=False)
    means = (groups[[*VALUES]].sum(min_count=1) / number).reset_index()
    means = means.assign(datasets=groups["corpus"].nunique().to_numpy())
    metric = "conll" if (means["metric"] == "conll").any() else means["metric"].iloc[0]
    best = means[means["metric"] == metric].set_index("system")["f1"]
    rank = best.rank(ascending=False, method="first")
    means = means.iloc[np.argsort(means["system"].map(rank), kind="stable")]
    below = f"Mean of precision, recall and F1 separately over {counted(number, 'data set')}; "
    below += "a data set without a response of the system counts 0."
    grid = Grid.from_frame("", wide(means, {"system": "System"}), heads=1, below=[below])
    view = wide(frame, {"corpus": "Data set", "system": "System"})
    blocks = Grid.from_frame("", view, heads=2), Text(str(results.signature))
    sections = (
        Section("ranking", "Mean over the data sets", (grid,), means.reset_index(drop=True)),
        Section("metrics", "By data set", blocks, frame),
    )
    facts = {**in_json(results.signature), "notices": [notice.record for notice in notices]}
    return Page("", sections, about=facts), notices
