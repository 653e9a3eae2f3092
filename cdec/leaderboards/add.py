"""Add a system to a leaderboard: its TOML file, and copies of its responses if allowed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from cdec import formats
from cdec.errors import UsageError
from cdec.evaluation.response_forms import sourced
from cdec.io.output import save
from cdec.io.schema import FileModel, Schema
from cdec.leaderboards.folder import (
    RESPONSES,
    SYSTEM_FILE,
    SYSTEM_KIND,
    SYSTEMS,
    Answer,
    Leaderboard,
    Published,
    SystemEntry,
    digest_of,
    system_toml,
)

_USES = ("mentions", "sentences", "topics", "pairs", "singletons")


@dataclass(frozen=True)
class Addition:
    """What is added: the name, the response files, the task, and a TOML file with the rest."""

    name: str
    files: Sequence[Path]
    task: str
    meta: Path | None = None
    copied: bool = True


def add_system(board: Leaderboard, addition: Addition) -> SystemEntry:
    """Add responses of a system, and return its entry.

    The TOML file of the system is written; responses to the same task that it had are replaced.
    What the response files declare fills the fields that the TOML file lacks. Raises FormatError,
    UsageError for an invalid name and for ``pairs:FILE``, UnknownNameError for an unknown task.
    """
    task = board.task(addition.task)
    for path in addition.files:
        if sourced(str(path)):
            message, hint = "a leaderboard stores files of chains", "write its chains to a file"
            raise UsageError("option-invalid", message, place=path, hint=hint)
    place = board.folder / SYSTEMS / f"{addition.name}.toml"
    known = SYSTEM_FILE.read_toml(place) if place.is_file() else None
    answers = [_answer(board, addition, path) for path in addition.files]
    declared = _declared(addition.files)
    kept = [a for a in known.responses if a.task != task.name] if known else []
    fields = known.model_dump(exclude_none=True) if known else {}
    fields |= _meta(addition)
    fields["uses"] = {**declared.pop("uses", {}), **fields.get("uses", {})}
    fields = {"title": addition.name, "family": addition.name, **declared, **fields}
    fields |= {"name": addition.name, "copied": addition.copied, "responses": [*kept, *answers]}
    fields["responses"] = [answer.model_dump(exclude_none=True) for answer in fields["responses"]]
    entry = SYSTEM_FILE.check({"format": SYSTEM_FILE.format, **fields}, place)
    _copy(board, addition, answers)
    place.parent.mkdir(parents=True, exist_ok=True)
    save([system_toml(entry)], place)
    return entry


def _answer(board: Leaderboard, addition: Addition, path: Path) -> Answer:
    annotation = formats.read(path)
    name = f"{addition.name}/{addition.task}/{path.name}" if addition.copied else str(path)
    if not addition.copied and path.resolve().is_relative_to(board.root.resolve()):
        name = path.resolve().relative_to(board.root.resolve()).as_posix()
    seed = annotation.declared.get("seed")
    return Answer(task=addition.task, path=name, digest=digest_of(path), seed=seed)


def _declared(files: Sequence[Path]) -> dict[str, Any]:
    """Return what all files declare in the same way, as fields of a system."""
    each: list[Mapping[str, Any]] = [formats.read(path).declared for path in files]
    same = {n: v for n, v in each[0].items() if all(other.get(n) == v for other in each)}
    uses = {name: value for name, value in same.items() if name in _USES}
    data = ("trained_on", "tuned_on")
    return {"uses": uses} | {name: value for name, value in same.items() if name in data}


class _Meta(FileModel):
    """The fields of a system that a user writes; the others are computed."""

    title: str | None = None
    family: str | None = None
    paper: str | None = None
    year: int | None = None
    url: str | None = None
    licence: str | None = None
    trained_on: str | None = None
    tuned_on: str | None = None
    note: str | None = None
    uses: dict[str, str] | None = None
    published: Annotated[tuple[Published, ...], Field(strict=False)] | None = None


_META = Schema(SYSTEM_KIND, _Meta, SYSTEM_FILE.format, since=1)


def _meta(addition: Addition) -> dict[str, Any]:
    if addition.meta is None:
        return {}
    return _META.read_toml(addition.meta).model_dump(exclude_none=True)


def _copy(board: Leaderboard, addition: Addition, answers: Sequence[Answer]) -> None:
    if not addition.copied:
        return
    names = [answer.path for answer in answers]
    if len(set(names)) < len(names):
        message, hint = "two responses have the same file name", "rename one of them"
        raise UsageError("output-is-input", message, place=addition.name, hint=hint)
    for path, answer in zip(addition.files, answers, strict=True):
        target = board.folder / RESPONSES / answer.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(path)):
            shutil.copyfile(path, target)
