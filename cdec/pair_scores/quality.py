"""How well scores of pairs separate the links of the key from other pairs.

Average precision, ROC AUC and Brier score are those of scikit-learn. The expected calibration error
(Naeini et al. 2015, AAAI) is the mean difference between score and share of gold links in BINS
intervals of equal width, weighted by their pairs.

Intervals are percentiles over resamples of topics. A pair across topics counts as often as both of
its topics are drawn: the product of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.pairs.listed import MentionPairs
from cdec.statistics.draws import Plan, draw_units, units_of

BINS = 10
POINTS = 400
COLUMNS = ("measure", "value", "low", "high")


def quality(pairs: MentionPairs, threshold: float, plan: Plan | None) -> pd.DataFrame:
    """Return the measures of the scored pairs: COLUMNS; intervals (``plan``) are NaN without one.

    No rows if all scored pairs are links, or none is.
    """
    pairs = pairs.scored()
    if pairs.gold.all() or not pairs.gold.any():
        return pd.DataFrame(columns=list(COLUMNS))
    # scikit-learn sorts the scores for each measure and resample, fast if they are sorted.
    falling = pairs.all_pairs.sort_values("score", ascending=False, kind="stable")
    pairs = replace(pairs, all_pairs=falling)
    table = _measures(pairs, threshold, np.ones(len(pairs)))
    rows = pd.DataFrame({"measure": list(table), "value": list(table.values())})
    rows = rows.assign(low=np.nan, high=np.nan)
    if plan:
        resamples = [
            list(_measures(pairs, threshold, weight).values())
            for weight in _weights(pairs, plan)
        ]
        if resamples:
            ends = [(1 - plan.level) / 2, (1 + plan.level) / 2]
            rows["low"], rows["high"] = np.quantile(resamples, ends, axis=0)
    return rows


def _measures(
    pairs: MentionPairs, threshold: float, weight: Floats
) -> dict[str, float]:
    """Return the measures of pairs that have weights."""
    # Imported late because it takes a second, and a response of pairs does not need it.
    from sklearn.metrics import (  # noqa: PLC0415
        average_precision_score,
        brier_score_loss,
        precision_recall_fscore_support,
        roc_auc_score,
    )

    gold = pairs.gold
    scores = pairs.scores
    p = pairs.probabilities(scores)
    precision, recall, f1, _ = precision_recall_fscore_support(
        gold,
        scores >= threshold,
        average="binary",
        sample_weight=weight,
        zero_division=0,
    )
    gaps = np.bincount(bins(p), weight * (gold - p), BINS)
    return {
        "average precision": float(
            average_precision_score(gold, scores, sample_weight=weight)
        ),
        "ROC AUC": float(roc_auc_score(gold, scores, sample_weight=weight)),
        "precision": float(precision),
        "recall": float(recall),
        "f1": float(f1),
        "Brier score": float(brier_score_loss(gold, p, sample_weight=weight)),
        "calibration error": float(np.abs(gaps).sum() / weight.sum()),
    }


def _weights(pairs: MentionPairs, plan: Plan) -> Iterator[Floats]:
    """Yield the weights of the pairs in each resample that has links and other pairs."""
    gold = pairs.gold
    unit = units_of(plan.unit, [pairs.corpus.selected]).to_numpy(np.int64)
    first = unit[pairs.first]
    second = unit[pairs.second]
    for times in draw_units(int(unit.max()) + 1, plan):
        across_units = times[first] * times[second]
        weight = np.where(first == second, times[first], across_units).astype(
            np.float64
        )
        if weight[gold].any() and weight[~gold].any():
            yield weight


def bins(probabilities: Floats) -> Ints:
    """Return the interval of each probability, from 0 to BINS − 1."""
    return np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)


def reliability(pairs: MentionPairs) -> pd.DataFrame:
    """Return a row per bin of the scored pairs: pairs, mean score, share of gold, low, high."""
    scored_pairs = pairs.scored()
    score = scored_pairs.probabilities(scored_pairs.scores)
    table = pd.DataFrame(
        {"bin": bins(score), "score": score, "gold": scored_pairs.gold}
    )
    rows = table.groupby("bin", as_index=False).agg(
        pairs=("gold", "size"),
        score=("score", "mean"),
        gold=("gold", "mean"),
    )
    return rows.assign(low=rows["bin"] / BINS, high=(rows["bin"] + 1) / BINS)


def precision_recall(pairs: MentionPairs) -> tuple[Floats, Floats]:
    """Return precision and recall of the scored pairs at POINTS thresholds at most."""
    from sklearn.metrics import precision_recall_curve  # noqa: PLC0415  slow

    scored_pairs = pairs.scored()
    precision, recall, _ = precision_recall_curve(
        scored_pairs.gold, scored_pairs.scores, drop_intermediate=True
    )
    points = np.unique(np.linspace(0, len(recall) - 1, POINTS).astype(np.int64))
    return precision[points], recall[points]
