"""Resampling parameters, and the weight of each unit in each resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdec.arrays import Ints
from cdec.errors import UsageError, one_of
from cdec.statistics.units import UNITS

METHODS = ("percentile", "bca")
TESTS = ("two-way", "topic")

_MOST = 1_000_000


@dataclass(frozen=True)
class Plan:
    """Parameters of intervals and tests; each can change a number, so all are in the signature.

    ``unit`` is one of UNITS, ``method`` one of METHODS, ``level`` the confidence in (0, 1).
    ``exchanges`` is the number of random exchanges of a test that cannot try all. ``test`` is one
    of TESTS: responses are exchanged by unit and by word, or by unit only. Raises UsageError.

    >>> Plan(unit="subtopic", resamples=200).level
    0.95
    """

    unit: str = "topic"
    resamples: int = 1000
    seed: int = 0
    level: float = 0.95
    method: str = "percentile"
    exchanges: int = 1000
    test: str = TESTS[0]

    def __post_init__(self) -> None:
        one_of("unit", self.unit, UNITS)
        one_of("interval method", self.method, METHODS)
        one_of("test", self.test, TESTS)
        for name, number in (("resamples", self.resamples), ("exchanges", self.exchanges)):
            if not 1 <= number <= _MOST:
                raise _out_of_range(f"--{name}", number, f"from 1 to {_MOST:,}")
        if not 0 < self.level < 1:
            raise _out_of_range("the confidence level", self.level, "between 0 and 1, such as 0.95")
        if self.seed < 0:
            raise _out_of_range("the seed", self.seed, "from 0 on")


def _out_of_range(name: str, value: float, expected: str) -> UsageError:
    return UsageError("resampling-range", f"{name} is {value:,}", hint=f"use a number {expected}")


DEFAULT = Plan()


def as_plan(value: object) -> Plan:
    """Return a plan; None is the default. Raises UsageError for anything else."""
    if value is None:
        return DEFAULT
    if isinstance(value, Plan):
        return value
    message = f"expected a Plan, got {type(value).__name__}"
    raise UsageError("argument-type", message, hint="use cdec.Plan(resamples=200)")


def drawn(units: int, plan: Plan) -> Ints:
    """Return the weights of resamples, (resamples, units): ``units`` draws with replacement."""
    rng = np.random.default_rng(plan.seed)
    return rng.multinomial(units, np.full(units, 1 / units), size=plan.resamples)


def left_out(units: int) -> Ints:
    """Return weights, shape (units, units): row u has every unit except u once."""
    return 1 - np.eye(units, dtype=np.int64)
