"""What a metric is: one object that says all that is known of it.

==========  ====================================================================================
counted     ``count``: contingency → counts (Metric); ``value``: the counts of others → precision,
            recall, F1 (DerivedMetric)
resampled   counts of resamples are counted or added like any others; ``values`` is ``value`` on
            whole arrays. Without it ``value`` is called on each resample: slow, and right
explained   ``rule``: chain → what it brings (Metric); ``steps``: counts → lines (DerivedMetric).
            Without them ``cdec explain`` writes what ``count`` or ``value`` gives
shown       ``columns`` of the tables for people: the F1 under ``label``, unless others are named
==========  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cdec.arrays import Floats
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import Contribution, alone, decimal
from cdec.metrics.counts import Counts, UnitValue, Value, harmonic_mean
from cdec.metrics.sheet import Chain, Sheet

_SIGNS = {"precision": "P", "recall": "R", "f1": "F"}


class Column(NamedTuple):
    """A column of the tables for people: the head over it, its own, and the field of Value.

    >>> Column("BLANC", "PW", "f1").name
    'PW'
    """

    group: str
    name: str
    field: str


def prf(group: str) -> tuple[Column, ...]:
    """Return the columns P, R and F under ``group``.

    >>> [column.name for column in prf("MUC")]
    ['P', 'R', 'F']
    """
    return tuple(Column(group, sign, field) for field, sign in _SIGNS.items())


@dataclass(frozen=True, kw_only=True)
class _Described:
    """Id, label, paper (``citation``), and the columns to show: by default the F1."""

    id: str
    label: str
    citation: str
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", (Column(self.label, "F", "f1"),))


@dataclass(frozen=True, kw_only=True)
class Metric(_Described):
    """A metric with counts of its own.

    ``rule`` says what a chain brings; over all chains of a side that is the numerator and the
    denominator of ``count``. Without a rule the chain is counted alone. ``needs`` are the ids of
    the metrics whose counts it takes: its own.

    >>> from cdec.metrics import METRICS
    >>> METRICS["b3"].label, METRICS["b3"].citation, METRICS["b3"].needs
    ('B³', 'Bagga and Baldwin (1998)', ('b3',))
    """

    count: Callable[[Contingency], Counts]
    rule: Callable[[Chain, Sheet], Contribution] | None = None
    needs: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "needs", (self.id,))

    def value_of(self, counts: Mapping[str, Counts]) -> Value:
        """Return precision, recall and F1."""
        own = counts[self.id]
        precision, recall = own.precision, own.recall
        return Value(precision, recall, harmonic_mean(precision, recall))

    def unit_value_of(self, counts: Mapping[str, Counts]) -> UnitValue:
        """Return the value inside a unit, where 0/0 is undefined."""
        return UnitValue.of(counts[self.id])

    def values_of(self, counts: Floats, scores: Floats) -> Floats:
        """Return ``value_of`` many results, see DerivedMetric."""
        return scores[..., 0, :]

    def contribution(self, chain: Chain, sheet: Sheet) -> Contribution:
        """Return what ``chain`` brings to recall (of the key) or precision (of the response)."""
        return self.rule(chain, sheet) if self.rule else alone(self.count, chain, sheet)

    def steps_of(self, counts: Mapping[str, Counts]) -> tuple[str, ...]:
        """Return no line: the sums over the chains are the metric."""
        return ()


@dataclass(frozen=True, kw_only=True)
class DerivedMetric(_Described):
    """A metric that is computed from the counts of others, named in ``needs`` in call order.

    ``values`` does on arrays what ``value`` does on Counts: it receives counts (…, needs, 4), in
    the order of ``Counts``, with their precision, recall and F1 (…, needs, 3), and returns the
    same three of the metric (…, 3), NaN for what it has not. ``steps`` writes the way from the
    counts to the value in lines.

    >>> from cdec.metrics import DERIVED, Counts
    >>> DERIVED["conll"].needs
    ('muc', 'b3', 'ceafe')
    >>> DERIVED["conll"].value(Counts(1, 1, 1, 1), Counts(1, 2, 1, 2), Counts(0, 1, 0, 1)).f1
    0.5
    """

    needs: tuple[str, ...]
    value: Callable[..., Value]
    values: Callable[[Floats, Floats], Floats] | None = None
    steps: Callable[[Mapping[str, Counts]], tuple[str, ...]] | None = None
    parts: tuple[Metric | DerivedMetric, ...] = ()
    combine: Callable[..., UnitValue] | None = None

    def value_of(self, counts: Mapping[str, Counts]) -> Value:
        """Return ``value`` of the counts that it needs."""
        return self.value(*(counts[name] for name in self.needs))

    def unit_value_of(self, counts: Mapping[str, Counts]) -> UnitValue:
        """Return the value inside a unit, where 0/0 is undefined.

        Without ``combine`` it is undefined where every denominator that it needs is 0.
        """
        if self.combine:
            return self.combine(*(part.unit_value_of(counts) for part in self.parts))
        total = UnitValue.of(Counts.sum(counts[name] for name in self.needs))
        pairs = zip(self.value_of(counts), total, strict=True)
        return UnitValue(*(None if defined is None else value for value, defined in pairs))

    def values_of(self, counts: Floats, scores: Floats) -> Floats:
        """Return ``value`` of many results at once, shape (…, 3)."""
        if self.values:
            return self.values(counts, scores)
        each = counts.reshape(-1, *counts.shape[-2:]).tolist()
        found = [self.value(*(Counts(*four) for four in one)) for one in each]
        # None, which is what a mean has for precision and recall, becomes NaN.
        return np.array(found, dtype=np.float64).reshape(*counts.shape[:-2], 3)

    def steps_of(self, counts: Mapping[str, Counts]) -> tuple[str, ...]:
        """Return the lines that make the value of the counts."""
        if self.steps:
            return self.steps(counts)
        known = self.value_of(counts)._asdict().items()
        shown = [f"{_SIGNS[name]} = {decimal(v)}" for name, v in known if v is not None]
        return (f"{self.label}: {', '.join(shown)}, from the counts of {', '.join(self.needs)}",)
