"""The line below a breakdown on values that are undefined in some units."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.experiment import AVERAGES
from cdec.metrics import REGISTRY, DerivedMetric
from cdec.settings import label_of


def left_out_of_macro(frame: pd.DataFrame, unit: str) -> Iterator[str]:
    """Yield, for a breakdown, how many units have an undefined value of each metric.

    Results with the same numbers share a line; the line names them if there are others.
    """
    units = frame[~frame["unit"].isin(AVERAGES)]
    names: dict[str, list[str]] = {}
    for (setting, system), part in units.groupby(["setting", "system"], sort=False):
        names.setdefault(_left_out(part, unit), []).append(f"{label_of(str(setting))}, {system}")
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
