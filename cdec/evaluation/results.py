"""Results of scoring: tidy for machines, the paper's Table 3 for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from cdec.evaluation.experiment import COLUMNS, Experiment, Result
from cdec.evaluation.table import scores_page
from cdec.metrics import Value
from cdec.notices import Notice
from cdec.render import Page, render
from cdec.settings import label_of
from cdec.signature import Signature, in_json, merged

FORMAT = "cdec-results/1"  # of the JSON; raise it when a reader of the old form would go wrong
HEADS = {"setting": "Setting", "system": "System"}


@dataclass(frozen=True)
class Results:
    """The results of one run, in order; iterating gives them one by one.

    ``to_frame`` is the tidy table: columns ``cdec.evaluation.experiment.COLUMNS``, raw values in
    [0, 1]. ``notices`` say what was irregular in the files. ``to_latex`` and the notebook's HTML
    show percent, rounded once to one decimal.

    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> results.to_frame()[["metric", "f1"]].to_dict("records")
    [{'metric': 'muc', 'f1': 1.0}]
    >>> str(results.signature).split("|")[0], results.to_latex().count("MUC")
    ('setting:scope=corpus', 1)
    """

    results: tuple[Result, ...]
    notices: tuple[Notice, ...] = ()

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, metric: str) -> Value:
        """Return precision, recall and F1 of ``metric``, where there is exactly one result."""
        if len(self) != 1:
            raise KeyError(f"{len(self)} results: pick one, as in `results.results[0].scores`")
        return self.results[0].scores[metric]

    @property
    def signature(self) -> Signature:
        """One signature for all: a field in which the results differ lists its values."""
        return merged(result.signature for result in self.results)

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table, one row a corpus, split, setting, system and metric."""
        rows = [row for result in self.results for row in result.rows()]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    @cached_property
    def page(self) -> Page:
        """The results as a page, for every renderer."""
        frame, notes = self.to_frame(), (str(self.signature),)
        return scores_page(
            with_labels(frame), HEADS, frame, notes=notes, about={"format": FORMAT, **self.about}
        )

    def to_latex(self) -> str:
        """Return the table in LaTeX, for booktabs."""
        return render(self.page, "latex")

    @property
    def about(self) -> dict[str, Any]:
        """The signatures and notices, as they stand in JSON."""
        return {
            **in_json(*(result.signature for result in self.results)),
            "notices": [notice_record(notice) for notice in self.notices],
        }

    def _repr_html_(self) -> str:
        return render(self.page, "html")

    def __repr__(self) -> str:
        return render(self.page, "table")


def experiment_page(
    experiment: Experiment, notices: tuple[Notice, ...] = (), unit: str | None = None
) -> Page:
    """Score the experiment; with ``unit``, broken down by document, sub-topic or topic.

    >>> from cdec.evaluation.response import DEFAULT_POLICY
    >>> from cdec.evaluation.experiment import prepare_pair
    >>> experiment = prepare_pair(
    ...     {"a": 1}, {"a": 1}, scope=None, metrics="b3", scorer="cdec", policy=DEFAULT_POLICY
    ... )
    >>> experiment_page(experiment).data["f1"].tolist()
    [1.0]
    """
    results = Results(experiment.results(), notices)
    if unit is None:
        return results.page
    frame = experiment.breakdown(unit)
    heads = {"unit": unit.capitalize(), **HEADS}
    note = (
        f"a {unit}: links inside it alone; macro: the mean of these; "
        "micro: the setting's own number, over everything"
    )
    notes, about = (note, str(results.signature)), {**results.page.about, "by": unit}
    return scores_page(with_labels(frame), heads, frame, notes=notes, about=about)


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the settings' labels, as papers write them, for their ids."""
    return frame.assign(setting=[label_of(name) for name in frame["setting"]])


def notice_record(notice: Notice) -> dict[str, Any]:
    """Return a notice as it stands in JSON."""
    return {
        "kind": notice.kind,
        "count": notice.count,
        "message": notice.message,
        "examples": list(notice.examples),
    }
