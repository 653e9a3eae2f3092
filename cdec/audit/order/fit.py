"""Fit the probabilities of cases to judged and to planted errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints
from cdec.audit.order.model import Logistic

_RIDGE = 1.0  # penalty on the weights of standardised columns; chosen by topic-wise CV, 0.3 to 10
_FOLDS = 10
_PLANTED = "planted"  # a column that is 1 for planted errors: their share of errors is arbitrary
_STEPS = 50


@dataclass(frozen=True, eq=False)
class Judged:
    """Columns, whether each row is an error, its topic, and the weight of each row."""

    table: pd.DataFrame = field(repr=False)
    error: Bools
    topics: Ints
    weights: Floats

    def take(self, mask: Bools) -> Judged:
        """Return the rows of the mask."""
        topics, weights = self.topics[mask], self.weights[mask]
        return Judged(self.table[mask], self.error[mask], topics, weights)

    def with_planted(self, planted: Judged) -> Judged:
        """Return both, with a column that separates the planted rows."""
        named = [(self, 0.0), (planted, 1.0)]
        return joined([replace(one, table=one.table.assign(**{_PLANTED: v})) for one, v in named])


def joined(parts: Sequence[Judged]) -> Judged:
    """Return all rows of one or more parts."""
    columns = ([getattr(part, n) for part in parts] for n in ("error", "topics", "weights"))
    table = pd.concat([part.table for part in parts], ignore_index=True)
    return Judged(table, *map(np.concatenate, columns))


def fitted(judged: Judged) -> Logistic:
    """Return the logistic regression with a ridge penalty, fitted by Newton's method.

    The covariance allows for dependence between the cases of a topic (sandwich estimator). The
    column for planted rows is left out of the result.
    """
    names = list(judged.table.columns)
    plain = judged.table.to_numpy(np.float64)
    plain = np.where(np.isnan(plain).all(axis=0), 0.0, plain)  # a column that the corpus lacks
    mean, scale = np.nanmean(plain, axis=0), np.nanstd(plain, axis=0)
    scale[~(scale > 1e-9)] = 1.0
    x = np.column_stack([np.nan_to_num((plain - mean) / scale), np.ones(len(plain))])
    penalty = np.append(np.full(len(names), _RIDGE), 1e-6)
    weights = _newton(x, judged, penalty)
    p = 1 / (1 + np.exp(-x @ weights))
    bread = np.linalg.inv((x * (judged.weights * p * (1 - p))[:, None]).T @ x + np.diag(penalty))
    scores = x * (judged.weights * (judged.error - p))[:, None]
    by_topic = pd.DataFrame(scores).groupby(judged.topics).sum().to_numpy()
    covariance = bread @ (by_topic.T @ by_topic) @ bread
    if _PLANTED in names:
        at = names.index(_PLANTED)
        weights[-1] -= weights[at] * mean[at] / scale[at]  # the value 0: a judged case
        kept = np.array([i for i in range(len(weights)) if i != at])
        weights, covariance = weights[kept], covariance[np.ix_(kept, kept)]
        mean, scale = np.delete(mean, at), np.delete(scale, at)
        names.remove(_PLANTED)
    return Logistic(tuple(names), np.nan_to_num(mean), scale, weights, covariance)


def _newton(x: Floats, judged: Judged, penalty: Floats) -> Floats:
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (judged.weights * (p - judged.error)) + penalty * weights
        curve = judged.weights * p * (1 - p)
        step = np.linalg.solve((x * curve[:, None]).T @ x + np.diag(penalty), gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(weights)


def cross_validated(judged: Judged, planted: Judged | None = None) -> Floats:
    """Return P(error) of each judged row from a model that was fitted to the other topics."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    p = np.full(len(judged.error), np.nan)
    folds = GroupKFold(min(_FOLDS, len(np.unique(judged.topics))))
    for train, test in folds.split(judged.table, judged.error, judged.topics):
        rows = judged.take(np.isin(np.arange(len(p)), train))
        if planted is not None:
            elsewhere = ~np.isin(planted.topics, judged.topics[test])
            rows = rows.with_planted(planted.take(elsewhere))
        p[test] = fitted(rows).probabilities(judged.table.iloc[test])
    return p
