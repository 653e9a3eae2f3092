"""F1 of each metric over the threshold, as SVG."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cdec.metrics import REGISTRY
from cdec.metrics.means import CONLL
from cdec.render.charts.canvas import axes_svg

_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def curves_chart(curves: pd.DataFrame, threshold: float) -> str:
    """Return the chart of ``curves`` (COLUMNS of ``curves``), with a line at the threshold."""

    def draw(axes: Any) -> None:
        finite = curves[np.isfinite(curves["threshold"])].sort_values("threshold")
        for number, (metric, rows) in enumerate(finite.groupby("metric", sort=False)):
            main = metric == CONLL.id
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
