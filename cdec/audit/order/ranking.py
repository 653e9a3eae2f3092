"""The order of the cases: by the probability of an error, the highest first.

Probabilities are rounded to ``DIGITS`` digits before the cases are ordered, so that the order is
the same on every processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats
from cdec.audit.case import Case
from cdec.audit.findings import Cases, Findings
from cdec.audit.order.model import Calibration, Logistic, expected
from cdec.audit.pairwise import Links, Members

DIGITS = 6
_OTHERS = ("score", "table", "row")


@dataclass(frozen=True, eq=False)
class Ranking:
    """The cases in order, and what the uncertainty of their number needs.

    Columns of ``table``: ``score``, ``table`` and ``row`` of the findings, and the score of each
    detector, missing where it does not flag the case. ``groups``: the cases with common parameters,
    as (mask, derivatives of the score by the parameters, covariance of the parameters).
    """

    findings: Findings
    table: pd.DataFrame
    groups: list[tuple[Bools, Floats, Floats]] = field(repr=False)

    def expected(self, mask: Bools) -> tuple[float, float, float]:
        """Return the expected number of errors among these cases, with a 95 % interval."""
        parts = [(mask[own], gradient, covariance) for own, gradient, covariance in self.groups]
        return expected(self.table["score"].to_numpy()[mask], parts)

    def cases(self) -> Iterator[Case]:
        """Yield the cases in order, with rank, score and detectors."""
        detectors = [name for name in self.table if name not in _OTHERS]
        tables = {table.name: table for table in self.findings.tables}
        for rank, row in enumerate(self.table.to_dict("records"), start=1):
            flags = {str(n): float(row[n]) for n in detectors if not pd.isna(row[n])}
            case = tables[row["table"]].case(int(row["row"]))
            yield replace(case, score=float(row["score"]), rank=rank, detectors=flags)


@dataclass(frozen=True, eq=False)
class _Part:
    """Cases with common parameters, with the derivatives of their scores."""

    cases: pd.DataFrame
    derivatives: Floats
    covariance: Floats


def ranking(findings: Findings, calibration: Calibration) -> Ranking:
    """Return all cases, the most probable error first."""
    learned = (_by_model(one, calibration.models[one.name]) for one in findings.pairwise)
    rated = (part for one in findings.own for part in _by_rate(one, calibration))
    parts = [part for part in (*learned, *rated) if len(part.cases)]
    none = pd.DataFrame(columns=list(_OTHERS))
    table = pd.concat([part.cases for part in parts] or [none], ignore_index=True)
    numbers = table.columns.difference(["table", "row"], sort=False)
    table[numbers] = table[numbers].astype(float).round(DIGITS)
    order = np.lexsort((table["row"], table["table"], -table["score"]))
    sizes = [len(part.cases) for part in parts]
    number = np.repeat(np.arange(len(parts)), sizes)[order]
    within = np.concatenate([np.arange(size) for size in sizes] or [order])[order]
    masks = [number == at for at in range(len(parts))]
    groups = [
        (own, part.derivatives[within[own]], part.covariance)
        for own, part in zip(masks, parts, strict=True)
    ]
    return Ranking(findings, table.iloc[order].reset_index(drop=True), groups)


def _by_model(table: Links | Members, model: Logistic) -> _Part:
    """Return the flagged rows with the probability of the learned order."""
    flags = table.flags
    rows = table.features().loc[flags.index]
    p = model.probabilities(rows)
    gradient = model.design(rows) * (p * (1 - p))[:, None]
    cases = flags.assign(score=p, table=table.name, row=flags.index)
    return _Part(cases, gradient, model.covariance)


def _by_rate(table: Cases, calibration: Calibration) -> Iterator[_Part]:
    """Yield the cases of each group, whose probability is the group's share of errors."""
    flags = table.flags
    cases = flags.assign(table=table.name, row=flags.index)
    for name, part in cases.groupby(table.groups[flags.index], sort=True):
        rate = calibration.rate(str(name))
        ones, variance = np.ones((len(part), 1)), np.full((1, 1), rate.variance)
        yield _Part(part.assign(score=rate.probability), ones, variance)
