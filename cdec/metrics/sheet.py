"""The chains of key and response with their mentions and overlaps, for written-out scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import pandas as pd

from cdec.arrays import Ints
from cdec.metadocument import OTHER, SIDES, MetaDocuments, Side, chain_numbers
from cdec.metrics.contingency import Contingency, Similarity
from cdec.metrics.terms import Terms, TermsOf

Alignment: TypeAlias = dict[tuple[Side, int], int]


@dataclass(frozen=True)
class Part:
    """The mentions that a chain shares with the chain number ``other`` of the other side."""

    other: int
    mentions: tuple[str, ...]

    @property
    def size(self) -> int:
        """|K ∩ R|."""
        return len(self.mentions)


@dataclass(frozen=True)
class Chain:
    """A chain of one side in one meta-document; ``number`` is its position in the sheet.

    ``mentions`` are in text order, ``parts`` in the order of their first mentions; ``twinless``
    are the mentions that the other side lacks.
    """

    side: Side
    number: int
    meta: str
    label: str
    mentions: tuple[str, ...]
    parts: tuple[Part, ...]
    twinless: tuple[str, ...]

    @property
    def size(self) -> int:
        """|K|, including twinless mentions."""
        return len(self.mentions)

    @property
    def common(self) -> int:
        """The number of mentions that the other side has too."""
        return self.size - len(self.twinless)


@dataclass(frozen=True, eq=False)
class Sheet:
    """All chains of both sides, with the numbers that they have in ``table``.

    ``numbers`` are those of the meta-documents by name.
    """

    key: tuple[Chain, ...]
    response: tuple[Chain, ...]
    table: Contingency
    numbers: Mapping[str, int]
    _terms: dict[TermsOf, Terms] = field(default_factory=dict, init=False, repr=False)
    _alignments: dict[Similarity, Alignment] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_meta_documents(
        cls, meta_documents: MetaDocuments, attributes: Sequence[str] = ()
    ) -> Sheet:
        """Build from meta-documents; a label in two of them means two chains.

        ``attributes`` as in ``Contingency.from_meta_documents``.
        """
        table = meta_documents.table
        numbers = {side: chain_numbers(table["meta"], table[side]) for side in SIDES}
        key, response = (
            _chains(table, side, numbers[side], numbers[OTHER[side]]) for side in SIDES
        )
        numbered = {name: number for number, name in enumerate(meta_documents.names)}
        whole = Contingency.from_meta_documents(meta_documents, attributes)
        return cls(key, response, whole, numbered)

    def chains(self, side: Side) -> tuple[Chain, ...]:
        """Return the chains of ``side``."""
        return self.key if side == "key" else self.response

    def other(self, chain: Chain, part: Part) -> Chain:
        """Return the chain of the other side that shares ``part`` with ``chain``."""
        return self.chains(OTHER[chain.side])[part.other]

    @cached_property
    def mentions(self) -> Counter[tuple[Side, str]]:
        """(side, meta-document) → number of mentions."""
        sizes: Counter[tuple[Side, str]] = Counter()
        for chain in (*self.key, *self.response):
            sizes[chain.side, chain.meta] += chain.size
        return sizes

    @cached_property
    def metas(self) -> tuple[str, ...]:
        """The names of the meta-documents."""
        return tuple(dict.fromkeys(meta for _, meta in self.mentions))

    @cached_property
    def common(self) -> Counter[str]:
        """Meta-document → number of mentions that both sides have."""
        sizes: Counter[str] = Counter()
        for chain in self.key:
            sizes[chain.meta] += chain.common
        return sizes

    def alignment(self, similarity: Similarity) -> Alignment:
        """Return the best one-to-one alignment: (side, chain number) → number on the other side."""
        if similarity not in self._alignments:
            cells = self.table.aligned(similarity)
            pairs = list(
                zip(self.table.rows[cells].tolist(), self.table.cols[cells].tolist(), strict=True)
            )
            forth: Alignment = {("key", row): col for row, col in pairs}
            self._alignments[similarity] = forth | {("response", col): row for row, col in pairs}
        return self._alignments[similarity]

    def terms(self, of: TermsOf) -> Terms:
        """Return the terms of a metric over ``table``."""
        if of not in self._terms:
            self._terms[of] = of(self.table)
        return self._terms[of]

    @cached_property
    def cells(self) -> dict[tuple[int, int], int]:
        """(number of the key chain, of the response chain) → cell of ``table``."""
        pairs = zip(self.table.rows.tolist(), self.table.cols.tolist(), strict=True)
        return {pair: cell for cell, pair in enumerate(pairs)}


def _chains(table: pd.DataFrame, side: Side, own: Ints, other: Ints) -> tuple[Chain, ...]:
    rows: dict[int, list[tuple[str, int]]] = defaultdict(list)
    heads: dict[int, tuple[Any, Any]] = {}
    columns = (table.index, table["meta"], table[side], own.tolist(), other.tolist())
    for mention, meta, label, number, overlap in zip(*columns, strict=True):
        if number >= 0:
            heads.setdefault(number, (meta, label))
            rows[number].append((str(mention), overlap))
    return tuple(_chain(side, number, *heads[number], rows[number]) for number in sorted(rows))


def _chain(
    side: Side, number: int, meta: object, label: object, rows: Iterable[tuple[str, int]]
) -> Chain:
    mentions: list[str] = []
    overlaps: dict[int, list[str]] = defaultdict(list)
    for mention, other in rows:
        mentions.append(mention)
        overlaps[other].append(mention)
    twinless = tuple(overlaps.pop(-1, ()))
    parts = tuple(Part(other, tuple(shared)) for other, shared in overlaps.items())
    return Chain(side, number, str(meta), str(label), tuple(mentions), parts, twinless)
