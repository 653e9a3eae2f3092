"""The baselines to beat, by name, and the systems of other packages.

A system is imported when it is asked for: some need libraries that cost a second.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from cdec.errors import PluginError, UsageError
from cdec.evaluation.run import check_system, run
from cdec.plugins import Registry, errors_of_plugin, reason
from cdec.system import Learner, System, Tunable

__all__ = [
    "SYSTEMS",
    "Learner",
    "System",
    "Tunable",
    "run",
    "system",
    "system_class",
]


def _check(name: str, value: object) -> None:
    if not isinstance(value, type) or not callable(getattr(value, "predict", None)):
        raise TypeError(f"expected a class with predict, got {value!r:.60}")


SYSTEMS: Registry[type[Any]] = Registry(
    "system",
    "cdec.systems",
    {
        "lemma": "cdec.baselines.lemma:Lemma",
        "lemma-wd": "cdec.baselines.lemma:LemmaWD",
        "lemma-delta": "cdec.baselines.lemma_delta:LemmaDelta",
        "lemma-docs": "cdec.baselines.lemma_docs:LemmaDocs",
        "sac": "cdec.baselines.sac.system:Sac",
        "sac-plus": "cdec.baselines.sac.system:SacPlus",
    },
    _check,
)
# Those of cdec that must be trained: to import them, only to ask, would cost half a second.
_LEARNERS = ("sac", "sac-plus")
# What the commands offer to every system: one that does not take it goes without.
_OFFERED = ("pipeline", "progress")


def system(name: str, **parameters: Any) -> System:
    """Return the system ``name`` made with ``parameters``.

    ``name`` is in ``SYSTEMS``, or is ``module:Class``. Of ``pipeline`` and ``progress`` it gets
    what it takes. Raises UnknownNameError for another name, PluginError for a system of another
    package that cannot be made.

    >>> system("lemma-delta", delta=0.3).parameters["delta"]
    0.3
    """
    make = system_class(name)
    if name in SYSTEMS.own:
        return make(**parameters)  # type: ignore[no-any-return]
    with errors_of_plugin(f"the system '{name}' cannot be made", "give its parameters defaults"):
        made: System = make(**_taken(make, parameters))
        check_system(made)
    if name in SYSTEMS and made.name != name:
        message = f"the system '{name}' calls itself '{made.name}'"
        raise PluginError(message, place=SYSTEMS.origin(name), hint="give both one name")
    return made


def system_class(name: str) -> type[Any]:
    """Return the class that makes the system ``name``, which may be ``module:Class``.

    The module is one that Python finds from the working directory. Raises UnknownNameError, and
    UsageError for a module that cannot be imported or has no such system.

    >>> system_class("lemma").__name__
    'Lemma'
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return SYSTEMS[name]
    if not all(part.isidentifier() for part in [*module.split("."), attribute]):
        raise UsageError(f"'{name}' is not a module and a class", hint="as in my_module:MySystem")
    found = getattr(_module(module, name), attribute, None)
    try:
        _check(name, found)
    except TypeError:
        message = f"'{attribute}' is not a system" if found else f"the module has no '{attribute}'"
        hint = "name a class with name, parameters and predict: see cdec.baselines.System"
        raise UsageError(message, place=name, hint=hint) from None
    return found  # type: ignore[return-value]


def is_system_name(name: str) -> bool:
    """Tell whether an argument that may also be a file names a system.

    >>> is_system_name("lemma"), is_system_name("mine:System"), is_system_name("runs/a.conll")
    (True, True, False)
    """
    as_module = re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", name) and not Path(name).exists()
    return bool(as_module) or name in SYSTEMS


def names_of(test: Callable[[object], bool]) -> list[str]:
    """Return the names of the systems whose class passes ``test``, all that can be imported.

    >>> from cdec.system import is_learner
    >>> names_of(is_learner)
    ['sac', 'sac-plus']
    """
    known = (entry.name for entry in SYSTEMS.entries() if not entry.problem)
    return [name for name in known if test(SYSTEMS[name])]


def ready_names() -> list[str]:
    """Return the names of the systems of cdec that need no training.

    >>> ready_names()
    ['lemma', 'lemma-wd', 'lemma-delta', 'lemma-docs']
    """
    return [name for name in SYSTEMS.own if name not in _LEARNERS]


def _taken(make: Callable[..., Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters without those of ``_OFFERED`` that ``make`` does not take."""
    known = signature(make).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values()):
        return parameters
    return {key: x for key, x in parameters.items() if key in known or key not in _OFFERED}


def _module(module: str, name: str) -> ModuleType:
    try:
        with _from_working_directory():
            return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _import_error(name, error) from error
        message = f"there is no module '{error.name}'"
        hint = "run cdec in the folder that holds it, or name that folder in PYTHONPATH"
        raise UsageError(message, place=name, hint=hint) from None
    # Whatever the module does, also to end the program.
    except (Exception, SystemExit) as error:
        raise _import_error(name, error) from error


def _import_error(name: str, error: BaseException) -> UsageError:
    message = f"the module cannot be imported: {reason(error)}"
    return UsageError(message, place=name, hint="`python -c 'import …'` shows where it fails")


@contextmanager
def _from_working_directory() -> Iterator[None]:
    """Let Python find modules in the working directory, as ``python -m`` does, for one import."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
