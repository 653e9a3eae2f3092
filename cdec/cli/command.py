"""A command: a function whose parameters are options of typer, and groups of options.

::

    @command(app, "predict")
    def predict(system: o.System = None, *, source: o.Source, out: o.Written) -> None: ...

A parameter whose type is a dataclass is a group: its fields are options of the command, and the
function receives the object. Its ``panel`` is the title of its options in the help. A group that
is a context manager is open while the command runs.
``--help`` shows the first sentence of each option, without the rare ones (``hidden``);
``--help-all`` shows everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from cdec.errors import UsageError, one_of
from cdec.rooms import imported

_ALL = "cdec.help-all"
_WRITTEN = ("output", "pairs_out", "plot")  # options that name a file to be written
_called: ContextVar[typer.Context] = ContextVar("called")


def command(app: typer.Typer, name: str, **facts: Any) -> Callable[[Any], Any]:
    """Return a decorator that adds a function to ``app`` as the command ``name``."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        groups: dict[str, Any] = {one: kind for one, kind in hints.items() if is_dataclass(kind)}
        parameters = [Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
        for one in signature(function).parameters.values():
            home = groups.get(one.name)
            group = _options(home) if home else [one]
            kinds = get_type_hints(home or function, include_extras=True)
            for each in group if home else []:
                (info,) = kinds[each.name].__metadata__
                info.rich_help_panel = getattr(home, "panel", None)
            form = {"kind": Parameter.KEYWORD_ONLY}
            parameters += [each.replace(annotation=kinds[each.name], **form) for each in group]  # type: ignore[arg-type]
        parameters.append(_HELP_ALL)

        @wraps(function)
        def run(context: typer.Context, help_all: bool = False, **given: Any) -> None:
            _called.set(context)
            _refuse_overwriting(given)
            made = {
                one: kind(**{each.name: given.pop(each.name) for each in _options(kind)})
                for one, kind in groups.items()
            }
            with ExitStack() as stack:
                for group in made.values():
                    if isinstance(group, AbstractContextManager):
                        stack.enter_context(group)
                function(**given, **made)

        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        app.command(name, cls=Command, **facts)(run)
        return function

    return decorated


def _options(group: Any) -> list[Parameter]:
    """Return the fields of a group as parameters."""
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(group)
        if each.init
    ]


def option(
    names: str,
    metavar: str | None,
    help: str,
    *,
    known: str = "",
    kind: str = "",
    rare: bool = False,
    **facts: Any,
) -> Any:
    """Return an option of typer; ``names`` are divided by blanks, a ``rare`` one is hidden.

    ``known`` is ``module:attribute`` of the only names that it accepts, and ``kind`` what they
    name: another value is an UnknownNameError with the nearest name.
    """
    if known:
        facts["callback"] = _check(kind, known)
    return typer.Option(*names.split(), metavar=metavar, help=help, hidden=rare, **facts)


def argument(metavar: str, help: str) -> Any:
    """Return an argument of typer."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def _check(kind: str, known: str) -> Callable[[typer.Context, Any, Any], Any]:
    def checked(context: typer.Context, parameter: Any, value: Any) -> Any:
        if _is_given(context, parameter.name):
            names = imported(known)
            for one in value if isinstance(value, list | tuple) else [value]:
                one_of(kind, one, names)
        return value

    checked.__annotations__ = {"context": typer.Context, "parameter": Any, "value": Any}
    return checked


# ---- the options that the call sets ----


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def given(*names: str) -> list[str]:
    """Return the options among ``names`` that the call sets, as they are typed (``--seed``)."""
    context = _called.get()
    flags = {each.name: each.opts[0] for each in context.command.params}
    return [
        flags[name] if flags[name].startswith("-") else name.upper()
        for name in names
        if _is_given(context, name)
    ]


def refuse(beside: str, *names: str) -> None:
    """Raise UsageError if the call sets one of the options, which ``beside`` excludes."""
    for flag in given(*names):
        message = f"{flag} cannot be combined with {beside}"
        raise UsageError("option-conflict", message, hint=f"drop {flag}, or {beside}")


def require(other: str, *names: str, hint: str = "") -> None:
    """Raise UsageError if the call sets one of the options, which need ``other``."""
    for flag in given(*names):
        message = f"{flag} has no effect without {other}"
        hint = hint or f"add {other}, or drop {flag}"
        raise UsageError("option-conflict", message, hint=hint)


def _refuse_overwriting(values: dict[str, Any]) -> None:
    """Raise UsageError if the call would write a file that it reads, or one file twice."""
    written = {name: values[name] for name in _WRITTEN if values.get(name) is not None}
    for (one, path), (other, same) in combinations(written.items(), 2):
        if path.resolve() == same.resolve():
            message = f"{' and '.join(given(one, other))} name the same file"
            raise UsageError("file-unwritable", message, place=path, hint="name two files")
    read = {Path(text) for name, value in values.items() if name not in written
            for text in _texts(value)}  # fmt: skip
    for name, path in written.items():
        if path.is_file() and any(_is_same(one, path) for one in read):
            message = f"{given(name)[0]} would overwrite a file that this command reads"
            raise UsageError("file-unwritable", message, place=path, hint="name another file")


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value that may name a file, as in ``NAME=FILE,FILE``, ``FILE@.5``."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str | Path):
        text = str(value)
        yield from (text, *re.split("[=,:@]", text), *re.split("[=:]", text))
        yield text.rpartition("/")[0]
        yield from (text.partition("=")[2], text.partition(":")[2])


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # no such file, or not a valid file name
        return False


# ---- help ----


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[_ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit


_HELP_ALL = Parameter(
    "help_all",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--help-all",
            callback=_show_all,
            is_eager=True,
            expose_value=False,
            help="Show everything.",
        ),
    ],
)


class Command(TyperCommand):
    """A command, whose help is in brief unless the call asks for all."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        for parameter in self.params:
            if _ALL in ctx.meta:
                parameter.hidden = False  # type: ignore[attr-defined]
            else:
                text = getattr(parameter, "help", None) or ""
                parameter.help = re.split(r"(?<=[\w)\]+]\.) ", text)[0]  # type: ignore[attr-defined]
                parameter.show_default = False  # type: ignore[attr-defined]
                parameter.rich_help_panel = None  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return the names as an enumeration.

    >>> listed(["key", "response"])
    'key or response'
    """
    *most, end = [*names] or [""]
    return f"{', '.join(most)} {last} {end}" if most else end
