"""Sampling units, the parameters of resampling, and the weight of each unit in each resample.

Units are topics or sub-topics, which are sampled, left out or exchanged as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cdec.arrays import AnySeries, Ints
from cdec.errors import ScoringError, UsageError, check_number, one_of, spelled
from cdec.matching.alignment import Alignment

UNITS = ("topic", "subtopic")
FEWEST = 2

_LARGEST_NUMBER = 1_000_000
_LAST_SEED = 2**53 - 1  # that every reader of JSON reads as it is
_LEVELS = (0.001, 0.999)


@dataclass(frozen=True)
class Plan:
    """Parameters of intervals and tests; each can change a number, so all are in the signature.

    ``unit`` is one of UNITS, ``level`` the confidence, as 0.95, ``exchanges`` the number of random
    exchanges of a test that cannot try all. Raises UsageError.

    >>> Plan(unit="subtopic", resamples=200).level
    0.95
    """

    unit: str = "topic"
    resamples: int = 1000
    seed: int = 0
    level: float = 0.95
    exchanges: int = 1000

    def __post_init__(self) -> None:
        one_of("unit", self.unit, UNITS)
        check_number("resamples", self.resamples, 1, _LARGEST_NUMBER)
        check_number("exchanges", self.exchanges, 1, _LARGEST_NUMBER)
        check_number("seed", self.seed, 0, _LAST_SEED)
        check_number("level", self.level, *_LEVELS, whole=False)


DEFAULT = Plan()


def plan_of(value: object, runs: Iterable[Alignment]) -> Plan:
    """Return a plan (None: the default) whose topics are sub-topics if ``runs`` have no two topics.

    ``runs`` have ``mentions`` each. Raises UsageError for anything else than a plan.
    """
    plan = DEFAULT if value is None else value
    if not isinstance(plan, Plan):
        raise UsageError(
            "argument-invalid",
            f"expected a Plan, got {type(value).__name__}",
            hint="use cdec.Plan(resamples=200)",
        )
    if plan.unit != "topic":
        return plan
    tables = [run.mentions for run in runs]
    for unit in UNITS:
        columns = [table[unit].unique() for table in tables if unit in table]
        if len(set().union(*columns)) >= FEWEST:
            return replace(plan, unit=unit)
    return plan


def units_of(unit: str, mentions: Iterable[pd.DataFrame]) -> AnySeries:
    """Return the number of the unit of each mention of several tables, by their column ``unit``.

    The tables of all systems are needed, so that a unit has the same number in all of them.
    Documents cannot be units: chains cross the documents of a topic, so that documents are not
    independent. Raises UsageError for a table without the column, ScoringError for fewer than two
    units.
    """
    tables = list(mentions)
    if any(unit not in table for table in tables):
        raise UsageError(
            "annotation-missing",
            f"the mentions have no {unit} information",
            hint=f"say {spelled('topics', 'topics.csv')}, or score against a corpus",
        )
    column = pd.concat([table[unit] for table in tables])
    column = column[~column.index.duplicated()]
    codes, names = pd.factorize(column)
    if len(names) < FEWEST:
        raise ScoringError(
            "part-too-small",
            f"resampling needs at least two {unit}s, got {len(names)}",
            hint="choose a larger part, or one with several topics or sub-topics",
        )
    return pd.Series(codes, column.index)


def draw_units(units: int, plan: Plan) -> Ints:
    """Return the weights of resamples, (resamples, units): ``units`` draws with replacement."""
    generator = np.random.default_rng(plan.seed)
    probabilities = np.full(units, 1 / units)
    return generator.multinomial(units, probabilities, size=plan.resamples)
