"""Words that are mentions in the training part: the finder of ``detector-lexicon``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.detection.spans import Merge, TokenScores
from cdec.detection.tokens import OUTSIDE


def entries(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the entry of each token: its lemma and part of speech, as in ``say/VERB``."""
    return table["lemma"] + "/" + table["pos"]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """``shares``: entry → share of its occurrences in the training part that are in mentions."""

    MERGES: ClassVar[tuple[Merge, ...]] = ("never", "always")
    shares: Mapping[str, float] = field(repr=False)

    @classmethod
    def fit(cls, table: pd.DataFrame, labels: Ints) -> Self:
        """Return the lexicon of the annotated tokens ``table`` with these labels."""
        share = pd.Series(labels != OUTSIDE).groupby(entries(table).to_numpy()).mean()
        return cls({str(entry): float(x) for entry, x in share.items()})

    def scores(self, table: pd.DataFrame) -> TokenScores:
        """Return the share of each token; whether it continues a mention is not known."""
        inside = entries(table).map(self.shares).fillna(0.0)
        return TokenScores(inside.to_numpy().astype(np.float64), np.zeros(len(table)))


def left_out_shares(table: pd.DataFrame, labels: Ints) -> Floats:
    """Return the share of each token's entry in the other units (topics) of ``table``.

    NaN if the entry is in no other unit. A classifier trained on these shares sees what it will
    see in a new topic.
    """
    counts = pd.DataFrame({"entry": entries(table), "unit": table["unit"], "mention": labels > 0})
    rows = counts.groupby("entry")["mention"]
    own = counts.groupby(["entry", "unit"])["mention"]
    hits = (rows.transform("sum") - own.transform("sum")).to_numpy(dtype=np.float64)
    total = (rows.transform("size") - own.transform("size")).to_numpy(dtype=np.float64)
    share: Floats = np.divide(hits, total, out=np.full(len(table), np.nan), where=total > 0)
    return share
