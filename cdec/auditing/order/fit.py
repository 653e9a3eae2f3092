"""Fit the probabilities of cases to judged and to planted errors.

Planted errors have few of the traits of real errors (unreviewed sentences, repeated statements), so
they count little: with a weight of 0.1 the order of judged cases of other topics hardly changes,
and the planted errors of other topics rank higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.benchmark.plant import Targets, plant
from cdec.auditing.config import AuditConfig
from cdec.auditing.findings import Findings
from cdec.auditing.key import Key, Prepared
from cdec.auditing.order.model import Logistic
from cdec.auditing.pairwise import Links, Members
from cdec.auditing.readers import Readers
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent

_RIDGE = 1.0  # penalty on the weights of standardised columns; chosen by topic-wise CV, 0.3 to 10
_FOLDS = 10
_PLANTED = "planted"  # a column that is 1 for planted errors: their share of errors is arbitrary
_STEPS = 50
_WEIGHT = 0.1  # of a planted row; a judged row has 1
_KINDS = {
    Links.name: {"detach": 300, "pair": 100, "split": 150},
    Members.name: {"attach": 200, "lookalike": 300},
}
_SEED = 11


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

    def ordered(self, table: Links | Members) -> Judged:
        """Return the columns that are in the learned order of a table."""
        return replace(self, table=self.table.drop(columns=table.unordered))

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
    numbers = {"mean": np.nan_to_num(mean), "scale": scale, "weights": weights}
    return Logistic(
        names=tuple(names),
        covariance=covariance.tolist(),
        **{name: value.tolist() for name, value in numbers.items()},
    )


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


def planted_samples(
    corpus: Corpus,
    prepared: Prepared,
    config: AuditConfig,
    progress: Progress = silent,
    systems: Readers | None = None,
) -> dict[str, Judged]:
    """Return the planted errors in ``links`` and ``members``, each with as many other rows.

    The share of mentions outside the reviewed sentences is missing: errors were planted anywhere.
    """
    codes = prepared.pool.mentions.codes["lemma"]
    lemmas = pd.Series(codes, index=corpus.selected.index).astype(str)
    runs = [(table, *kind) for table, kinds in _KINDS.items() for kind in kinds.items()]
    samples: dict[str, list[Judged]] = {table: [] for table in _KINDS}
    for name, kind, count in progress(runs, len(runs), "planting errors"):
        made = plant(corpus, kind, count, _SEED, lemmas, exact=False)
        key = Key(made.corpus, prepared, config, readers=systems)
        (table,) = (one for one in Findings.of(key).pairwise if one.name == name)
        hits = [bool(errors) for errors in Targets.of(made, key).hits(table)]
        samples[name].append(_sample(table, np.array(hits)))
    return {table: joined(parts) for table, parts in samples.items()}


def _sample(table: Links | Members, hits: Bools) -> Judged:
    """Return the suspected rows that hit planted errors, and as many random other ones."""
    chosen = np.flatnonzero(hits & table.suspected)
    others = np.flatnonzero(~hits & table.suspected)
    rng = np.random.default_rng(_SEED)
    drawn = rng.choice(others, min(len(chosen), len(others)), replace=False)
    at = np.concatenate([chosen, drawn])
    columns = table.features().iloc[at].assign(outside=np.nan).reset_index(drop=True)
    weights = np.full(len(at), _WEIGHT)
    return Judged(columns, np.isin(at, chosen), table.units()[at], weights)
