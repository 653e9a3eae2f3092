"""Results of scoring, as a tidy table and as Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.experiment import AVERAGES, COLUMNS, Experiment, Result
from cdec.evaluation.several import SD_COLUMNS
from cdec.metrics import ALL, REGISTRY, DerivedMetric, Value
from cdec.notices import Notice
from cdec.render import Page, percent, render
from cdec.render.numbers import spread
from cdec.settings import label_of
from cdec.signature import Signature, in_json, merged

FORMAT = "cdec-results/1"  # of the JSON; to be raised when older readers would misread it
HEADS = {"setting": "Setting", "system": "System"}
Placed = tuple[str, str, str, str]  # group, column, metric, field
# Columns of Table 3 of Upadhyay et al. (2016), then later metrics; others follow as requested.
_FIRST = (
    *("muc", "b3", "ceafe", "blanc_coref", "blanc_noncoref", "blanc"),
    *("conll", "avg4", "lea", "ceafm"),
)
_LEGEND = {
    "blanc_coref": "BLANC PW: coreference links",
    "blanc_noncoref": "BLANC PWN: non-coreference links",
    "avg4": "Avg-4: mean F of MUC, B³, CEAF_e and BLANC",
}
_NARROWED = "F1 only: a wider terminal, a pipe or --format also shows precision and recall"


def layout(metrics: Iterable[str]) -> tuple[Placed, ...]:
    """Return the columns of these metrics, in table order."""
    shown = dict.fromkeys(metrics)
    names = [*(n for n in _FIRST if n in shown), *(n for n in shown if n not in _FIRST)]
    return tuple((c.group, c.name, n, c.field) for n in names for c in REGISTRY[n].columns)


LAYOUT = layout(ALL)


def metric_legend(metrics: Iterable[str]) -> Iterator[str]:
    """Yield an explanation of each label that is not a standard name of a metric.

    >>> list(metric_legend(["muc", "blanc_coref"]))
    ['BLANC PW: coreference links']
    """
    yield from (_LEGEND[metric] for metric in dict.fromkeys(metrics) if metric in _LEGEND)


@dataclass(frozen=True)
class Results:
    """The results of an experiment; iterating yields each ``Result``.

    ``to_frame`` returns the tidy table: columns ``cdec.evaluation.experiment.COLUMNS``, values in
    [0, 1]. ``notices`` are the irregularities of the files. ``to_latex`` and the HTML of notebooks
    show percent, rounded to one decimal.

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
        """Return precision, recall and F1 of ``metric``; KeyError unless there is one result."""
        if len(self) != 1:
            raise KeyError(f"{len(self)} results: choose one, as in `results.results[0].scores`")
        return self.results[0].scores[metric]

    @property
    def signature(self) -> Signature:
        """The merged signature: a field in which results differ lists its values."""
        return merged(result.signature for result in self.results)

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per corpus, split, setting, system and metric."""
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

    @property
    def about(self) -> dict[str, Any]:
        """The signatures and notices, for JSON."""
        runs = self.runs_frame()
        return {
            **({"runs": [*map(_record, runs.to_dict("records"))]} if len(runs) else {}),
            **in_json(*(result.signature for result in self.results)),
            "notices": [notice_record(notice) for notice in self.notices],
        }

    def _repr_html_(self) -> str:
        return render(self.page, "html")

    def __repr__(self) -> str:
        return render(self.page, "table")


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
    legend = (
        f"{unit} rows: links inside the {unit} only; macro: the mean of these; "
        "micro: the score of the setting, over all mentions; –: undefined (0/0)"
    )
    legend = "; ".join([legend, *metric_legend(frame["metric"])])
    left = left_out_of_macro(frame, unit)
    notes = (legend, *several_words(frame), *left, str(results.signature))
    about = {**results.page.about, "by": unit}
    return scores_page(with_labels(frame), heads, frame, notes=notes, about=about)


def several_words(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the explanation of ± if scores are means over runs."""
    if "runs" in frame and frame["runs"].notna().any():
        runs = frame.dropna(subset="runs").drop_duplicates("system")
        names = (f"{row['system']} {int(row['runs'])}" for row in runs.to_dict("records"))
        yield f"±: mean and standard deviation over runs ({', '.join(names)})"


def left_out_of_macro(frame: pd.DataFrame, unit: str) -> Iterator[str]:
    """Yield, for a breakdown, how many units have an undefined value of each metric.

    Results with the same numbers share a line; the line names them if there are others.
    """
    units = with_labels(frame[~frame["unit"].isin(AVERAGES)])
    names: dict[str, list[str]] = {}
    for (setting, system), part in units.groupby(["setting", "system"], sort=False):
        names.setdefault(_left_out(part, unit), []).append(f"{setting}, {system}")
    for line, results in names.items():
        if line:
            yield line if len(names) == 1 else f"{line} ({'; '.join(results)})"


def _left_out(part: pd.DataFrame, unit: str) -> str:
    """Return the line of one result: metrics with the same numbers together, '' for none."""
    labels: dict[str, list[str]] = {}
    for metric, rows in part.groupby("metric", sort=False):
        entry = REGISTRY[str(metric)]
        undefined = {c.name: int(rows[c.field].isna().sum()) for c in entry.columns}
        if not any(undefined.values()):
            continue
        columns = ", ".join(f"{column} {number}" for column, number in undefined.items())
        numbers = {*undefined.values()}
        shown = columns if len(numbers) > 1 else numbers.pop()
        from_parts = isinstance(entry, DerivedMetric) and entry.combine
        macro = "computed from the macro values of its parts" if from_parts else "left out"
        text = f"{shown} of {counted(len(rows), unit)} undefined, {macro}"
        labels.setdefault(text, []).append(entry.label)
    return "; ".join(f"macro {', '.join(names)}: {text}" for text, names in labels.items())


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the labels of settings instead of their ids."""
    return frame.assign(setting=[label_of(name) for name in frame["setting"]])


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
    }


def scores_page(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    data: pd.DataFrame,
    *,
    title: str = "",
    notes: Sequence[str],
    about: Mapping[str, Any],
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal of 80 characters shows F only."""
    view = wide(frame, heads)
    names = view.columns.get_level_values(1)
    narrow = [number for number, name in enumerate(names) if name in ("", "F")]
    return Page.from_table(
        view, data, title=title, notes=notes, about=about, narrow=narrow, narrowed=_NARROWED
    )


def _cell(values: pd.DataFrame, metric: str, field: str) -> str:
    """Return a value in percent, with its standard deviation if it is a mean over runs."""
    if metric not in values.index:
        return percent(None)
    row: dict[Hashable, Any] = values.loc[metric].to_dict()
    return spread(row.get(field), row.get(f"{field}_sd"))


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text with the columns ``heads`` (column → title) and those of ``layout``.

    ``frame`` is tidy: one row per combination of heads and metric. Only its metrics get columns.
    """
    placed = layout(frame["metric"])
    groups = frame.groupby(list(heads), sort=False, dropna=False)
    rows = []
    for names, part in groups:
        values = part.set_index("metric")
        rows.append([*names, *(_cell(values, metric, field) for _, _, metric, field in placed)])
    titles = [(title, "") for title in heads.values()]
    columns = [*titles, *((group, name) for group, name, *_ in placed)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))
