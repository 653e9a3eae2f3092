"""The baseline systems and those of other packages, by name, and what they find heads with."""

from __future__ import annotations

from collections.abc import Callable

from cdec.catalogue import added, entries
from cdec.evaluation.systems import run
from cdec.language.heads import heads
from cdec.language.pipeline import PIPELINES, Pipeline, pipeline
from cdec.system import SYSTEMS, Learner, System, Tunable, system, system_class

__all__ = [
    "PIPELINES",
    "SYSTEMS",
    "Learner",
    "Pipeline",
    "System",
    "Tunable",
    "heads",
    "pipeline",
    "run",
    "system",
    "system_class",
]


# Those of Upadhyay et al. (2016) that need no training; commands score them if no system is named.
DEFAULT = tuple(name for name in entries("system") if name not in added("system"))


def names_of(test: Callable[[object], bool]) -> list[str]:
    """Return the names of the systems whose class passes ``test``; failing imports are skipped.

    >>> from cdec.system import is_learner
    >>> names_of(is_learner)
    ['sac']
    """
    names = [entry["name"] for entry in SYSTEMS.entries() if not entry["problem"]]
    return [name for name in names if test(SYSTEMS[name])]
