"""How well scores of pairs separate the links of the key from other pairs, and what they took.

Average precision, ROC AUC and Brier score are those of scikit-learn. The expected calibration error
(Naeini et al. 2015, AAAI) is the mean difference between score and share of gold links in BINS
intervals of equal width, weighted by their pairs.

Intervals are percentiles over resamples of topics. A pair across topics counts as often as both of
its topics are drawn: the product of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats
from cdec.pairs.mention_pairs import MentionPairs
from cdec.render.page import Section
from cdec.render.table import Table
from cdec.statistics.draws import Plan, Units, drawn

BINS = 10
COLUMNS = ("measure", "value", "low", "high")
Measure = Callable[[Bools, Floats, "Floats | None"], float]
Weighted = Callable[["Floats | None"], float]

_COST = Table(
    "Cost",
    {
        "measure": "Measure",
        "pairs": "Pairs with a value",
        "total": ("Total", ",.1f"),
        "each": ("Per pair", ",.3f"),
        "thousand": ("Per 1,000 pairs", ",.1f"),
    },
    "As the file says. Both directions of a pair, and its repetitions, count.",
)


def calibration_error(gold: Bools, score: Floats, weight: Floats | None = None) -> float:
    """Return the expected calibration error of scores in [0, 1].

    >>> calibration_error(np.array([True, False]), np.array([0.75, 0.75]))
    0.25
    """
    bins = np.minimum((score * BINS).astype(np.int64), BINS - 1)
    weight = np.ones(len(score)) if weight is None else weight
    each = np.bincount(bins, weight * (gold - score), BINS)
    return float(np.abs(each).sum() / weight.sum())


def reliability(pairs: MentionPairs) -> pd.DataFrame:
    """Return a row per bin of the scored pairs: low, high, pairs, mean score, share of gold."""
    scored = pairs.scored()
    gold, score = scored.gold, scored.probabilities
    bins = np.minimum((score * BINS).astype(np.int64), BINS - 1)
    table = pd.DataFrame({"bin": bins, "score": score, "gold": gold}).groupby("bin")
    rows = table.agg(pairs=("gold", "size"), score=("score", "mean"), gold=("gold", "mean"))
    rows = rows.reset_index()
    return rows.assign(low=rows["bin"] / BINS, high=(rows["bin"] + 1) / BINS)


def at_threshold(threshold: float) -> dict[str, Measure]:
    """Return precision, recall and F1 of the pairs with a score of at least ``threshold``."""

    def precision(gold: Bools, score: Floats, weight: Floats | None) -> float:
        return _share(gold, score >= threshold, weight)

    def recall(gold: Bools, score: Floats, weight: Floats | None) -> float:
        return _share(score >= threshold, gold, weight)

    def f1(gold: Bools, score: Floats, weight: Floats | None) -> float:
        p, r = precision(gold, score, weight), recall(gold, score, weight)
        return 2 * p * r / (p + r) if p + r else 0.0

    return {"precision": precision, "recall": recall, "f1": f1}


def quality(pairs: MentionPairs, threshold: float, plan: Plan | None = None) -> pd.DataFrame:
    """Return the measures of the scored pairs: COLUMNS; intervals (``plan``) are NaN without one.

    No rows if all scored pairs are links, or none is.
    """
    pairs = pairs.scored()
    gold = pairs.gold
    if gold.all() or not gold.any():
        return pd.DataFrame(columns=list(COLUMNS))
    measures = _measures(pairs, threshold)
    # All measures of one resample at a time: each has a weight per pair.
    draws = [
        [measure(weight) for measure in measures.values()]
        for weight in (_weights(pairs, plan) if plan else ())
        if _both(gold, weight)
    ]
    level = (1 - plan.level) / 2 if plan else 0.0
    none = np.full((2, len(measures)), np.nan)
    ends = np.quantile(draws, [level, 1 - level], axis=0) if draws else none
    values = [measure(None) for measure in measures.values()]
    return pd.DataFrame(dict(zip(COLUMNS, (list(measures), values, *ends), strict=True)))


def _measures(pairs: MentionPairs, threshold: float) -> dict[str, Weighted]:
    """Return the measures of these pairs, as functions of their weights."""
    # Imported late because it takes a second, and a response of pairs does not need it.
    from sklearn.metrics import (  # noqa: PLC0415
        average_precision_score,
        brier_score_loss,
        roc_auc_score,
    )

    ranked: dict[str, Measure] = {
        "average precision": lambda gold, s, w: average_precision_score(gold, s, sample_weight=w),
        "ROC AUC": lambda gold, s, w: roc_auc_score(gold, s, sample_weight=w),
        **at_threshold(threshold),
    }
    calibrated: dict[str, Measure] = {
        "Brier score": lambda gold, s, w: brier_score_loss(gold, s, sample_weight=w),
        "calibration error": calibration_error,
    }
    gold, score, probability = pairs.gold, pairs.scores, pairs.probabilities
    # scikit-learn sorts the scores for each measure and resample, fast if they are sorted.
    order = np.argsort(-score, kind="stable")
    gold_ranked, score_ranked = gold[order], score[order]

    def of_ranked(measure: Measure) -> Weighted:
        return lambda w: measure(gold_ranked, score_ranked, None if w is None else w[order])

    return {name: of_ranked(measure) for name, measure in ranked.items()} | {
        name: partial(measure, gold, probability) for name, measure in calibrated.items()
    }


def _weights(pairs: MentionPairs, plan: Plan) -> Iterator[Floats]:
    mentions = pairs.corpus.selected
    units = Units.of_mentions(plan.unit, [mentions])
    unit = units.of.loc[mentions.index].to_numpy()
    first, second = unit[pairs.first], unit[pairs.second]
    for drawing in drawn(len(units), plan):
        yield np.where(first == second, drawing[first], drawing[first] * drawing[second]) * 1.0


def _both(gold: Bools, weight: Floats) -> bool:
    return bool(weight[gold].any() and weight[~gold].any())


def _share(part: Bools, whole: Bools, weight: Floats | None) -> float:
    each = np.ones(len(whole)) if weight is None else weight
    total = float(each[whole].sum())
    return float(each[whole & part].sum()) / total if total else 0.0


def cost_section(pairs: MentionPairs) -> Section:
    """Return what the pairs took, as the file says."""
    each = pairs.cost["total"] / pairs.cost["pairs"]
    table = pairs.cost.assign(each=each, thousand=1000 * each)
    return Section("cost", "The cost", (_COST.grid(table),), table)
