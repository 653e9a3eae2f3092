"""An operation: one correction of a key, as a case proposes it and a patch contains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain as flat
from typing import Annotated, Any

from pydantic import Field

from cdec.io.schema import FileModel, Filled, Texts

Names = dict[Filled, Filled]


@dataclass(frozen=True)
class Operation:
    """A correction of the key.

    ``move``: these mentions leave their chain and form a new one. ``merge``: the chains of these
    mentions are merged, after all moves; a mention that is moved and merged changes its chain.
    ``remove``: these mentions are no events. ``span`` and ``tag``: mention → its correct tokens in
    the document (``34-35``) or tag. ``add``: a missing mention (``document/tokens``) → a mention of
    its chain.

    >>> Operation(merge=("a", "b"), move=("a",)).mentions
    ('a', 'b')
    """

    merge: tuple[str, ...] = ()
    move: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    span: Mapping[str, str] = field(default_factory=dict)
    tag: Mapping[str, str] = field(default_factory=dict)
    add: Mapping[str, str] = field(default_factory=dict)

    @property
    def mentions(self) -> tuple[str, ...]:
        """All mentions of the key that the operation names."""
        return tuple(dict.fromkeys(self._named()))

    def _named(self) -> Iterator[str]:
        groups = (self.merge, self.move, self.remove, self.span, self.tag, self.add.values())
        return flat.from_iterable(groups)

    def to_dict(self) -> dict[str, Any]:
        """Return the operation as a JSON object, without empty fields."""
        groups = {"merge": self.merge, "move": self.move, "remove": self.remove}
        names = {"span": self.span, "tag": self.tag, "add": self.add}
        lists = {name: list(mentions) for name, mentions in groups.items() if mentions}
        return lists | {name: dict(values) for name, values in names.items() if values}


class OperationRecord(FileModel):
    """An operation as a JSON object."""

    merge: Texts = ()
    move: Texts = ()
    remove: Texts = ()
    span: Annotated[Names, Field(default_factory=dict)]
    tag: Annotated[Names, Field(default_factory=dict)]
    add: Annotated[Names, Field(default_factory=dict)]

    def to_operation(self) -> Operation:
        """Return the operation."""
        return Operation(**dict(self))
