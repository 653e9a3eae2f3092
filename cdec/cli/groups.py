"""Groups of options: a command takes one dataclass instead of many parameters.

::

    @dataclass(frozen=True)
    class CorpusOptions:
        corpus: Annotated[str | None, typer.Option("--corpus")] = None

    @grouped
    def stats(*, diversity: bool = False, corpus: CorpusOptions) -> None: ...

Typer sees the options ``--diversity`` and ``--corpus``; the function receives an instance of the
group. A default of the parameter (``= CorpusOptions("sample")``) sets the options' defaults. The
command runs inside the method ``during`` of a group, if it has one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, wraps
from inspect import Parameter, Signature
from typing import Any, get_type_hints

from cdec.cli.overwriting import refuse_overwriting


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with its groups replaced by their options."""
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters
    groups = {name: hints[name] for name in parameters if is_dataclass(hints[name])}

    @wraps(command)
    def flat(**values: Any) -> None:
        refuse_overwriting(options, values)
        instances = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        with ExitStack() as stack:
            for group in instances.values():
                if hasattr(group, "during"):
                    stack.enter_context(group.during())
            command(**values, **instances)

    options: list[Parameter] = []
    for name, parameter in parameters.items():
        if name in groups:
            options += _options(groups[name], parameter.default)
        else:
            option = parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
            options.append(option)
    flat.__signature__ = Signature(options)  # type: ignore[attr-defined]
    flat.__annotations__ = {option.name: option.annotation for option in options}
    return flat


@cache  # annotations are text to be evaluated, and several commands share a group
def _hints(group: type[Any]) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)


def _options(group: type[Any], default_group: object) -> Iterator[Parameter]:
    hints = _hints(group)  # type: ignore[arg-type]  # mypy: a class has no __hash__
    for field in fields(group):
        own = Parameter.empty if field.default is MISSING else field.default
        default = own if default_group is Parameter.empty else getattr(default_group, field.name)
        kind = Parameter.KEYWORD_ONLY
        yield Parameter(field.name, kind, default=default, annotation=hints[field.name])
