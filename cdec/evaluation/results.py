"""Results of scoring: one tidy frame, with signatures and notices beside it.

JSON, merging, intervals, comparisons, reports and leaderboards read and write the frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import Notice, counted
from cdec.evaluation.view import MICRO, results_page
from cdec.metrics import COUNT_COLUMNS, Value
from cdec.plugins import spelled
from cdec.render import Page
from cdec.render.analysis import HasPage
from cdec.signature import Signature, in_json, merged

FORMAT = "cdec-results/1"  # of the JSON; to be raised when older readers would misread it
VALUES = Value._fields
HEAD = ("corpus", "split", "setting", "system")
COLUMNS = (*HEAD, "metric", *VALUES, *COUNT_COLUMNS)
SD_COLUMNS = (*(f"{value}_sd" for value in VALUES), "runs")
ENDS = tuple(f"{value}_{end}" for value in VALUES for end in ("low", "high"))
TOLD_APART = ("run", "unit")  # empty in the rows of a system under a setting
TOPICS = "topics_digest"  # the field of the signature for topics that come from the user


def frame_of(rows: Iterable[Mapping[Any, Any]]) -> pd.DataFrame:
    """Return rows as a frame of objects: HEAD, TOLD_APART, the values, and further columns."""
    records = [{**dict.fromkeys(TOLD_APART, ""), **row} for row in rows]
    known = {name for record in records for name in record}
    more = [name for name in (*SD_COLUMNS, *ENDS) if name in known]
    columns = [*HEAD, *TOLD_APART, *COLUMNS[len(HEAD) :], *more]
    return pd.DataFrame(records, columns=columns, dtype=object)


def averaged(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the means of the rows of the runs of systems, by unit, setting and metric.

    A mean of F1 is not the F1 of mean P and R. The means have no counts: those of the runs do not
    add up to them. A row that one of the runs lacks is the mean of the others.
    """
    names = [*HEAD, "unit", "metric"]
    records = []
    for head, own in frame_of(rows).groupby(names, sort=False):
        record = {**dict(zip(names, head, strict=True)), "runs": len(own)}
        for name in VALUES:
            known = own[name].dropna().to_numpy(np.float64)
            record[name] = known.mean() if len(known) else None
            record[f"{name}_sd"] = known.std(ddof=1) if len(known) > 1 else None
        records.append(record)
    return records


@dataclass(frozen=True, eq=False, repr=False)
class Results(HasPage):
    """Systems scored under settings; iterating yields the results of one system and setting each.

    ``rows`` is one frame. ``frame`` has the row of each setting, system and metric: COLUMNS with
    values in [0, 1], for means over several runs also SD_COLUMNS, with confidence intervals also
    ENDS. ``runs`` has the rows of each ``run`` of systems with several, ``units`` those of a
    breakdown by the unit ``by`` with its averages.

    ``signatures`` has one for each system under each setting, in this order. ``notices`` are the
    irregularities of the responses. ``intervals`` says how the intervals were computed, if there
    are any. Tables show rounded percent.

    ``results["pure"]["mine"]["conll"].f1`` chooses by setting, system and metric.

    >>> from cdec import score
    >>> results = score({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics="muc")
    >>> results.to_frame()[["metric", "f1"]].to_dict("records")
    [{'metric': 'muc', 'f1': 1.0}]
    >>> str(results.signature).split("|")[1], results.to_latex().count("MUC")
    ('setting:scope=corpus', 1)
    """

    rows: pd.DataFrame
    signatures: tuple[Signature, ...]
    notices: tuple[Notice, ...] = ()
    intervals: str = ""
    by: str = ""

    @classmethod
    def joined(cls, parts: Iterable[Results], notices: tuple[Notice, ...] = ()) -> Results:
        """Return results, of which no two have the same corpus, setting and system, as one."""
        several = list(parts)
        rows = pd.concat([one.rows for one in several], ignore_index=True)
        return cls(rows, tuple(s for one in several for s in one.signatures), notices)

    def _of(self, *apart: str) -> pd.DataFrame:
        """Return the rows of systems, and those that differ in the columns ``apart`` (TOLD_APART).

        They have these columns, COLUMNS, and others that are not empty.
        """
        others = [name for name in TOLD_APART if name not in apart]
        table = self.rows[(self.rows[others] == "").all(axis=1)]
        more = [n for n in (*SD_COLUMNS, *ENDS) if n in table and table[n].notna().any()]
        return table[[*apart, *COLUMNS, *more]].reset_index(drop=True).infer_objects()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The row of each setting, system and metric."""
        return self._of()

    @property
    def runs(self) -> pd.DataFrame:
        """The rows of each ``run`` of systems with several."""
        table = self._of("run")
        return table[table["run"] != ""].reset_index(drop=True)

    @property
    def units(self) -> pd.DataFrame:
        """The rows of a breakdown: units, ``macro``, and ``micro``, the score of the setting."""
        table = self._of("unit")
        return table.assign(unit=table["unit"].replace("", MICRO)) if self.by else table[:0]

    @cached_property
    def _cases(self) -> list[dict[Hashable, Any]]:
        """Corpus, setting and system of each result, in the order of ``signatures``."""
        return self.rows[["corpus", "setting", "system"]].drop_duplicates().to_dict("records")

    @property
    def setting(self) -> str:
        """The id of the setting of the first result."""
        return str(self._cases[0]["setting"])

    @property
    def system(self) -> str:
        """The name of the system of the first result."""
        return str(self._cases[0]["system"])

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
        table = first[list(VALUES)].astype(object).where(first[list(VALUES)].notna(), None)
        return dict(zip(first["metric"], map(Value._make, table.to_numpy().tolist()), strict=True))

    def _where(self, wanted: Mapping[Hashable, Any]) -> Results:
        """Return the results with these values in their columns."""
        # Compared by pandas: numpy would drop a NUL at the end of a name.
        kept = np.logical_and.reduce([self.rows[c] == value for c, value in wanted.items()])
        cases = zip(self._cases, self.signatures, strict=True)
        signatures = tuple(signed for case, signed in cases if wanted.items() <= case.items())
        return replace(self, rows=self.rows[kept], signatures=signatures)

    @property
    def signature(self) -> Signature:
        """The merged signature: a field in which results differ lists its values."""
        return merged(self.signatures)

    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per corpus, split, setting, system and metric."""
        return self.frame.copy()

    @cached_property
    def page(self) -> Page:
        """The results as a page: in JSON with signatures, notices, and the rows of single runs."""
        about: dict[str, Any] = {"format": FORMAT}
        if (self.rows["run"] != "").any():
            table = self.runs.assign(system=self.runs["run"])[[*COLUMNS]].astype(object)
            about["runs"] = table.where(table.notna(), None).to_dict("records")  # None is null
        about |= {"intervals": self.intervals} if self.intervals else {}
        about |= in_json(*self.signatures)
        about["notices"] = [notice.record for notice in self.notices]
        about |= {"by": self.by} if self.by else {}
        data = self.units if self.by else self.frame
        return results_page(data, self.by, self.intervals, about)
