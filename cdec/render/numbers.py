"""Numbers as text. Scores in tables are rounded here."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd


def percent(value: float | None) -> str:
    """Return ``value`` (in [0, 1]) in percent with one decimal, or a dash if it is missing.

    >>> percent(0.6666)
    '66.7'
    """
    return "–" if value is None or pd.isna(value) else f"{100 * value:.1f}"


def bracket(low: float, high: float, shown: Callable[[float], str] = percent) -> str:
    """Return an interval, in percent unless ``shown`` writes its ends.

    >>> bracket(0.401, 0.503)
    '[40.1, 50.3]'
    """
    return f"[{shown(low)}, {shown(high)}]"


def spread(value: float | None, deviation: float | None) -> str:
    """Return a mean in percent with its standard deviation, if it has one.

    >>> spread(0.6666, 0.012), spread(0.6666, None)
    ('66.7 ± 1.2', '66.7')
    """
    known = deviation is not None and not pd.isna(deviation)
    return f"{percent(value)} ± {percent(deviation)}" if known else percent(value)


def points(difference: float | None) -> str:
    """Return a difference (in [−1, 1]) in points with its sign, or a dash; zero is always +0.0."""
    if difference is None or pd.isna(difference):
        return "–"
    # Adding 0 makes −0.0 a plain zero.
    return f"{round(100 * difference, 1) + 0:+.1f}".replace("-", "−")
