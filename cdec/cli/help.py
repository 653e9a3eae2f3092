"""The help of a command: ``--help`` on one screen, ``--help-all`` with every option and text.

A command whose options are all usual has ``--help`` only, which is then complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from cdec.cli.option import Option

_ALL = "cdec.help-all"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[_ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit


HELP_ALL = Parameter(
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
            help="Show every option, with its full text.",
        ),
    ],
)


def has_rare(options: Iterable[Option]) -> bool:
    """Return whether some of the options are shown by ``--help-all`` only."""
    return any(option.rare for option in options)


class Command(TyperCommand):
    """A command; ``options`` of its function are those of the call by name."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, in brief if there are rare options and the call does not ask for all."""
        options: Mapping[str, Option] = getattr(self.callback, "options", {})
        if has_rare(options.values()) and _ALL not in ctx.meta:
            for parameter in self.params:
                _shorten(parameter, options.get(parameter.name or ""))
        super().format_help(ctx, formatter)


def _shorten(parameter: Any, option: Option | None) -> None:
    parameter.rich_help_panel = None
    if option:
        parameter.hidden = option.rare
        parameter.help = option.brief or option.help
        parameter.metavar = option.sign or option.metavar
        parameter.show_default = False
