"""What a tuning finds: every point that was scored, and the system that the best one makes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from cdec.baselines.lemma_delta import LemmaDelta
from cdec.settings import Setting
from cdec.signature import Signature
from cdec.system import Tuned


@dataclass(frozen=True, eq=False)
class Tuning:
    """Every point that was scored, and the system that the best one makes.

    ``table`` is tidy, one row a point and metric: ``choice`` (the number of the tf-idf choice in
    the grid), the fields of ``Tfidf``, ``delta``, ``metric``, ``precision``, ``recall``, ``f1`` in
    [0, 1] and ``chosen``. ``metrics`` are ``metric`` and those it is the mean of.
    """

    system: LemmaDelta
    tuned: Tuned
    setting: Setting
    metric: str
    metrics: tuple[str, ...]
    table: pd.DataFrame = field(repr=False)
    signature: Signature

    @property
    def value(self) -> float:
        """F1 of ``metric`` at the chosen point, in [0, 1]."""
        chosen = self.table[self.table["chosen"] & (self.table["metric"] == self.metric)]
        return float(chosen["f1"].iloc[0])

    def curve(self) -> pd.DataFrame:
        """Return precision, recall and F1 over δ with the tf-idf choice that was chosen.

        A mean of F1 over metrics has no precision and recall of its own: those of its parts are
        averaged in its place.
        """
        best = self.table.loc[self.table["chosen"], "choice"].iloc[0]
        rows = self.table[self.table["choice"] == best]
        parts = rows[rows["metric"].isin(self.metrics[:-1] or self.metrics)]
        curve: pd.DataFrame = parts.groupby("delta")[["precision", "recall"]].mean()
        values = rows[rows["metric"] == self.metric].set_index("delta")["f1"]
        return curve.assign(f1=values)
