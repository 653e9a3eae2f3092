"""A bar chart of results: one group of bars per setting, one bar per system."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from cdec.errors import one_of
from cdec.metrics import REGISTRY
from cdec.plugins import spelled
from cdec.settings import label_of

_BARS = 0.8  # of the width of a group


def bars(frame: pd.DataFrame, metric: str, axes: Axes | None = None) -> Axes:
    """Draw F1 of ``metric`` in percent, with intervals if the frame has them; return the axes.

    ``frame`` has the columns of ``Results.to_frame``. Raises UnknownNameError for a metric that is
    not in it.
    """
    known = list(dict.fromkeys(frame["metric"]))
    metric = one_of("metric", spelled(metric, known) or metric, known)
    rows = frame[frame["metric"] == metric]
    settings, systems = (list(dict.fromkeys(rows[name])) for name in ("setting", "system"))
    axes = plt.subplots()[1] if axes is None else axes
    width = _BARS / len(systems)
    for number, system in enumerate(systems):
        own = rows[rows["system"] == system].set_index("setting").reindex(settings)
        places = np.arange(len(settings)) + (number - (len(systems) - 1) / 2) * width
        axes.bar(places, 100 * own["f1"], width, yerr=_errors(own), label=system, capsize=2)
    axes.set_xticks(np.arange(len(settings)), [label_of(str(name)) for name in settings])
    axes.set_ylabel(f"{REGISTRY[metric].label} F1")
    axes.legend()
    return axes


def _errors(own: pd.DataFrame) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    """Return the distances to both ends of the intervals in percent, or None without intervals."""
    if "f1_low" not in own or own["f1_low"].isna().all():
        return None
    ends = np.stack([own["f1"] - own["f1_low"], own["f1_high"] - own["f1"]])
    return 100 * np.clip(ends.astype(np.float64), 0, None)
