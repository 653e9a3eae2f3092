"""Several data sets at once, each with its key: systems ranked by the mean over the data sets.

The mean is that of a shared task: of precision, recall and F1 separately, over all data sets; a
data set for which a system has no response counts 0 (Žabokrtský et al. 2022, CRAC, table 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from cdec.errors import Notices, UsageError, counted
from cdec.evaluation.experiment import prepare_pair
from cdec.evaluation.results import VALUES, Results
from cdec.evaluation.view import headline, wide
from cdec.matching.policy import FilePolicy
from cdec.render import Page
from cdec.render.page import Grid, Section, Text
from cdec.signature import in_json


def score_datasets(
    pairs: Sequence[str], *, scope: str, metrics: list[str] | None, policy: FilePolicy
) -> tuple[Page, Notices]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    The data sets are the corpora of the results. Raises UsageError for another text, and for two
    responses of a system to one data set.
    """
    experiments = {}
    for text in pairs:
        dataset, _, files = text.partition("=")
        key, _, response = files.partition(":")
        if not (dataset and key and response) or "/" in dataset:
            raise UsageError(
                "argument-invalid",
                f"'{text}' is not a pair of files",
                hint="DATASET=KEY:[SYSTEM=]RESPONSE, as in cs_pdt=key.conllu:mine=out.conllu",
            )
        experiment = prepare_pair(
            key, response, scope=scope, metrics=metrics, scorer="cdec", policy=policy
        )
        system = experiment.runs[0].system
        if (dataset, system) in experiments:
            raise UsageError(
                "name-duplicate",
                f"two responses of '{system}' to '{dataset}'",
                hint="give one another name, as in DATASET=KEY:NAME=FILE",
            )
        experiments[dataset, system] = experiment
    notices = []
    parts = []
    for (dataset, _), experiment in experiments.items():
        notices += [
            replace(notice, message=f"{dataset}: {notice.message}")
            for notice in experiment.notices
        ]
        of_dataset = experiment.results()
        parts.append(of_dataset.renamed("corpus", dataset))
    results = Results.joined(parts, tuple(notices))
    return _page(results), tuple(notices)


def _page(results: Results) -> Page:
    """Return the page of the results: the mean over the data sets, and each data set."""
    frame = results.frame
    means = _means(frame)
    below = (
        "Mean of precision, recall and F1 separately over "
        f"{counted(frame['corpus'].nunique(), 'data set')}; "
        "a data set without a response of the system counts 0."
    )
    ranking = Grid.from_frame(
        "", wide(means, {"system": "System"}), heads=1, below=[below]
    )
    by_dataset = wide(frame, {"corpus": "Data set", "system": "System"})
    blocks = (Grid.from_frame("", by_dataset, heads=2), Text(str(results.signature)))
    sections = (
        Section("ranking", "Mean over the data sets", (ranking,), means),
        Section("metrics", "By data set", blocks, frame),
    )
    facts = in_json(results.signature)
    facts["notices"] = [notice.record for notice in results.notices]
    return Page("", sections, about=facts)


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the means of each system and metric over the data sets, the best system first."""
    # Zeros are not averaged: most data sets have none.
    averaged = frame[frame["metric"] != "zeros"]
    groups = averaged.groupby(["system", "metric"], sort=False)
    means = (
        groups[[*VALUES]].sum(min_count=1) / frame["corpus"].nunique()
    ).reset_index()
    means["datasets"] = groups["corpus"].nunique().to_numpy()
    metric, _ = headline(averaged)
    f1 = means[means["metric"] == metric].set_index("system")["f1"]
    rank = f1.rank(ascending=False, method="first")
    return means.sort_values(
        "system",
        key=lambda systems: systems.map(rank),
        kind="stable",
        ignore_index=True,
    )
