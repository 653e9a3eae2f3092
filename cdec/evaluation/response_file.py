"""Responses as arguments: files, the files of several runs of a system, dicts of responses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, TypeGuard

from cdec.errors import UsageError

_NAMED = re.compile(r"([^/\\=]+)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class ResponseFile:
    """A response file and the name of its system in the results (default: the stem of the file).

    A name has no path separator: ``runs/delta=0.3/out.conll`` is a path.

    >>> ResponseFile.parse("mine=runs/out.conll").name, ResponseFile.parse("runs/out.conll").name
    ('mine', 'out')
    """

    path: Path
    name: str

    @classmethod
    def parse(cls, text: str | Path) -> ResponseFile:
        """Return the response file for ``NAME=FILE`` or ``FILE``."""
        named = _NAMED.fullmatch(text) if isinstance(text, str) else None
        if named and not _is_there(Path(text)):
            return cls(Path(named[2]), named[1])
        return cls(Path(text), _stem(Path(text)))


@dataclass(frozen=True)
class ResponseRuns:
    """The response files of several runs of one system, such as runs with different seeds.

    Scores are the means over the runs. Raises UsageError for fewer than two runs.

    >>> ResponseRuns.of("mine", ["a/out.conll", "b/out.conll"]).files[1].name
    'mine/2'
    """

    name: str
    files: tuple[ResponseFile, ...]

    @classmethod
    def of(cls, name: str, paths: list[str]) -> ResponseRuns:
        """Return the runs in these files; a run is named by its stem, else by its number."""
        repeated = [path for path, count in Counter(paths).items() if count > 1]
        if repeated or len(paths) < 2:
            what = f"duplicate file {repeated[0]}" if repeated else "expected two or more runs"
            hint = "give each run once, as in NAME=run1.conll,run2.conll"
            raise UsageError("option-invalid", f"{name}: {what}", hint=hint)
        stems = [_stem(Path(path)) for path in paths]
        if len(set(stems)) < len(stems):
            stems = [str(number + 1) for number in range(len(stems))]
        files = (ResponseFile(Path(p), f"{name}/{s}") for p, s in zip(paths, stems, strict=True))
        return cls(name, tuple(files))


def parse_response(text: str | Path) -> ResponseFile | ResponseRuns:
    """Return one file, or several for ``NAME=FILE,FILE,…`` and ``NAME=PATTERN``.

    A pattern (``runs/*.conll``) stands for the files that it matches, sorted by name; only one file
    is a single response. Raises UsageError for a pattern that matches no file and an empty name.

    >>> [file.name for file in parse_response("mine=a.conll,b.conll").files]
    ['mine/a', 'mine/b']
    """
    is_blank = isinstance(text, str) and not text.rpartition("=")[2].strip()
    if is_blank and not (text and _is_there(Path(text))):
        hint = "give the path of a file; is a variable of the shell empty?"
        raise UsageError("response-missing", f"the response '{text}' names no file", hint=hint)
    named = _NAMED.fullmatch(text) if isinstance(text, str) else None
    if named is None or _is_there(Path(text)) or _is_there(Path(named[2])):
        return ResponseFile.parse(text)
    pieces = [piece.strip() for piece in named[2].split(",")]
    paths = [path for piece in pieces if piece for path in _matching(piece)]
    if len(paths) == 1 and len(pieces) == 1:
        return ResponseFile(Path(paths[0]), named[1])
    return ResponseRuns.of(named[1], paths)


def _matching(piece: str) -> list[str]:
    if not has_magic(piece) or _is_there(Path(piece)):
        return [piece]
    paths = sorted(glob(piece))  # noqa: PTH207  the pattern may be absolute
    if not paths:
        message, hint = f"no file matches the pattern '{piece}'", "check the pattern, and quote it"
        raise UsageError("option-invalid", message, hint=hint)
    return paths


def _stem(path: Path) -> str:
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # longer than the system allows
        return False


@dataclass(frozen=True, eq=False)
class Named:
    """A response in any form, and the name of its system in the results."""

    name: str
    response: Any


def is_several(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a dict of responses, rather than one of mentions.

    A mention is a tuple or has a ``/`` in its id; the name of a system has none.

    >>> is_several({"mine": "mine.conll"}), is_several({"1_1ecb/5": "fire"})
    (True, False)
    """
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and "/" not in name for name in value)
