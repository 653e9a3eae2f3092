"""A submission: what a stranger hands in to a board, checked once against the board's rules.

All that scores, checks or shows a board takes ``Submission`` objects, and nothing else of a
system's file: a declaration that is not allowed never gets further than ``Submission.of``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from cdec.errors import FormatError, ScoringError
from cdec.files.input import FileKind
from cdec.leaderboards.entry import SYSTEM_KIND, Answer, Published, SystemEntry
from cdec.leaderboards.paths import inside
from cdec.leaderboards.rules import Archive, BoardFile

RESPONSES = "responses"
_RESPONSE = FileKind(
    "a response", FormatError, "argument-invalid", "give a response file", 2**30
)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a response file. Raises FormatError."""
    return sha256(_RESPONSE.read_bytes(path)).hexdigest()


@dataclass(frozen=True)
class Submission:
    """A system of a board: its declaration, and the places of the files that it names.

    ``answers`` maps each task that it has responses to → its runs. ``folder`` is that of the board,
    ``root`` that of the responses.
    """

    entry: SystemEntry
    rules: BoardFile
    answers: Mapping[str, tuple[Answer, ...]]
    folder: Path
    root: Path

    @classmethod
    def of(
        cls, entry: SystemEntry, rules: BoardFile, folder: Path, root: Path, place: Path
    ) -> Submission:
        """Return the submission of a declaration, which is in the file ``place``.

        Raises FormatError for a name that is not that of the file, an unknown task, a key that the
        maintainer has not declared for the task, and one file as two runs.
        """
        if entry.name != place.stem:
            raise SYSTEM_KIND.refuse(
                place, f"'{entry.name}' is not the name of the file"
            )
        tasks = {task.name for task in rules.tasks}
        cells: tuple[Answer | Published, ...] = (*entry.responses, *entry.published)
        for cell in cells:
            if cell.task not in tasks:
                raise SYSTEM_KIND.refuse(
                    place, f"'{cell.task}' is not a task of the board"
                )
        answers = {}
        for task in rules.tasks:
            runs = [answer for answer in entry.responses if answer.task == task.name]
            runs += [
                answer.model_copy(update={"task": task.name})
                for answer in entry.responses
                if answer.task == task.responses_of
            ]
            if runs:
                _refuse_doubled_runs(runs, place)
                _refuse_undeclared_keys(runs, task.keys, place)
                answers[task.name] = tuple(runs)
        return cls(entry, rules, answers, folder, root)

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.entry.name

    @property
    def title(self) -> str:
        """The title of the system."""
        return self.entry.title

    @property
    def family(self) -> str:
        """The family that the board declares; the declaration only proposes one."""
        return self.rules.family(self.name)

    @property
    def ranked(self) -> bool:
        """Whether it is a system that did without gold links of the mentions it is scored on."""
        has_gold_links = (
            self.entry.uses.pairs == "gold" or self.name in self.rules.upper_bounds
        )
        return not self.entry.people and not has_gold_links

    def runs(self, task: str) -> list[SystemEntry]:
        """Return the system as each of its runs on a task declares it."""
        return [self.entry.run(answer) for answer in self.answers[task]]

    @cached_property
    def archives(self) -> list[Archive]:
        """The public archives that have its responses."""
        folders = {answer.path.partition("/")[0] for answer in self.entry.responses}
        return [archive for archive in self.rules.archives if archive.folder in folders]

    @property
    def hint(self) -> str:
        """The hint for responses that are missing or changed: where they come from."""
        if self.archives:
            return f"use `cdec leaderboard fetch {self.name}`"
        if self.entry.recipe:
            return self.entry.recipe
        return "name the folder of the responses, restore the file, or add the system again"

    def key(self, task: str) -> Path | None:
        """Return the path of its own key for a task, if it has one. Raises as ``file``."""
        name = self.answers[task][0].key
        if name is None:
            return None
        return self.file(name, self.keys[name])

    @property
    def keys(self) -> dict[str, str]:
        """The SHA-256 of its key files, as the maintainer declares it, by path."""
        paths = {answer.key for runs in self.answers.values() for answer in runs}
        return {
            path: digest
            for task in self.rules.tasks
            for path, digest in task.keys.items()
            if path in paths
        }

    def files(self, task: str) -> list[Path]:
        """Return the paths of its responses to a task, in the order of runs. Raises as ``file``."""
        return [self.file(answer.path, answer.digest) for answer in self.answers[task]]

    def file(self, name: str, digest: str | None = None) -> Path:
        """Return the path of a file: among the responses, or else a copy in the folder.

        Raises FormatError if it is a link, ScoringError if it is missing, or has another SHA-256
        than ``digest``.
        """
        places = (inside(self.root, name), self.copy(name))
        path = next(filter(Path.is_file, places), None)
        if path is None:
            raise ScoringError(
                "argument-missing",
                "a file of the leaderboard is missing",
                place=places[0],
                hint=self.hint,
            )
        if digest is not None:
            actual = digest_of(path)
            if actual != digest:
                raise ScoringError(
                    "input-mismatch",
                    f"the SHA-256 of the file is {actual[:12]}…, expected {digest[:12]}…",
                    place=path,
                    hint=self.hint,
                )
        return path

    def copy(self, name: str) -> Path:
        """Return the path of a copy of a file in the folder of the board. Raises FormatError."""
        return inside(self.folder, f"{RESPONSES}/{name}")


def _refuse_doubled_runs(runs: list[Answer], place: Path) -> None:
    """Refuse one file as two runs: their deviation would be too small."""
    paths: dict[str, str] = {}
    for answer in runs:
        if answer.digest in paths:
            first = paths[answer.digest]
            raise FormatError(
                "name-duplicate",
                f"two runs on {answer.task} are one file: '{first}' and '{answer.path}'",
                place=place,
                hint="give each run once",
            )
        paths[answer.digest] = answer.path


def _refuse_undeclared_keys(
    runs: list[Answer], keys: Mapping[str, str], place: Path
) -> None:
    """Refuse a key that the maintainer of the board has not declared, and two keys of a task."""
    for answer in runs:
        if answer.key is not None and answer.key not in keys:
            raise SYSTEM_KIND.refuse(
                place,
                f"the board declares no key '{answer.key}' for the task {answer.task}",
                "its maintainer writes the SHA-256 of a key into `keys` of the task",
            )
        if answer.key != runs[0].key:
            raise SYSTEM_KIND.refuse(
                place,
                f"the runs on {answer.task} are scored against two keys",
                "score all runs against one key",
            )
