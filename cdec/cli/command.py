"""A command: the options that it takes, and a function of their values.

::

    @command(CORPUS, SHOWN_SPLIT, *REPORT)
    def stats(call: Run) -> None: ...

Typer sees the options; the function receives their values, and its docstring is the help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any

import typer

from cdec.cli.call import Call
from cdec.cli.option import Option, refuse_overwriting
from cdec.cli.options import FORMAT, TO
from cdec.cli.run import Run

_NO_ENDINGS: Mapping[str, str] = MappingProxyType({})


def command(
    *options: Option, endings: Mapping[str, str] = _NO_ENDINGS
) -> Callable[[Callable[[Run], None]], Callable[..., None]]:
    """Return a decorator that makes a function of a ``Run`` a command with these options.

    ``endings``: those of --output that name a format, besides the formats of a page. Raises
    ValueError if two options have one name.
    """
    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    signature = Signature([context, *(option.parameter for option in options)])

    def decorated(function: Callable[[Run], None]) -> Callable[..., None]:
        @wraps(function)
        def run(context: typer.Context, **values: Any) -> None:
            refuse_overwriting(options, values)
            call = Run(context, options, values, endings)
            _check_ending(call)
            with _workers(call):
                function(call)

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
        return run

    return decorated


def _check_ending(call: Call) -> None:
    """Raise UsageError if the ending of --output is not that of its format."""
    if FORMAT in call.options:
        _ = call.page_format
    if TO in call.options:
        _ = call.file_format


@contextmanager
def _workers(call: Call) -> Iterator[None]:
    """Let a command with --jobs use the workers of the call."""
    if "jobs" not in call.values:
        yield
        return
    from cdec.io.jobs import workers

    with workers(call.jobs, call.scheduler):
        yield
