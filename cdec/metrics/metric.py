"""What a metric is: a named function from contingency to counts, or from counts to a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with counts of its own: id, column label, paper, function.

    >>> from cdec.metrics import METRICS
    >>> METRICS["b3"].label, METRICS["b3"].citation
    ('B³', 'Bagga and Baldwin (1998)')
    """

    id: str
    label: str
    citation: str
    count: Callable[[Contingency], Counts]


@dataclass(frozen=True, slots=True)
class DerivedMetric:
    """A metric that is computed from the counts of others, named in ``needs`` in call order.

    >>> from cdec.metrics import DERIVED
    >>> DERIVED["conll"].needs
    ('muc', 'b3', 'ceafe')
    """

    id: str
    label: str
    citation: str
    needs: tuple[str, ...]
    value: Callable[..., Value]
