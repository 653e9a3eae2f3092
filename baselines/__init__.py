"""The baseline systems and those of other packages, by name.

A system is imported on first use: some need libraries that take a second to import.
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

from cdec.errors import PluginError, UnknownNameError, UsageError
from cdec.evaluation.run import check_system, run
from cdec.plugins import Registry, errors_of_plugin, reason
from cdec.rooms import added
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


# Those of Upadhyay et al. (2016), which commands score if the call names no system.
_OF_PAPER = {
    "lemma": "cdec.baselines.lemma:Lemma",
    "lemma-wd": "cdec.baselines.lemma:LemmaWD",
    "lemma-delta": "cdec.baselines.lemma_delta:LemmaDelta",
}
SYSTEMS: Registry[type[Any]] = Registry(
    "system",
    "cdec.systems",
    {**_OF_PAPER, **added("system")},
    _check,
)
DEFAULT = tuple(_OF_PAPER)
# Commands pass these to every system; a system that does not accept one does not receive it.
_OFFERED = ("pipeline", "progress")


def system(name: str, **parameters: Any) -> System:
    """Return the system ``name``, constructed with ``parameters``.

    ``name`` is in ``SYSTEMS``, or is ``module:Class``. ``pipeline`` and ``progress`` are passed
    only to a system that accepts them. Raises UnknownNameError for an unknown name, PluginError if
    the constructor of another package's system fails.

    >>> system("lemma-delta", delta=0.3).parameters["delta"]
    0.3
    """
    name = system_id(name)
    constructor = system_class(name)
    if name in SYSTEMS.own:
        return constructor(**parameters)  # type: ignore[no-any-return]
    hint = "give its parameters default values"
    with errors_of_plugin(f"the system '{name}' cannot be constructed", hint):
        instance: System = constructor(**_accepted(constructor, parameters))
        check_system(instance)
    if name in SYSTEMS and instance.name != name:
        message = f"the entry point is named '{name}', but the system's name is '{instance.name}'"
        hint = "use the same name in both places"
        raise PluginError("system-invalid", message, place=SYSTEMS.origin(name), hint=hint)
    return instance


def system_class(name: str) -> type[Any]:
    """Return the class of the system ``name``, which may be ``module:Class``.

    The module is searched in the working directory, too. Raises UnknownNameError, and UsageError
    if the module cannot be imported or does not contain such a system.

    >>> system_class("lemma").__name__
    'Lemma'
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return SYSTEMS[name]
    if not all(part.isidentifier() for part in [*module.split("."), attribute]):
        message = f"'{name}' is not of the form module:Class"
        raise UsageError("system-invalid", message, hint="write it as in my_module:MySystem")
    value = getattr(_module(module, name), attribute, None)
    try:
        _check(name, value)
    except TypeError:
        message = f"'{attribute}' is not a system" if value else f"the module has no '{attribute}'"
        hint = "name a class with name, parameters and predict: see cdec.baselines.System"
        raise UsageError("system-invalid", message, place=name, hint=hint) from None
    return value  # type: ignore[return-value]


def is_system_name(name: str) -> bool:
    """Return whether an argument is the name of a system, not of a file.

    >>> is_system_name("lemma"), is_system_name("mine:System"), is_system_name("runs/a.conll")
    (True, True, False)
    """
    if name in SYSTEMS:
        return True
    as_module = re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", name)
    if as_module and name.partition(":")[0] in added("response scheme"):
        return False
    return bool(as_module or SYSTEMS.registered(name)) and not Path(name).exists()


def system_id(name: str) -> str:
    """Return the id of a system for its name in any case; any other text as it is.

    >>> system_id("Lemma-WD"), system_id("mine:System")
    ('lemma-wd', 'mine:System')
    """
    return SYSTEMS.registered(name) or name


def names_system(text: str) -> bool:
    """Return as ``is_system_name``; raise UnknownNameError for a word that is no file either."""
    is_system = is_system_name(text)
    if not is_system and re.fullmatch(r"\w[\w-]*", text) and not Path(text).exists():
        raise UnknownNameError("system", text, [*SYSTEMS, "FILE"])
    return is_system


def names_of(test: Callable[[object], bool]) -> list[str]:
    """Return the names of the systems whose class passes ``test``; failing imports are skipped.

    >>> from cdec.system import is_learner
    >>> names_of(is_learner)
    ['sac']
    """
    known = (entry.name for entry in SYSTEMS.entries() if not entry.problem)
    return [name for name in known if test(SYSTEMS[name])]


def _accepted(constructor: Callable[..., Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters without those of ``_OFFERED`` that ``constructor`` does not accept."""
    known = signature(constructor).parameters
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
        message = f"module '{error.name}' not found"
        hint = "run cdec in the folder that contains it, or add that folder to PYTHONPATH"
        raise UsageError("system-invalid", message, place=name, hint=hint) from None
    # SystemExit too: the module is code of the user and may call sys.exit().
    except (Exception, SystemExit) as error:
        raise _import_error(name, error) from error


def _import_error(name: str, error: BaseException) -> UsageError:
    message = f"the module cannot be imported: {reason(error)}"
    hint = "`python -c 'import …'` shows the traceback"
    return UsageError("system-invalid", message, place=name, hint=hint)


@contextmanager
def _from_working_directory() -> Iterator[None]:
    """Add the working directory to the module search path, as ``python -m`` does."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
