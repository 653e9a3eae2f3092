"""Paths that the files of a board name: each is relative, inside one folder, and no link.

A declaration comes from a stranger. Such a path is checked before anything is opened, so that no
file outside of the board is read, written, or quoted in an error message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from cdec.errors import FormatError
from cdec.files.models import Filled, complaint

_UP = ("", ".", "..")
_LONGEST = 1000  # letters of a path
_LONGEST_PART = 255  # bytes of the name of a file or folder


def _refuse_outside(path: str) -> str:
    """Return a path that is inside the folder to which it is relative; refuse another one."""
    if not path.isprintable():
        raise complaint("has control characters")
    if "\\" in path or ":" in path.partition("/")[0]:
        raise complaint(
            f"is '{path}', but a path has / between its parts, and no drive"
        )
    parts = path.split("/")
    if any(part in _UP for part in parts):
        raise complaint(
            f"is '{path}', but a path must be relative, and inside its folder"
        )
    if len(path) > _LONGEST or any(
        len(part.encode()) > _LONGEST_PART for part in parts
    ):
        raise complaint("is a path that is too long for a file system")
    return path


InnerPath = Annotated[Filled, AfterValidator(_refuse_outside)]
"""A path in a declaration, as in ``mine/ecb+/run1.conll``."""


def inside(folder: Path, name: str) -> Path:
    """Return the path of a file in a folder, whether it exists or not.

    ``name`` is an ``InnerPath``. The folder may be a link, because its user names it. Raises
    FormatError if the file is a link, or lies in a folder inside ``folder`` that is a link.
    """
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise FormatError(
                "file-invalid",
                "a leaderboard has no links: they can lead out of its folder",
                place=path,
                hint="put the file itself in its place",
            )
    return path
