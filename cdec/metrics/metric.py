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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints

if TYPE_CHECKING:
    from cdec.metrics.table import Table

N = TypeVar("N", int, Ints, "pd.Series[Any]")
Rules: TypeAlias = Mapping[str, str]
"""Id of a derived metric → the name of the rule by which it is computed, see ``DerivedMetric``."""
NO_RULES: Rules = {}


def links(mentions: N) -> N:
    """Return the number of unordered pairs of n mentions, n (n − 1) / 2, elementwise.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2


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
        return Value(*(None if x is None or np.isnan(x) else float(x) for x in self))


def value_of(counts: Floats) -> Value:
    """Return precision, recall and F1, each (…), of counts (…, 4); NaN where they are undefined.

    F1 is undefined where precision and recall are, and 0 where one of them is.

    >>> value_of(np.array([0.0, 0.0, 0.0, 1.0])).plain()
    Value(precision=None, recall=0.0, f1=0.0)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = counts[..., 0] / counts[..., 1], counts[..., 2] / counts[..., 3]
        p, r = np.nan_to_num(precision), np.nan_to_num(recall)
        f1 = np.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    undefined = np.isnan(precision) & np.isnan(recall)
    return Value(precision, recall, np.where(undefined, np.nan, f1)[()])


# ---- terms ----


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
        total = dict[str, float]()
        for name, part in vars(self).items():
            if isinstance(part, Ratio):
                parts = np.bincount(part.whole, weights=part.part)
                wholes = np.flatnonzero(parts).tolist()
                common = lcm(*wholes)
                # The division of Python's integers is correctly rounded, whatever their size.
                total[name] = sum(int(parts[n]) * (common // n) for n in wholes) / common
            else:
                total[name] = 0 if part is None else int(part.sum())
        both = total["response_common"] + total["key_common"] + total["metas_common"]
        return Counts(
            p_num=total["precision"] + both,
            p_den=total["response"] + total["metas_response"],
            r_num=total["recall"] + both,
            r_den=total["key"] + total["metas_key"],
        )


_MORE = 1 + 1e-9  # rounding can make a share that is 1 larger


def check_counted(found: Any, table: Table) -> None:
    """Raise TypeError or ValueError for what are no terms or counts of this table.

    This is for metrics of other packages: an array of another length would be a wrong number.
    """
    if isinstance(found, Terms):
        cells, metas = table.overlap, table.key_mentions
        parts = {"precision": cells, "recall": cells, "metas": metas}
        parts |= {"response": table.response_sizes, "key": table.key_sizes}
        for name, part in vars(found).items():
            size = len(parts[name.partition("_")[0]])
            for numbers in part if isinstance(part, Ratio) else [part] * (part is not None):
                if np.shape(numbers) != (size,) or numbers.dtype.kind not in "iu":
                    raise TypeError(f"'{name}' must have an integer for each of {size} parts")
        sides = (found.response, found.metas_response), (found.key, found.metas_key)
        if any(all(part is None for part in side) for side in sides):
            message = "terms need denominators of both sides; for one use a DerivedMetric"
            raise ValueError(message)
        found = found.counts()
    if not isinstance(found, tuple) or len(found) != len(COUNT_COLUMNS):
        raise TypeError(f"expected Terms or Counts, got {type(found).__name__}")
    p_num, p_den, r_num, r_den = found
    if not (0 <= p_num <= _MORE * p_den < np.inf and 0 <= r_num <= _MORE * r_den < np.inf):
        raise ValueError(f"{Counts(*found)} are not two shares")


def check_value(found: Any, *given: Value) -> None:
    """Raise TypeError or ValueError for what is no Value in [0, 1], or undefined without a cause.

    ``given`` are the values that it follows from.
    """
    if not isinstance(found, Value):
        raise TypeError(f"expected a Value, got {type(found).__name__}")
    numbers = [np.asarray(number) for number in found if number is not None]
    is_undefined = any(np.isnan(x).any() for one in given for x in one if x is not None)
    if not all(((x >= 0) & (x <= _MORE) | np.isnan(x) & is_undefined).all() for x in numbers):
        raise ValueError(f"{found!r:.60} is not between 0 and 1")


# ---- metrics ----


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

    def value_by(self, rule: str | None) -> Callable[..., Value]:
        """Return the function of a rule; without a rule, ``value``."""
        return self.value if rule is None else self.rules[rule]
