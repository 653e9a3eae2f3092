"""The trees of a file with its mentions: what ``cdec.formats.Annotation`` has as ``trees``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.entities import Entities
from cdec.corefud.trees import Trees
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.policy import FilePolicy


@dataclass(frozen=True, eq=False)
class Treebank:
    """The trees of a CoNLL-U file and its mentions as nodes, in the order of the table.

    ``changed``: which mentions are not in the text, as a model has changed their words. They have
    nodes that no other file has, so that they are twinless.
    """

    trees: Trees = field(repr=False)
    entities: Entities = field(repr=False)
    changed: Bools | None = field(default=None, repr=False)

    @cached_property
    def spans(self) -> tuple[str, ...]:
        """The place of each mention in its document, as in ``3:2-4`` (sentence and ids)."""
        return tuple(self.spans_of(np.arange(len(self.entities))))

    def spans_of(self, rows: Ints) -> list[str]:
        """Return the places of these mentions."""
        bounds = self.entities.bounds
        return self.trees.spans_of(self.entities.nodes, bounds[rows], bounds[rows + 1])

    def take(
        self, rows: Ints, names: Iterable[str] | None = None, codes: Ints | None = None
    ) -> Treebank:
        """Return the mentions at these rows; with ``names`` and ``codes``, in other chains."""
        kept = self.entities.take(rows)
        if names is not None and codes is not None:
            kept = replace(kept, names=tuple(names), code=codes)
        return Treebank(self.trees, kept, None if self.changed is None else self.changed[rows])

    def statistics(self) -> dict[str, float | None]:
        """Return the counts that only trees can give: name → number."""
        from cdec.corefud.statistics import statistics  # noqa: PLC0415  # it needs this module

        return statistics(self)

    def placed(self, response: Annotation) -> Annotation:
        """Return the response on the words of this key, as ``cdec.corefud.placing`` does."""
        from cdec.corefud.placing import on_key  # noqa: PLC0415  # it needs this module

        return on_key(response, self)

    def match(
        self, key: Annotation, response: Annotation, policy: FilePolicy, *, across: bool
    ) -> Alignment:
        """Return both files matched, as ``cdec.corefud.treebanks`` does."""
        from cdec.corefud.treebanks import match_trees  # noqa: PLC0415  # it needs this module

        return match_trees((key, self), (response, response.trees), policy, across=across)
