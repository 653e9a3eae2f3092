"""Logistic regression over the features of a token: the finder of ``detector-tagger``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats, Ints
from cdec.detection.features import feature_matrix, frequent
from cdec.detection.lexicon import Lexicon, entries, left_out_shares
from cdec.detection.spans import Merge, TokenScores
from cdec.detection.tokens import BEGIN, INSIDE, OUTSIDE

_CLASSES = (OUTSIDE, BEGIN, INSIDE)
C = 0.3  # of 0.1, 0.3 and 1 the best on cybulska/dev, for events and for entities
_ROUNDS = 500
_NEVER = -1000.0  # log-odds of a class without examples; finite, so that a file can hold it


@dataclass(frozen=True, eq=False)
class Tagger:
    """``weights``: features × (outside, begin, inside); ``bias``: one number per class."""

    MERGES: ClassVar[tuple[Merge, ...]] = ("scored",)
    lexicon: Lexicon = field(repr=False)
    features: tuple[str, ...] = field(repr=False)
    weights: Floats = field(repr=False)
    bias: Floats = field(repr=False)

    @classmethod
    def fit(cls, table: pd.DataFrame, labels: Ints) -> Self:
        """Return the tagger trained on the annotated tokens ``table`` with these labels.

        Multinomial logistic regression, L2. Sentences must be whole: features look at neighbours.
        """
        shares = left_out_shares(table, labels)
        features = frequent(table, shares)
        matrix = feature_matrix(table, shares, _columns(features))
        with threadpool_limits(1):  # several threads change the last digit
            model = LogisticRegression(C=C, max_iter=_ROUNDS).fit(matrix, labels)
        weights, bias = np.zeros((len(features), len(_CLASSES))), np.full(len(_CLASSES), _NEVER)
        # Of two classes, scikit-learn has the log-odds of the second only.
        bias[OUTSIDE] = 0.0
        classes = model.classes_ if len(model.classes_) > 2 else model.classes_[1:]
        weights[:, classes], bias[classes] = model.coef_.T, model.intercept_
        return cls(Lexicon.fit(table, labels), features, weights, bias)

    def scores(self, table: pd.DataFrame) -> TokenScores:
        """Return 1 − P(outside), and P(inside) / (P(inside) + P(begin))."""
        known = pd.Series(self.lexicon.shares, dtype=np.float64)
        shares = entries(table).map(known).to_numpy().astype(np.float64)
        matrix = feature_matrix(table, shares, _columns(self.features))
        chances = softmax(matrix @ self.weights + self.bias, axis=1)
        inside = chances[:, BEGIN] + chances[:, INSIDE]
        return TokenScores(inside, chances[:, INSIDE] / np.maximum(inside, np.finfo(float).tiny))


def _columns(features: Sequence[str]) -> dict[str, int]:
    return {name: column for column, name in enumerate(features)}
