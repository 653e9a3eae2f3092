"""Check that no command overwrites a file that it reads, or writes two outputs to one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from itertools import combinations
from pathlib import Path
from typing import Any

from cdec.errors import UsageError

_WRITTEN = ("--output", "--chart", "--plot")


def refuse_overwriting(options: Iterable[Parameter], values: Mapping[str, Any]) -> None:
    """Raise UsageError if an output file is also an input, or if two outputs are the same file.

    ``options`` are the typer parameters of the command; ``values`` maps their names to values.
    """
    written: dict[str, Path] = {}
    read: list[tuple[str, object]] = []
    for option in options:
        if not hasattr(option.annotation, "__metadata__"):  # typer's context
            continue
        info, value = option.annotation.__metadata__[0], values[option.name]
        declared = [info.default, *(info.param_decls or ())]  # typer: the default is a name
        name = next((name for name in _WRITTEN if name in declared), None)
        if name is None:
            items = value if isinstance(value, list) else [value]
            read += [(info.metavar or "", item) for item in items]
        elif value is not None:
            written[name] = value
    for (one, path), (other, same) in combinations(written.items(), 2):
        if path.resolve() == same.resolve():
            message = f"{one} and {other} name the same file"
            raise UsageError("output-twice", message, place=path, hint="name two files")
    for name, path in written.items():
        if path.is_file() and any(_reads(placeholder, value, path) for placeholder, value in read):
            message = f"{name} would overwrite a file that this command reads"
            raise UsageError("output-is-input", message, place=path, hint="name another file")


def _reads(placeholder: str, value: object, output: Path) -> bool:
    try:
        return any(path.samefile(output) for path in _paths(placeholder, value))
    except (OSError, ValueError):  # no such file, or not a valid file name
        return False


def _paths(placeholder: str, value: object) -> Iterator[Path]:
    """Yield the files that an option value names; ``placeholder`` (metavar) gives its syntax."""
    if isinstance(value, Path):
        yield value
    elif not isinstance(value, str):
        return
    elif "PART" in placeholder:
        yield Path(value if value.endswith(".toml") else value.rpartition("/")[0])
    elif "PATH" in placeholder:
        yield Path(value)
    elif re.search("FILE|RESPONSE|B…", placeholder):
        from cdec.baselines import is_system_name
        from cdec.evaluation.response import ResponseFile

        if not is_system_name(value):
            yield ResponseFile.parse(value).path
