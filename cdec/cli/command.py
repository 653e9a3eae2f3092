"""The program and its commands: a command is a function, its parameters are options or groups.

::

    @command(app, "predict")
    def predict(system: o.System = None, *, source: o.PartOf, out: o.Chains) -> None: ...

A parameter whose type is a dataclass is a group: its fields are options of the command, and the
function receives the object. ``out`` shows notices and progress meanwhile, ``work`` says who does
the work. A room hangs a group on a command that takes ``**more`` by an entry ``options of NAME``
(``cdec.rooms``). ``--help`` shows the first sentence of each option, without the rare ones
(``hidden``); ``--help-all`` shows everything.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import is_dataclass
from functools import wraps
from importlib.metadata import distributions
from inspect import Parameter, Signature, signature
from os.path import realpath
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from cdec._version import __version__
from cdec.errors import UsageError, shown_by
from cdec.files.jobs import workers
from cdec.files.progress import bar, showing
from cdec.rooms import added, imported

COMMANDS = {
    **dict.fromkeys(("eval", "score", "compare", "check"), "cdec.cli.score:app"),
    **dict.fromkeys(("predict", "tune", "train", "plugins"), "cdec.cli.systems:app"),
    "corpus": "cdec.cli.corpus:app",
    **added("command"),
}
# The panels of the first help; it does not show the other commands.
_PANELS = {
    **dict.fromkeys(("eval", "score", "compare", "diagnose", "pairs", "check"), "Score"),
    **dict.fromkeys(("predict", "tune", "train"), "Systems"),
    **dict.fromkeys(("corpus", "audit", "leaderboard", "reproduce"), "Data, boards, the paper"),
}
# Libraries that can change a score: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")
_ALL = "--help-all"
_WRITTEN = ("output", "pairs_out", "plot")  # options that name a file to be written
_BY_NAME = Parameter.KEYWORD_ONLY
_called: ContextVar[typer.Context] = ContextVar("called")


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


# ---- the program ----


class Program(TyperGroup):
    """The program, which imports a command when it is called."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or the group of commands, of a name; None if it is unknown."""
        if cmd_name not in COMMANDS:
            return None
        group = get_group(imported(COMMANDS[cmd_name]))
        found: Any = group.commands.get(cmd_name, group)
        found.name = cmd_name
        found.rich_help_panel = _PANELS.get(cmd_name)
        found.hidden = cmd_name not in _PANELS
        return found


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
        found = {one.name: one.version for one in distributions()}
        libraries = ", ".join(f"{n} {found.get(n, 'not installed')}" for n in _LIBRARIES)
        typer.echo(f"cdec {__version__} (Python {platform.python_version()}; {libraries})")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


program: Any = get_command(_app)
program.commands = dict.fromkeys([*_PANELS, *COMMANDS])
for _one in program.params:  # the epilog names the options of completion
    _one.hidden = "completion" in _one.name


# ---- a command ----


class Command(TyperCommand):
    """A command, whose help is in brief unless the call asks for all."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        own: Any = self.get_help_option(ctx)
        own.opts = ["-h", "--help"]
        own.help = f"Show this help; with {_ALL} everything."
        for parameter in self.params:
            each: Any = parameter
            if _ALL in sys.argv:
                each.hidden = False
            else:
                each.help = re.split(r"(?<=[\w)\]+]\.) ", each.help or "")[0]
                each.show_default = False
        super().format_help(ctx, formatter)


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
        options.append(Parameter("context", _BY_NAME, annotation=typer.Context))

        @wraps(function)
        def run(context: typer.Context, **given: Any) -> None:
            _called.set(context)
            written = [key for key in _WRITTEN if given.get(key) and given[key].is_file()]
            if written:
                _refuse_overwriting(written, given)
            made = {
                key: kind(**{one.name: given.pop(one.name) for one in members[key]})
                for key, kind in groups.items()
            }
            out = made["out"]
            work = made.get("work")
            progress = nullcontext() if out.quiet else showing(bar)
            done_by = workers(work.jobs, work.scheduler) if work else nullcontext()
            with shown_by(out.notify), progress, done_by:
                function(**given, **made)

        keywords = [one.replace(kind=_BY_NAME) for one in options]
        run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in keywords}
        names = ["-h", "--help", _ALL]
        app.command(name, cls=Command, context_settings={"help_option_names": names})(run)
        return function

    return decorated


def _parameters(of: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a function or a dataclass, with types instead of their text."""
    types = get_type_hints(of, include_extras=True)
    every = signature(of).parameters.values()
    return [one.replace(annotation=types[one.name]) for one in every]


def _refuse_overwriting(written: list[str], values: dict[str, Any]) -> None:
    """Raise UsageError if the call reads a file that one of the options ``written`` names."""
    read = [values[name] for name in values if name not in _WRITTEN]
    texts = [str(one) for each in read for one in (each if isinstance(each, list) else [each])]
    # A file may be inside a text, as in ``NAME=FILE,FILE`` and ``FILE@.5``.
    files = {realpath(part) for text in texts for part in (text, *re.split("[=,:@]", text))}
    for name in written:
        if realpath(values[name]) in files:
            message = f"{given(name)[0]} would overwrite a file that this command reads"
            hint = "name another file"
            raise UsageError("file-unwritable", message, place=values[name], hint=hint)


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return the names as an enumeration.

    >>> listed(["key", "response"])
    'key or response'
    """
    *most, end = [*names] or [""]
    return f"{', '.join(most)} {last} {end}" if most else end


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
