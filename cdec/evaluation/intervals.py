"""Scores with confidence intervals, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, spread
from cdec.settings import label_of


@dataclass(frozen=True, eq=False)
class Intervals:
    """The scores of results with the ends of their intervals.

    ``frame`` has the columns of the results and ``f1_low``, ``f1_high`` and so on. ``words`` says
    how the intervals were computed, ``how`` are the fields of the signature on this.
    """

    frame: pd.DataFrame = field(repr=False)
    words: str
    how: Mapping[str, Any]

    def of(self, setting: str | None = None, system: str | None = None) -> Intervals:
        """Return the intervals of one setting or system."""
        chosen = {"setting": setting, "system": system}
        frame = self.frame
        for column, name in chosen.items():
            frame = frame if name is None else frame[frame[column] == name]
        return replace(self, frame=frame.reset_index(drop=True))


def interval_view(data: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Return F1 of each metric with its interval in percent: one row per setting and system."""
    rows = [
        [label_of(str(setting)), system, *_intervals(part, metrics)]
        for (setting, system), part in data.groupby(["setting", "system"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["Setting", "System", *(REGISTRY[m].label for m in metrics)])


def _intervals(part: pd.DataFrame, metrics: list[str]) -> Iterator[str]:
    columns = ["f1", "f1_sd", "f1_low", "f1_high"]
    values = part.set_index("metric").reindex(metrics, columns=columns)
    for f1, deviation, low, high in values.itertuples(index=False):
        ends = f"[{percent(low)}, {percent(high)}]"
        yield spread(f1, deviation) if pd.isna(low) else f"{spread(f1, deviation)} {ends}"
