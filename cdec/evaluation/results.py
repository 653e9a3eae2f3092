"""Results of scoring: one tidy frame, with signatures and notices beside it.

A row is made once, by ``Results.of_scores``, where a case is scored. JSON, merging, intervals,
comparisons, reports and leaderboards read and write the frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.errors import counted
from cdec.errors.notices import Notice
from cdec.evaluation.same_task import check_mergeable
from cdec.evaluation.tables import AVERAGES, bars, results_page
from cdec.files.output import save
from cdec.metrics import COUNT_COLUMNS, Scores, Value
from cdec.plugins import spelled
from cdec.render import Page, render
from cdec.render.latex import as_float
from cdec.signature import Signature, in_json, merged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "cdec-results/1"  # of the JSON; to be raised when older readers would misread it
VALUES = Value._fields
HEAD = ("corpus", "split", "setting", "system")
COLUMNS = (*HEAD, "metric", *VALUES, *COUNT_COLUMNS)
SD_COLUMNS = (*(f"{value}_sd" for value in VALUES), "runs")
_MOMENTS = (*VALUES, *SD_COLUMNS[:3])
ENDS = tuple(f"{value}_{end}" for value in VALUES for end in ("low", "high"))
STANDING = "standing"  # the decision that a row is of, if it is of no system


def frame_of(rows: Iterable[Mapping[Any, Any]], *heads: str) -> pd.DataFrame:
    """Return rows as a frame: heads, COLUMNS, and the further columns of Results that a row has."""
    records = list(rows)
    known = {name for record in records for name in record}
    more = [name for name in (*SD_COLUMNS, *ENDS, STANDING) if name in known]
    return pd.DataFrame(records, columns=[*heads, *COLUMNS, *more])


_NO_RUNS, _NO_UNITS, _NO_ROWS = frame_of((), "run"), frame_of((), "unit"), frame_of(())


@dataclass(frozen=True, eq=False)
class Results:
    """Systems scored under settings; iterating yields the results of one system and setting each.

    ``frame`` has a row per setting, system and metric: COLUMNS with values in [0, 1], for means
    over several runs also SD_COLUMNS, with confidence intervals also ENDS. ``signatures`` has one
    for each system under each setting, in this order. ``notices`` are the irregularities of the
    responses. ``intervals`` says how the intervals were computed, if there are any. ``runs`` has
    the rows of each ``run`` of systems with several, ``units`` those of a breakdown by the unit
    ``by``, ``standing`` those of decisions (STANDING) on the candidates of a ``system``, which are
    no systems. ``place`` is the file they were read from. Tables show rounded percent.

    ``results["pure"]["mine"]["conll"].f1`` chooses by setting, system and metric.

    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> results.to_frame()[["metric", "f1"]].to_dict("records")
    [{'metric': 'muc', 'f1': 1.0}]
    >>> str(results.signature).split("|")[1], results.to_latex().count("MUC")
    ('setting:scope=corpus', 1)
    """

    frame: pd.DataFrame
    signatures: tuple[Signature, ...]
    notices: tuple[Notice, ...] = ()
    intervals: str = ""
    runs: pd.DataFrame = field(default_factory=_NO_RUNS.copy)
    units: pd.DataFrame = field(default_factory=_NO_UNITS.copy)
    by: str = ""
    standing: pd.DataFrame = field(default_factory=_NO_ROWS.copy)
    place: str = "results"

    @classmethod
    def of_scores(cls, head: Mapping[str, str], scores: Scores, signature: Signature) -> Results:
        """Return one case; ``head`` has its corpus, split, setting and system."""
        return cls(frame_of({**head, **row} for row in scores.rows()), (signature,))

    @classmethod
    def joined(cls, parts: Iterable[Results], notices: tuple[Notice, ...] = ()) -> Results:
        """Return results, of which no two have the same corpus, setting and system, as one."""
        several = list(parts)
        by = several[0].by if len({each.by for each in several}) == 1 else ""
        runs = [each.runs for each in several if len(each.runs)]
        units = [each.units for each in several] if by else []
        standing = [each.standing for each in several if len(each.standing)]
        return cls(
            frame_of(row for each in several for row in each.frame.to_dict("records")),
            tuple(signature for each in several for signature in each.signatures),
            notices,
            several[0].intervals if several else "",
            runs=pd.concat(runs, ignore_index=True) if runs else _NO_RUNS,
            units=pd.concat(units, ignore_index=True) if units else _NO_UNITS,
            by=by,
            standing=pd.concat(standing, ignore_index=True) if standing else _NO_ROWS,
        )

    @cached_property
    def _cases(self) -> list[dict[Hashable, Any]]:
        """Corpus, setting and system of each result, in the order of ``signatures``."""
        return self.frame[["corpus", "setting", "system"]].drop_duplicates().to_dict("records")

    @property
    def names(self) -> list[tuple[str, str]]:
        """Setting and system of each result, in the order of ``signatures``."""
        return [(case["setting"], case["system"]) for case in self._cases]

    @property
    def setting(self) -> str:
        """The id of the setting of the first result."""
        return self.names[0][0]

    @property
    def system(self) -> str:
        """The name of the system of the first result."""
        return self.names[0][1]

    def __iter__(self) -> Iterator[Results]:
        return (self._where(case) for case in self._cases)

    def __len__(self) -> int:
        return len(self.signatures)

    def __getitem__(self, name: str) -> Any:
        """Return the results of a setting or a system, or the Value of a metric of one result.

        A name is looked up in this order, in any case. Raises KeyError.
        """
        columns = ("setting", "system", *(["metric"] if len(self) == 1 else []))
        known = {column: list(dict.fromkeys(self.frame[column])) for column in columns}
        name = spelled(name, [one for names in known.values() for one in names]) or name
        column = next((column for column, names in known.items() if name in names), "")
        if column == "metric":
            return self.values[name]
        if column:
            return self._where({column: name})
        shown = ", ".join(known.get("metric") or [*known["setting"], *known["system"]])
        raise KeyError(f"'{name}' is not in these {counted(len(self), 'result')}: use {shown}")

    @property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 of the first result."""
        first = self.frame if len(self) == 1 else self._where(self._cases[0]).frame
        precision, recall = (
            [None if pd.isna(number) else float(number) for number in first[name]]
            for name in ("precision", "recall")
        )
        f1 = first["f1"].astype(float).tolist()
        return dict(zip(first["metric"], map(Value, precision, recall, f1), strict=True))

    def _where(self, wanted: Mapping[Hashable, Any]) -> Results:
        """Return the results with these values in their columns."""

        def rows(table: pd.DataFrame) -> pd.DataFrame:
            if table.empty:
                return table
            # Compared by pandas: numpy would drop a NUL at the end of a name.
            kept = np.logical_and.reduce([table[c] == v for c, v in wanted.items()])
            return table[kept].reset_index(drop=True)

        cases = zip(self._cases, self.signatures, strict=True)
        signatures = tuple(signed for case, signed in cases if wanted.items() <= case.items())
        frame, runs, units = map(rows, (self.frame, self.runs, self.units))
        tables = replace(self, frame=frame, runs=runs, units=units)
        return replace(tables, signatures=signatures, standing=rows(self.standing))

    def __add__(self, other: Results) -> Results:
        """Return both results as one, ordered by setting, then as given.

        Raises ScoringError unless they are of the same task.
        """
        if not isinstance(other, Results):
            return NotImplemented
        check_mergeable(self, other)
        order = list(dict.fromkeys(setting for setting, _ in (*self.names, *other.names)))
        parts = sorted((*self, *other), key=lambda one: order.index(one.setting))
        return Results.joined(parts, tuple(dict.fromkeys((*self.notices, *other.notices))))

    @property
    def signature(self) -> Signature:
        """The merged signature: a field in which results differ lists its values."""
        return merged(self.signatures)

    @property
    def parts(self) -> pd.DataFrame:
        """The rows of a breakdown without the averages."""
        return self.units[~self.units["unit"].isin(AVERAGES)]

    @property
    def shown(self) -> pd.DataFrame:
        """The frame, with the standing rows of each system below it, and their column STANDING."""
        if self.standing.empty:
            return self.frame
        own = [(one.frame, _named(one.standing)) for one in self]
        return frame_of(row for both in own for each in both for row in each.to_dict("records"))

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per corpus, split, setting, system and metric.

        Below systems of scored pairs are standing rows: their column STANDING is not empty.
        """
        return self.shown.copy()

    def runs_frame(self) -> pd.DataFrame:
        """Return the scores of each run of systems with several runs, in the columns COLUMNS."""
        return self.runs.assign(system=self.runs["run"])[list(COLUMNS)]

    @cached_property
    def page(self) -> Page:
        """The results as a page for the renderers."""
        return results_page(self, {"format": FORMAT, **self.about})

    def to_latex(self, caption: str = "", label: str = "") -> str:
        r"""Return the table in LaTeX, for booktabs; with a caption or label as a ``table``.

        Both are LaTeX: ``caption=r"Scores on ECB\+"``.
        """
        return as_float(render(self.page, "latex"), caption, label)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return render(self.page, "markdown")

    def to_html(self) -> str:
        """Return the table in HTML, with the notices below it."""
        return render(self._noted, "html")

    def save(self, path: str | Path) -> None:
        """Write the results as JSON, for ``cdec.load_results`` and ``compare``."""
        save([render(self.page, "json")], Path(path))

    def plot(self, metric: str = "conll") -> Axes:
        """Return a bar chart of F1 in percent, with the confidence intervals if there are any."""
        return bars(self.frame, metric)

    @property
    def about(self) -> dict[str, Any]:
        """What JSON has beside the rows: signatures, notices, and the rows of single runs."""
        rows = self.runs_frame().to_dict("records") if len(self.runs) else []
        # A missing number is null.
        runs = [{n: None if pd.isna(v) else v for n, v in row.items()} for row in rows]
        return {
            **({"runs": runs} if runs else {}),
            **({"intervals": self.intervals} if self.intervals else {}),
            **in_json(*self.signatures),
            "notices": [notice.record for notice in self.notices],
            **({"by": self.by} if self.by else {}),
        }

    @property
    def _noted(self) -> Page:
        """The page with the notices below the table, which a notebook shows nowhere else."""
        return self.page.noted([notice.line for notice in self.notices])

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return render(self._noted, "table")


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Return standing rows with names that no system has: ``mine: yes to every candidate``."""
    return rows.assign(system=rows["system"] + ": " + rows[STANDING]) if len(rows) else rows


def pooled(name: str, runs: Sequence[Results]) -> Results:
    """Return the means of the runs of a system under one setting; a single run as it is.

    A mean of F1 is not the F1 of mean P and R. The means have no counts: those of the runs do not
    add up to them.
    """
    if len(runs) == 1:
        return runs[0]
    each = np.stack([run.frame[list(VALUES)].to_numpy(dtype=np.float64) for run in runs], axis=-1)
    moments = np.concatenate([each.mean(axis=-1), each.std(axis=-1, ddof=1)], axis=-1).tolist()
    whole: dict[Any, Any] = {"system": name, "runs": len(runs), **dict.fromkeys(COUNT_COLUMNS)}
    rows = [
        row | whole | {c: None if isnan(x) else x for c, x in zip(_MOMENTS, numbers, strict=True)}
        for row, numbers in zip(runs[0].frame.to_dict("records"), moments, strict=True)
    ]
    fields = merged([run.signature for run in runs]).fields
    signature = Signature({**fields, "system": name, "runs": len(runs)})
    table = pd.concat([run.frame.assign(run=run.system, system=name) for run in runs])
    return replace(
        runs[0], frame=frame_of(rows), signatures=(signature,), runs=table.reset_index(drop=True)
    )
