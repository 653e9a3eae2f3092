"""A metric: what it adds to four counts, or how it follows from other metrics; its values.

==========  ====================================================================================
counted     ``terms``: table → what its cells, chains and meta-documents add to the counts, or, if
            the metric is no such sum, ``count``: table → counts (Metric)
derived     ``value``: values of other metrics → value (DerivedMetric)
resampled   ``terms`` of the tables that are drawn; ``value`` of arrays. A metric with ``count`` has
            no interval and no test
by chain    ``terms``: what each chain adds to precision or recall
by unit     ``value`` of values that can be undefined
shown       ``columns`` of the tables, by default the F1 under ``label``; ``by_default``: also if
            the call names no metric, for those of cdec
==========  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from cdec.arrays import Floats, Ints

if TYPE_CHECKING:
    from cdec.metrics.table import Table

Rules: TypeAlias = Mapping[str, str]
"""Id of a derived metric → the name of the rule by which it is computed, see ``DerivedMetric``."""
NO_RULES: Rules = {}


# ---- counts and values ----


class Counts(NamedTuple):
    """Numerator and denominator of precision and of recall."""

    p_num: float
    p_den: float
    r_num: float
    r_den: float


COUNT_COLUMNS = Counts._fields


class Value(NamedTuple):
    """Precision, recall and F1 in [0, 1]: numbers, or arrays of them.

    None where a metric has none, as the precision of a mean over metrics, and where the score of a
    part of the corpus is undefined (0/0).

    >>> Value(precision=None, recall=None, f1=0.5).f1
    0.5
    """

    precision: Any
    recall: Any
    f1: Any

    def plain(self) -> Value:
        """Return the value with numbers of Python, and None in place of each NaN."""
        numbers = []
        for number in self:
            is_missing = number is None or np.isnan(number)
            numbers.append(None if is_missing else float(number))
        return Value(*numbers)


def value_of(counts: Floats) -> Value:
    """Return precision, recall and F1, each (…), of counts (…, 4); NaN where they are undefined.

    F1 is undefined where precision and recall are, and 0 where one of them is.

    >>> value_of(np.array([0.0, 0.0, 0.0, 1.0])).plain()
    Value(precision=None, recall=0.0, f1=0.0)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = counts[..., 0] / counts[..., 1]
        recall = counts[..., 2] / counts[..., 3]
        p = np.nan_to_num(precision)
        r = np.nan_to_num(recall)
        harmonic_mean = 2 * p * r / (p + r)
    f1 = np.where(p + r > 0, harmonic_mean, 0.0)
    is_undefined = np.isnan(precision) & np.isnan(recall)
    return Value(precision, recall, np.where(is_undefined, np.nan, f1)[()])


# ---- terms ----


class Ratio(NamedTuple):
    """A fraction for each part of a table, ``part / whole``: integers."""

    part: Ints
    whole: Ints


Part: TypeAlias = Ints | Ratio | None
"""A number for each cell, chain or meta-document of a table; None: all 0."""


def floats(numbers: Part) -> Floats | float:
    """Return the numbers as floats."""
    if numbers is None:
        return 0.0
    if isinstance(numbers, Ratio):
        return np.asarray(numbers.part / numbers.whole, np.float64)
    return np.asarray(numbers, np.float64)


def _sum_exactly(numbers: Part) -> float:
    """Return the sum of integers, or of fractions, rounded once."""
    if numbers is None:
        return 0
    if not isinstance(numbers, Ratio):
        return int(numbers.sum())
    # The sum of the numerators of each denominator.
    parts = np.bincount(numbers.whole, weights=numbers.part)
    wholes = np.flatnonzero(parts).tolist()
    common = lcm(*wholes)
    numerator = sum(int(parts[whole]) * (common // whole) for whole in wholes)
    # The division of Python's integers is correctly rounded, whatever their size.
    return numerator / common


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
        """Return the exact sums; those of fractions are rounded once.

        A sum of floats depends on the order of its terms, so that the order of lines could change
        the last digit of a score. Of fractions with one denominator, the numerators must sum to
        less than 2⁵³; in a metric this is so for fewer than 94 million mentions.

        >>> ten = np.full(10, 1)
        >>> Terms(precision=ten, response=ten, recall=Ratio(ten, 10 * ten), key=3 * ten).counts()
        Counts(p_num=10, p_den=10, r_num=1.0, r_den=30)
        """
        common_chains = _sum_exactly(self.response_common) + _sum_exactly(
            self.key_common
        )
        common = common_chains + _sum_exactly(self.metas_common)
        return Counts(
            p_num=_sum_exactly(self.precision) + common,
            p_den=_sum_exactly(self.response) + _sum_exactly(self.metas_response),
            r_num=_sum_exactly(self.recall) + common,
            r_den=_sum_exactly(self.key) + _sum_exactly(self.metas_key),
        )


_LARGEST_SHARE = 1 + 1e-9  # rounding can make a share that is 1 larger


def check_counts(result: object, table: Table) -> None:
    """Raise TypeError or ValueError for what are no terms or counts of this table.

    This is for metrics of other packages: an array of another length would be a wrong number.
    """
    counts: Any = result
    if isinstance(result, Terms):
        _check_terms(result, table)
        counts = result.counts()
    if not isinstance(counts, tuple) or len(counts) != len(COUNT_COLUMNS):
        raise TypeError(f"expected Terms or Counts, got {type(counts).__name__}")
    p_num, p_den, r_num, r_den = counts
    if not (_is_share(p_num, p_den) and _is_share(r_num, r_den)):
        raise ValueError(f"{Counts(*counts)} are not two shares")


def _check_terms(terms: Terms, table: Table) -> None:
    sizes = {
        "precision": len(table.overlap),
        "recall": len(table.overlap),
        "response": len(table.response_sizes),
        "key": len(table.key_sizes),
        "metas": len(table.key_mentions),
    }
    for name, part in vars(terms).items():
        if part is None:
            continue
        size = sizes[name.partition("_")[0]]
        arrays = part if isinstance(part, Ratio) else [part]
        for numbers in arrays:
            if np.shape(numbers) != (size,) or numbers.dtype.kind not in "iu":
                raise TypeError(
                    f"'{name}' must have an integer for each of {size} parts"
                )
    has_response = terms.response is not None or terms.metas_response is not None
    has_key = terms.key is not None or terms.metas_key is not None
    if not (has_response and has_key):
        raise ValueError(
            "terms need denominators of both sides; for one use a DerivedMetric"
        )


def _is_share(numerator: float, denominator: float) -> bool:
    return 0 <= numerator <= _LARGEST_SHARE * denominator < np.inf


def check_value(result: object, *values: Value) -> None:
    """Raise TypeError or ValueError for what is no Value in [0, 1], or undefined without a cause.

    ``values`` are those that the result follows from.
    """
    if not isinstance(result, Value):
        raise TypeError(f"expected a Value, got {type(result).__name__}")
    can_be_undefined = any(
        np.isnan(array).any() for value in values for array in _arrays(value)
    )
    for array in _arrays(result):
        is_valid = (array >= 0) & (array <= _LARGEST_SHARE)
        if can_be_undefined:
            is_valid |= np.isnan(array)
        if not is_valid.all():
            raise ValueError(f"{result!r:.60} is not between 0 and 1")


def _arrays(value: Value) -> list[Any]:
    return [np.asarray(numbers) for numbers in value if numbers is not None]


# ---- metrics ----

WORDS = "words"


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

    ``by_default``: whether tables show it if the call names no metric. ``intermediates``: what must
    be computed for it beside the table of chains; WORDS are counts of the words of each mention.
    """

    id: str
    label: str
    citation: str
    columns: tuple[Column, ...] = ()
    legend: str = ""
    by_default: bool = False
    intermediates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", (Column(self.label, "F", "f1"),))


@dataclass(frozen=True, kw_only=True)
class Metric(_Described):
    """A metric that is counted on a table of key chains and response chains.

    Its ``terms`` add up to its counts. A metric that does not add has ``count`` instead.
    ``neleval`` is the name of the function by which neleval counts it, if it does. Raises TypeError
    without ``terms`` and ``count``, and with both.

    >>> from cdec.metrics import REGISTRY
    >>> REGISTRY["b3"].label, REGISTRY["b3"].citation
    ('B³', 'Bagga and Baldwin (1998)')
    """

    terms: Callable[[Table], Terms] | None = None
    count: Callable[[Table], Counts] | None = None
    neleval: str = ""

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
    the score of a part of the corpus; with ``of_undefined`` it is always NaN. ``rules`` has other
    functions by name, for a metric that scorers compute by different rules.

    >>> from cdec.metrics import REGISTRY
    >>> REGISTRY["conll"].needs
    ('muc', 'b3', 'ceafe')
    >>> REGISTRY["conll"].value(Value(1, 1, 1), Value(0, 1, 0.5), Value(0, 0, 0)).f1
    0.5
    """

    needs: tuple[str, ...]
    value: Callable[..., Value]
    of_undefined: bool = False
    rules: Mapping[str, Callable[..., Value]] = field(default_factory=dict)
