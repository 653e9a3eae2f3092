"""The forms of a response: a file, those of several runs, a dict of responses, chains."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeGuard

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.errors.notices import Notice
from cdec.formats import Annotation, read
from cdec.rooms import added, imported
from cdec.settings import Setting
from cdec.system import System

UNNAMED = "response"  # the system name of chains that are passed as Python values
SCHEMES = "response scheme"  # what rooms add: ``scheme:…`` instead of a file

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

    @cached_property
    def annotation(self) -> Annotation:
        """The mentions and chains of the file, which is read once. Raises FormatError."""
        return read(self.path, unlabelled=True)

    @classmethod
    def parse(cls, text: str | Path) -> ResponseFile:
        """Return the response file for ``NAME=FILE`` or ``FILE``, or the one of a source."""
        source = sourced(text)
        if source is not None:
            return source.file()
        named = _NAMED.fullmatch(text) if isinstance(text, str) else None
        if named and not is_there(Path(text)):
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
            hint = "give each run once, as in 'mine=run1.conll,run2.conll'"
            raise UsageError("option-invalid", f"{name}: {what}", hint=hint)
        stems = [_stem(Path(path)) for path in paths]
        if len(set(stems)) < len(stems):
            stems = [str(number + 1) for number in range(len(stems))]
        files = (ResponseFile(Path(p), f"{name}/{s}") for p, s in zip(paths, stems, strict=True))
        return cls(name, tuple(files))


@dataclass(frozen=True)
class Source(ABC):
    """A response that a room knows by ``name``; it depends on the corpus that is scored.

    The room registers its class as a ``response scheme``: it parses the text after ``scheme:``.
    """

    name: str

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self:
        """Return the source that a text names. Raises UnknownNameError."""

    @classmethod
    @abstractmethod
    def names(cls) -> Iterable[str]:
        """Return the texts that the shell offers."""

    @abstractmethod
    def on(self, corpus: Corpus, settings: Sequence[Setting] = ()) -> Response:
        """Return the response to a corpus. Raises ScoringError if it has none to this one.

        ``settings`` are those that score it, if they are known: some notices depend on them.
        """

    @abstractmethod
    def file(self) -> ResponseFile:
        """Return its only file. Raises ScoringError, and UsageError if it has several, or none."""

    def covers(self, corpus: Corpus) -> Response | tuple[str, ...]:
        """Return a response with its mentions, or the names of the parts that it is about."""
        return ()

    def within(self, corpus: Corpus) -> Response:
        """Return the response to a corpus or a part of it, on the mentions that it is about."""
        return self.on(corpus)

    @property
    def family(self) -> str:
        """The name that it shares with systems that are not independent of it."""
        return self.name

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files of the user that it reads, which no output may replace."""
        return ()


def sourced(text: str | Path) -> Source | None:
    """Return the source of ``[NAME=]SCHEME:TEXT``; None for a path. Raises as ``Source.parse``.

    >>> sourced("mine=runs/out.conll") is None
    True
    """
    named = _NAMED.fullmatch(text) if isinstance(text, str) else None
    plain = named[2] if named else str(text)
    scheme, colon, rest = plain.partition(":")
    home = added(SCHEMES).get(scheme) if isinstance(text, str) and colon else None
    if home is None or is_there(Path(text)) or is_there(Path(plain)):
        return None
    source: Source = imported(home).parse(rest)
    return replace(source, name=named[1]) if named else source


def parse_response(text: str | Path) -> ResponseFile | ResponseRuns | Source:
    """Return one file, or several for ``NAME=FILE,FILE,…`` and ``NAME=PATTERN``, or a source.

    A pattern (``runs/*.conll``) stands for the files that it matches, sorted by name; only one file
    is a single response. Raises UsageError for a pattern that matches no file and an empty name.

    >>> [file.name for file in parse_response("mine=a.conll,b.conll").files]
    ['mine/a', 'mine/b']
    """
    is_blank = isinstance(text, str) and not text.rpartition("=")[2].strip()
    if is_blank and not (text and is_there(Path(text))):
        hint = "give the path of a file; is a variable of the shell empty?"
        raise UsageError("response-missing", f"the response '{text}' names no file", hint=hint)
    source = sourced(text)
    if source is not None:
        return source
    named = _NAMED.fullmatch(text) if isinstance(text, str) else None
    if named is None or is_there(Path(text)) or is_there(Path(named[2])):
        return ResponseFile.parse(text)
    pieces = [piece.strip() for piece in named[2].split(",")]
    paths = [path for piece in pieces if piece for path in _matching(piece)]
    if len(paths) == 1 and len(pieces) == 1:
        return ResponseFile(Path(paths[0]), named[1])
    return ResponseRuns.of(named[1], paths)


def _matching(piece: str) -> list[str]:
    if not has_magic(piece) or is_there(Path(piece)):
        return [piece]
    paths = sorted(glob(piece))  # noqa: PTH207  the pattern may be absolute
    if not paths:
        message, hint = f"no file matches the pattern '{piece}'", "check the pattern, and quote it"
        raise UsageError("option-invalid", message, hint=hint)
    return paths


def _stem(path: Path) -> str:
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def is_there(path: Path) -> bool:
    """Return whether a path exists; a text may be too long to be one."""
    try:
        return path.exists()
    except OSError:
        return False


@dataclass(frozen=True, eq=False)
class Named:
    """A response in any form, or a list of several runs, and the name of its system.

    ``about`` and ``notices``: fields of the signature, and irregularities, of how it was made.
    ``standing``: other decisions on its candidates, which are no systems; tables show them below.

    >>> Named("mine", ["a.conll", {"d/1": "x"}]).runs[0], Named("mine", "a.conll").runs
    ('a.conll', ('a.conll',))
    """

    name: str
    response: Any
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    standing: Mapping[str, Clustering] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[Any, ...]:
        """The response, or those of the list."""
        several = isinstance(self.response, list | tuple)
        return tuple(self.response) if several else (self.response,)


Chains: TypeAlias = Clustering | pd.Series | Mapping[Any, Hashable]
Files: TypeAlias = str | Path | ResponseFile | ResponseRuns | Source
Response: TypeAlias = Chains | pd.DataFrame | Annotation | Files | System | Named


def is_several(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a dict of responses, rather than one of mentions.

    A mention is a tuple or has a ``/`` in its id; the name of a system has none.

    >>> is_several({"mine": "mine.conll"}), is_several({"1_1ecb/5": "fire"})
    (True, False)
    """
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and "/" not in name for name in value)


def check_distinct(responses: Iterable[Response]) -> None:
    """Raise UsageError if two responses have the same name, or one has an invalid type."""
    names = []
    for response in responses:
        if isinstance(response, Named):
            names.append(response.name)
            if not response.runs:
                message, hint = f"'{response.name}' has no run", "give it one response or more"
                raise UsageError("response-missing", message, hint=hint)
            for run in response.runs:
                check_distinct([run])
        elif isinstance(response, Clustering | pd.Series | pd.DataFrame | Mapping | Annotation):
            names.append(UNNAMED)
        elif isinstance(response, str | Path):
            names.append(parse_response(response).name)
        elif isinstance(response, ResponseFile | ResponseRuns | Source) or hasattr(
            response, "predict"
        ):
            names.append(response.name)
        else:
            raise UsageError(
                "argument-type",
                f"expected a clustering, file or system, got {type(response).__name__}",
                hint="pass a Clustering or dict mention → chain, a path, or a system",
            )
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(
                "name-duplicate",
                f"{count} responses have the name '{name}'",
                hint="give a file another name, as in 'mine=out.conll'",
            )
