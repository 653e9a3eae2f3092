"""Results of scoring, as a tidy table and as Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.experiment import COLUMNS, Experiment, Result
from cdec.evaluation.intervals import Intervals, interval_view
from cdec.evaluation.several import SD_COLUMNS
from cdec.evaluation.tables import (
    HEADS,
    metric_legend,
    metric_order,
    scores_page,
    several_words,
    with_labels,
)
from cdec.evaluation.undefined import left_out_of_macro
from cdec.io.output import save
from cdec.notices import Notice
from cdec.plugins import spelled
from cdec.render import Page, render
from cdec.render.best import with_best
from cdec.signature import Signature, in_json, merged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "cdec-results/1"  # of the JSON; to be raised when older readers would misread it


@dataclass(frozen=True)
class Results:
    """The results of an experiment; iterating yields each ``Result``.

    ``to_frame`` returns the tidy table: columns ``cdec.evaluation.experiment.COLUMNS``, values in
    [0, 1]. ``notices`` are the irregularities of the responses, which the table of a notebook shows
    too. ``intervals`` are the confidence intervals, if there are any. Tables show percent, rounded
    to one decimal.

    ``results["pure"]["mine"]["conll"].f1`` chooses by setting, system and metric.

    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> results.to_frame()[["metric", "f1"]].to_dict("records")
    [{'metric': 'muc', 'f1': 1.0}]
    >>> str(results.signature).split("|")[1], results.to_latex().count("MUC")
    ('setting:scope=corpus', 1)
    """

    results: tuple[Result, ...]
    notices: tuple[Notice, ...] = ()
    intervals: Intervals | None = None

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> Any:
        """Return the results of a setting or a system, or the Value of a metric of one result.

        A name is looked up in this order, in any case. Raises KeyError.
        """
        listed = [one for several in self._names.values() for one in several]
        metrics = [*self.results[0].scores.values] if len(self) == 1 else []
        name = spelled(name, [*listed, *metrics]) or name
        for column, names in self._names.items():
            if name in names:
                kept = tuple(r for r in self.results if r.head()[column] == name)
                ends = self.intervals and self.intervals.of(**{column: name})
                return replace(self, results=kept, intervals=ends)
        if name in metrics:
            return self.results[0].scores[name]
        known = ", ".join(metrics or listed)
        raise KeyError(f"'{name}' is not in these {counted(len(self), 'result')}: use {known}")

    @property
    def _names(self) -> dict[str, dict[str, None]]:
        settings = dict.fromkeys(result.setting.name for result in self.results)
        return {"setting": settings, "system": dict.fromkeys(r.system for r in self.results)}

    def __add__(self, other: Results) -> Results:
        """Return both results as one; raises ScoringError unless they are of the same task."""
        from cdec.evaluation.merging import together  # noqa: PLC0415  # it needs this class

        if not isinstance(other, Results):
            return NotImplemented
        return together(self, other)

    @property
    def signature(self) -> Signature:
        """The merged signature: a field in which results differ lists its values."""
        return merged(self._signatures)

    @property
    def _signatures(self) -> list[Signature]:
        how = self.intervals.how if self.intervals else {}
        signatures = (result.signature for result in self.results)
        return [Signature({**signature.fields, **how}, signature.parts) for signature in signatures]

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per corpus, split, setting, system and metric."""
        if self.intervals:
            return self.intervals.frame
        rows = [row for result in self.results for row in result.rows()]
        several = SD_COLUMNS if any(result.runs for result in self.results) else ()
        return pd.DataFrame(rows, columns=[*COLUMNS, *several])

    def runs_frame(self) -> pd.DataFrame:
        """Return the scores of each run of systems with several runs, in the columns COLUMNS."""
        rows = [row for result in self.results for run in result.runs for row in run.rows()]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    @cached_property
    def page(self) -> Page:
        """The results as a page for the renderers."""
        frame, about = self.to_frame(), {"format": FORMAT, **self.about}
        notes = (*several_words(frame), about["signature"])
        if self.intervals:
            view = interval_view(frame, metric_order(frame["metric"]))
            notes = (self.intervals.words, *notes)
            page = Page.from_table(view, frame, notes=notes, about=about)
            return with_best(page, range(len(HEADS), len(view.columns)), [0])
        shown, heads = self._declared(with_labels(frame))
        return scores_page(shown, heads, frame, notes=notes, about=about)

    def _declared(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
        """Return the frame and its heads, with a column of what the responses declare, if any."""
        declared = {
            result.system: _declaration(result.signature.fields["declared"])
            for result in self.results
            if "declared" in result.signature.fields
        }
        if not declared:
            return frame, HEADS
        texts = [declared.get(system, "") for system in frame["system"]]
        return frame.assign(declared=texts), {**HEADS, "declared": "Declared"}

    def to_latex(self) -> str:
        """Return the table in LaTeX, for booktabs."""
        return render(self.page, "latex")

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return render(self.page, "markdown")

    def to_html(self) -> str:
        """Return the table in HTML, with the notices below it."""
        return render(self._noted, "html")

    def save(self, path: str | Path) -> None:
        """Write the results as JSON, for ``cdec.load_results``, ``cdec report`` and ``compare``."""
        save([render(self.page, "json")], Path(path))

    def plot(self, metric: str = "conll") -> Axes:
        """Return a bar chart of F1 in percent, with the confidence intervals if there are any."""
        from cdec.evaluation.plot import bars  # noqa: PLC0415  # matplotlib is slow to import

        return bars(self.to_frame(), metric)

    @property
    def about(self) -> dict[str, Any]:
        """The signatures and notices, for JSON."""
        runs = self.runs_frame()
        return {
            **({"runs": [*map(_record, runs.to_dict("records"))]} if len(runs) else {}),
            **({"intervals": self.intervals.words} if self.intervals else {}),
            **in_json(*self._signatures),
            "notices": [notice_record(notice) for notice in self.notices],
        }

    @property
    def _noted(self) -> Page:
        """The page with the notices below the table, which a notebook shows nowhere else."""
        return self.page.noted([notice.line for notice in self.notices])

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return render(self._noted, "table")


def _declaration(declared: Any) -> str:
    """Return what one response, or each of several runs, declares."""
    several = declared if isinstance(declared, tuple) else (declared,)
    names = dict.fromkeys(name for each in several for name in each)
    values = {n: dict.fromkeys(str(each[n]) for each in several if n in each) for n in names}
    return ", ".join(f"{name}={'+'.join(texts)}" for name, texts in values.items())


def experiment_page(
    experiment: Experiment, notices: tuple[Notice, ...] = (), unit: str | None = None
) -> Page:
    """Score the experiment; with ``unit`` (document, subtopic or topic), also each unit.

    >>> from cdec.evaluation.response import DEFAULT_POLICY
    >>> from cdec.evaluation.pair import prepare_pair
    >>> experiment = prepare_pair(
    ...     {"a": 1}, {"a": 1}, scope=None, metrics="b3", scorer="cdec", policy=DEFAULT_POLICY
    ... )
    >>> experiment_page(experiment).data["f1"].tolist()
    [1.0]
    """
    experiment = replace(experiment, unit=unit)
    results = Results(experiment.results(), notices)
    if unit is None:
        return results.page
    frame = experiment.breakdown(unit)
    heads = {"unit": unit.capitalize(), **HEADS}
    legend = (
        f"{unit} rows: links inside the {unit} only; macro: the mean of these; "
        "micro: the score of the setting, over all mentions; –: undefined (0/0)"
    )
    legend = "; ".join([legend, *metric_legend(frame["metric"])])
    left = left_out_of_macro(frame, unit)
    notes = (legend, *several_words(frame), *left, str(results.signature))
    about = {**results.page.about, "by": unit}
    return scores_page(with_labels(frame), heads, frame, notes=notes, about=about)


def _record(row: Mapping[Hashable, Any]) -> dict[str, Any]:
    """Return a row of a table as a JSON object: a missing number is null."""
    return {str(name): None if pd.isna(value) else value for name, value in row.items()}


def notice_record(notice: Notice) -> dict[str, Any]:
    """Return a notice as a JSON object."""
    return {
        "code": notice.code,
        "count": notice.count,
        "message": notice.message,
        "examples": list(notice.examples),
        "warning": notice.warning,
    }
