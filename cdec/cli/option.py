"""An option of the command line as facts, and the rule that no command overwrites what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from cdec.cli.names import Names
from cdec.errors import UsageError

_ANNOTATED: Any = Annotated


@dataclass(frozen=True)
class Option:
    """One option, or one argument: ``words`` without hyphens.

    * ``words``: its names, as in ``--output -o``; the first is the attribute of ``Call``;
    * ``metavar``, ``help`` and ``panel``: as ``--help`` shows them;
    * ``rare``: only ``--help-all`` shows it; ``--help`` has ``brief`` and ``sign`` of the others
      instead of ``help`` and ``metavar``;
    * ``type`` of one value, ``many`` for a list; without a default it is None unless ``required``;
    * ``choices``: the only values, if they are closed; ``check`` refuses others, and may replace
      the value;
    * ``reads``: the files that a value names; ``writes``: it names a file to be written.

    >>> seed = Option("--seed", "N", "Random seed.", int, 0)
    >>> seed.name, seed.but(default=1).default
    ('seed', 1)
    """

    words: str
    metavar: str | None
    help: str
    type: Any = str
    default: Any = None
    many: bool = False
    required: bool = False
    least: int | None = None
    panel: str | None = None
    choices: Names | None = None
    check: Callable[..., Any] | None = None
    reads: Callable[[Any], Iterable[Path]] | None = None
    writes: bool = False
    attribute: str = ""
    rare: bool = False
    brief: str = ""
    sign: str = ""

    @property
    def name(self) -> str:
        """The attribute of ``Call``: ``key_patch`` for ``--key-patch``, or ``attribute``."""
        first = re.split(r"[ /]", self.words.lstrip("-"))[0]
        return self.attribute or first.replace("-", "_")

    @property
    def flag(self) -> str:
        """The option as messages name it: ``--output``, or ``KEY`` for an argument."""
        return self.words.split()[0] if self.words.startswith("-") else self.words.upper()

    def but(self, **facts: Any) -> Option:
        """Return this option with some other facts."""
        return replace(self, **facts)

    @property
    def parameter(self) -> Parameter:
        """The parameter that typer sees."""
        value: Any = list[self.type] if self.many else self.type  # type: ignore[name-defined]
        if self.default is None and not self.required:
            value |= None
        facts: dict[str, Any] = {
            "metavar": self.metavar,
            "help": self.help,
            "rich_help_panel": self.panel,
        }
        if self.words.startswith("-"):
            info = typer.Option(*self.words.split(), **facts, min=self.least)
        else:
            info = typer.Argument(**facts, show_default=self.default is not None)
        default = Parameter.empty if self.required else self.default
        kind, annotation = Parameter.KEYWORD_ONLY, _ANNOTATED[value, info]
        return Parameter(self.name, kind, default=default, annotation=annotation)

    def files(self, value: Any) -> Iterator[Path]:
        """Yield the files to read that the value of the option names."""
        several = value if isinstance(value, list | tuple) else [value]
        for one in several if not self.writes else ():
            if isinstance(one, Path):
                yield one
            elif self.reads and one is not None:
                yield from self.reads(one)

    def checked(self, value: Any) -> Any:
        """Return a value of the option as commands receive it; raise CdecError for a wrong one.

        A value that the call does not give is not checked.
        """
        if value is None or (value == self.default and not self.writes):
            return value
        if self.check:
            return self.check(value)
        is_closed = self.choices and self.choices.closed and not self.many
        return self.choices.check(value) if self.choices and is_closed else value


def in_panel(panel: str, *options: Option) -> tuple[Option, ...]:
    """Return the options in this panel of the help."""
    return tuple(option.but(panel=panel) for option in options)


def rarely(*options: Option) -> tuple[Option, ...]:
    """Return the options as ones that only ``--help-all`` shows."""
    return tuple(option.but(rare=True) for option in options)


def refuse_overwriting(options: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Raise UsageError if an output file is also an input, or if two outputs are the same file."""
    written = [(o, values[name]) for name, o in options.items() if o.writes and values[name]]
    for (one, path), (other, same) in combinations(written, 2):
        if path.resolve() == same.resolve():
            message = f"{one.flag} and {other.flag} name the same file"
            raise UsageError("output-is-input", message, place=path, hint="name two files")
    for one, path in written:
        if path.is_file() and any(_reads(o, values[name], path) for name, o in options.items()):
            message = f"{one.flag} would overwrite a file that this command reads"
            raise UsageError("output-is-input", message, place=path, hint="name another file")


def _reads(option: Option, value: Any, output: Path) -> bool:
    try:
        return any(path.samefile(output) for path in option.files(value))
    except (OSError, ValueError):  # no such file, or not a valid file name
        return False
