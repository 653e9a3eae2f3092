"""A metric: what it adds to four counts, or how it follows from other metrics.

==========  ====================================================================================
counted     ``terms``: table → what its cells, chains and meta-documents add to the counts, or, if
            the metric is no such sum, ``count``: table → counts (Metric)
derived     ``value``: values of other metrics → value (DerivedMetric)
resampled   ``terms`` of the tables that are drawn; ``value`` of arrays. A metric with ``count`` is
            counted again for each resample, which is slower
by chain    ``terms``: what each chain adds to precision or recall
by unit     ``value`` of values that can be undefined
shown       ``columns`` of the tables, by default the F1 under ``label``; ``by_default``: also if
            the call names no metric, for those of cdec
==========  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from cdec.arrays import Floats, Ints
from cdec.metrics.counts import Counts, Value, exact_sum
from cdec.metrics.table import Table


class Ratio(NamedTuple):
    """A fraction for each part of a table, ``part / whole``: integers."""

    part: Ints
    whole: Ints


Part: TypeAlias = Ints | Ratio | None
"""A number for each cell, chain or meta-document of a table; None: all 0."""


def floats(numbers: Part) -> Floats | float:
    """Return the numbers as floats."""
    if isinstance(numbers, Ratio):
        return np.asarray(numbers.part / numbers.whole, np.float64)
    return 0.0 if numbers is None else np.asarray(numbers, np.float64)


def _total(numbers: Part) -> float:
    """Return the exact sum, rounded once."""
    if isinstance(numbers, Ratio):
        return exact_sum(*numbers)
    return 0 if numbers is None else int(numbers.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms:
    """What the parts of a table add to the counts of a metric: the one form of its formula.

    ``precision`` and ``recall``: a number for each cell, in the two numerators. ``response`` and
    ``key``: for each chain, in the denominator of precision and of recall. ``response_common`` and
    ``key_common``: for each chain with common mentions, in both numerators. ``metas_common``,
    ``metas_response`` and ``metas_key``: the same for each meta-document.

    Their exact sums are the counts. A resample sums them over tables that were drawn; a cell's term
    divided among its common mentions, and a chain's among its mentions, say what these cost. A term
    depends on its part of the table only: on the overlap of a cell and the sizes of its chains, and
    on whether the best alignment of the table has it.
    """

    precision: Part = None
    recall: Part = None
    response: Ints | None = None
    key: Ints | None = None
    response_common: Ints | None = None
    key_common: Ints | None = None
    metas_common: Ints | None = None
    metas_response: Ints | None = None
    metas_key: Ints | None = None

    def counts(self) -> Counts:
        """Return the exact sums.

        >>> one = np.array([1, 1])
        >>> Terms(precision=one, response=one, recall=Ratio(one, one + 1), key=3 * one).counts()
        Counts(p_num=2, p_den=2, r_num=1.0, r_den=6)
        """
        both = sum(map(_total, (self.response_common, self.key_common, self.metas_common)))
        return Counts(
            p_num=_total(self.precision) + both,
            p_den=_total(self.response) + _total(self.metas_response),
            r_num=_total(self.recall) + both,
            r_den=_total(self.key) + _total(self.metas_key),
        )


class Column(NamedTuple):
    """A column of the tables: group heading, heading, and the field of Value.

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
    return tuple(Column(group, field[0].upper(), field) for field in Value._fields)


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
    """A metric that is counted on a table of key chains and response chains.

    Its ``terms`` add up to its counts. A metric that does not add has ``count`` instead. Raises
    TypeError without ``terms`` and ``count``, and with both.

    >>> from cdec.metrics import METRICS
    >>> METRICS["b3"].label, METRICS["b3"].citation
    ('B³', 'Bagga and Baldwin (1998)')
    """

    terms: Callable[[Table], Terms] | None = None
    count: Callable[[Table], Counts] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.terms is None) == (self.count is None):
            raise TypeError(f"the metric '{self.id}' must have either terms or count")


@dataclass(frozen=True, kw_only=True)
class DerivedMetric(_Described):
    """A metric that is computed from the values of other metrics.

    ``value`` takes a Value of each metric of ``needs`` (ids), in this order, and returns that of
    the metric, with None where it has no precision or recall. The numbers are NumPy arrays of any
    shape: of one table, or of all resamples. An undefined number (0/0) is 0 in a score, and NaN in
    the score of a part of the corpus; with ``of_undefined`` it is always NaN.

    >>> from cdec.metrics import DERIVED
    >>> DERIVED["conll"].needs
    ('muc', 'b3', 'ceafe')
    >>> DERIVED["conll"].value(Value(1, 1, 1), Value(0, 1, 0.5), Value(0, 0, 0)).f1
    0.5
    """

    needs: tuple[str, ...]
    value: Callable[..., Value]
    of_undefined: bool = False
