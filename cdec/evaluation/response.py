"""What a call gives as responses: files, chains, systems, and texts that name them.

Behind ``read_responses`` (or ``read_response``, for one) a response has the name of its system and
one or more runs, each an ``Annotation``, a ``Scheme`` of a room, or a system that is still to be
run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from os.path import exists
from pathlib import Path
from typing import Any, Self, TypeAlias

import pandas as pd

from cdec import formats
from cdec.arrays import AnySeries
from cdec.catalogue import added, imported
from cdec.clustering import Clustering, chains_digest, label_text, text_labels
from cdec.corpus.model import Corpus
from cdec.errors import Notice, Notices, UsageError
from cdec.evaluation.containers import (
    Mention,
    chain_members,
    is_list_of_chains,
    is_several,
    mention_labels,
)
from cdec.formats import Annotation, mention_table
from cdec.formats.fields import check_columns, whole
from cdec.formats.reading import Choice
from cdec.formats.records import MAX_TOKEN
from cdec.formats.registry import read_file
from cdec.records import Columns, Fields
from cdec.system import System

UNNAMED = "response"  # the system name of chains that are passed as Python values
SCHEMES = "response scheme"  # what rooms add: ``scheme:…`` instead of a file
_NAMED = re.compile(r"([^/\\=]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Scheme:
    """A response that a room knows by ``name``; it depends on the corpus that is scored.

    The room registers its class as a ``response scheme``: it parses the text after ``scheme:``.
    """

    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the source that a text names. Raises UnknownNameError."""
        raise NotImplementedError

    def on(self, corpus: Corpus, unknown: str = "error") -> Response:
        """Return the response to a corpus. Raises ScoringError if it has none to this one.

        ``unknown`` says what becomes of mentions that the corpus does not have, if the room reads
        them itself.
        """
        raise NotImplementedError

    def file(self) -> Annotation:
        """Return its only file. Raises ScoringError, and UsageError if it has several, or none."""
        raise NotImplementedError

    def covers(self, corpus: Corpus) -> Annotation | tuple[str, ...]:
        """Return its mentions, or the names of the parts that it is about."""
        return ()

    def within(self, corpus: Corpus) -> Response:
        """Return the response to a corpus or a part of it, on the mentions that it is about."""
        return self.on(corpus)

    @property
    def family(self) -> str:
        """The name that it shares with systems that are not independent of it."""
        return self.name


@dataclass(frozen=True, eq=False)
class Response:
    """The response of a system: ``runs`` maps the name of each run, '' for a single one, → it.

    A run is an Annotation, a Scheme or a system. The scores of several runs are averaged. ``about``
    and ``notices``: fields of the signature, and irregularities, of how it was made.
    """

    name: str
    runs: Fields
    about: Fields = field(default_factory=dict)
    notices: Notices = ()

    @classmethod
    def of(
        cls, name: str, runs: Sequence[tuple[str, Any]], *notices: Notice
    ) -> Response:
        """Return the response with these runs, which are numbered if two have the same name."""
        if len(runs) == 1:
            return cls(name, {"": runs[0][1]}, notices=notices)
        names = [label for label, _ in runs]
        if len({*names}) < len(runs):
            names = [str(number) for number in range(1, len(runs) + 1)]
        values = [run for _, run in runs]
        return cls(name, dict(zip(names, values, strict=True)), notices=notices)


Chains: TypeAlias = (
    Clustering
    | pd.Series
    | Mapping[Any, Hashable]
    | Mapping[Any, Collection[Mention]]
    | Collection[Collection[Mention]]
)
AnyFile: TypeAlias = Chains | pd.DataFrame | Annotation | str | Path
AnyResponse: TypeAlias = AnyFile | Scheme | System | Response


def read_responses(
    value: Any,
    noise: str | None = None,
    system: Callable[[str], Any] = str,
    columns: Columns | None = None,
) -> list[Response]:
    """Return the responses of a call: one, a list, or a dict system → one or a list of its runs.

    One that is in Python is a container of chains, see ``cdec.evaluation.containers``. ``system``
    returns the system that a text names, else the text; ``columns`` as in ``FilePolicy``.

    Raises UsageError for a value that is no response, for two with the same name, and for a column
    that no response has.
    """
    items: list[tuple[str, Any]] = [("", value)]
    if isinstance(value, Mapping) and is_several(value):
        items = [*value.items()]
    elif isinstance(value, list | tuple):
        are_ready = all(isinstance(item, Response) for item in value)
        if are_ready or not is_list_of_chains(value):
            items = [("", item) for item in value]
    responses = []
    for name, item in items:
        runs = [item]
        if name and isinstance(item, list | tuple) and not is_list_of_chains(item):
            runs = list(item)
        of_runs = []
        for run in runs:
            source = system(run) if isinstance(run, str) else run
            of_runs.append(read_response(source, noise, columns=columns))
        if not of_runs:
            raise UsageError(
                "argument-missing",
                f"'{name}' has no run",
                hint="give it one response or more",
            )
        response = of_runs[0]
        if len(of_runs) > 1:
            response = _joined(of_runs)
        responses.append(replace(response, name=name) if name else response)
    if not responses:
        raise UsageError(
            "argument-missing",
            "there is no response to score",
            hint="name a system or a file",
        )
    for name, count in Counter(response.name for response in responses).items():
        if count > 1:
            raise UsageError(
                "name-duplicate",
                f"{count} responses have the name '{name}'",
                hint="give one another name, as in 'mine=out.conll' or, in Python, {'mine': …}",
            )
    if columns:
        check_columns_of(responses, columns)
    return responses


def _joined(responses: Sequence[Response]) -> Response:
    """Return one response with the runs of several."""
    runs = list[tuple[str, Any]]()
    notices = list[Notice]()
    for response in responses:
        runs += [(label or response.name, run) for label, run in response.runs.items()]
        notices += response.notices
    return Response.of(responses[0].name, runs, *notices)


def check_columns_of(responses: Sequence[Response], columns: Columns) -> None:
    """Raise UsageError for a column that no file of these responses has."""
    runs = [run for response in responses for run in response.runs.values()]
    files = [run for run in runs if isinstance(run, Annotation)]
    check_columns(columns, [(file.name, file.columns) for file in files])


def read_response(
    value: Any,
    noise: str | None = None,
    side: str = UNNAMED,
    columns: Columns | None = None,
) -> Response:
    """Return a response: files are read, names of systems are not known here.

    ``columns``: field → name of the column that holds it, if the file or frame has this one.
    Raises UsageError for a value that is no response, FormatError, and ScoringError for labels.
    """
    match value:
        case Response():
            return value
        case str() | Path():
            return _parsed(value, columns)
        case pd.DataFrame():
            frame = formats.from_frame(value, side, unlabelled=True, columns=columns)
            return Response(UNNAMED, {"": frame})
        case Annotation():
            return Response(UNNAMED, {"": value})
        case Clustering() | pd.Series() | Mapping() | list() | tuple() | Set():
            return _of_chains(value, side, noise)
    if isinstance(value, Scheme) or hasattr(value, "predict"):
        return Response(value.name, {"": value})
    raise UsageError(
        "argument-invalid",
        f"expected a clustering, file or system, got {type(value).__name__}",
        hint="pass a Clustering, dict or list of chains, a frame, a path, or a system",
    )


def _of_chains(
    value: Chains,
    side: str,
    noise: str | None,
) -> Response:
    """Return the response of a container of chains, with notices on its labels."""
    members = None if isinstance(value, Clustering) else chain_members(value)
    if members is not None:
        labels, notices = text_labels(mention_labels(members), side, noise)
    else:
        chains, notices = Clustering.with_notices(value, side, noise)
        labels = chains.labels
    annotation = from_labels(labels, side)
    if members is not None or isinstance(value, Clustering):
        # The value says itself which mentions are in a chain.
        annotation = replace(annotation, reading={"labels": Choice("corpus", "file")})
    return Response(UNNAMED, {"": annotation}, notices=notices)


def only(response: Response) -> Annotation:
    """Return the only run of a response, which is no system. Raises UsageError for another one."""
    runs = [
        run.file() if isinstance(run, Scheme) else run for run in response.runs.values()
    ]
    if len(runs) > 1:
        problem = f"{len(runs)} runs of {response.name}"
    elif not isinstance(runs[0], Annotation):
        problem = "a system"
    else:
        return runs[0]
    raise UsageError(
        "argument-invalid", f"expected one file, got {problem}", hint="name one file"
    )


def _parsed(text: str | Path, columns: Columns | None = None) -> Response:
    """Return one file, or several for ``NAME=FILE,FILE,…`` and ``NAME=PATTERN``, or a source.

    A pattern (``runs/*.conll``) stands for the files that it matches, sorted by name; only one file
    is a single response. A name has no path separator, and a file with this whole name has no other
    name. Raises UsageError for a pattern that matches no file, and for an empty name.
    """
    scheme = by_scheme(text)
    if scheme is not None:
        return Response(scheme.name, {"": scheme})
    name = ""
    path = str(text)
    match = _NAMED.fullmatch(path)
    if match and isinstance(text, str) and not is_there(Path(text)):
        name, path = match.groups()
    paths = [path]
    if name and not is_there(Path(path)):
        paths = []
        for piece in path.split(","):
            paths += _matching(piece.strip())
    if not "".join(paths).strip() and not is_there(Path(path)):
        raise UsageError(
            "argument-missing",
            f"the response '{text}' names no file",
            hint="give the path of a file; is a variable of the shell empty?",
        )
    # A file without another name has that of its stem: ``out`` of out.conll.gz.
    stems = [Path(path.removesuffix(".gz")).stem for path in paths]
    runs = [read_file(path, columns=columns) for path in paths]
    name = name or stems[0]
    if len(runs) == 1:
        return Response(name, {"": runs[0]})
    return Response.of(name, list(zip(stems, runs, strict=True)))


def _matching(piece: str) -> list[str]:
    """Return the path itself, or the paths that match a pattern. Raises UsageError for none."""
    if not piece:
        return []
    if not has_magic(piece) or is_there(Path(piece)):
        return [piece]
    paths = sorted(glob(piece))  # noqa: PTH207  may be absolute
    if not paths:
        raise UsageError(
            "argument-invalid",
            f"no file matches the pattern '{piece}'",
            hint="check the pattern, and quote it",
        )
    return paths


def by_scheme(text: str | Path) -> Scheme | None:
    """Return what ``[NAME=]SCHEME:TEXT`` names; None for a path. Raises as ``Scheme.parse``.

    >>> by_scheme("mine=runs/out.conll") is None
    True
    """
    if isinstance(text, Path) or ":" not in text:
        return None
    match = _NAMED.fullmatch(text)
    name, plain = match.groups() if match else ("", text)
    scheme, _, argument = plain.partition(":")
    home = added(SCHEMES).get(scheme)
    if home is None or is_there(Path(text)) or is_there(Path(plain)):
        return None
    source: Scheme = imported(home).parse(argument)
    return replace(source, name=name) if name else source


def is_there(path: Path) -> bool:
    """Return whether a path exists; a text may be too long to be one."""
    return exists(path)  # noqa: PTH110  # Path.exists raises then


def from_labels(labels: AnySeries, name: str) -> Annotation:
    """Return chains, as a Series mention → label, as an Annotation; a mention may repeat.

    A mention is ``(doc, start, end)``, ``"doc/start-end"`` or an id. Raises UsageError for another
    tuple.

    >>> labels = pd.Series({("d", 3, 4): "x", "d/9-9": "x"})
    >>> from_labels(labels, "mine").mentions["end"].tolist()
    [4, -1]
    """
    docs = []
    starts = []
    ends = []
    ids = []
    for mention in labels.index:
        if isinstance(mention, tuple):
            doc, start, end = _position(mention)
            mention_id = ""
        else:
            mention_id = str(mention)
            doc = mention_id.rpartition("/")[0]
            start = end = -1
        docs.append(doc)
        starts.append(start)
        ends.append(end)
        ids.append(mention_id)
    table = mention_table(
        docs,
        starts,
        ends,
        list(map(label_text, labels)),
        mention=ids,
    )
    digest = chains_digest(labels)
    return Annotation(
        name,
        "python",
        table,
        dict.fromkeys(docs),
        digest=digest,
    )


def _position(mention: tuple[Any, ...]) -> tuple[str, int, int]:
    """Return document, first and last token of a mention. Raises UsageError for another tuple."""
    if len(mention) == 3 and isinstance(mention[0], str):
        start, end = whole(mention[1:])
        if type(start) is int and type(end) is int and 0 <= start <= end <= MAX_TOKEN:
            return mention[0], start, end
    raise UsageError(
        "argument-invalid",
        f"expected a mention (doc, start, end), got {mention!r:.60}",
        hint="count tokens from 0; end is the index of the last token",
    )
