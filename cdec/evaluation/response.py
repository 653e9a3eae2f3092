"""What a call gives as responses: files, chains, systems, and texts that name them.

``read_responses`` decides once what each value is. Each response has the name of its system and
one or more runs: a ``ResponseFile``, a ``Source``, an ``Annotation``, chains, or a system.
"""

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

import numpy as np
import pandas as pd

from cdec import formats
from cdec.clustering import Clustering, label_text
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError
from cdec.formats import Annotation, mention_table
from cdec.formats.records import MAX_TOKEN
from cdec.matching.names import place_of
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.rooms import added, imported
from cdec.settings import Setting
from cdec.system import System

UNNAMED = "response"  # the system name of chains that are passed as Python values
SCHEMES = "response scheme"  # what rooms add: ``scheme:…`` instead of a file
_NAMED = re.compile(r"([^/\\=]+)=(.*)", re.DOTALL)

__all__ = ["DEFAULT_POLICY", "FilePolicy", "Named", "Response", "ResponseFile", "Source"]


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
        return formats.read(self.path, unlabelled=True)

    @classmethod
    def parse(cls, text: str | Path) -> ResponseFile:
        """Return the response file for ``NAME=FILE`` or ``FILE``, or the one of a source.

        Raises UsageError for several files.
        """
        given = parse_response(text)
        if len(given.runs) > 1:
            message = f"expected one file, got {len(given.runs)} runs of {given.name}"
            raise UsageError("argument-invalid", message, hint="name one file")
        run = given.runs[0]
        return run.file() if isinstance(run, Source) else cls(run.path, given.name)


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


@dataclass(frozen=True, eq=False)
class Named:
    """A response in any form, or a list of several runs, and the name of its system.

    The scores of several runs are averaged. ``about`` and ``notices``: fields of the signature, and
    irregularities, of how it was made. ``standing``: other decisions on its candidates, which are
    no systems; tables show them below.

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
Response: TypeAlias = (
    Chains | pd.DataFrame | Annotation | str | Path | ResponseFile | Source | System | Named
)


def read_responses(value: Any) -> list[Named]:
    """Return the responses of a call: one, a list, or a dict system → one or a list of its runs.

    Raises UsageError for a value that is no response, and for two with the same name.
    """
    if is_several(value):
        value = [Named(name, one) for name, one in value.items()]
    read = [named(one) for one in (value if isinstance(value, list | tuple) else [value])]
    if not read:
        hint = "name a system or a file"
        raise UsageError("argument-missing", "there is no response to score", hint=hint)
    for name, count in Counter(one.name for one in read).items():
        if count > 1:
            message = f"{count} responses have the name '{name}'"
            hint = "give a file another name, as in 'mine=out.conll'"
            raise UsageError("name-duplicate", message, hint=hint)
    return read


def named(value: Any) -> Named:
    """Return a response with its name and its runs, none of which is a text or a frame.

    Files are not read. Raises UsageError for a value that is no response.
    """
    match value:
        case Named():
            runs: list[Any] = []
            for one in map(named, value.runs):
                # A response with facts of its own stays whole.
                runs += [one] if one.about or one.notices or one.standing else one.runs
            if not runs:
                message, hint = f"'{value.name}' has no run", "give it one response or more"
                raise UsageError("argument-missing", message, hint=hint)
            return replace(value, response=runs)
        case str() | Path():
            return parse_response(value)
        case pd.DataFrame():
            return Named(UNNAMED, formats.from_frame(value, UNNAMED, unlabelled=True))
        case Clustering() | pd.Series() | Mapping() | Annotation():
            return Named(UNNAMED, value)
    if isinstance(value, ResponseFile | Source) or hasattr(value, "predict"):
        return Named(value.name, value)
    raise UsageError(
        "argument-invalid",
        f"expected a clustering, file or system, got {type(value).__name__}",
        hint="pass a Clustering or dict mention → chain, a path, or a system",
    )


def is_several(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a dict of responses, rather than one of mentions.

    A mention is a tuple or has a ``/`` in its id; the name of a system has none.

    >>> is_several({"mine": "mine.conll"}), is_several({"1_1ecb/5": "fire"})
    (True, False)
    """
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and "/" not in name for name in value)


def parse_response(text: str | Path) -> Named:
    """Return one file, or several for ``NAME=FILE,FILE,…`` and ``NAME=PATTERN``, or a source.

    A pattern (``runs/*.conll``) stands for the files that it matches, sorted by name; only one file
    is a single response. A file with this whole name has no other name. Raises UsageError for a
    pattern that matches no file, a file that occurs twice, and an empty name.

    >>> [str(file.path) for file in parse_response("mine=a.conll,b.conll").runs]
    ['a.conll', 'b.conll']
    """
    if source := sourced(text):
        return Named(source.name, source)
    parts = _NAMED.fullmatch(text) if isinstance(text, str) and not is_there(Path(text)) else None
    name, path = (parts[1], parts[2]) if parts else ("", str(text))
    if not path.strip() and not is_there(Path(path)):
        hint = "give the path of a file; is a variable of the shell empty?"
        raise UsageError("argument-missing", f"the response '{text}' names no file", hint=hint)
    if not name or is_there(Path(path)):
        file = _file(path)
        return Named(name or file.name, ResponseFile(file.path, name or file.name))
    paths: list[str] = []
    for piece in filter(None, map(str.strip, path.split(","))):
        is_pattern = has_magic(piece) and not is_there(Path(piece))
        found = sorted(glob(piece)) if is_pattern else [piece]  # noqa: PTH207  may be absolute
        if not found:
            message = f"no file matches the pattern '{piece}'"
            hint = "check the pattern, and quote it"
            raise UsageError("argument-invalid", message, hint=hint)
        paths += found
    repeated = [one for one, count in Counter(paths).items() if count > 1]
    if repeated or (len(paths) < 2 and "," in path):
        what = f"duplicate file {repeated[0]}" if repeated else "expected two or more runs"
        hint = "give each run once, as in 'mine=run1.conll,run2.conll'"
        raise UsageError("argument-invalid", f"{name}: {what}", hint=hint)
    files = [_file(one) for one in paths]
    return Named(name, files if len(files) > 1 else ResponseFile(files[0].path, name))


def _file(path: str) -> ResponseFile:
    stem = Path(path).stem
    return ResponseFile(Path(path), Path(stem).stem if path.endswith(".gz") else stem)


def sourced(text: str | Path) -> Source | None:
    """Return the source of ``[NAME=]SCHEME:TEXT``; None for a path. Raises as ``Source.parse``.

    >>> sourced("mine=runs/out.conll") is None
    True
    """
    if isinstance(text, Path) or ":" not in text:
        return None
    parts = _NAMED.fullmatch(text)
    plain = parts[2] if parts else text
    scheme, _, rest = plain.partition(":")
    home = added(SCHEMES).get(scheme)
    if home is None or is_there(Path(text)) or is_there(Path(plain)):
        return None
    source: Source = imported(home).parse(rest)
    return replace(source, name=parts[1]) if parts else source


def is_there(path: Path) -> bool:
    """Return whether a path exists; a text may be too long to be one."""
    try:
        return path.exists()
    except OSError:
        return False


def names_places(labels: pd.Series[Any], known: Iterable[str] = ()) -> bool:
    """Return whether a mention is given by its place, and not as an id that is ``known``."""
    ids = frozenset(known)
    return any(isinstance(m, tuple) or (m not in ids and place_of(str(m))) for m in labels.index)


def from_chains(labels: pd.Series[Any], name: str) -> Annotation:
    """Return chains as an Annotation.

    A mention is ``(doc, start, end)``, ``"doc/start-end"`` or an id; ``labels`` maps it to a chain
    label. Raises UsageError for another tuple.

    >>> from_chains(pd.Series({("d", 3, 4): "x", "d/9-9": "x"}), "mine").mentions["end"].tolist()
    [4, -1]
    """
    rows = []
    for key in labels.index:
        if not isinstance(key, tuple):
            rows.append((str(key).rpartition("/")[0], -1, -1, str(key)))
            continue
        doc, start, end = key if len(key) == 3 else ("", -1, -1)
        whole = all(type(n) is int or isinstance(n, np.integer) for n in (start, end))
        if not (isinstance(doc, str) and whole and 0 <= start <= end <= MAX_TOKEN):
            message = f"expected a mention (doc, start, end), got {key!r:.60}"
            hint = "count tokens from 0; end is the index of the last token"
            raise UsageError("argument-invalid", message, hint=hint)
        rows.append((doc, int(start), int(end), ""))
    docs, starts, ends, ids = zip(*rows, strict=True) if rows else [()] * 4
    chains = [label_text(label) for label in labels]
    table = mention_table(docs, starts, ends, chains, mention=ids)
    return Annotation(name, "python", table, dict.fromkeys(docs))


def documents_of(mentions: pd.Index[Any]) -> pd.Series[str] | None:
    """Return mention → document if all mentions name theirs, else None.

    A mention names its document as ``(doc, start, end)`` or ``doc/…``.

    >>> documents_of(pd.Index(["d1/a", "d2/b"])).tolist(), documents_of(pd.Index(["a", "d/b"]))
    (['d1', 'd2'], None)
    """
    names = [key[0] if isinstance(key, tuple) else str(key).rpartition("/")[0] for key in mentions]
    return pd.Series(names, index=mentions, dtype=object) if names and all(names) else None
