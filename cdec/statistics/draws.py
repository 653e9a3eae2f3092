"""How often each unit is drawn: resamples with replacement, and each unit left out once."""

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
    """What is drawn and how often; every field can move a number, so all are in the signature.

    ``unit`` is one of UNITS, ``method`` one of METHODS, ``level`` the confidence in (0, 1).
    ``exchanges`` of units are drawn for a test where not all can be tried. ``test`` is one of
    TESTS: answers are exchanged by unit and by word, or by unit alone. Raises UsageError.

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
        names = (
            ("unit", self.unit, UNITS),
            ("kind of interval", self.method, METHODS),
            ("test", self.test, TESTS),
        )
        for kind, given, known in names:
            one_of(kind, given, known)
        if self.resamples < 1 or self.exchanges < 1:
            raise UsageError("there is nothing to draw", hint="--resamples 1000 --exchanges 1000")
        if max(self.resamples, self.exchanges) > _MOST:
            hint = f"at most {_MOST:,}: more changes no digit that is shown"
            raise UsageError("too much to draw", hint=hint)
        if not 0 < self.level < 1:
            raise UsageError(f"a confidence of {self.level}", hint="between 0 and 1, as 0.95")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}", hint="a whole number from 0")


DEFAULT = Plan()


def drawn(units: int, plan: Plan) -> Ints:
    """Return weights, shape (resamples, units): as many draws as units, with replacement."""
    rng = np.random.default_rng(plan.seed)
    return rng.multinomial(units, np.full(units, 1 / units), size=plan.resamples)


def left_out(units: int) -> Ints:
    """Return weights, shape (units, units): in row u every unit but u stands once."""
    return 1 - np.eye(units, dtype=np.int64)
