"""What the maintainer of a board decides: tasks, keys, archives, families.

It is the file ``leaderboard.toml``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated

from pydantic import Field, model_validator

from cdec.files.models import FileModel, Filled, Schema, complaint
from cdec.leaderboards.declaration import Digest, Several
from cdec.leaderboards.entry import SYSTEM_KIND, Line, Name
from cdec.leaderboards.paths import InnerPath

_Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
_KIND = replace(SYSTEM_KIND, name="a leaderboard")


class Task(FileModel):
    """A key to score against: a part of a corpus; ``variant`` is the reading of its key.

    ``responses_of``: another task, whose responses are scored on this part of it too. ``keys``: the
    path of a key file among the responses → its SHA-256. A response may be scored against one of
    these files instead, if only this key explains its mentions.
    """

    name: Name
    title: Line
    corpus: Filled
    split: Filled
    variant: Filled | None = None
    responses_of: Name | None = None
    keys: dict[InnerPath, Digest] = Field(default_factory=dict)


class Archive(FileModel):
    """A public 7z archive of responses: its address, its git blob id, and the folder in it."""

    name: Name
    url: Filled
    blob: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    licence: Line
    folder: InnerPath


class BoardFile(FileModel):
    """The content of leaderboard.toml.

    ``archives``: where the responses are that its licences allow to download. ``papers``: words of
    a citation in the field ``paper`` of a system → the address of the paper. ``families``: family →
    the systems of one architecture, which are not independent evidence. ``upper_bounds``: systems
    whose response is the key, by intention; they have no rank.
    """

    title: Line
    tasks: Annotated[Several[Task], Field(min_length=1)]
    archives: Several[Archive] = ()
    papers: dict[Filled, _Url] = Field(default_factory=dict)
    families: dict[Line, Several[Name]] = Field(default_factory=dict)
    upper_bounds: Several[Name] = ()

    @model_validator(mode="after")
    def _refuse_unclear_tasks(self) -> BoardFile:
        names = [task.name for task in self.tasks]
        sources = {task.responses_of for task in self.tasks}
        if len({*names}) < len(names) or sources - {None, *names}:
            raise complaint(
                "has two tasks of one name, or 'responses_of' a task that it lacks"
            )
        return self

    @model_validator(mode="after")
    def _refuse_two_families_of_a_system(self) -> BoardFile:
        counts = Counter(name for names in self.families.values() for name in names)
        for name, count in counts.items():
            if count > 1:
                raise complaint(f"has '{name}' {count} times in 'families'")
        return self

    def family(self, system: str) -> str:
        """Return the family of a system: its own name if the board declares none."""
        for family, names in self.families.items():
            if system in names:
                return family
        return system


BOARD_FORMAT = "cdec-leaderboard/1"
BOARD_FILE = Schema(_KIND, BoardFile, BOARD_FORMAT)
