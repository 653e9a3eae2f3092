"""The folder of a leaderboard: its tasks and archives, its systems, and their responses.

::

    leaderboard.toml          title, and the tasks: corpus, split, variant of the key
    systems/NAME.toml         a system: paper, licence, gold information it uses, its responses
    responses/NAME/…          its response files, unless their licence forbids copying
    results.csv               the scores of all systems (or results.csv.gz)

What counts of a submission is its declaration and its responses: the scores are recomputed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from cdec import configs
from cdec.corpus.store import data_folder
from cdec.errors import FormatError, ScoringError, UsageError, one_of
from cdec.evaluation.response import SCHEMES, ResponseFile, Source
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Filled, Schema, complaint
from cdec.formats.declaration import Digest, RunDeclaration, Training
from cdec.rooms import added, imported
from cdec.settings import SETTINGS

if TYPE_CHECKING:
    from cdec.leaderboards.table import ResultTable

PAIRS = "pairs"  # the scheme of responses that has chains of pair scores
BOARD, SYSTEMS, RESPONSES = "leaderboard.toml", "systems", "responses"
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]{0,79}")
_TOML = (FormatError, "file-invalid", "see docs/leaderboard.md", LARGEST_TOML)
BOARD_KIND = FileKind("a leaderboard", *_TOML)
SYSTEM_KIND = FileKind("a system of a leaderboard", *_TOML)
_RESPONSE = FileKind("a response", FormatError, "argument-invalid", "give a response file", 2**30)


def _plain(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise complaint(f"is '{name:.40}', not lower-case letters, digits and . _ + -")
    return name


Name = Annotated[str, AfterValidator(_plain)]
Address = Annotated[str, Field(pattern=r"^https://\S+/[0-9a-f]{40}/\S+$")]
_Url = Annotated[str, Field(pattern=r"^https?://\S+$")]


class Task(FileModel):
    """A key to score against: a part of a corpus; ``variant`` is the reading of its key.

    ``responses_of``: another task, whose responses are scored on this part of it too.
    """

    name: Name
    title: Filled
    corpus: Filled
    split: Filled
    variant: Filled | None = None
    responses_of: Name | None = None


class _File(FileModel):
    task: Name
    path: Filled
    digest: Digest
    seed: int | None = None
    key: Filled | None = None
    pairs: str | None = None


class Answer(RunDeclaration, _File):
    """A response: its task, its path under ``responses``, its SHA-256, the seed of the run.

    ``key``: the path of a key file to score against, for a response whose mentions are numbers that
    only this key explains. ``pairs``: how the pair scores in the file become chains, as behind @ in
    ``pairs:FILE@0.5/closure``. What is declared here of the run goes before what the system
    declares.
    """

    def response(self, path: Path, name: str) -> ResponseFile | Source:
        """Return the response in a file: its chains, or those of its pair scores."""
        if self.pairs is None:
            return ResponseFile(path, name)
        schemes = added(SCHEMES)
        scheme: type[Source] = imported(schemes[one_of("response scheme", PAIRS, schemes)])
        return replace(scheme.parse(f"{path}@{self.pairs}"), name=name)


class Published(FileModel):
    """A score that the authors published: F1 from 0 to 1, the mean of their runs, and where."""

    task: Name
    f1: Annotated[float, Field(ge=0, le=1)]
    source: Filled
    setting: Filled = "simple"
    metric: Filled = "conll"


class _Source(FileModel):
    name: Name
    title: Filled
    family: Filled
    paper: Filled | None = None
    year: int | None = None
    url: Filled | None = None
    licence: Filled | None = None


class SystemEntry(RunDeclaration, Training, _Source):
    """A system: where it comes from, what it uses, what its runs took, and its responses.

    ``family`` names the architecture: systems of one family are not independent evidence.
    ``people``: annotators, who are shown beside the systems. ``copied``: its responses are in the
    folder. Responses that are neither there nor in an archive are made, as
    ``recipe`` says, from the public files in ``made_from``: their addresses at a commit.
    """

    note: Filled | None = None
    recipe: Filled | None = None
    made_from: Annotated[tuple[Address, ...] | None, Field(strict=False)] = None
    people: bool = False
    copied: bool = True
    published: Annotated[tuple[Published, ...], Field(strict=False)] = ()
    responses: Annotated[tuple[Answer, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _refuse_contradicting_runs(self) -> SystemEntry:
        for answer in self.responses:
            self.run(answer).refuse_contradictions()
        return self

    @property
    def ranked(self) -> bool:
        """Whether it is a system that did without gold links of the mentions it is scored on."""
        return not self.people and self.uses.pairs != "gold"

    def answers(self, task: str) -> tuple[Answer, ...]:
        """Return the responses to a task: the runs of the system."""
        return tuple(answer for answer in self.responses if answer.task == task)

    def run(self, answer: Answer) -> SystemEntry:
        """Return the system with what is declared of one of its runs."""
        return self.model_copy(update=answer.model_dump(exclude_none=True))

    def runs(self, task: str) -> list[SystemEntry]:
        """Return the system once for each run, with what is declared of that run."""
        return [self.run(answer) for answer in self.answers(task)]


class Archive(FileModel):
    """A public 7z archive of responses: its address, its git blob id, and the folder in it.

    ``keys``: path → SHA-256 of the key files in it that responses need.
    """

    name: Name
    url: Filled
    blob: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    licence: Filled
    folder: Filled
    keys: dict[str, Digest] = Field(default_factory=dict)


class BoardFile(FileModel):
    """The content of leaderboard.toml.

    ``archives``: where the responses are that its licences allow to download. ``papers``: words of
    a citation in the field ``paper`` of a system → the address of the paper.
    """

    title: Filled
    tasks: Annotated[tuple[Task, ...], Field(strict=False, min_length=1)]
    settings: Annotated[tuple[Filled, ...], Field(strict=False)] = tuple(SETTINGS.own)
    archives: Annotated[tuple[Archive, ...], Field(strict=False)] = ()
    papers: dict[Filled, _Url] = Field(default_factory=dict)


BOARD_FILE = Schema(BOARD_KIND, BoardFile, "cdec-leaderboard/1")
SYSTEM_FILE = Schema(SYSTEM_KIND, SystemEntry, "cdec-leaderboard-system/1")


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard; ``root`` is the folder of the responses."""

    folder: Path
    root: Path

    @classmethod
    def at(cls, folder: Path, responses: Path | None = None) -> Leaderboard:
        """Return the leaderboard in a folder; responses may be elsewhere. Raises FormatError."""
        board = cls(folder, responses or folder / RESPONSES)
        if len(board.tasks) < len(board.file.tasks):
            raise BOARD_KIND.refuse(folder / BOARD, "two tasks have the same name")
        for other in {task.responses_of for task in board.file.tasks} - {None, *board.tasks}:
            raise BOARD_KIND.refuse(folder / BOARD, f"'{other}' is not a task of the board")
        return board

    @cached_property
    def file(self) -> BoardFile:
        """The content of leaderboard.toml."""
        return BOARD_FILE.read_toml(self.folder / BOARD)

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {task.name: task for task in self.file.tasks}

    def task(self, name: str) -> Task:
        """Return a task. Raises UnknownNameError."""
        return self.tasks[one_of("task", name, self.tasks)]

    @cached_property
    def systems(self) -> dict[str, SystemEntry]:
        """The systems by name, sorted. Raises FormatError."""
        return {entry.name: entry for entry in self._entries()}

    def _entries(self) -> Iterator[SystemEntry]:
        public = {archive.folder for archive in self.file.archives}
        for path in sorted((self.folder / SYSTEMS).glob("*.toml")):
            entry = SYSTEM_FILE.read_toml(path)
            if entry.name != path.stem:
                raise SYSTEM_KIND.refuse(path, f"the name in it is '{entry.name}'")
            for task in (*(a.task for a in entry.responses), *(p.task for p in entry.published)):
                if task not in self.tasks:
                    raise SYSTEM_KIND.refuse(path, f"'{task}' is not a task of the board")
            for key in (answer.key for answer in entry.responses if answer.key):
                if key.partition("/")[0] in public and key not in self.keys:
                    raise SYSTEM_KIND.refuse(path, f"no archive has the SHA-256 of the key '{key}'")
            further = (
                answer.model_copy(update={"task": part.name})
                for part in self.file.tasks
                for answer in (entry.answers(part.responses_of) if part.responses_of else ())
            )
            yield entry.model_copy(update={"responses": (*entry.responses, *further)})

    def jobs(self) -> list[tuple[SystemEntry, Task]]:
        """Return every system with each task that it has responses to, task by task."""
        pairs = ((entry, task) for task in self.file.tasks for entry in self.systems.values())
        return [(entry, task) for entry, task in pairs if entry.answers(task.name)]

    @cached_property
    def table(self) -> ResultTable:
        """The saved results when they are first asked for. Raises FormatError."""
        from cdec.leaderboards.table import ResultTable  # noqa: PLC0415  it reads boards

        return ResultTable.of(self)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The SHA-256 of the key files of the archives, by path."""
        return {path: d for archive in self.file.archives for path, d in archive.keys.items()}

    def path(self, name: str) -> Path:
        """Return the path of a file: among the responses, or else a copy in the folder."""
        copied = self.folder / RESPONSES / name
        return copied if copied.is_file() and not (self.root / name).is_file() else self.root / name

    def has(self, answer: Answer) -> bool:
        """Return whether the file of a response is here, and needs no key but that of its task."""
        return not answer.key and self.path(answer.path).is_file()

    def there(self, name: str, hint: str) -> Path:
        """Return the path of a response or key file. Raises ScoringError if it is missing."""
        path = self.path(name)
        if not path.is_file():
            message = "a file of the leaderboard is missing"
            raise ScoringError("argument-missing", message, place=path, hint=hint)
        return path

    def checked(self, name: str, expected: str | None, hint: str) -> Path:
        """Return the path of a file as ``there``. Raises ScoringError if it has another digest."""
        path = self.there(name, hint)
        digest = digest_of(path)
        if digest != (expected or digest):
            message = f"the SHA-256 of the file is {digest[:12]}…, expected {expected:.12}…"
            raise ScoringError("input-mismatch", message, place=path, hint=hint)
        return path

    def addresses(self, entry: SystemEntry) -> list[str]:
        """Return the addresses of the archives that have responses of a system."""
        folders = {answer.path.partition("/")[0] for answer in entry.responses}
        return [archive.url for archive in self.file.archives if archive.folder in folders]

    def how_to_get(self, entry: SystemEntry) -> str:
        """Return the hint for responses of a system that are missing or changed."""
        if self.addresses(entry):
            return f"use `cdec leaderboard fetch {entry.name}`"
        return entry.recipe or entry.note or "see its field `url`"


def board_of_cdec() -> Leaderboard:
    """Return the board of published systems; its responses are in the user's data folder."""
    return _kept(configs.folder("leaderboard"), data_folder() / RESPONSES)


@cache  # its files do not change while the program runs
def _kept(folder: Path, root: Path) -> Leaderboard:
    return Leaderboard(folder, root)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a response file. Raises FormatError."""
    return sha256(_RESPONSE.read_bytes(path)).hexdigest()


def system_toml(entry: SystemEntry) -> str:
    """Return the TOML of a system.

    >>> entry = SystemEntry(name="x", title="X", family="x")
    >>> SYSTEM_FILE.parse_toml(system_toml(entry), "x.toml") == entry
    True
    """
    fields: dict[str, Any] = entry.model_dump(exclude_none=True)
    uses = fields.pop("uses")
    tables = {name: fields.pop(name) for name in ("published", "responses")}
    lines = [f"format = {_toml(SYSTEM_FILE.format)}", *_assigned(fields)]
    lines += ["", "[uses]", *_assigned(uses)] if uses else []
    for name, rows in tables.items():
        for row in rows:
            lines += ["", f"[[{name}]]", *_assigned(row)]
    return "\n".join(lines) + "\n"


def _assigned(fields: dict[str, Any]) -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in fields.items()]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    if not escaped.isprintable():
        message, hint = f"a text has control characters: {value!r:.60}", "remove them"
        raise UsageError("file-invalid", message, hint=hint)
    return f'"{escaped}"'
