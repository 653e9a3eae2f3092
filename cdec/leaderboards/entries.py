"""What the files of a leaderboard declare: its tasks and archives, and each system."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from cdec.errors import FormatError, UsageError, one_of
from cdec.evaluation.response import SCHEMES, ResponseFile, Source
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Filled, Schema, complaint
from cdec.formats.declaration import Digest, RunDeclaration, Training
from cdec.rooms import added, imported
from cdec.settings import SETTINGS

PAIRS = "pairs"  # the scheme of responses that has chains of pair scores
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]{0,79}")
_HINT = "see docs/leaderboard.md"
BOARD_KIND = FileKind("a leaderboard", FormatError, "file-invalid", _HINT, LARGEST_TOML)
SYSTEM_KIND = FileKind(
    "a system of a leaderboard", FormatError, "file-invalid", _HINT, LARGEST_TOML
)


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

    def response(self, path: Path, name: str) -> ResponseFile | Source:
        """Return the response in a file: its chains, or those of its pair scores."""
        if self.pairs is None:
            return ResponseFile(path, name)
        schemes = added(SCHEMES)
        scheme: type[Source] = imported(schemes[one_of("response scheme", PAIRS, schemes)])
        return replace(scheme.parse(f"{path}@{self.pairs}"), name=name)


class Answer(RunDeclaration, _File):
    """A response: its task, its path under ``responses``, its SHA-256, the seed of the run.

    ``key``: the path of a key file to score against, for a response whose mentions are numbers that
    only this key explains. ``pairs``: how the pair scores in the file become chains, as behind @ in
    ``pairs:FILE@0.5/closure``. What is declared here of the run goes before what the system
    declares.
    """


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

    def runs(self, task: str) -> list[SystemEntry]:
        """Return the system once for each run, with what is declared of that run."""
        return [self.run(answer) for answer in self.answers(task)]

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
    settings: Annotated[tuple[Filled, ...], Field(strict=False)] = tuple(SETTINGS.own)
    archives: Annotated[tuple[Archive, ...], Field(strict=False)] = ()
    papers: dict[Filled, _Url] = Field(default_factory=dict)


BOARD_FILE = Schema(BOARD_KIND, BoardFile, "cdec-leaderboard/1")
SYSTEM_FILE = Schema(SYSTEM_KIND, SystemEntry, "cdec-leaderboard-system/1")


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
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    if not escaped.isprintable():
        message, hint = f"a text has control characters: {value!r:.60}", "remove them"
        raise UsageError("file-invalid", message, hint=hint)
    return f'"{escaped}"'
