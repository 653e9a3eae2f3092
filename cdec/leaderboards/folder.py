"""The folder of a leaderboard: tasks, systems, and one file of results a system and task.

::

    leaderboard.toml              title, and the tasks: corpus, split, variant of the key
    systems/NAME.toml             a system: paper, licence, gold information it uses, its responses
    responses/NAME/…              its response files, unless their licence forbids copying
    results/TASK/NAME.json        its saved results under every setting, with their signatures
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from cdec import configs
from cdec.corpus.store.locate import data_folder
from cdec.errors import FormatError, ScoringError, UsageError, one_of
from cdec.formats.declaration import Use
from cdec.io.inputfile import FileKind
from cdec.io.schema import LARGEST_TOML, FileModel, Filled, Schema, complaint
from cdec.leaderboards.study.facts import Facts
from cdec.settings import SETTINGS

BOARD, SYSTEMS, RESPONSES, RESULTS = "leaderboard.toml", "systems", "responses", "results"
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]{0,79}")
_HINT = "see docs/leaderboard.md"
BOARD_KIND = FileKind("a leaderboard", FormatError, "config-invalid", _HINT, LARGEST_TOML)
SYSTEM_KIND = FileKind(
    "a system of a leaderboard", FormatError, "config-invalid", _HINT, LARGEST_TOML
)
_RESPONSE = FileKind("a response", FormatError, "option-invalid", "give a response file", 2**30)


def _plain(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise complaint(f"is '{name:.40}', not lower-case letters, digits and . _ + -")
    return name


Name = Annotated[str, AfterValidator(_plain)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Task(FileModel):
    """A key: a part of a corpus, a reading of its key, and whose responses are scored here too."""

    name: Name
    title: Filled
    corpus: Filled
    split: Filled
    variant: Filled | None = None
    responses_of: Name | None = None


class Answer(FileModel):
    """A response: its task, its path under ``responses``, its SHA-256, the seed of the run.

    ``key``: the path of a key file to score against, for a response whose mentions are numbers that
    only this key explains.
    """

    task: Name
    path: Filled
    digest: Digest
    seed: int | None = None
    key: Filled | None = None


class Published(FileModel):
    """A score that the authors published: F1 from 0 to 1, the mean of their runs, and where."""

    task: Name
    f1: Annotated[float, Field(ge=0, le=1)]
    source: Filled
    setting: Filled = "simple"
    metric: Filled = "conll"


class Uses(FileModel):
    """The gold information that a system uses, as in the declaration of a response file."""

    mentions: Use | None = None
    sentences: Use | None = None
    topics: Use | None = None
    pairs: Use | None = None
    singletons: Use | None = None


class SystemEntry(FileModel):
    """A system: where it comes from, what it uses, and its responses.

    ``family`` names the architecture: systems of one family are not independent evidence.
    ``people``: annotators, who are not ranked. ``copied``: its responses are in the folder.
    """

    name: Name
    title: Filled
    family: Filled
    paper: Filled | None = None
    year: int | None = None
    url: Filled | None = None
    licence: Filled | None = None
    trained_on: Filled | None = None
    tuned_on: Filled | None = None
    note: Filled | None = None
    people: bool = False
    copied: bool = True
    uses: Uses = Uses()
    published: Annotated[tuple[Published, ...], Field(strict=False)] = ()
    responses: Annotated[tuple[Answer, ...], Field(strict=False)] = ()

    def answers(self, task: str) -> tuple[Answer, ...]:
        """Return the responses to a task: the runs of the system."""
        return tuple(answer for answer in self.responses if answer.task == task)


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
    """The content of leaderboard.toml; ``study``: what the page of the study says of this board.

    ``archives``: where the responses are that its licences allow to download.
    """

    title: Filled
    tasks: Annotated[tuple[Task, ...], Field(strict=False, min_length=1)]
    settings: Annotated[tuple[Filled, ...], Field(strict=False)] = tuple(SETTINGS.own)
    study: Facts = Facts()
    archives: Annotated[tuple[Archive, ...], Field(strict=False)] = ()


BOARD_FILE = Schema(BOARD_KIND, BoardFile, "cdec-leaderboard/1")
SYSTEM_FILE = Schema(SYSTEM_KIND, SystemEntry, "cdec-leaderboard-system/1")


def board_of_cdec() -> Leaderboard:
    """Return the board of published systems; its responses are in the user's data folder."""
    return _kept(configs.folder("leaderboard"), data_folder() / RESPONSES)


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

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {task.name: task for task in self.file.tasks}

    @cached_property
    def systems(self) -> dict[str, SystemEntry]:
        """The systems by name, sorted. Raises FormatError."""
        return {entry.name: entry for entry in self._entries()}

    def _entries(self) -> Iterator[SystemEntry]:
        for path in sorted((self.folder / SYSTEMS).glob("*.toml")):
            entry = SYSTEM_FILE.read_toml(path)
            if entry.name != path.stem:
                raise SYSTEM_KIND.refuse(path, f"the name in it is '{entry.name}'")
            for task in (*(a.task for a in entry.responses), *(p.task for p in entry.published)):
                if task not in self.tasks:
                    raise SYSTEM_KIND.refuse(path, f"'{task}' is not a task of the board")
            for key in (answer.key for answer in entry.responses if answer.key):
                if self._is_public(key) and key not in self.keys:
                    raise SYSTEM_KIND.refuse(path, f"no archive has the SHA-256 of the key '{key}'")
            further = (
                answer.model_copy(update={"task": part.name})
                for part in self.file.tasks
                for answer in (entry.answers(part.responses_of) if part.responses_of else ())
            )
            yield entry.model_copy(update={"responses": (*entry.responses, *further)})

    @cached_property
    def keys(self) -> dict[str, str]:
        """The SHA-256 of the key files of the archives, by path."""
        return {path: d for archive in self.file.archives for path, d in archive.keys.items()}

    def _is_public(self, path: str) -> bool:
        return path.partition("/")[0] in {archive.folder for archive in self.file.archives}

    def jobs(self) -> list[tuple[SystemEntry, Task]]:
        """Return every system with each task that it has responses to, task by task."""
        pairs = ((entry, task) for task in self.file.tasks for entry in self.systems.values())
        return [(entry, task) for entry, task in pairs if entry.answers(task.name)]

    def result_path(self, system: str, task: str) -> Path:
        """Return the path of the results of a system on a task."""
        return self.folder / RESULTS / task / f"{system}.json"

    def there(self, name: str, hint: str) -> Path:
        """Return the path of a response or key file. Raises ScoringError if it is missing."""
        copied = self.folder / RESPONSES / name
        path = copied if copied.is_file() else self.root / name
        if not path.is_file():
            message = "a file of the leaderboard is missing"
            raise ScoringError("response-missing", message, place=path, hint=hint)
        return path

    def how_to_get(self, entry: SystemEntry) -> str | None:
        """Return the hint to fetch the responses of a system; None if no archive has them."""
        known = any(self._is_public(answer.path) for answer in entry.responses)
        return f"use `cdec leaderboard fetch {entry.name}`" if known else None

    def checked(self, name: str, expected: str | None, hint: str) -> Path:
        """Return the path of a file as ``there``. Raises ScoringError if it has another digest."""
        path = self.there(name, hint)
        digest = digest_of(path)
        if digest != (expected or digest):
            message = f"the SHA-256 of the file is {digest[:12]}…, expected {expected:.12}…"
            raise ScoringError("input-mismatch", message, place=path, hint=hint)
        return path

    def task(self, name: str) -> Task:
        """Return a task. Raises UnknownNameError."""
        return self.tasks[one_of("task", name, self.tasks)]


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
    lines = [f"format = {_toml('cdec-leaderboard-system/1')}", *_assigned(fields)]
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
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    if not escaped.isprintable():
        message, hint = f"a text has control characters: {value!r:.60}", "remove them"
        raise UsageError("config-invalid", message, hint=hint)
    return f'"{escaped}"'
