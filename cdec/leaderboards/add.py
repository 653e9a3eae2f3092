"""Add a system to a leaderboard: its TOML file, and copies of its responses if allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cdec import formats
from cdec.errors import ScoringError, UsageError, one_of, spelled, warn_of
from cdec.evaluation.response import by_scheme, is_there
from cdec.files.output import save
from cdec.leaderboards.board import SYSTEMS, Leaderboard
from cdec.leaderboards.copies import is_key
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.entry import DESCRIPTION, PAIRS, SYSTEM, system_toml
from cdec.leaderboards.lock import locked
from cdec.leaderboards.paths import inside
from cdec.leaderboards.score import on_task
from cdec.leaderboards.submission import Submission, digest_of
from cdec.records import Fields, Row

_OF_RUN = ("seed", *RunDeclaration.model_fields)


@dataclass(frozen=True)
class _Run:
    """A response to add: its file, how its pair scores become chains, and its declaration."""

    path: Path
    pairs: str | None
    declared: Fields


def add_system(
    board: Leaderboard,
    name: str,
    responses: Sequence[str | Path],
    task: str,
    meta: Path | None,
    *,
    copied: bool,
    allow_key: bool,
    corpora: Mapping[str, str],
) -> Submission:
    """Add responses of a system, and return its submission.

    A response is a file, or ``pairs:FILE@THRESHOLD/CLUSTERING`` for the chains of pair scores; all
    are matched with the corpus of the task, whose path may be in ``corpora``. ``meta`` is a TOML
    file of a ``Description``. The TOML file of the system is written; responses to the same task
    that it had are replaced. What all response files declare alike fills the fields that the TOML
    file lacks; what they declare of their runs is kept for each response. Raises as
    ``cdec.evaluate`` does, FormatError, UnknownNameError for a task, and ScoringError for a
    response that is the key, unless ``allow_key``.
    """
    rules = board.tasks[one_of("task", task, board.tasks)]
    runs = [_read(response) for response in responses]
    names = _names_on_board(board, f"{name}/{task}", runs, copied=copied)
    answers = [_answer(task, run, path) for run, path in zip(runs, names, strict=True)]
    common = _common([run.declared for run in runs])
    with locked(board.folder):
        place = inside(board.folder, SYSTEMS) / f"{name}.toml"
        fields = _fields(place, meta, task, answers, common)
        entry = SYSTEM.check(fields | {"name": name, "copied": copied}, place)
        submission = board.again().submission(entry, place)
        experiment = on_task(submission, rules, [run.path for run in runs], corpora)
        for run, alignment in zip(runs, experiment.runs, strict=True):
            if is_key(alignment) and not allow_key:
                raise ScoringError(
                    "name-duplicate",
                    f"the response has the chains of the key of {task}",
                    place=run.path,
                    hint="give the output of a system; an upper bound needs "
                    f"{spelled('allow_key')}",
                )
        warn_of(experiment.notices)
        if copied:
            for run, path in zip(runs, names, strict=True):
                target = submission.copy(path)
                if not (target.exists() and target.samefile(run.path)):
                    save([run.path.read_bytes()], target, parents=True)
        save([system_toml(entry)], board.place_of(name), parents=True)
    return submission


def _read(response: str | Path) -> _Run:
    """Return a response to add.

    Raises FormatError, and UsageError for a source that is not a file.
    """
    source = by_scheme(response)
    if source is None:
        path = Path(response)
        return _Run(path, None, dict(formats.read(path).declared))
    scheme, _, rest = str(response).partition(":")
    if scheme != PAIRS:
        raise UsageError(
            "argument-invalid",
            f"'{response}' is not a response file",
            hint="give a file, or pairs:FILE@0.5/closure",
        )
    pairs = "" if is_there(Path(rest)) else rest.rpartition("@")[2]
    return _Run(Path(getattr(source, "path", "")), pairs, {})


def _names_on_board(
    board: Leaderboard, folder: str, runs: Sequence[_Run], *, copied: bool
) -> list[str]:
    """Return the path of each response under ``responses``: in a folder if it is copied.

    Raises UsageError for a file that is not copied and has no path in the folder of responses.
    """
    names: list[str] = []
    root = board.root.resolve()
    for run in runs:
        if copied:
            name = f"{folder}/{run.path.name}"
            if name in names:  # of two runs, as seed1/out.conll and seed2/out.conll
                name = f"{folder}/{len(names) + 1}-{run.path.name}"
        elif root in run.path.resolve().parents:
            name = run.path.resolve().relative_to(root).as_posix()
        elif run.path.is_absolute() or ".." in run.path.parts:
            raise UsageError(
                "argument-invalid",
                "a response that is not copied needs a path inside the folder of responses",
                place=run.path,
                hint=f"name that folder, as in {spelled('responses', str(run.path.parent))}",
            )
        else:
            name = run.path.as_posix()
        names.append(name)
    return names


def _fields(
    place: Path,
    meta: Path | None,
    task: str,
    answers: Sequence[Row],
    common: Fields,
) -> Row:
    """Return the fields of the TOML file: those it had, those of ``meta``, and the responses.

    ``common`` is what all responses declare.
    """
    name = place.stem
    fields: Row = {"title": name, "family": name}
    for field in ("trained_on", "tuned_on"):
        if field in common:
            fields[field] = common[field]
    if inside(place.parent, place.name).is_file():
        fields |= SYSTEM.read_toml(place).model_dump(exclude_none=True)
    if meta is not None:
        fields |= DESCRIPTION.read_toml(meta).model_dump(exclude_unset=True)
    uses = {
        field: value for field, value in common.items() if field in Uses.model_fields
    }
    earlier = [
        answer for answer in fields.get("responses", ()) if answer["task"] != task
    ]
    return fields | {
        "format": SYSTEM.format,
        "uses": uses | fields.get("uses", {}),
        "responses": [*earlier, *answers],
    }


def _answer(task: str, run: _Run, path: str) -> Row:
    """Return the fields of a response in the TOML file."""
    fields: Row = {"task": task, "path": path, "digest": digest_of(run.path)}
    fields |= {name: value for name, value in run.declared.items() if name in _OF_RUN}
    if run.pairs is not None:
        fields["pairs"] = run.pairs
    return fields


def _common(declarations: Sequence[Fields]) -> Row:
    """Return what all responses declare alike."""
    first, *others = declarations
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }
