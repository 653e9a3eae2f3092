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
from cdec.evaluation.response import is_there, sourced
from cdec.files.models import Schema
from cdec.files.output import save
from cdec.formats.declaration import RunDeclaration, Training, Uses
from cdec.leaderboards.entries import (
    PAIRS,
    SYSTEM_FILE,
    SYSTEM_KIND,
    Address,
    Answer,
    Published,
    SystemEntry,
    system_toml,
)
from cdec.leaderboards.folder import RESPONSES, SYSTEMS, Leaderboard, digest_of
from cdec.pairs.pair_files import read_pairs

_OF_RUN = ("seed", *RunDeclaration.model_fields)
_OF_SYSTEM = ("trained_on", "tuned_on")


@dataclass(frozen=True)
class Addition:
    """What is added: the name, the responses, the task, and a TOML file with the rest.

    A response is a file, or ``pairs:FILE@THRESHOLD/CLUSTERING`` for the chains of pair scores.
    """

    name: str
    files: Sequence[str | Path]
    task: str
    meta: Path | None = None
    copied: bool = True


def add_system(board: Leaderboard, addition: Addition) -> SystemEntry:
    """Add responses of a system, and return its entry.

    The TOML file of the system is written; responses to the same task that it had are replaced.
    What the response files declare fills the fields that the TOML file lacks; what they declare of
    their runs is kept for each response. Raises FormatError, UsageError for a name that is not
    valid, UnknownNameError for an unknown task.
    """
    task = board.task(addition.task)
    place = board.folder / SYSTEMS / f"{addition.name}.toml"
    known = SYSTEM_FILE.read_toml(place) if place.is_file() else None
    given = [_Given.of(response) for response in addition.files]
    answers = [_answer(board, addition, one) for one in given]
    declared = _declared(given)
    kept = [a for a in known.responses if a.task != task.name] if known else []
    fields = known.model_dump(exclude_none=True) if known else {}
    fields |= _meta(addition)
    fields["uses"] = {**declared.pop("uses", {}), **fields.get("uses", {})}
    fields = {"title": addition.name, "family": addition.name, **declared, **fields}
    fields |= {"name": addition.name, "copied": addition.copied, "responses": [*kept, *answers]}
    fields["responses"] = [answer.model_dump(exclude_none=True) for answer in fields["responses"]]
    entry = SYSTEM_FILE.check({"format": SYSTEM_FILE.format, **fields}, place)
    _copy(board, addition, [one.path for one in given], answers)
    place.parent.mkdir(parents=True, exist_ok=True)
    save([system_toml(entry)], place)
    return entry


@dataclass(frozen=True)
class _Given:
    """A response file, what it declares, and how its pair scores become chains, if it has any."""

    path: Path
    declared: Mapping[str, Any]
    pairs: str | None = None

    @classmethod
    def of(cls, response: str | Path) -> _Given:
        """Read a response. Raises FormatError, and UsageError for a source that is not a file."""
        source = sourced(response)
        if source is None:
            return cls(Path(response), formats.read(Path(response)).declared)
        scheme, _, rest = str(response).partition(":")
        if scheme != PAIRS or read_pairs(str(source.reads[0])) is None:
            message, hint = f"'{response}' is not a response file", "or pairs:FILE@0.5/closure"
            raise UsageError("argument-invalid", message, hint=f"give a file, {hint}")
        return cls(source.reads[0], {}, "" if is_there(Path(rest)) else rest.rpartition("@")[2])


def _answer(board: Leaderboard, addition: Addition, given: _Given) -> Answer:
    path = given.path
    name = f"{addition.name}/{addition.task}/{path.name}" if addition.copied else str(path)
    if not addition.copied and path.resolve().is_relative_to(board.root.resolve()):
        name = path.resolve().relative_to(board.root.resolve()).as_posix()
    run = {name: value for name, value in given.declared.items() if name in _OF_RUN}
    made = {"digest": digest_of(path), "pairs": given.pairs, **run}
    return Answer(task=addition.task, path=name, **made)


def _declared(given: Sequence[_Given]) -> dict[str, Any]:
    """Return what all files declare in the same way, as fields of a system."""
    each = [one.declared for one in given]
    same = {n: v for n, v in each[0].items() if all(other.get(n) == v for other in each)}
    uses = {name: value for name, value in same.items() if name in Uses.model_fields}
    return {"uses": uses} | {name: value for name, value in same.items() if name in _OF_SYSTEM}


class _Meta(RunDeclaration, Training):
    """The fields of a system that a user writes; the others are computed."""

    title: str | None = None
    family: str | None = None
    paper: str | None = None
    year: int | None = None
    url: str | None = None
    licence: str | None = None
    note: str | None = None
    recipe: str | None = None
    made_from: Annotated[tuple[Address, ...] | None, Field(strict=False)] = None
    published: Annotated[tuple[Published, ...], Field(strict=False)] | None = None


_META = Schema(SYSTEM_KIND, _Meta, SYSTEM_FILE.format, since=1)


def _meta(addition: Addition) -> dict[str, Any]:
    if addition.meta is None:
        return {}
    return _META.read_toml(addition.meta).model_dump(exclude_none=True, exclude_unset=True)


def _copy(
    board: Leaderboard, addition: Addition, paths: Sequence[Path], answers: Sequence[Answer]
) -> None:
    if not addition.copied:
        return
    names = [answer.path for answer in answers]
    if len(set(names)) < len(names):
        message, hint = "two responses have the same file name", "rename one of them"
        raise UsageError("file-unwritable", message, place=addition.name, hint=hint)
    for path, answer in zip(paths, answers, strict=True):
        target = board.folder / RESPONSES / answer.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(path)):
            shutil.copyfile(path, target)
