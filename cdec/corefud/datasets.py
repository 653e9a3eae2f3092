"""Several data sets at once, each with its key: systems ranked by the mean over the data sets.

The mean is that of a shared task: of precision, recall and F1 separately, over all data sets; a
data set for which a system has no response counts 0 (Žabokrtský et al. 2022, CRAC, table 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from cdec.errors import UsageError
from cdec.errors.notices import Notice
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.pair import prepare_pair
from cdec.evaluation.response import ResponseFile
from cdec.evaluation.results import VALUES, Results
from cdec.evaluation.view import wide
from cdec.matching.policy import FilePolicy
from cdec.metrics import ALL, ON_MENTIONS
from cdec.render import Page, percent
from cdec.render.page import Grid, Section, Text
from cdec.signature import in_json

_TITLES = {
    "ranking": "Mean over the data sets",
    "metrics": "By data set",
    "datasets": "CoNLL F1 by data set",
    "zeros": "Zeros by data set",
}
_LEGEND = (
    "Mean of precision, recall and F1 separately over {number} data sets; a data set without a "
    "response of the system counts 0."
)


@dataclass(frozen=True)
class Pair:
    """A key and a response of one data set.

    >>> pair = Pair.parse("cs_pdt=key.conllu:mine=out.conllu")
    >>> pair.dataset, str(pair.key), pair.response.name
    ('cs_pdt', 'key.conllu', 'mine')
    """

    dataset: str
    key: Path
    response: ResponseFile

    @classmethod
    def parse(cls, text: str) -> Pair:
        """Return the pair for ``DATASET=KEY:[SYSTEM=]RESPONSE``; raises UsageError."""
        dataset, equals, rest = text.partition("=")
        key, colon, response = rest.partition(":")
        if not (dataset and equals and key and colon and response) or "/" in dataset:
            message = f"'{text}' is not a pair of files"
            hint = "DATASET=KEY:[SYSTEM=]RESPONSE, as in cs_pdt=key.conllu:mine=out.conllu"
            raise UsageError("option-invalid", message, hint=hint)
        return cls(dataset, Path(key), ResponseFile.parse(response))


def score_files(
    pairs: Sequence[Pair], *, scope: str, metrics: Iterable[str] | None, policy: FilePolicy
) -> Results:
    """Score every pair; the data sets are the corpora of the results.

    Raises UsageError for two responses of a system to one data set.
    """
    chosen = None if metrics is None else list(metrics)
    experiments: dict[tuple[str, str], Experiment] = {}
    for pair in pairs:
        name = (pair.dataset, pair.response.name)
        if name in experiments:
            message = f"two responses of '{pair.response.name}' to '{pair.dataset}'"
            hint = "give one another name, as in DATASET=KEY:NAME=FILE"
            raise UsageError("name-duplicate", message, hint=hint)
        response = f"{pair.response.name}={pair.response.path}"
        one = prepare_pair(
            pair.key, response, scope=scope, metrics=chosen, scorer="cdec", policy=policy
        )
        experiments[name] = replace(one, corpus=pair.dataset)
    notices = [
        replace(notice, message=f"{dataset}: {notice.message}")
        for (dataset, _), experiment in experiments.items()
        for notice in experiment.notices
    ]
    return Results.joined((each.results() for each in experiments.values()), tuple(notices))


def means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the data sets of each system and metric, best system first.

    Columns: system, metric, precision, recall, f1, datasets (for which there is a response).
    """
    total = frame["corpus"].nunique()
    groups = frame.groupby(["system", "metric"], sort=False)
    table = groups[[*VALUES]].sum(min_count=1) / total
    table = table.assign(datasets=groups["corpus"].nunique()).reset_index()
    metrics = table["metric"].unique().tolist()
    best = table[table["metric"] == ("conll" if "conll" in metrics else metrics[0])]
    order = best.sort_values("f1", ascending=False, kind="stable")["system"].tolist()
    return table.sort_values(
        "system", key=lambda names: names.map(order.index), kind="stable", ignore_index=True
    )


def score_datasets(
    texts: Sequence[str],
    *,
    scope: str,
    metrics: Iterable[str] | None,
    policy: FilePolicy,
    macro: bool = False,
) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    ``macro``: with the means over the data sets.
    Raises UsageError for another text, and as ``score_files`` does.
    """
    pairs = [Pair.parse(text) for text in texts]
    scored = score_files(pairs, scope=scope, metrics=metrics, policy=policy)
    return datasets_page(scored, averaged=macro), scored.notices


def datasets_page(scored: Results, *, averaged: bool = True) -> Page:
    """Return the tables of several data sets; ``averaged``: with the means over them."""
    about = {
        **in_json(scored.signature),
        "notices": [notice.record for notice in scored.notices],
    }
    sections = [_by_dataset(scored)]
    if averaged:
        sections = [_ranking(scored), *_of_datasets(scored), *sections]
    last = sections[-1]
    sections[-1] = replace(last, blocks=(*last.blocks, Text(str(scored.signature))))
    return Page("", tuple(sections), about=about)


def _ranking(scored: Results) -> Section:
    """Table 5 of CRAC 2022: all metrics, macro-averaged, best system first."""
    # Zeros are not averaged: most data sets have none.
    table = means(scored.frame[scored.frame["metric"] != "zeros"])
    view = wide(table, {"system": "System"})
    below = [_LEGEND.format(number=scored.frame["corpus"].nunique())]
    grid = Grid.from_frame("", view, heads=1, below=below)
    return Section("ranking", _TITLES["ranking"], (grid,), table)


def _by_dataset(scored: Results) -> Section:
    view = wide(scored.frame, {"corpus": "Data set", "system": "System"})
    grid = Grid.from_frame("", view, heads=2)
    return Section("metrics", _TITLES["metrics"], (grid,), scored.frame)


def _of_datasets(scored: Results) -> Iterator[Section]:
    """Tables 6 and 7 of CRAC 2022: one metric, systems × data sets."""
    frame = scored.frame
    for name, metric in (("datasets", ALL["conll"]), ("zeros", ON_MENTIONS["zeros"])):
        part = frame[frame["metric"] == metric.id]
        if metric.id == "zeros":
            part = part[part["r_den"] > 0]
        if part.empty:
            continue
        order = means(frame)["system"].unique().tolist()
        table = part.pivot(index="system", columns="corpus", values="f1")
        table = table.reindex(index=order, columns=part["corpus"].unique())
        view = table.map(percent).reset_index().rename(columns={"system": "System"})
        view.columns.name = None
        grid = Grid.from_frame("", view, heads=1, below=[f"{metric.label} F1"])
        yield Section(name, _TITLES[name], (grid,), pd.DataFrame())
