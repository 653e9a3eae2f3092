"""Resampling parameters, and the weight of each unit in each resample."""

from __future__ import annotations

from dataclasses import dataclass
from math import nextafter

import numpy as np

from cdec.arrays import Ints
from cdec.errors import UsageError, check_number, one_of
from cdec.statistics.units import UNITS

METHODS = ("percentile", "bca")
TESTS = ("two-way", "topic")

_MOST = 1_000_000
_LAST_SEED = 2**53 - 1  # that every reader of JSON reads as it is
_LEVELS = (nextafter(0, 1), nextafter(1, 0))  # without 0 and 1
_CODE = "parameter-invalid"


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
        check_number(_CODE, "--resamples", self.resamples, 1, _MOST)
        check_number(_CODE, "--exchanges", self.exchanges, 1, _MOST)
        check_number(_CODE, "--seed", self.seed, 0, _LAST_SEED)
        hint = "use a number between 0 and 1, such as 0.95"
        check_number(_CODE, "--level", self.level, *_LEVELS, whole=False, hint=hint)


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
