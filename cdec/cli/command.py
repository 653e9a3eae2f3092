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
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from os.path import realpath
from pathlib import Path
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
        hints = get_type_hints(function, include_extras=True)
        groups: dict[str, Any] = {one: kind for one, kind in hints.items() if is_dataclass(kind)}
        facts: list[tuple[str, Any, Any]] = []
        for own in signature(function).parameters.values():
            if own.kind is Parameter.VAR_KEYWORD:  # of rooms
                groups |= {n: imported(text) for n, text in added(f"options of {name}").items()}
            elif own.name not in groups:
                facts.append((own.name, own.default, hints[own.name]))
        members = {
            one: [each for each in fields(kind) if each.init] for one, kind in groups.items()
        }
        for one, group in groups.items():
            kinds = get_type_hints(group, include_extras=True)
            facts += [(each.name, each.default, kinds[each.name]) for each in members[one]]
        facts += [("help_all", False, _HelpAll), ("context", MISSING, typer.Context)]
        parameters = [
            Parameter(
                each,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is MISSING else default,
                annotation=kind,
            )
            for each, default, kind in facts
        ]

        @wraps(function)
        def run(context: typer.Context, help_all: bool = False, **given: Any) -> None:
            _called.set(context)
            _refuse_overwriting(given)
            made = {
                one: kind(**{each.name: given.pop(each.name) for each in members[one]})
                for one, kind in groups.items()
            }
            with ExitStack() as stack:
                for group in made.values():
                    if hasattr(group, "opened"):
                        stack.enter_context(group.opened())
                function(**given, **made)

        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        app.command(name, cls=Command)(run)
        return function

    return decorated


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
    sources = {name: context.get_parameter_source(name) for name in names}
    typed = {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    flags = {each.name: each.opts[0] for each in context.command.params}
    return [flags[n] if flags[n][0] == "-" else n.upper() for n in names if n in typed]


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
    for name in _WRITTEN:
        if (path := values.get(name)) and path.is_file():
            read = [one for other, one in values.items() if other != name]
            each = [
                one
                for several in read
                for one in (several if isinstance(several, list) else [several])
            ]
            # A file may be inside a text, as in ``NAME=FILE,FILE`` and ``FILE@.5``.
            texts = [str(one) for one in each if isinstance(one, str | Path)]
            pieces = {piece for text in texts for piece in (text, *re.split("[=,:@]", text))}
            if realpath(path) in map(realpath, pieces):
                message = f"{given(name)[0]} would overwrite a file that this command reads"
                raise UsageError("file-unwritable", message, place=path, hint="name another file")


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
