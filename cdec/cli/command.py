"""The program and its commands: a command is a function, its parameters are options or groups.

::

    @command(app, "predict")
    def predict(system: o.System = None, *, source: o.PartOf, out: o.Chains) -> None: ...

A parameter whose type is a dataclass is a group: its fields are options of the command, and the
function receives the object. ``out`` shows notices and progress meanwhile, ``work`` says who does
the work. A room hangs a group on a command that takes ``**more`` by an entry ``options of NAME``
(``cdec.catalogue``). ``--help`` shows the first sentence of each option, without the rare ones
(``hidden``); ``--help-all`` shows everything.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from os.path import realpath
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from cdec._version import __version__
from cdec.catalogue import added, entries, imported, names
from cdec.errors import UsageError, shown_by
from cdec.files.jobs import workers
from cdec.files.progress import bar, showing
from cdec.records import Row

COMMANDS = entries("command")
# The panels of the first help; it does not show the other commands.
_PANELS = {
    **dict.fromkeys(
        ("eval", "score", "compare", "diagnose", "pairs", "check"), "Score"
    ),
    **dict.fromkeys(("predict", "tune", "train"), "Systems"),
    **dict.fromkeys(
        ("corpus", "audit", "leaderboard", "reproduce"), "Data, boards, the paper"
    ),
}
# Libraries that can change a score: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")
_ALL = "--help-all"
_WRITTEN = ("output", "pairs_out", "plot")  # options that name a file to be written
_BY_NAME = Parameter.KEYWORD_ONLY
_called: ContextVar[typer.Context] = ContextVar("called")


def option(
    form: str,
    help: str,
    *,
    default: Any = ...,
    rare: bool = False,
    kind: str = "",
    **facts: Any,
) -> Any:
    """Return an option of typer: the default of a parameter, or, without one, its annotation.

    ``form`` has its names and the word for its value, as in ``--output -o FILE``; a ``rare`` one is
    hidden. The shell completes a SETTING, METRIC or SYSTEM, or a name of another ``kind``, as
    ``cdec.catalogue`` has them.
    """
    names = [word for word in form.split() if word.startswith("-")]
    value = " ".join(word for word in form.split() if not word.startswith("-"))
    return typer.Option(
        default,
        *names,
        metavar=value or None,
        help=help,
        hidden=rare,
        autocompletion=completer(kind or value.lower()),
        **facts,
    )


def completer(kind: str) -> Callable[[str], list[str]] | None:
    """Return the function that completes the beginning of a name, None for an unknown kind."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names(kind) if name.startswith(incomplete)]

    return complete if kind == "corpus" or entries(kind) else None


def argument(
    metavar: str,
    help: str,
    default: Any = ...,
    kind: str = "",
) -> Any:
    """Return an argument of typer, as ``option`` does."""
    return typer.Argument(
        default,
        metavar=metavar,
        help=help,
        show_default=False,
        autocompletion=completer(kind or metavar.lower()),
    )


# ---- the program ----


class Program(TyperGroup):
    """The program, which imports a command when it is called, and builds its options once."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or the group of commands, of a name; None if it is unknown."""
        if cmd_name in COMMANDS and self.commands[cmd_name] is None:
            group = get_group(imported(COMMANDS[cmd_name]))
            called: Any = group.commands.get(cmd_name, group)
            called.name = cmd_name
            called.rich_help_panel = _PANELS.get(cmd_name)
            called.hidden = cmd_name not in _PANELS
            self.commands[cmd_name] = called
        return self.commands.get(cmd_name)


_app = typer.Typer(
    name="cdec",
    cls=Program,
    help="Evaluate cross-document event coreference: every setting, every metric, "
    "one signature.\n\nWithout ECB+ (`cdec corpus add ecb+`) commands use a small sample.\n\n"
    "\b\n# The baselines under the strictest setting\ncdec eval --setting pure\n"
    "# Your system against the gold chains of the corpus\ncdec eval mine.conll\n"
    "# A response file against a key file\ncdec score key.conll response.conll --scope corpus",
    epilog="`cdec plugins` lists systems, metrics, settings and formats, docs/errors.md the codes "
    "that --verbose shows. `cdec --install-completion` completes names.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@_app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: bool = option(
        "--version", "Show the versions that can change a score.", default=False
    ),
    debug: bool = option("--debug", "Show the traceback of an error.", default=False),
) -> None:
    """Print the versions if the call asks for them; ``--debug`` is read by ``cdec.cli.start``."""
    if version:
        from importlib.metadata import distributions

        versions = {library.name: library.version for library in distributions()}
        libraries = [
            f"{name} {versions.get(name, 'not installed')}" for name in _LIBRARIES
        ]
        python = platform.python_version()
        typer.echo(f"cdec {__version__} (Python {python}; {', '.join(libraries)})")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


program: Any = get_command(_app)
program.commands = dict.fromkeys([*_PANELS, *COMMANDS])
for _option in program.params:  # the epilog names the options of completion
    _option.hidden = "completion" in _option.name


# ---- a command ----


class Command(TyperCommand):
    """A command, whose help is in brief unless the call asks for all."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        shown: Any = deepcopy(self)  # the next call may ask for the other help
        help_option = shown.get_help_option(ctx)
        help_option.opts = ["-h", "--help"]
        help_option.help = f"Show this help; with {_ALL} everything."
        for parameter in shown.params:
            if _ALL in sys.argv:
                parameter.hidden = False
            else:
                sentences = re.split(r"(?<=[\w)\]+]\.) ", parameter.help or "")
                parameter.help = sentences[0]
                parameter.show_default = False
        super(Command, shown).format_help(ctx, formatter)


def command(app: typer.Typer, name: str) -> Callable[[Any], Any]:
    """Return a decorator that adds a function to ``app`` as the command ``name``."""

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        groups: Row = {}
        options = []
        for parameter in _parameters(function):
            if is_dataclass(parameter.annotation):
                groups[parameter.name] = parameter.annotation
            elif parameter.kind is Parameter.VAR_KEYWORD:
                for room, text in added(f"options of {name}").items():
                    groups[room] = imported(text)
            else:
                options.append(parameter)
        members = {group: _parameters(kind) for group, kind in groups.items()}
        for parameters in members.values():
            options += parameters
        options.append(Parameter("context", _BY_NAME, annotation=typer.Context))

        @wraps(function)
        def run(context: typer.Context, **values: Any) -> None:
            _called.set(context)
            written = [
                name for name in _WRITTEN if values.get(name) and values[name].is_file()
            ]
            if written:
                _refuse_overwriting(written, values)
            for group, kind in groups.items():
                fields = {
                    option.name: values.pop(option.name) for option in members[group]
                }
                values[group] = kind(**fields)
            out = values["out"]
            work = values.get("work")
            progress = nullcontext() if out.quiet else showing(bar)
            done_by = workers(work.jobs, work.scheduler) if work else nullcontext()
            with shown_by(out.notify), progress, done_by:
                function(**values)

        keywords = [option.replace(kind=_BY_NAME) for option in options]
        run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in keywords}
        context = {"help_option_names": ["-h", "--help", _ALL]}
        app.command(name, cls=Command, context_settings=context)(run)
        return function

    return decorated


def _parameters(function: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a function or a dataclass, with types instead of their text."""
    types = get_type_hints(function, include_extras=True)
    parameters = signature(function).parameters.values()
    return [
        parameter.replace(annotation=types[parameter.name]) for parameter in parameters
    ]


def _refuse_overwriting(written: list[str], values: Row) -> None:
    """Raise UsageError if the call reads a file that one of the options ``written`` names."""
    files = set[str]()
    for name, value in values.items():
        if name in _WRITTEN:
            continue
        for text in map(str, value if isinstance(value, list) else [value]):
            # A file may be inside a text, as in ``NAME=FILE,FILE`` and ``FILE@.5``.
            files.update(map(realpath, (text, *re.split("[=,:@]", text))))
    for name in written:
        if realpath(values[name]) in files:
            raise UsageError(
                "file-unwritable",
                f"--{name.replace('_', '-')} would overwrite a file that this command reads",
                place=values[name],
                hint="name another file",
            )


def listed(names: Iterable[str]) -> str:
    """Return the names as an enumeration.

    >>> listed(["key", "response"])
    'key or response'
    """
    *first, end = [*names] or [""]
    if not first:
        return end
    return f"{', '.join(first)} or {end}"


# ---- the options that the call sets ----


def given(*names: str) -> list[str]:
    """Return the options among ``names`` that the call sets, as they are typed (``--seed``)."""
    context = _called.get()
    forms = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    flags = []
    for name in names:
        source = context.get_parameter_source(name)
        if source and source.name == "COMMANDLINE":
            is_option = forms[name].startswith("-")
            flags.append(forms[name] if is_option else name.upper())
    return flags


def refuse(beside: str, *names: str) -> None:
    """Raise UsageError if the call sets one of the options, which ``beside`` excludes."""
    for flag in given(*names):
        raise UsageError(
            "option-conflict",
            f"{flag} cannot be combined with {beside}",
            hint=f"drop {flag}, or {beside}",
        )


def require(other: str, *names: str, hint: str = "") -> None:
    """Raise UsageError if the call sets one of the options, which need ``other``."""
    for flag in given(*names):
        message = f"{flag} has no effect without {other}"
        hint = hint or f"add {other}, or drop {flag}"
        raise UsageError("option-conflict", message, hint=hint)
