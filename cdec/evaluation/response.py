"""What a call gives as responses: files, chains, systems, and texts that name them.

``read_response`` decides for every command and every Python verb what a value is. Behind it, and
behind ``read_responses`` for several, a response has the name of its system and one or more runs,
each an ``Annotation``, a ``Scheme`` of a room, or a system that is still to be run.

A text is the first of these that fits:

====================  =============================================================================
a file                if it is there, and has an ending (no system has one)
``lemma``             the name of a system, in any case; or ``module:Class``
a file                if it is there
``[NAME=]pairs:…``    a scheme of a room
``NAME=FILE,FILE``    files and patterns: the runs of the system NAME
a file                that is not there: an error
====================  =============================================================================

``cdec.evaluation.containers`` decides what a container holds: chains, or several responses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence, Set
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
from cdec.errors import Notice, Notices, UnknownNameError, UsageError, spelled
from cdec.evaluation.containers import (
    Mention,
    chain_members,
    is_list_of_chains,
    is_several,
    mention_labels,
)
from cdec.files.progress import notebook
from cdec.formats import Annotation, mention_table
from cdec.formats.fields import check_columns, whole
from cdec.formats.reading import Choice
from cdec.formats.records import MAX_TOKEN
from cdec.formats.registry import read_file
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.plugins import matching_name
from cdec.records import Columns, Fields
from cdec.system import SYSTEMS, System, system

UNNAMED = "response"  # the system name of chains that are passed as Python values
SCHEMES = "response scheme"  # what rooms add: ``scheme:…`` instead of a file
_NAMED = re.compile(r"([^/\\=]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Scheme:
    """A response that a room knows by ``name``; it depends on the corpus that is scored.

    The room registers its class as a ``response scheme``: it parses the text after ``scheme:``.
    ``lenient``: as in ``FilePolicy``.
    """

    name: str
    lenient: bool | None = field(default=None, repr=False, kw_only=True)

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

    The scores of several runs are averaged; a system that is not made yet has none. ``about`` and
    ``notices``: fields of the signature, and irregularities, of how the response was made.
    """

    name: str
    runs: Mapping[str, Run]
    about: Fields = field(default_factory=dict)
    notices: Notices = ()

    @classmethod
    def of(
        cls, name: str, runs: Sequence[tuple[str, Run]], *notices: Notice
    ) -> Response:
        """Return the response with these runs, which are numbered if two have the same name."""
        if len(runs) == 1:
            return cls(name, {"": runs[0][1]}, notices=notices)
        names = [label for label, _ in runs]
        if len({*names}) < len(runs):
            names = [str(number) for number in range(1, len(runs) + 1)]
        values = [run for _, run in runs]
        return cls(name, dict(zip(names, values, strict=True)), notices=notices)

    @property
    def system(self) -> System | None:
        """The system that is to be run; None for files and schemes."""
        run = self.runs.get("")
        return None if isinstance(run, Annotation | Scheme) else run


Run: TypeAlias = Annotation | Scheme | System
Chains: TypeAlias = (
    Clustering
    | pd.Series
    | Mapping[Any, Hashable]
    | Mapping[Any, Collection[Mention]]
    | Collection[Collection[Mention]]
)
AnyFile: TypeAlias = Chains | pd.DataFrame | Annotation | str | Path
AnyResponse: TypeAlias = AnyFile | Scheme | System | Response
Responses: TypeAlias = AnyResponse | Sequence[object] | Mapping[str, object]
"""One response, a list of them, or a dict system → response or list of its runs."""


def read_responses(
    value: Responses,
    policy: FilePolicy = DEFAULT_POLICY,
) -> list[Response]:
    """Return the responses of a call; the systems that it names are made.

    Raises UsageError for a value that is no response, for two with the same name, and for a column
    that no response has; otherwise as ``read_response`` and ``system``.
    """
    items: list[tuple[str, object]] = [("", value)]
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
            response = read_response(run, policy, systems=True)
            if not response.runs:
                response = read_response(system(response.name, progress=notebook()))
            of_runs.append(response)
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
    names = Counter(response.name for response in responses)
    name, count = names.most_common(1)[0]
    if count > 1:
        raise UsageError(
            "name-duplicate",
            f"{count} responses have the name '{name}'",
            hint="give one another name, as in 'mine=out.conll' or, in Python, {'mine': …}",
        )
    if policy.columns:
        check_columns_of(responses, policy.columns)
    return responses


def _joined(responses: Sequence[Response]) -> Response:
    """Return one response with the runs of several."""
    runs = list[tuple[str, Run]]()
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


def check_lenient(responses: Sequence[Response]) -> None:
    """Raise UsageError if no response is read from a file, which ``lenient`` is about."""
    runs = [run for response in responses for run in response.runs.values()]
    values = ("python", "frame")  # formats of what is no file
    if not any(
        isinstance(run, Scheme)
        or (isinstance(run, Annotation) and run.format not in values)
        for run in runs
    ):
        raise UsageError(
            "option-conflict",
            f"{spelled('lenient')} has no effect: no response is a file",
            hint="drop it",
        )


def read_response(
    value: Any,
    policy: FilePolicy = DEFAULT_POLICY,
    side: str = UNNAMED,
    *,
    systems: bool = False,
) -> Response:
    """Return the response that a value is, or that a text names: files are read.

    ``policy``: noise, columns (if the file or frame has them) and whether to be lenient.
    ``systems``: whether a text can name a system; its response has no run, see ``read_responses``.

    Raises UsageError for a value that is no response, UnknownNameError for a text that is neither a
    file nor a system, FormatError, and ScoringError for labels.
    """
    match value:
        case Response():
            return value
        case str() | Path():
            return _of_text(value, policy, systems=systems)
        case pd.DataFrame():
            frame = formats.from_frame(
                value, side, unlabelled=True, columns=policy.columns
            )
            return Response(UNNAMED, {"": frame})
        case Annotation():
            return Response(UNNAMED, {"": value})
        case Clustering() | pd.Series() | Mapping() | list() | tuple() | Set():
            return _of_chains(value, side, policy.noise)
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


def _of_text(
    text: str | Path,
    policy: FilePolicy,
    *,
    systems: bool,
) -> Response:
    """Return the response that a text names, see the top of this file; a Path is only a file."""
    path = Path(text)
    name = ""
    paths = [str(text)]
    if isinstance(text, str):
        is_file = exists(text)  # noqa: PTH110  see ``is_there``
        can_be_system = systems and not (is_file and path.suffix)
        if can_be_system and names_system(text):
            return Response(text, {})
        if not is_file:
            scheme = by_scheme(text)
            if scheme is not None:
                scheme = replace(scheme, lenient=policy.lenient)
                return Response(scheme.name, {"": scheme})
            name, paths = _named_files(text)
    # A file without another name has that of its stem: ``out`` of out.conll.gz.
    stems = [Path(path.removesuffix(".gz")).stem for path in paths]
    runs = [
        read_file(path, columns=policy.columns, lenient=policy.lenient)
        for path in paths
    ]
    name = name or stems[0]
    if len(runs) == 1:
        return Response(name, {"": runs[0]})
    return Response.of(name, list(zip(stems, runs, strict=True)))


def _named_files(text: str) -> tuple[str, list[str]]:
    """Return name and paths of ``[NAME=]FILE``, ``NAME=FILE,FILE`` and ``NAME=PATTERN``.

    A name has no path separator. A pattern (``runs/*.conll``) stands for the files that it matches,
    sorted by name. Raises UsageError for a pattern that matches no file, and for an empty text.
    """
    match = _NAMED.fullmatch(text)
    name, files = match.groups() if match else ("", text)
    if is_there(files):
        return name, [files]
    paths = [files]
    if name:
        paths = []
        for piece in files.split(","):
            paths += _matching(piece.strip())
    if not "".join(paths).strip():
        raise UsageError(
            "argument-missing",
            f"the response '{text}' names no file",
            hint="give the path of a file; is a variable of the shell empty?",
        )
    return name, paths


def names_system(text: str) -> bool:
    """Return whether a text is the name of a system, not of a file.

    Raises UnknownNameError for a word that is no file either.

    >>> names_system("lemma"), names_system("mine:System"), names_system("runs/a.conll")
    (True, True, False)
    """
    if text in SYSTEMS:
        return True
    if is_there(text):
        return False
    if re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", text):
        return text.partition(":")[0] not in added(SCHEMES)
    if matching_name(text, SYSTEMS):
        return True
    if re.fullmatch(r"\w[\w-]*", text):
        raise UnknownNameError("system", text, [*SYSTEMS, "FILE"])
    return False


def _matching(piece: str) -> list[str]:
    """Return the path itself, or the paths that match a pattern. Raises UsageError for none."""
    if not piece:
        return []
    if not has_magic(piece) or is_there(piece):
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
    if home is None or is_there(text) or is_there(plain):
        return None
    source: Scheme = imported(home).parse(argument)
    return replace(source, name=name) if name else source


def is_there(path: Path | str) -> bool:
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
