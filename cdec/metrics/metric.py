"""The definition of a metric: one object with all its functions and names.

==========  ====================================================================================
counted     ``terms``: table → what its cells, chains and meta-documents add to the counts, or, if
            the metric is no such sum, ``count``: table → counts (Metric); ``value``: counts of
            other metrics → precision, recall, F1 (DerivedMetric)
resampled   ``terms`` of the tables that are drawn; ``values``: ``value`` for arrays of counts.
            Without them ``count`` or ``value`` is called for each resample, which is slower
by chain    ``terms``: what each chain adds to precision or recall
by unit     ``combine``: values of ``parts`` → value, each of which can be undefined
            (DerivedMetric). Without it the macro-average is a mean over units
shown       ``columns`` of the tables, by default the F1 under ``label``; ``by_default``: also if
            the call names no metric, for those of cdec
==========  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cdec.arrays import Floats
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, UnitValue, Value, harmonic_mean
from cdec.metrics.terms import Terms, TermsOf

_SIGNS = {"precision": "P", "recall": "R", "f1": "F"}


class Column(NamedTuple):
    """A column of the tables: group heading, heading, and the field of Value.

    >>> Column("BLANC", "PW", "f1").name
    'PW'
    """

    group: str
    name: str
    field: str


def prf(group: str) -> tuple[Column, ...]:  # pragma: no mutate block
    """Return the columns P, R and F under ``group``.

    >>> [column.name for column in prf("MUC")]
    ['P', 'R', 'F']
    """
    return tuple(Column(group, sign, field) for field, sign in _SIGNS.items())


@dataclass(frozen=True, kw_only=True)
class _Described:
    """Id, label, citation, columns (by default F1), and a legend if their label needs one.

    ``by_default``: whether tables show it if the call names no metric.
    """

    id: str
    label: str
    citation: str
    columns: tuple[Column, ...] = ()
    legend: str = ""
    by_default: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", (Column(self.label, "F", "f1"),))


@dataclass(frozen=True, kw_only=True)
class Metric(_Described):
    """A metric that is computed from a table of key chains and response chains (Contingency).

    Its ``terms`` add up to its counts. A metric that does not add has ``count`` instead.
    ``needs`` are the ids of the metrics whose counts it uses: its own. Raises TypeError without
    ``terms`` and ``count``, and with both.

    >>> from cdec.metrics import METRICS
    >>> METRICS["b3"].label, METRICS["b3"].citation, METRICS["b3"].needs
    ('B³', 'Bagga and Baldwin (1998)', ('b3',))
    """

    terms: TermsOf | None = None
    count: Callable[[Contingency], Counts] | None = None
    needs: tuple[str, ...] = field(init=False)
    counts: Callable[[Contingency], Counts] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.terms is None) == (self.count is None):
            raise TypeError(f"the metric '{self.id}' must have either terms or count")
        object.__setattr__(self, "counts", self.count or _sum_of(self.terms))
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
        """Return ``value_of`` for arrays, see DerivedMetric."""
        return scores[..., 0, :]


def _sum_of(terms: TermsOf | None) -> Callable[[Contingency], Counts]:  # pragma: no mutate block
    return lambda table: (terms(table) if terms else Terms()).counts()


@dataclass(frozen=True, kw_only=True)
class DerivedMetric(_Described):
    """A metric that is computed from the counts of the metrics ``needs``, in call order.

    ``values`` is ``value`` for arrays: it takes counts (…, needs, 4), in the order of ``Counts``,
    and their precision, recall and F1 (…, needs, 3), and returns precision, recall and F1 of the
    metric (…, 3), NaN if it has none.
    ``combine`` takes a UnitValue of each of ``parts`` and returns that of the metric.

    >>> from cdec.metrics import DERIVED, Counts
    >>> DERIVED["conll"].needs
    ('muc', 'b3', 'ceafe')
    >>> DERIVED["conll"].value(Counts(1, 1, 1, 1), Counts(1, 2, 1, 2), Counts(0, 1, 0, 1)).f1
    0.5
    """

    needs: tuple[str, ...]
    value: Callable[..., Value]
    values: Callable[[Floats, Floats], Floats] | None = None
    parts: tuple[Metric | DerivedMetric, ...] = ()
    combine: Callable[..., UnitValue] | None = None

    def value_of(self, counts: Mapping[str, Counts]) -> Value:
        """Return precision, recall and F1."""
        return self.value(*(counts[name] for name in self.needs))

    def unit_value_of(self, counts: Mapping[str, Counts]) -> UnitValue:
        """Return the value inside a unit, where 0/0 is undefined.

        Without ``combine`` it is undefined if all denominators of ``needs`` are 0.
        """
        if self.combine:
            return self.combine(*(part.unit_value_of(counts) for part in self.parts))
        total = UnitValue.of(Counts.sum(counts[name] for name in self.needs))
        pairs = zip(self.value_of(counts), total, strict=True)
        return UnitValue(*(None if defined is None else value for value, defined in pairs))

    def values_of(self, counts: Floats, scores: Floats) -> Floats:
        """Return ``value_of`` for arrays, shape (…, 3)."""
        if self.values:
            return self.values(counts, scores)
        each = counts.reshape(-1, *counts.shape[-2:]).tolist()
        values = [self.value(*(Counts(*four) for four in counts)) for counts in each]
        # None (no precision and recall) becomes NaN.
        return np.array(values, dtype=np.float64).reshape(*counts.shape[:-2], 3)
