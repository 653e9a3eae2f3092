"""A command: a function whose parameters are options of typer, and groups of options.

::

    @command(app, "predict")
    def predict(system: o.System = None, *, source: o.PartOf, out: o.Chains) -> None: ...

A parameter whose type is a dataclass is a group: its fields are options of the command, and the
function receives the object, whose context ``opened()``, if it has one, is open meanwhile. A room
hangs a group on a command that takes ``**more`` by an entry ``options of NAME`` (``cdec.rooms``).
``--help`` shows the first sentence of each option, without the rare ones (``hidden``);
``--help-all`` shows everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from os.path import realpath
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from cdec.errors import UsageError
from cdec.rooms import added, imported

_ALL = "cdec.help-all"
_WRITTEN = ("output", "pairs_out", "plot")  # options that name a file to be written
_called: ContextVar[typer.Context] = ContextVar("called")


def command(app: typer.Typer, name: str) -> Callable[[Any], Any]:
    """Return a decorator that adds a function to ``app`` as the command ``name``."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        options = _parameters(function)
        groups: dict[str, Any] = {
            one.name: one.annotation for one in options if is_dataclass(one.annotation)
        }
        options = [one for one in options if one.name not in groups]
        if options and options[-1].kind is Parameter.VAR_KEYWORD:
            options.pop()
            groups |= {key: imported(text) for key, text in added(f"options of {name}").items()}
        members = {key: _parameters(kind) for key, kind in groups.items()}
        options += [one for group in members.values() for one in group]
        options.append(Parameter("help_all", _BY_NAME, default=False, annotation=_HelpAll))
        options.append(Parameter("context", _BY_NAME, annotation=typer.Context))

        @wraps(function)
        def run(context: typer.Context, help_all: bool = False, **given: Any) -> None:
            _called.set(context)
            _refuse_overwriting(given)
            made = {
                key: kind(**{one.name: given.pop(one.name) for one in members[key]})
                for key, kind in groups.items()
            }
            with ExitStack() as stack:
                for group in made.values():
                    if hasattr(group, "opened"):
                        stack.enter_context(group.opened())
                function(**given, **made)

        keywords = [one.replace(kind=_BY_NAME) for one in options]
        run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in keywords}
        app.command(name, cls=Command)(run)
        return function

    return decorated


_BY_NAME = Parameter.KEYWORD_ONLY


def _parameters(of: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a function or a dataclass, with types instead of their text."""
    types = get_type_hints(of, include_extras=True)
    every = signature(of).parameters.values()
    return [one.replace(annotation=types[one.name]) for one in every]


def option(form: str, help: str, *, default: Any = ..., rare: bool = False, **facts: Any) -> Any:
    """Return an option of typer: the default of a parameter, or, without one, its annotation.

    ``form`` has its names and the word for its value, as in ``--output -o FILE``; a ``rare`` one is
    hidden.
    """
    names = [word for word in form.split() if word.startswith("-")]
    value = " ".join(word for word in form.split() if not word.startswith("-"))
    facts |= {"metavar": value or None, "help": help, "hidden": rare}
    return typer.Option(default, *names, **facts)


def argument(metavar: str, help: str, default: Any = ...) -> Any:
    """Return an argument of typer, as ``option`` does."""
    return typer.Argument(default, metavar=metavar, help=help, show_default=False)


# ---- the options that the call sets ----


def given(*names: str) -> list[str]:
    """Return the options among ``names`` that the call sets, as they are typed (``--seed``)."""
    context = _called.get()
    flags = {each.name: each.opts[0] for each in context.command.params}
    sources = {name: context.get_parameter_source(name) for name in names}
    typed = [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]
    return [flags[name] if flags[name][0] == "-" else name.upper() for name in typed]


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
    """Raise UsageError if the call would write a file that it reads."""
    written = [name for name in _WRITTEN if values.get(name) and values[name].is_file()]
    if not written:
        return
    read = [values[name] for name in values if name not in _WRITTEN]
    texts = [str(one) for each in read for one in (each if isinstance(each, list) else [each])]
    # A file may be inside a text, as in ``NAME=FILE,FILE`` and ``FILE@.5``.
    files = {realpath(part) for text in texts for part in (text, *re.split("[=,:@]", text))}
    for name in written:
        if realpath(values[name]) in files:
            message = f"{given(name)[0]} would overwrite a file that this command reads"
            hint = "name another file"
            raise UsageError("file-unwritable", message, place=values[name], hint=hint)


# ---- help ----


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[_ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit


_HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all", callback=_show_all, is_eager=True, expose_value=False, help="Show everything."
    ),
]


class Command(TyperCommand):
    """A command, whose help is in brief unless the call asks for all."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        for parameter in self.params:
            each: Any = parameter
            if _ALL in ctx.meta:
                each.hidden = False
            else:
                each.help = re.split(r"(?<=[\w)\]+]\.) ", each.help or "")[0]
                each.show_default = False
        super().format_help(ctx, formatter)


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return the names as an enumeration.

    >>> listed(["key", "response"])
    'key or response'
    """
    *most, end = [*names] or [""]
    return f"{', '.join(most)} {last} {end}" if most else end
