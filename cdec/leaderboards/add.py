"""Add a system to a leaderboard: its TOML file, and copies of its responses if allowed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from cdec import formats
from cdec.errors import UsageError
from cdec.evaluation.response import is_there, sourced
from cdec.files.models import Schema
from cdec.files.output import save
from cdec.formats.declaration import RunDeclaration, Training, Uses
from cdec.leaderboards.board import (
    PAIRS,
    RESPONSES,
    SYSTEM_FILE,
    SYSTEM_KIND,
    SYSTEMS,
    Address,
    Answer,
    Leaderboard,
    Published,
    SystemEntry,
    digest_of,
    system_toml,
)
from cdec.pairs.pair_files import read_pairs

_OF_RUN = ("seed", *RunDeclaration.model_fields)
_OF_SYSTEM = ("trained_on", "tuned_on")


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


def add_system(
    board: Leaderboard,
    name: str,
    responses: Sequence[str | Path],
    task: str,
    meta: Path | None = None,
    *,
    copied: bool = True,
) -> SystemEntry:
    """Add responses of a system, and return its entry.

    A response is a file, or ``pairs:FILE@THRESHOLD/CLUSTERING`` for the chains of pair scores.
    ``meta`` is a TOML file of the fields of ``_Meta``. The TOML file of the system is written;
    responses to the same task that it had are replaced. What all response files declare alike fills
    the fields that the TOML file lacks; what they declare of their runs is kept for each response.
    Raises FormatError, UsageError for a name that is not valid, UnknownNameError for a task.
    """
    task = board.task(task).name
    place = board.folder / SYSTEMS / f"{name}.toml"
    known = SYSTEM_FILE.read_toml(place) if place.is_file() else None
    fields: dict[str, Any] = known.model_dump(exclude_none=True) if known else {}
    read = [_read(response) for response in responses]
    declared = [own for _, own, _ in read]
    same = {n: v for n, v in declared[0].items() if all(own.get(n) == v for own in declared)}
    if meta is not None:
        fields |= _META.read_toml(meta).model_dump(exclude_none=True, exclude_unset=True)
    fields["uses"] = {n: v for n, v in same.items() if n in Uses.model_fields} | fields.get(
        "uses", {}
    )
    fields = {"title": name, "family": name, **_only(same, _OF_SYSTEM), **fields}
    answers = [
        Answer(
            task=task,
            path=_kept_as(board, name, task, path, copied),
            digest=digest_of(path),
            pairs=pairs,
            **_only(own, _OF_RUN),
        ).model_dump(exclude_none=True)
        for path, own, pairs in read
    ]
    others = [answer for answer in fields.get("responses", ()) if answer["task"] != task]
    fields |= {"name": name, "copied": copied, "responses": [*others, *answers]}
    entry = SYSTEM_FILE.check({"format": SYSTEM_FILE.format, **fields}, place)
    if copied:
        _copy(board, name, {answer["path"]: path for answer, (path, *_) in zip(
            answers, read, strict=True)}, len(answers))  # fmt: skip
    place.parent.mkdir(parents=True, exist_ok=True)
    save([system_toml(entry)], place)
    return entry


def _only(fields: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in names}


def _read(response: str | Path) -> tuple[Path, dict[str, Any], str | None]:
    """Return the file of a response, what it declares, and how its pair scores become chains.

    Raises FormatError, and UsageError for a source that is not a file.
    """
    source = sourced(response)
    if source is None:
        return Path(response), dict(formats.read(Path(response)).declared), None
    scheme, _, rest = str(response).partition(":")
    if scheme != PAIRS or read_pairs(str(source.reads[0])) is None:
        message = f"'{response}' is not a response file"
        raise UsageError("argument-invalid", message, hint="give a file, or pairs:FILE@0.5/closure")
    return source.reads[0], {}, "" if is_there(Path(rest)) else rest.rpartition("@")[2]


def _kept_as(board: Leaderboard, name: str, task: str, path: Path, copied: bool) -> str:
    """Return the path of a response in the board: that of its copy, or where it is."""
    if copied:
        return f"{name}/{task}/{path.name}"
    inside = path.resolve().is_relative_to(board.root.resolve())
    return path.resolve().relative_to(board.root.resolve()).as_posix() if inside else str(path)


def _copy(board: Leaderboard, name: str, files: dict[str, Path], count: int) -> None:
    if len(files) < count:
        message, hint = "two responses have the same file name", "rename one of them"
        raise UsageError("file-unwritable", message, place=name, hint=hint)
    for there, path in files.items():
        target = board.folder / RESPONSES / there
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(path)):
            shutil.copyfile(path, target)
