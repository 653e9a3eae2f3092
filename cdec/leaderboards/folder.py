"""The folder of a leaderboard: tasks, systems, and one file of results a system and task.

::

    leaderboard.toml              title, and the tasks: corpus, split, variant of the key
    systems/NAME.toml             a system: paper, licence, gold information it uses, its responses
    responses/NAME/…              its response files, unless their licence forbids copying
    results/TASK/NAME.json        its saved results under every setting, with their signatures
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from cdec import configs
from cdec.corpus.store import data_folder
from cdec.errors import FormatError, ScoringError, one_of
from cdec.files.input import FileKind
from cdec.leaderboards.entries import (
    BOARD_FILE,
    BOARD_KIND,
    SYSTEM_FILE,
    SYSTEM_KIND,
    Answer,
    BoardFile,
    SystemEntry,
    Task,
)

BOARD, SYSTEMS, RESPONSES, RESULTS = "leaderboard.toml", "systems", "responses", "results"
_RESPONSE = FileKind("a response", FormatError, "argument-invalid", "give a response file", 2**30)


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

    def has(self, answer: Answer) -> bool:
        """Return whether the file of a response is here, and needs no key but that of its task."""
        return not answer.key and self.is_here(answer.path)

    def is_here(self, name: str) -> bool:
        """Return whether a response or key file is here."""
        return self._path(name).is_file()

    def _path(self, name: str) -> Path:
        """Return the path of a file: among the responses, or else a copy in the folder."""
        copied = self.folder / RESPONSES / name
        return copied if copied.is_file() and not (self.root / name).is_file() else self.root / name

    def outside(self, entry: SystemEntry) -> list[str]:
        """Return the files of a system that are not in the folders of the responses."""
        named = [name for each in entry.responses for name in (each.path, each.key) if name]
        roots = [self.root.resolve(), (self.folder / RESPONSES).resolve()]
        files = {name: self._path(name).resolve() for name in named}
        return [n for n, path in files.items() if not any(map(path.is_relative_to, roots))]

    def there(self, name: str, hint: str) -> Path:
        """Return the path of a response or key file. Raises ScoringError if it is missing."""
        path = self._path(name)
        if not path.is_file():
            message = "a file of the leaderboard is missing"
            raise ScoringError("argument-missing", message, place=path, hint=hint)
        return path

    def addresses(self, entry: SystemEntry) -> list[str]:
        """Return the addresses of the archives that have responses of a system."""
        folders = {answer.path.partition("/")[0] for answer in entry.responses}
        return [archive.url for archive in self.file.archives if archive.folder in folders]

    def is_in_archive(self, entry: SystemEntry) -> bool:
        """Return whether `cdec leaderboard fetch` gets the responses of a system."""
        return bool(self.addresses(entry))

    def how_to_get(self, entry: SystemEntry) -> str:
        """Return the hint for responses of a system that are missing or changed."""
        if self.is_in_archive(entry):
            return f"use `cdec leaderboard fetch {entry.name}`"
        return entry.recipe or entry.note or "see its field `url`"

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
