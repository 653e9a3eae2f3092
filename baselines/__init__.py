"""The baselines to beat, by name.

A system is imported when it is asked for: some need libraries that cost a second.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cdec.errors import UnknownNameError
from cdec.evaluation.run import run
from cdec.system import System

__all__ = ["LEARNING", "SYSTEMS", "System", "run", "system", "system_class"]

SYSTEMS: dict[str, str] = {
    "lemma": "cdec.baselines.lemma:Lemma",
    "lemma-wd": "cdec.baselines.lemma:LemmaWD",
    "lemma-delta": "cdec.baselines.lemma_delta:LemmaDelta",
    "lemma-docs": "cdec.baselines.lemma_docs:LemmaDocs",
    "sac": "cdec.baselines.sac.system:Sac",
    "sac-plus": "cdec.baselines.sac.system:SacPlus",
}
# Those that must be fitted before they predict.
LEARNING = frozenset({"sac", "sac-plus"})


def system(name: str, **parameters: Any) -> System:
    """Return the system ``name`` made with ``parameters``.

    Raises UnknownNameError for a name that is not in ``SYSTEMS``.

    >>> system("lemma-delta", delta=0.3).parameters["delta"]
    0.3
    """
    make: Callable[..., System] = system_class(name)
    return make(**parameters)


def system_class(name: str) -> type[Any]:
    """Return the dataclass that makes the system ``name``. Raises UnknownNameError.

    >>> system_class("lemma").__name__
    'Lemma'
    """
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, SYSTEMS)
    module, _, attribute = SYSTEMS[name].partition(":")
    found: type[Any] = getattr(import_module(module), attribute)
    return found
