"""The folder of a leaderboard: its tasks and archives, its systems, and their responses.

::

    leaderboard.toml          title, and the tasks: corpus, split, variant of the key
    systems/NAME.toml         a system: paper, licence, gold information it uses, its responses
    responses/NAME/…          its response files, unless their licence forbids copying
    results.csv               the scores of all systems (or results.csv.gz)

What counts of a submission is its declaration and its responses: the scores are recomputed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import tomli_w
from pydantic import Field, model_validator

from cdec import configs, formats
from cdec.corpus.store import data_folder
from cdec.errors import FormatError, ScoringError, one_of
from cdec.evaluation.response import SCHEMES, Scheme
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Filled, Schema, complaint
from cdec.formats import Annotation
from cdec.leaderboards.declaration import Digest, RunDeclaration, Training
from cdec.rooms import added, imported

PAIRS = "pairs"  # the scheme of responses that has chains of pair scores
BOARD, SYSTEMS, RESPONSES = "leaderboard.toml", "systems", "responses"
_TOML = (FormatError, "file-invalid", "see docs/leaderboard.md", LARGEST_TOML)
SYSTEM_KIND = FileKind("a system of a leaderboard", *_TOML)
_RESPONSE = FileKind("a response", FormatError, "argument-invalid", "give a response file", 2**30)
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+._-]{0,79}$")]
_Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
_AtCommit = Annotated[str, Field(pattern=r"^https://\S+/[0-9a-f]{40}/\S+$")]


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


class Answer(RunDeclaration):
    """A response: its task, its path under ``responses``, its SHA-256, the seed of the run.

    ``key``: the path of a key file to score against, for a response whose mentions are numbers that
    only this key explains. ``pairs``: how the pair scores in the file become chains, as behind @ in
    ``pairs:FILE@0.5/closure``. What is declared here of the run goes before what the system
    declares.
    """

    task: Name
    path: Filled
    digest: Digest
    seed: int | None = None
    key: Filled | None = None
    pairs: str | None = None

    def response(self, path: Path, name: str) -> Annotation | Scheme:
        """Return the response in a file: its chains, or those of its pair scores."""
        if self.pairs is None:
            return formats.read(path, unlabelled=True)
        schemes = added(SCHEMES)
        scheme: type[Scheme] = imported(schemes[one_of("response scheme", PAIRS, schemes)])
        return replace(scheme.parse(f"{path}@{self.pairs}"), name=name)


class Published(FileModel):
    """A score that the authors published: F1 from 0 to 1, the mean of their runs, and where."""

    task: Name
    f1: Annotated[float, Field(ge=0, le=1)]
    source: Filled
    setting: Filled = "simple"
    metric: Filled = "conll"


class Description(RunDeclaration, Training):
    """What somebody writes of a system: where it comes from, what it uses, what its runs took.

    ``family`` names the architecture: systems of one family are not independent evidence.
    ``people``: annotators, who are shown beside the systems. Responses that are neither in the
    folder nor in an archive are made, as ``recipe`` says, from the public files in ``made_from``:
    their addresses at a commit.
    """

    title: Filled = ""
    family: Filled = ""
    paper: Filled | None = None
    year: int | None = None
    url: Filled | None = None
    licence: Filled | None = None
    people: bool = False
    note: Filled | None = None
    recipe: Filled | None = None
    made_from: Annotated[tuple[_AtCommit, ...] | None, Field(strict=False)] = None
    published: Annotated[tuple[Published, ...], Field(strict=False)] = ()


class SystemEntry(Description):
    """A system, and its responses; ``copied``: these are in the folder."""

    name: Name
    title: Filled
    family: Filled
    copied: bool = True
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
    archives: Annotated[tuple[Archive, ...], Field(strict=False)] = ()
    papers: dict[Filled, _Url] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _refuse_unclear_tasks(self) -> BoardFile:
        names = [task.name for task in self.tasks]
        others = {task.responses_of for task in self.tasks} - {None, *names}
        if others or len({*names}) < len(names):
            raise complaint("has two tasks of one name, or 'responses_of' a task that it lacks")
        return self


_BOARD = Schema(FileKind("a leaderboard", *_TOML), BoardFile, "cdec-leaderboard/1")
SYSTEM = Schema(SYSTEM_KIND, SystemEntry, "cdec-leaderboard-system/1")
DESCRIPTION = Schema(SYSTEM_KIND, Description, SYSTEM.format, since=1)


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard; ``root`` is the folder of the responses."""

    folder: Path
    root: Path

    @classmethod
    def at(cls, folder: Path, responses: Path | None = None) -> Leaderboard:
        """Return the leaderboard in a folder; responses may be elsewhere."""
        return cls(folder, responses or folder / RESPONSES)

    @cached_property
    def file(self) -> BoardFile:
        """The content of leaderboard.toml."""
        return _BOARD.read_toml(self.folder / BOARD)

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {task.name: task for task in self.file.tasks}

    def check_corpora(self, names: Iterable[str]) -> None:
        """Raise UnknownNameError for the name of a corpus that no task has."""
        known = dict.fromkeys(task.corpus for task in self.file.tasks)
        for name in names:
            one_of("corpus of a task", name, known)

    @cached_property
    def systems(self) -> dict[str, SystemEntry]:
        """The systems by name, sorted. Raises FormatError."""
        return {entry.name: entry for entry in self._entries()}

    def _entries(self) -> Iterator[SystemEntry]:
        public = {archive.folder for archive in self.file.archives}
        for path in sorted((self.folder / SYSTEMS).glob("*.toml")):
            entry = SYSTEM.read_toml(path)
            keys = {a.key for a in entry.responses if a.key and a.key.partition("/")[0] in public}
            tasks = {a.task for a in entry.responses} | {p.task for p in entry.published}
            for what, unknown in (
                ("the name of the file", {entry.name} - {path.stem}),
                ("a task of the board", tasks - self.tasks.keys()),
                ("a key whose SHA-256 an archive has", keys - self.keys.keys()),
            ):
                for name in unknown:
                    raise SYSTEM_KIND.refuse(path, f"'{name}' is not {what}")
            further = (
                answer.model_copy(update={"task": part.name})
                for part in self.file.tasks
                for answer in (entry.answers(part.responses_of) if part.responses_of else ())
            )
            yield entry.model_copy(update={"responses": (*entry.responses, *further)})

    @property
    def jobs(self) -> dict[tuple[str, str], tuple[Task, SystemEntry]]:
        """Every task and system that has responses to it, by their names, task by task."""
        pairs = ((task, entry) for task in self.file.tasks for entry in self.systems.values())
        return {(t.name, e.name): (t, e) for t, e in pairs if e.answers(t.name)}

    @cached_property
    def keys(self) -> dict[str, str]:
        """The SHA-256 of the key files of the archives, by path."""
        return {path: d for archive in self.file.archives for path, d in archive.keys.items()}

    def path(self, name: str, digest: str | None, hint: str) -> Path:
        """Return the path of a file: among the responses, or else a copy in the folder.

        Raises ScoringError if it is missing, or has another SHA-256 than ``digest``.
        """
        places = (self.root / name, self.folder / RESPONSES / name)
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            message = "a file of the leaderboard is missing"
            raise ScoringError("argument-missing", message, place=places[0], hint=hint)
        if digest and (now := digest_of(path)) != digest:
            message = f"the SHA-256 of the file is {now[:12]}…, expected {digest[:12]}…"
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


@cache  # its files do not change while the program runs
def _kept(folder: Path, root: Path) -> Leaderboard:
    return Leaderboard(folder, root)


def board_of_cdec() -> Leaderboard:
    """Return the board of published systems; its responses are in the user's data folder."""
    return _kept(configs.FOLDER / "leaderboard", data_folder() / RESPONSES)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a response file. Raises FormatError."""
    return sha256(_RESPONSE.read_bytes(path)).hexdigest()


def system_toml(entry: SystemEntry) -> str:
    """Return the TOML of a system.

    >>> import tomllib
    >>> entry = SystemEntry(name="x", title="X", family="x")
    >>> SYSTEM.check(tomllib.loads(system_toml(entry)), "x.toml") == entry
    True
    """
    fields = entry.model_dump(exclude_none=True)
    known = {name: value for name, value in fields.items() if value not in ({}, ())}
    return tomli_w.dumps({"format": SYSTEM.format, "name": entry.name, **known})
