"""Spans from the scores of tokens, and their agreement with annotated spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats

Merge = Literal["never", "always", "scored"]
MERGES: tuple[Merge, ...] = ("never", "always", "scored")
_HALF = 0.5


class TokenScores(NamedTuple):
    """For each token, from 0 to 1: whether it is in a mention, and if so, continues one."""

    inside: Floats
    continues: Floats


class Agreement(NamedTuple):
    """Precision, recall and F1 of spans, which must be equal; 0/0 is 0."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Cut:
    """A token is in a mention if its score is at least ``threshold``.

    ``merge``: whether adjacent tokens are one mention: never, always, or as the scores say.
    """

    threshold: float
    merge: Merge = "scored"


def spans(table: pd.DataFrame, scores: TokenScores, cut: Cut) -> pd.DataFrame:
    """Return the mentions as ``doc``, ``start``, ``end``; each is inside one sentence.

    ``table`` has the columns of ``cdec.detection.tokens``. No two mentions have a token in common.

    >>> words = pd.DataFrame({"doc": "d", "place": [0, 1, 2], "token": [0, 1, 2]})
    >>> scores = TokenScores(np.array([0.1, 0.9, 0.8]), np.array([0.0, 0.1, 0.9]))
    >>> spans(words, scores, Cut(0.5)).to_dict("records")
    [{'doc': 'd', 'start': 1, 'end': 2}]
    """
    inside = scores.inside >= cut.threshold
    after = np.concatenate([[False], inside[:-1]]) & (table["place"].to_numpy() > 0)
    starts = inside & ~(after & _joined(scores, cut))
    mention = np.cumsum(starts)[inside]
    rows = table.loc[inside, ["doc", "token"]].groupby(mention, sort=False)
    found = rows.agg(doc=("doc", "first"), start=("token", "first"), end=("token", "last"))
    return found.reset_index(drop=True)


def _joined(scores: TokenScores, cut: Cut) -> Bools:
    if cut.merge == "scored":
        return np.asarray(scores.continues > _HALF)
    return np.full(len(scores.inside), cut.merge == "always")


def agreement(gold: pd.DataFrame, response: pd.DataFrame) -> Agreement:
    """Return how well the spans of ``response`` agree with those of ``gold``; both are distinct."""
    keys = ["doc", "start", "end"]
    shared = len(gold[keys].merge(response[keys]))
    precision = shared / len(response) if len(response) else 0.0
    recall = shared / len(gold) if len(gold) else 0.0
    total = len(gold) + len(response)
    return Agreement(precision, recall, 2 * shared / total if total else 0.0)
