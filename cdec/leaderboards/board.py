"""The folder of a leaderboard: its tasks and archives, its systems, and their responses.

::

    leaderboard.toml          title, tasks, keys, families: written by the maintainer
    systems/NAME.toml         a system: paper, licence, gold information it uses, its responses
    responses/NAME/…          its response files, unless their licence forbids copying
    results.csv               the scores of all systems (or results.csv.gz)

What counts of a submission is its declaration and its responses: the scores are recomputed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import tomli_w

from cdec import configs
from cdec.api import load_corpus
from cdec.corpus.store import data_folder
from cdec.errors import UsageError, one_of
from cdec.files.output import save
from cdec.leaderboards.entry import SYSTEM, SystemEntry
from cdec.leaderboards.paths import inside
from cdec.leaderboards.rules import BOARD_FILE, BOARD_FORMAT, BoardFile, Task
from cdec.leaderboards.submission import RESPONSES, Submission

BOARD = "leaderboard.toml"
SYSTEMS = "systems"


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
        """The content of leaderboard.toml. Raises FormatError."""
        return BOARD_FILE.read_toml(inside(self.folder, BOARD))

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
    def submissions(self) -> dict[str, Submission]:
        """The submissions by the name of the system, sorted. Raises FormatError."""
        submissions = {}
        for path in sorted(inside(self.folder, SYSTEMS).glob("*.toml")):
            place = self.place_of(path.stem)
            submissions[path.stem] = self.submission(SYSTEM.read_toml(place), place)
        return submissions

    @cached_property
    def jobs(self) -> dict[tuple[str, str], tuple[Task, Submission]]:
        """Every task and submission that has responses to it, by their names, task by task."""
        return {
            (task.name, name): (task, submission)
            for task in self.file.tasks
            for name, submission in self.submissions.items()
            if task.name in submission.answers
        }

    def place_of(self, system: str) -> Path:
        """Return the path of the declaration of a system. Raises FormatError for a link."""
        return inside(self.folder, f"{SYSTEMS}/{system}.toml")

    def submission(self, entry: SystemEntry, place: Path) -> Submission:
        """Return the submission of a declaration in a file. Raises FormatError."""
        return Submission.of(entry, self.file, self.folder, self.root, place)

    def again(self) -> Leaderboard:
        """Return this leaderboard, whose files are read again: another process may write them."""
        return Leaderboard(self.folder, self.root)


def new_board(folder: Path, title: str, task: str, corpus: str, split: str) -> Path:
    """Write the file of a new board with one task, and return its path.

    Raises UsageError if the folder has a board, FormatError for a name that no task can have, and
    as ``load_corpus`` if the corpus or the part does not exist.
    """
    path = folder / BOARD
    if path.exists():
        raise UsageError(
            "file-unwritable",
            "the folder has a leaderboard",
            place=path,
            hint="choose another folder, or add a task to this file",
        )
    fields = {"name": task, "title": task, "corpus": corpus, "split": split}
    content = {"format": BOARD_FORMAT, "title": title, "tasks": [fields]}
    BOARD_FILE.check(content, path)
    load_corpus(corpus, split)
    save([tomli_w.dumps(content)], path, parents=True)
    return path


@cache  # its files do not change while the program runs
def _installed(folder: Path, root: Path) -> Leaderboard:
    return Leaderboard(folder, root)


def board_of_cdec() -> Leaderboard:
    """Return the board of published systems; its responses are in the user's data folder."""
    return _installed(configs.FOLDER / "leaderboard", data_folder() / RESPONSES)
