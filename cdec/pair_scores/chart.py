"""Charts of scored pairs: F1 of each metric over the threshold, precision over recall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cdec.metrics import REGISTRY
from cdec.pair_scores.quality import at_threshold, reliability
from cdec.pairs.mention_pairs import MentionPairs
from cdec.render.charts.canvas import axes_svg

POINTS = 1000
"""Thresholds of the curve of precision over recall, at most."""
CAPTION = (
    f"Left: precision over recall, at up to {POINTS:,} thresholds; the dot: at the threshold. "
    "Right: reliability; a calibrated score is on the line."
)
_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def curves_chart(curves: pd.DataFrame, threshold: float) -> str:
    """Return the chart of ``curves`` (COLUMNS of ``curves``), with a line at the threshold."""

    def draw(axes: Any) -> None:
        finite = curves[np.isfinite(curves["threshold"])].sort_values("threshold")
        for number, (metric, rows) in enumerate(finite.groupby("metric", sort=False)):
            main = metric == "conll"
            axes.step(
                rows["threshold"],
                100 * rows["f1"],
                where="pre",  # linked at a score ≥ threshold: the value holds up to the next score
                linestyle="-" if main else _STYLES[number % len(_STYLES)],
                linewidth=2 if main else 1,
                color="black" if main else None,
                label=REGISTRY[str(metric)].label,
            )
        axes.axvline(threshold, color="grey", linewidth=0.8)
        axes.set(ylim=(0, 100))
        axes.grid(alpha=0.3)
        if len(finite):
            axes.legend(fontsize="small")

    return axes_svg(draw, xlabel="threshold", ylabel="F1 (%)")


def quality_chart(pairs: MentionPairs, threshold: float) -> str:
    """Return precision over recall at up to POINTS thresholds, and the reliability, as a chart.

    ``pairs`` are scored; some are links of the key, some are not.
    """
    # Imported late because it takes a second, and a response of pairs does not need it.
    from sklearn.metrics import precision_recall_curve  # noqa: PLC0415

    precision, recall, _ = precision_recall_curve(pairs.gold, pairs.scores)
    shown = np.unique(np.linspace(0, len(recall) - 1, POINTS).round().astype(np.int64))
    here = {n: m(pairs.gold, pairs.scores, None) for n, m in at_threshold(threshold).items()}
    bins = reliability(pairs)

    def draw(both: Any) -> None:
        left, right = both
        left.step(100 * recall[shown], 100 * precision[shown], where="post", color="black")
        left.plot(100 * here["recall"], 100 * here["precision"], "o", color="grey")
        left.set(xlabel="recall (%)", ylabel="precision (%)")
        right.plot([0, 100], [0, 100], color="grey", linewidth=0.8)
        right.plot(100 * bins["score"], 100 * bins["gold"], "o-", color="black", markersize=4)
        right.set(xlabel="mean score (%)", ylabel="gold links (%)")
        for axes in both:
            axes.set(xlim=(-2, 102), ylim=(-2, 102))
            axes.grid(alpha=0.3)

    return axes_svg(draw, columns=2)
