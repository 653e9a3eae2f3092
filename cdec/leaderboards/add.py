"""Add a system to a leaderboard: its TOML file, and copies of its responses if allowed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cdec import formats
from cdec.errors import UsageError, one_of, warn_of
from cdec.evaluation.response import by_scheme, is_there
from cdec.files.output import save
from cdec.leaderboards.board import (
    DESCRIPTION,
    PAIRS,
    RESPONSES,
    SYSTEM,
    SYSTEMS,
    Leaderboard,
    SystemEntry,
    digest_of,
    system_toml,
)
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.score import on_task


def add_system(
    board: Leaderboard,
    name: str,
    responses: Sequence[str | Path],
    task: str,
    meta: Path | None = None,
    *,
    copied: bool = True,
    corpora: Mapping[str, str] | None = None,
) -> SystemEntry:
    """Add responses of a system, and return its entry.

    A response is a file, or ``pairs:FILE@THRESHOLD/CLUSTERING`` for the chains of pair scores; all
    are matched with the corpus of the task, whose path may be in ``corpora``. ``meta`` is a TOML
    file of a ``Description``. The TOML file of the system is written; responses to the same task
    that it had are replaced. What all response files declare alike fills the fields that the TOML
    file lacks; what they declare of their runs is kept for each response. Raises as
    ``cdec.evaluate`` does, FormatError, and UnknownNameError for a task.
    """
    asked = board.tasks[one_of("task", task, board.tasks)]
    place, root = board.folder / SYSTEMS / f"{name}.toml", board.root.resolve()
    declared, answers, files = [], [], dict[str, Path]()
    for path, pairs, own in map(_read, responses):
        inside = path.resolve()
        if copied:
            kept = f"{name}/{task}/{path.name}"
            if kept in files:  # of two runs, as seed1/out.conll and seed2/out.conll
                kept = f"{name}/{task}/{len(files) + 1}-{path.name}"
        else:
            kept = inside.relative_to(root).as_posix() if root in inside.parents else str(path)
        files[kept] = path
        of_run = {n: v for n, v in own.items() if n in ("seed", *RunDeclaration.model_fields)}
        how = {} if pairs is None else {"pairs": pairs}
        answers.append({"task": task, "path": kept, "digest": digest_of(path), **of_run, **how})
        declared.append(own)
    same = {n: v for n, v in declared[0].items() if all(own.get(n) == v for own in declared)}
    fields: dict[str, Any] = {
        **{"title": name, "family": name},
        **{n: v for n, v in same.items() if n in ("trained_on", "tuned_on")},
        **(SYSTEM.read_toml(place).model_dump(exclude_none=True) if place.is_file() else {}),
        **(DESCRIPTION.read_toml(meta).model_dump(exclude_unset=True) if meta else {}),
    }
    others = [answer for answer in fields.get("responses", ()) if answer["task"] != task]
    used = {n: v for n, v in same.items() if n in Uses.model_fields}
    fields |= {"name": name, "copied": copied, "uses": used | fields.get("uses", {})}
    fields |= {"format": SYSTEM.format, "responses": [*others, *answers]}
    entry = SYSTEM.check(fields, place)
    warn_of(on_task(board, asked, entry, [*files.values()], corpora or {}).notices)
    for kept, path in files.items() if copied else ():
        target = board.folder / RESPONSES / kept
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (target.exists() and target.samefile(path)):
            shutil.copyfile(path, target)
    place.parent.mkdir(parents=True, exist_ok=True)
    save([system_toml(entry)], place)
    return entry


def _read(response: str | Path) -> tuple[Path, str | None, dict[str, Any]]:
    """Return the file of a response, how its pair scores become chains, and what it declares.

    Raises FormatError, and UsageError for a source that is not a file.
    """
    source = by_scheme(response)
    if source is None:
        return Path(response), None, dict(formats.read(Path(response)).declared)
    scheme, _, rest = str(response).partition(":")
    if scheme != PAIRS:
        message = f"'{response}' is not a response file"
        raise UsageError("argument-invalid", message, hint="give a file, or pairs:FILE@0.5/closure")
    path = Path(getattr(source, "path", ""))
    return path, "" if is_there(Path(rest)) else rest.rpartition("@")[2], {}
