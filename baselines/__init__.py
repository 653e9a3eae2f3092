"""The baseline systems and those of other packages, by name, and what they find heads with.

A system is imported on first use: some need libraries that take a second to import.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from cdec.catalogue import added, entries
from cdec.errors import PluginError, UnknownNameError, UsageError
from cdec.evaluation.systems import check_system, run
from cdec.language.heads import heads
from cdec.language.pipeline import PIPELINES, Pipeline, pipeline
from cdec.plugins import Registry, errors_of_plugin, matching_name, reason
from cdec.system import Learner, System, Tunable

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


def _check(name: str, value: object) -> None:
    if not isinstance(value, type) or not callable(getattr(value, "predict", None)):
        raise TypeError(f"expected a class with predict, got {value!r:.60}")


# Those of Upadhyay et al. (2016) that need no training; commands score them if no system is named.
DEFAULT = tuple(name for name in entries("system") if name not in added("system"))
SYSTEMS: Registry[type[Any]] = Registry(
    "system", "cdec.systems", entries("system"), _check
)
# Commands pass these to every system; a system that does not accept one does not receive it.
_OPTIONAL = ("pipeline", "progress")


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
        accepted = signature(constructor).parameters
        kinds = [parameter.kind for parameter in accepted.values()]
        if Parameter.VAR_KEYWORD not in kinds:
            for option in _OPTIONAL:
                if option not in accepted:
                    parameters.pop(option, None)
        instance: System = constructor(**parameters)
        check_system(instance)
    if name in SYSTEMS and instance.name != name:
        raise PluginError(
            "system-invalid",
            f"the entry point is named '{name}', but the system's name is '{instance.name}'",
            place=SYSTEMS.origin(name),
            hint="use the same name in both places",
        )
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

    def invalid(message: str, hint: str) -> UsageError:
        return UsageError("system-invalid", message, place=name, hint=hint)

    if not all(part.isidentifier() for part in [*module.split("."), attribute]):
        raise invalid(
            "not of the form module:Class", "write it as in my_module:MySystem"
        )
    folder = str(Path.cwd())
    sys.path.insert(0, folder)  # as ``python -m`` does
    try:
        value = getattr(import_module(module), attribute, None)
    # SystemExit too: the module is code of the user and may call sys.exit().
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(
            f"{error.name}."
        ):
            raise invalid(
                f"module '{error.name}' not found",
                "run cdec in the folder that contains it, or add that folder to PYTHONPATH",
            ) from None
        raise invalid(
            f"the module cannot be imported: {reason(error)}",
            "`python -c 'import …'` shows the traceback",
        ) from error
    finally:
        sys.path.remove(folder)
    try:
        _check(name, value)
    except TypeError:
        raise invalid(
            f"'{attribute}' is not a system"
            if value
            else f"the module has no '{attribute}'",
            "name a class with name, parameters and predict: see cdec.baselines.System",
        ) from None
    return value  # type: ignore[return-value]


def system_id(name: str) -> str:
    """Return the id of a system for its name in any case; any other text as it is.

    >>> system_id("Lemma-WD"), system_id("mine:System")
    ('lemma-wd', 'mine:System')
    """
    return matching_name(name, SYSTEMS) or name


def names_system(text: str) -> bool:
    """Return whether an argument is the name of a system, not of a file.

    Raises UnknownNameError for a word that is no file either.

    >>> names_system("lemma"), names_system("mine:System"), names_system("runs/a.conll")
    (True, True, False)
    """
    if text in SYSTEMS:
        return True
    as_module = re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", text)
    if as_module and text.partition(":")[0] in added("response scheme"):
        return False
    is_system = bool(as_module or matching_name(text, SYSTEMS))
    if not (is_system or re.fullmatch(r"\w[\w-]*", text)) or Path(text).exists():
        return False
    if not is_system:
        raise UnknownNameError("system", text, [*SYSTEMS, "FILE"])
    return True


def names_of(test: Callable[[object], bool]) -> list[str]:
    """Return the names of the systems whose class passes ``test``; failing imports are skipped.

    >>> from cdec.system import is_learner
    >>> names_of(is_learner)
    ['sac']
    """
    names = [entry["name"] for entry in SYSTEMS.entries() if not entry["problem"]]
    return [name for name in names if test(SYSTEMS[name])]
