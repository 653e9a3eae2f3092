"""A patch: corrections of a key in a separate file; the corpus is never changed.

A patch is JSON::

    {"format": "cdec-key-patch/1",
     "about": {"corpus": "ecb+", "digest": "…"},
     "merge": [["1_1ecb/20", "1_2ecb/7"]],      # the chains of these mentions become one
     "move": [["1_3ecb/4"]],                    # these leave their chain and form a new one
     "places": {"1_1ecb/20": "1_1ecb/34-35"}}   # document and tokens, for keys without ids

All moves are applied before all merges, so the order of the operations does not matter, and a
mention that is moved and merged changes its chain. Operations name mentions, not chains, because
most formats have no label for a singleton.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain as flat
from pathlib import Path
from typing import Annotated, Any

from pydantic import FailFast, Field

from cdec.audit.about import About
from cdec.errors import FormatError
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, Texts

FORMAT = "cdec-key-patch/1"
_HINT = "make one with `cdec audit apply DECISIONS -o PATCH`"
_KIND = FileKind("a key patch", FormatError, "patch-invalid", _HINT)
Groups = tuple[tuple[str, ...], ...]
_Lines = Annotated[tuple[Texts, ...], Field(strict=False), FailFast()]


@dataclass(frozen=True)
class Patch:
    """Merges and moves.

    ``name`` is the file name, for messages and signatures; ``digest`` the SHA-256 of merges and
    moves. Raises FormatError if a mention is moved twice, a merge has fewer than two mentions or a
    move has none.

    >>> len(Patch(merge=(("d1/a", "d2/b"),), move=()).digest)
    64
    """

    merge: Groups
    move: Groups
    about: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    name: str = "patch"

    def __post_init__(self) -> None:
        moved = Counter(flat.from_iterable(self.move))
        for mention, count in moved.items():
            if count > 1:
                raise contradiction(f"mention '{mention}' is moved twice", self.name)
        short = [g for g in self.merge if len(set(g)) < 2] + [g for g in self.move if not g]
        if short:
            message = f"a merge needs at least two mentions, a move at least one: {list(short[0])}"
            hint = "complete or delete this operation"
            raise FormatError("patch-invalid", message, place=self.name, hint=hint)

    @property
    def digest(self) -> str:
        """SHA-256 of merges and moves; the order of operations and mentions does not matter."""
        lines = [sorted(map(sorted, groups)) for groups in (self.merge, self.move)]
        return sha256(json.dumps(lines).encode()).hexdigest()

    @property
    def mentions(self) -> set[str]:
        """All mentions in merges and moves."""
        return set(flat.from_iterable((*self.merge, *self.move)))

    def to_json(self) -> str:
        """Return the text of the file."""
        content = {"format": FORMAT, "about": dict(self.about)}
        lines = {"merge": list(map(list, self.merge)), "move": list(map(list, self.move))}
        return json.dumps(content | lines | {"places": dict(self.places)}, indent=1) + "\n"


class _File(FileModel):
    merge: _Lines
    move: _Lines
    about: About = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_patch(path: Path) -> Patch:
    """Return the patch of a file. Raises FormatError as ``Patch`` does, and for an invalid file."""
    file = _SCHEMA.read_json(path)
    try:
        return Patch(file.merge, file.move, file.about, file.places, path.name)
    except FormatError as error:  # its place is the file name, not the path
        raise FormatError(error.code, error.message, place=path, hint=error.hint) from None


def contradiction(message: str, place: object = None) -> FormatError:
    """Return the error for decisions, or operations of a patch, that exclude each other."""
    hint = "correct the decisions on these cases and run `cdec audit apply` again"
    return FormatError("patch-contradictory", f"contradictory: {message}", place=place, hint=hint)
