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
COLUMNS = ("measure", "value", "low", "high")


def quality(pairs: MentionPairs, threshold: float, plan: Plan | None = None) -> pd.DataFrame:
    """Return the measures of the scored pairs: COLUMNS; intervals (``plan``) are NaN without one.

    No rows if all scored pairs are links, or none is.
    """
    pairs = pairs.scored()
    if pairs.gold.all() or not pairs.gold.any():
        return pd.DataFrame(columns=list(COLUMNS))
    # scikit-learn sorts the scores for each measure and resample, fast if they are sorted.
    falling = pairs.every.sort_values("score", ascending=False, kind="stable")
    pairs = replace(pairs, every=falling)
    table = _measures(pairs, threshold, np.ones(len(pairs)))
    weights = _weights(pairs, plan) if plan else ()
    draws = [list(_measures(pairs, threshold, w).values()) for w in weights]
    low = high = np.full(len(table), np.nan)
    if plan and draws:
        low, high = np.quantile(draws, [(1 - plan.level) / 2, (1 + plan.level) / 2], axis=0)
    rows = {"measure": list(table), "value": list(table.values()), "low": low, "high": high}
    return pd.DataFrame(rows)


def _measures(pairs: MentionPairs, threshold: float, weight: Floats) -> dict[str, float]:
    """Return the measures of pairs that have weights."""
    # Imported late because it takes a second, and a response of pairs does not need it.
    from sklearn.metrics import (  # noqa: PLC0415
        average_precision_score,
        brier_score_loss,
        roc_auc_score,
    )

    gold, scores = pairs.gold, pairs.scores
    p = pairs.probabilities(scores)
    linked = scores >= threshold
    right, given, wanted = (float(weight[at].sum()) for at in (gold & linked, linked, gold))
    gaps = np.bincount(bins(p), weight * (gold - p), BINS)
    return {
        "average precision": float(average_precision_score(gold, scores, sample_weight=weight)),
        "ROC AUC": float(roc_auc_score(gold, scores, sample_weight=weight)),
        "precision": right / given if given else 0.0,
        "recall": right / wanted,
        "f1": 2 * right / (given + wanted),
        "Brier score": float(brier_score_loss(gold, p, sample_weight=weight)),
        "calibration error": float(np.abs(gaps).sum() / weight.sum()),
    }


def _weights(pairs: MentionPairs, plan: Plan) -> Iterator[Floats]:
    """Yield the weights of the pairs in each resample that has links and other pairs."""
    mentions, gold = pairs.corpus.selected, pairs.gold
    unit = units_of(plan.unit, [mentions]).to_numpy(np.int64)
    first, second = unit[pairs.first], unit[pairs.second]
    for drawing in draw_units(int(unit.max()) + 1, plan):
        weight = np.where(first == second, drawing[first], drawing[first] * drawing[second]) * 1.0
        if weight[gold].any() and weight[~gold].any():
            yield weight


def bins(probabilities: Floats) -> Ints:
    """Return the interval of each probability, from 0 to BINS − 1."""
    return np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)


def reliability(pairs: MentionPairs) -> pd.DataFrame:
    """Return a row per bin of the scored pairs: pairs, mean score, share of gold, low, high."""
    scored = pairs.scored()
    gold, score = scored.gold, scored.probabilities(scored.scores)
    table = pd.DataFrame({"bin": bins(score), "score": score, "gold": gold}).groupby("bin")
    rows = table.agg(pairs=("gold", "size"), score=("score", "mean"), gold=("gold", "mean"))
    rows = rows.reset_index()
    return rows.assign(low=rows["bin"] / BINS, high=(rows["bin"] + 1) / BINS)
