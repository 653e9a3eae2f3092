"""Results of scoring: one tidy frame, with signatures and notices beside it.

JSON, merging, intervals, comparisons, reports and leaderboards read and write the frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import Notices, counted
from cdec.evaluation.by_system import SYSTEMS, systems_page
from cdec.evaluation.view import CASE, HEADS, MICRO, beside, results_page, scores_page
from cdec.metrics import COUNT_COLUMNS, Value
from cdec.plugins import matching_name
from cdec.records import Fields, Row
from cdec.render import Page
from cdec.render.analysis import HasPage
from cdec.signature import Signature, in_json, merged

FORMAT = (
    "cdec-results/1"  # of the JSON; to be raised when older readers would misread it
)
VALUES = Value._fields
HEAD = ("corpus", "split", "setting", "system")
COLUMNS = (*HEAD, "metric", *VALUES, *COUNT_COLUMNS)
SD_COLUMNS = (*(f"{value}_sd" for value in VALUES), "runs")
P_VALUES = ("p_others", "p_against")  # of the tests of a table of systems
ENDS = tuple(f"{value}_{end}" for value in VALUES for end in ("low", "high"))
DETAILS = ("run", "unit")  # empty in the rows of a system under a setting
TOPICS = (
    "topics_digest"  # the field of the signature for topics that come from the user
)


def frame_of(rows: Iterable[Mapping[Any, Any]]) -> pd.DataFrame:
    """Return rows as a frame of objects: HEAD, DETAILS, the values, and further columns."""
    records = [{**dict.fromkeys(DETAILS, ""), **row} for row in rows]
    names = {name for record in records for name in record}
    optional = [name for name in (*SD_COLUMNS, *ENDS, *P_VALUES) if name in names]
    columns = [
        *HEAD,
        *DETAILS,
        *COLUMNS[len(HEAD) :],
        *optional,
    ]
    return pd.DataFrame(records, columns=columns, dtype=object)


def averaged(rows: Iterable[Fields]) -> list[Row]:
    """Return the means of the rows of the runs of systems, by unit, setting and metric.

    A mean of F1 is not the F1 of mean P and R. The means have no counts: those of the runs do not
    add up to them. A row that one of the runs lacks is the mean of the others.
    """
    names = [*HEAD, "unit", "metric"]
    records = []
    for head, runs in frame_of(rows).groupby(names, sort=False):
        record = dict(zip(names, head, strict=True))
        record["runs"] = len(runs)
        for name in VALUES:
            values = runs[name].dropna().to_numpy(np.float64)
            record[name] = values.mean() if len(values) else None
            record[f"{name}_sd"] = values.std(ddof=1) if len(values) > 1 else None
        records.append(record)
    return records


@dataclass(frozen=True, eq=False, repr=False)
class Results(HasPage):
    """Systems scored under settings; iterating yields the results of one system and setting each.

    ``rows`` is one frame. ``frame`` has the row of each setting, system and metric: COLUMNS with
    values in [0, 1], for means over several runs also SD_COLUMNS, with confidence intervals also
    ENDS. ``runs`` has the rows of each ``run`` of systems with several, ``units`` those of a
    breakdown by the unit ``by`` with its averages.

    ``signature_of`` maps the values of HEAD, such as a system under a setting → the signature of
    this result. ``notices`` are the irregularities of the responses. ``intervals`` says how the
    intervals were computed, if there are any, ``tests`` how differences were tested: see P_VALUES
    and ``cdec.statistics.marks``. ``layout``: "systems" for a row a system, else "metrics".
    ``before``: the results with the key before a patch. Tables show rounded percent.

    ``results["pure"]["mine"]["conll"].f1`` chooses by setting, system and metric.

    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> results.to_frame()[["metric", "f1"]].to_dict("records")
    [{'metric': 'muc', 'f1': 1.0}]
    >>> str(results.signature).split("|")[1], results.to_latex().count("MUC")
    ('setting:scope=corpus', 1)
    """

    rows: pd.DataFrame
    signature_of: Mapping[tuple[str, ...], Signature]
    notices: Notices = ()
    intervals: str = ""
    by: str = ""
    layout: str = ""
    tests: tuple[str, ...] = ()
    before: Results | None = None

    @classmethod
    def joined(cls, parts: Iterable[Results], notices: Notices = ()) -> Results:
        """Return results, of which no two have the same corpus, setting and system, as one."""
        results = list(parts)
        rows = pd.concat([part.rows for part in results], ignore_index=True)
        signature_of = dict[tuple[str, ...], Signature]()
        for part in results:
            signature_of.update(part.signature_of)
        return cls(rows, signature_of, notices)

    def renamed(self, column: str, name: str) -> Results:
        """Return the results with another name of their corpus or split."""
        signature_of = {}
        for case, signature in self.signature_of.items():
            names = {**dict(zip(HEAD, case, strict=True)), column: name}
            signature_of[tuple(names.values())] = signature
        rows = self.rows.assign(**{column: name})
        return replace(self, rows=rows, signature_of=signature_of)

    def _rows_by(self, *details: str) -> pd.DataFrame:
        """Return the rows of systems, and those that differ in these columns of DETAILS.

        They have these columns, COLUMNS, and others that are not empty.
        """
        others = [name for name in DETAILS if name not in details]
        table = self.rows[(self.rows[others] == "").all(axis=1)]
        optional = [
            name
            for name in (*SD_COLUMNS, *ENDS, *P_VALUES)
            if name in table and table[name].notna().any()
        ]
        return (
            table[[*details, *COLUMNS, *optional]]
            .reset_index(drop=True)
            .infer_objects()
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The row of each setting, system and metric."""
        return self._rows_by()

    @property
    def runs(self) -> pd.DataFrame:
        """The rows of each ``run`` of systems with several."""
        table = self._rows_by("run")
        return table[table["run"] != ""].reset_index(drop=True)

    @property
    def units(self) -> pd.DataFrame:
        """The rows of a breakdown: units, ``macro``, and ``micro``, the score of the setting."""
        table = self._rows_by("unit")
        if not self.by:
            return table[:0]
        return table.assign(unit=table["unit"].replace("", MICRO))

    @property
    def setting(self) -> str:
        """The id of the setting of the first result."""
        return str(self.frame["setting"].iloc[0])

    @property
    def system(self) -> str:
        """The name of the system of the first result."""
        return str(self.frame["system"].iloc[0])

    def __iter__(self) -> Iterator[Results]:
        for case in self.signature_of:
            yield self._where(dict(zip(HEAD, case, strict=True)))

    def __len__(self) -> int:
        return len(self.signature_of)

    def __getitem__(self, name: str) -> Any:
        """Return the results of a setting or a system, or the Value of a metric of one result.

        A name is looked up in this order, in any case. Raises KeyError.
        """
        columns = ["setting", "system"]
        if len(self) == 1:
            columns.append("metric")
        names = {column: list(dict.fromkeys(self.frame[column])) for column in columns}
        all_names = [entry for entries in names.values() for entry in entries]
        name = matching_name(name, all_names) or name
        for column, entries in names.items():
            if name in entries:
                return (
                    self.values[name]
                    if column == "metric"
                    else self._where({column: name})
                )
        text = ", ".join(names.get("metric") or [*names["setting"], *names["system"]])
        raise KeyError(
            f"'{name}' is not in these {counted(len(self), 'result')}: use {text}"
        )

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 of the first result."""
        frame = next(iter(self)).frame
        values = {}
        for row in frame.to_dict("records"):
            numbers = [row[name] for name in VALUES]
            values[row["metric"]] = Value(*numbers).plain()
        return values

    def _where(self, criteria: Mapping[str, str]) -> Results:
        """Return the results with these values in their columns."""
        rows = self.rows
        for column, value in criteria.items():
            # Compared by pandas: numpy would drop a NUL at the end of a name.
            rows = rows[rows[column] == value]
        signature_of = {
            case: signature
            for case, signature in self.signature_of.items()
            if criteria.items() <= dict(zip(HEAD, case, strict=True)).items()
        }
        return replace(
            self, rows=rows, signature_of=signature_of, layout="", before=None
        )

    def with_before(self, before: Results) -> Results:
        """Return the results with those of another key, as that before a patch, beside them.

        The page has both scores and their difference, its data the column ``f1_before``.
        """
        return replace(self, before=before)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The signature of each result, in the order of the rows."""
        return tuple(self.signature_of.values())

    @property
    def signature(self) -> Signature:
        """The merged signature: a field in which results differ lists its values."""
        return merged(self.signature_of.values())

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per corpus, split, setting, system and metric."""
        return self.frame.copy()

    @cached_property
    def page(self) -> Page:
        """The results as a page: in JSON with signatures, notices, and the rows of single runs."""
        about: Row = {"format": FORMAT}
        if (self.rows["run"] != "").any():
            runs = self.runs
            table = runs.assign(system=runs["run"])[[*COLUMNS]].astype(object)
            about["runs"] = table.where(table.notna(), None).to_dict(
                "records"
            )  # None is null
        if self.intervals:
            about["intervals"] = self.intervals
        if self.tests:
            about["tests"] = [*self.tests]
        about |= in_json(*self.signature_of.values())
        about["notices"] = [notice.record for notice in self.notices]
        if self.by:
            about["by"] = self.by
        notes = [*filter(None, [self.intervals]), about["signature"]]
        if self.before is not None:
            frame = beside(self.frame, self.before.frame)
            heads = {**HEADS, "key": "Key"}
            old = self.before.frame[[*CASE, "f1"]]
            data = self.frame.merge(old, "left", CASE, suffixes=("", "_before"))
            return scores_page(frame, heads, data, notes=notes, about=about)
        if self.layout == SYSTEMS:
            return systems_page(self.frame, self.tests, notes, about)
        data = self.units if self.by else self.frame
        return results_page(data, self.by, self.intervals, about)
