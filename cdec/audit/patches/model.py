"""A patch: how a key is corrected, apart from the corpus, which is never changed.

A patch is JSON::

    {"format": "cdec-key-patch/1",
     "about": {"corpus": "ecb+", "digest": "…"},
     "merge": [["1_1ecb/20", "1_2ecb/7"]],      # the chains of these mentions are one
     "move": [["1_3ecb/4"]],                    # these leave their chain, together, for a new one
     "places": {"1_1ecb/20": "1_1ecb/34-35"}}   # where the mentions stand, for keys without ids

Moves come first, merges join what is then there: no order of the lines matters, and a mention that
is moved and merged changes from one chain to another. Mentions are named, not chains: most formats
have no label for a mention that is alone.
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
    """Merges and moves, checked when made.

    ``name`` is the file's, for messages and signatures; ``digest`` the SHA-256 of merges and
    moves. Raises FormatError for a mention that is moved twice and for a line of too few mentions.

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
            message = f"a line of too few mentions: {list(short[0])}"
            raise FormatError(message, place=self.name, hint="a merge is of two, a move of one")

    @property
    def digest(self) -> str:
        """What the patch does, whatever the order of its lines."""
        lines = [sorted(map(sorted, groups)) for groups in (self.merge, self.move)]
        return sha256(json.dumps(lines).encode()).hexdigest()

    @property
    def mentions(self) -> set[str]:
        """All mentions that the patch names."""
        return set(flat.from_iterable((*self.merge, *self.move)))

    def to_json(self) -> str:
        """Return the file's text."""
        content = {"format": FORMAT, "about": dict(self.about)}
        lines = {"merge": list(map(list, self.merge)), "move": list(map(list, self.move))}
        return json.dumps(content | lines | {"places": dict(self.places)}, indent=1) + "\n"


class _File(FileModel):
    merge: _Lines
    move: _Lines
    about: dict[str, Any] = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_patch(path: Path) -> Patch:
    """Return the patch of a file. Raises FormatError as ``Patch`` does, and for another file."""
    file = _SCHEMA.read_json(path)
    try:
        return Patch(file.merge, file.move, file.about, file.places, path.name)
    except FormatError as error:  # which knows the name and not the path
        raise FormatError(error.message, place=path, hint=error.hint) from None


def contradiction(what: str, place: object = None) -> FormatError:
    """Return the error for decisions, or lines of a patch, that cannot both be followed."""
    hint = "decide anew on these cases and make the patch again"
    return FormatError(f"contradictory: {what}", place=place, hint=hint)
