"""The tables of a shared task: the ranking, the metrics, the data sets, the variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from cdec.evaluation.datasets import Pair, score_pairs, variants_of
from cdec.evaluation.datasets import macro as means
from cdec.evaluation.results import Results
from cdec.evaluation.tables import wide
from cdec.matching.policy import FilePolicy
from cdec.metrics import REGISTRY
from cdec.notices import Notice
from cdec.render import Page, percent
from cdec.render.page import Grid, Section, Text
from cdec.signature import in_json

_TITLES = {
    "ranking": "Mean over the data sets",
    "metrics": "By data set",
    "datasets": "CoNLL F1 by data set",
    "zeros": "Zeros by data set",
    "variants": "The score beside its variants",
}
_LEGEND = (
    "Mean of precision, recall and F1 separately over {number} data sets; a data set without a "
    "response of the system counts 0."
)


def score_datasets(
    texts: Sequence[str],
    *,
    scope: str,
    metrics: Iterable[str] | None,
    policy: FilePolicy,
    macro: bool = False,
    variants: bool = False,
) -> tuple[Page, tuple[Notice, ...]]:
    """Score pairs of files (``DATASET=KEY:[SYSTEM=]RESPONSE``); return the page and the notices.

    ``macro``: with the means over the data sets; ``variants``: also with other choices.
    Raises UsageError for another text, and as ``score_pairs`` does.
    """
    pairs = [Pair.parse(text) for text in texts]
    scored = score_pairs(pairs, scope=scope, metrics=metrics, policy=policy)
    others = variants_of(pairs, scope, policy) if variants else None
    return datasets_page(scored, others, averaged=macro or variants), scored.notices


def datasets_page(
    scored: Results, variants: Mapping[str, Results] | None = None, *, averaged: bool = True
) -> Page:
    """Return the tables of several data sets; ``variants`` are other choices by name.

    ``averaged``: whether to show the means over the data sets.
    """
    about = {
        **in_json(scored.signature),
        "notices": [notice.record for notice in scored.notices],
    }
    sections = [_by_dataset(scored)]
    if averaged:
        sections = [_ranking(scored), *_of_datasets(scored), *sections]
    if variants:
        sections.insert(1, _variants(scored, variants))
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
    for name, metric in (("datasets", "conll"), ("zeros", "zeros")):
        part = frame[frame["metric"] == metric]
        if metric == "zeros":
            part = part[part["r_den"] > 0]
        if part.empty:
            continue
        order = means(frame)["system"].unique().tolist()
        table = part.pivot(index="system", columns="corpus", values="f1")
        table = table.reindex(index=order, columns=part["corpus"].unique())
        view = table.map(percent).reset_index().rename(columns={"system": "System"})
        view.columns.name = None
        label = REGISTRY[metric].label
        grid = Grid.from_frame("", view, heads=1, below=[f"{label} F1"])
        yield Section(name, _TITLES[name], (grid,), pd.DataFrame())


def _variants(scored: Results, variants: Mapping[str, Results]) -> Section:
    """Table 4 of CRAC 2022: CoNLL F1, macro-averaged, and the difference of each variant."""
    columns = {name: _conll(other) for name, other in {"primary": scored, **variants}.items()}
    table = pd.DataFrame(columns)
    view = pd.DataFrame({"System": table.index, "primary": table["primary"].map(percent)})
    for name in variants:
        change = 100 * (table[name] - table["primary"])
        view[name] = [
            f"{percent(value)} ({difference:+.1f})"
            for value, difference in zip(table[name], change, strict=True)
        ]
    grid = Grid.from_frame("", view, heads=1, below=["CoNLL F1, mean over the data sets"])
    data = table.rename_axis("system").reset_index()
    return Section("variants", _TITLES["variants"], (grid,), data)


def _conll(scored: Results) -> pd.Series[float]:
    table = means(scored.frame)
    return table[table["metric"] == "conll"].set_index("system")["f1"]
