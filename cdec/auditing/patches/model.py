"""A patch: corrections of a key in a separate file; the corpus is never changed.

A patch is JSON::

    {"format": "cdec-key-patch/1",
     "about": {"corpus": "ecb+", "digest": "…"},
     "merge": [["1_1ecb/20", "1_2ecb/7"]],      # the chains of these mentions become one
     "move": [["1_3ecb/4"]],                    # these leave their chain and form a new one
     "remove": ["1_5ecb/9"],                    # no event: these leave the key
     "span": {"1_6ecb/2": "14-15"},             # mention → its tokens in the document
     "tag": {"1_6ecb/2": "ACTION_STATE"},       # mention → its tag
     "add": {"1_7ecb/30": "1_6ecb/2"},          # document/tokens → a mention of the same chain
     "places": {"1_1ecb/20": "1_1ecb/34-35"}}   # document and tokens, for keys without ids

All moves are applied before all merges, so the order of the operations does not matter, and a
mention that is moved and merged changes its chain. Operations name mentions, not chains, because
most formats have no label for a singleton. ``about`` also says who decided, when, with how many
votes, and from which list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain as flat
from pathlib import Path
from typing import Annotated, Any

from pydantic import FailFast, Field

from cdec.auditing.about import About
from cdec.auditing.case import Names, Operation
from cdec.configs import folder
from cdec.errors import FormatError, one_of
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, Texts

FORMAT = "cdec-key-patch/1"
_HINT = "make one with `cdec audit apply DECISIONS -o PATCH`"
_FOLDER = "patches"
_KIND = FileKind("a key patch", FormatError, "file-invalid", _HINT)
Groups = tuple[tuple[str, ...], ...]
_Lines = Annotated[tuple[Texts, ...], Field(strict=False), FailFast()]


@dataclass(frozen=True)
class Patch:
    """Merges, moves and changes of mentions.

    ``name`` is the file name, for messages and signatures; ``digest`` the SHA-256 of all
    operations. Raises FormatError if a mention is moved twice, or removed and linked, a merge has
    fewer than two mentions, or a move has none.

    >>> len(Patch(merge=(("d1/a", "d2/b"),), move=()).digest)
    64
    """

    merge: Groups
    move: Groups
    about: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    name: str = "patch"
    remove: tuple[str, ...] = ()
    span: Mapping[str, str] = field(default_factory=dict)
    tag: Mapping[str, str] = field(default_factory=dict)
    add: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_operations(
        cls, operations: Iterable[Operation], about: Mapping[str, Any], places: Mapping[str, str]
    ) -> Patch:
        """Return the patch of these operations; an operation that occurs twice counts once.

        Raises FormatError for two spans, tags or chains of one mention, and as ``Patch`` does.
        """
        listed = list(operations)
        named = {name: _united(listed, name) for name in ("span", "tag", "add")}
        merge, move = (
            tuple(dict.fromkeys(group for op in listed if (group := getattr(op, name))))
            for name in ("merge", "move")
        )
        remove = tuple(dict.fromkeys(flat.from_iterable(op.remove for op in listed)))
        span, tag, add = named.values()
        return cls(merge, move, about, places, remove=remove, span=span, tag=tag, add=add)

    def __post_init__(self) -> None:
        moved = Counter(flat.from_iterable(self.move))
        for mention, count in moved.items():
            if count > 1:
                raise contradiction(f"mention '{mention}' is moved twice", self.name)
        short = [g for g in self.merge if len(set(g)) < 2] + [g for g in self.move if not g]
        if short:
            message = f"a merge needs at least two mentions, a move at least one: {list(short[0])}"
            hint = "complete or delete this operation"
            raise FormatError("file-invalid", message, place=self.name, hint=hint)
        used = {*flat.from_iterable((*self.merge, *self.move)), *self.add.values()}
        for mention in self.remove:
            if mention in used:
                message = f"mention '{mention}' is removed, and another operation links it"
                raise contradiction(message, self.name)

    @property
    def digest(self) -> str:
        """SHA-256 of all operations; their order and that of their mentions does not matter."""
        lines: list[Any] = [sorted(map(sorted, groups)) for groups in (self.merge, self.move)]
        if self.edits:
            named = (sorted(values.items()) for values in (self.span, self.tag, self.add))
            lines += [sorted(self.remove), *named]
        return sha256(json.dumps(lines).encode()).hexdigest()

    @property
    def edits(self) -> int:
        """The number of operations that change mentions, not only chains."""
        return sum(map(len, (self.remove, self.span, self.tag, self.add)))

    @property
    def mentions(self) -> set[str]:
        """All mentions in merges and moves."""
        return set(flat.from_iterable((*self.merge, *self.move)))

    def to_json(self) -> str:
        """Return the text of the file."""
        content: dict[str, Any] = {"format": FORMAT, "about": dict(self.about)}
        content |= {"merge": list(map(list, self.merge)), "move": list(map(list, self.move))}
        named = {"span": self.span, "tag": self.tag, "add": self.add}
        content |= {"remove": list(self.remove)} if self.remove else {}
        content |= {name: dict(values) for name, values in named.items() if values}
        return json.dumps(content | {"places": dict(self.places)}, indent=1) + "\n"


def _united(operations: Sequence[Operation], name: str) -> dict[str, str]:
    """Return the mappings of all operations as one; raise FormatError for two different values."""
    united: dict[str, str] = {}
    for mention, value in flat.from_iterable(getattr(op, name).items() for op in operations):
        if united.setdefault(mention, value) != value:
            raise contradiction(f"two values of {name} for '{mention}': {united[mention]}, {value}")
    return united


class _File(FileModel):
    merge: _Lines
    move: _Lines
    about: About = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)
    remove: Texts = ()
    span: Annotated[Names, Field(default_factory=dict)]
    tag: Annotated[Names, Field(default_factory=dict)]
    add: Annotated[Names, Field(default_factory=dict)]


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_patch(choice: str | Path) -> Patch:
    """Return the patch of a file, or the patch of cdec with this name (``shipped``).

    Raises FormatError as ``Patch`` does, and for a missing or invalid file; UnknownNameError for
    an unknown name.

    >>> read_patch("ecbplus-duplicates").about["corpus"]
    'ecb+'
    """
    path, name = Path(choice), str(choice).removesuffix(".json")
    is_name = name == path.name.removesuffix(".json") and (name in shipped() or not path.suffix)
    if is_name and not path.exists():
        path = folder(_FOLDER) / f"{one_of('key patch', name, shipped())}.json"
    file = _SCHEMA.read_json(path)
    try:
        sides = (file.merge, file.move, file.about, file.places, path.name)
        return Patch(*sides, remove=file.remove, span=file.span, tag=file.tag, add=file.add)
    except FormatError as error:  # its place is the file name, not the path
        raise error.at(path) from None


def shipped() -> tuple[str, ...]:
    """Return the names of the patches of cdec."""
    return tuple(sorted(file.stem for file in folder(_FOLDER).glob("*.json")))


def contradiction(message: str, place: object = None) -> FormatError:
    """Return the error for decisions, or operations of a patch, that exclude each other."""
    hint = "correct the decisions on these cases and run `cdec audit apply` again"
    return FormatError("patch-contradictory", f"contradictory: {message}", place=place, hint=hint)
