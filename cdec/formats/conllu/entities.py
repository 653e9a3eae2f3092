"""The mentions of a CoNLL-U file as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints
from cdec.formats.conllu.chunks import Values


@dataclass(frozen=True, eq=False)
class Entities:
    """The mentions of a file in order of their first bracket.

    ``code`` has the entity of each mention, as a number in ``names``; ``bounds`` and ``nodes`` its
    nodes in text order, as numbers of ``Trees``. ``head`` is the node of the head; ``has_heads``:
    whether the file gives heads (else the head is the first node). ``opening`` has the begin and
    end of the fields of each opening chunk in ``values``.
    """

    names: tuple[str, ...] = field(repr=False)
    code: Ints = field(repr=False)
    bounds: Ints = field(repr=False)
    nodes: Ints = field(repr=False)
    head: Ints = field(repr=False)
    has_heads: bool
    fields: tuple[str, ...] = ()
    values: Values = field(default=Values(b""), repr=False)
    opening: tuple[Ints, Ints] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.code)

    @property
    def entity(self) -> npt.NDArray[np.object_]:
        """The entity of each mention, as a string."""
        names = np.array(self.names, dtype=object)
        found: npt.NDArray[np.object_] = names[self.code] if len(names) else names
        return found

    def entity_of(self, row: int) -> str:
        """Return the entity of a mention."""
        return str(self.names[self.code[row]])

    @property
    def first(self) -> Ints:
        """The first node of each mention."""
        return self.nodes[self.bounds[:-1]]

    @property
    def last(self) -> Ints:
        """The last node of each mention."""
        return self.nodes[self.bounds[1:] - 1]

    def take(self, rows: Ints) -> Entities:
        """Return the mentions at these rows, in the same order."""
        sizes = np.diff(self.bounds)
        kept = np.isin(np.repeat(np.arange(len(self)), sizes), rows)
        opening = (self.opening[0][rows], self.opening[1][rows]) if self.opening else None
        return replace(
            self,
            code=self.code[rows],
            bounds=np.concatenate([[0], np.cumsum(sizes[rows])]),
            nodes=self.nodes[kept],
            head=self.head[rows],
            opening=opening,
        )

    def column(self, name: str) -> list[str]:
        """Return a field of each mention, '' if it has none."""
        if name not in self.fields or self.opening is None:
            return [""] * len(self)
        at, last = self.fields.index(name), len(self.fields) - 1
        bodies = zip(*(ends.tolist() for ends in self.opening), strict=True)
        split = (self.values.text(*body).split("-", last) for body in bodies)
        return [pieces[at] if at < len(pieces) else "" for pieces in split]
