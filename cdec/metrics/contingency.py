"""Contingency table of key chains and response chains: sparse, pooled over meta-documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from cdec.arrays import NAME, Bools, Floats, Ints, numbered
from cdec.clustering import Clustering, Side
from cdec.errors import ScoringError, counted
from cdec.labels import factorized
from cdec.metadocument import MetaDocuments
from cdec.metrics.arguments import Labels, check_aligned
from cdec.metrics.assignment import best_assignment
from cdec.metrics.repeats import NO_SURPLUS, Surplus, surplus

_RANGE = 4
"""Labels up to this multiple of their number are numbered with a table."""


class SideTable(NamedTuple):
    """One side: sizes and common mentions of its chains, mentions of its meta-documents.

    >>> Contingency.from_labels([1, 1, 2], [1, 1, -1]).of("key").common.tolist()
    [2, 0]
    """

    sizes: Ints
    common: Ints
    mentions: Ints


Similarity: TypeAlias = Callable[["Contingency"], Floats]
"""A positive number for each cell of a table."""


@dataclass(frozen=True, eq=False)
class Contingency:
    """Key chains × response chains, over one or more meta-documents.

    ``key_sizes`` (one entry per key chain) and ``response_sizes`` (one per response chain) count
    mentions, including twinless ones. ``rows``, ``cols`` and ``overlap`` are the non-zero cells,
    sorted by row and column: key chain, response chain, number of common mentions.
    ``key_mentions``, ``response_mentions`` and ``common_mentions`` have one entry per
    meta-document, because links exist only inside a meta-document. ``tallies`` returns those of
    the meta-documents, ``surplus`` is that of response mentions that occur again.

    Chains of different meta-documents share no mention, so that the pooled counts of a metric are
    the sums over the meta-documents.

    >>> contingency = Contingency.from_labels([1, 1, 2, 2], [1, 1, 1, -1])
    >>> contingency
    Contingency(2 × 1 chain, 2 cells, 1 meta)
    >>> contingency.overlap.tolist()
    [2, 1]
    """

    key_sizes: Ints
    response_sizes: Ints
    rows: Ints
    cols: Ints
    overlap: Ints
    key_mentions: Ints
    response_mentions: Ints
    common_mentions: Ints
    tallies: Callable[[], Mapping[str, tuple[float, ...]]] = dict
    surplus: Surplus = NO_SURPLUS
    _alignments: dict[Similarity, Ints] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def key_common(self) -> Ints:
        """The number of mentions of each key chain that the response has, too."""
        return _sums(self.rows, self.overlap, len(self.key_sizes))

    @cached_property
    def response_common(self) -> Ints:
        """The number of mentions of each response chain that the key has, too."""
        return _sums(self.cols, self.overlap, len(self.response_sizes))

    def of(self, side: Side) -> SideTable:
        """Return what the table has of one side."""
        if side == "key":
            return SideTable(self.key_sizes, self.key_common, self.key_mentions)
        return SideTable(self.response_sizes, self.response_common, self.response_mentions)

    def aligned(self, similarity: Similarity) -> Ints:
        """Return the cells of the best one-to-one alignment by ``similarity``, sorted.

        It is found once for each similarity, from key to response, so that all uses of a table
        have the same one of several best alignments.
        """
        if similarity not in self._alignments:
            weight = similarity(self)
            self._alignments[similarity] = best_assignment(self.rows, self.cols, weight)
        return self._alignments[similarity]

    def __repr__(self) -> str:
        shape = f"{len(self.key_sizes)} × {counted(len(self.response_sizes), 'chain')}"
        cells = counted(len(self.overlap), "cell")
        return f"Contingency({shape}, {cells}, {len(self.key_mentions)} meta)"

    @classmethod
    def from_labels(
        cls,
        key: Labels,
        response: Labels,
        meta: Labels | None = None,
    ) -> Contingency:
        """Build from label arrays of equal length, one entry per mention.

        A mention that a side lacks has the label −1 (integers) or a missing value (other types).
        ``meta`` names the meta-document of each mention; a label in two of them means two chains.
        Raises ScoringError for arrays that are not aligned or a mention without meta-document,
        UsageError for what is not an array of one dimension or a label that is not hashable.

        >>> import numpy as np
        >>> contingency = Contingency.from_labels(np.array([1, 1, 2]), np.array([1, 1, -1]))
        >>> contingency.response_sizes.tolist()
        [2]
        """
        check_aligned(key, response, meta)
        documents = np.zeros(len(key), dtype=np.int64) if meta is None else _codes(meta)
        return _count(_codes(key), _codes(response), documents)

    @classmethod
    def from_meta_documents(cls, meta_documents: MetaDocuments) -> Contingency:
        """Build from meta-documents, pooled.

        >>> table = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, 1]})
        >>> Contingency.from_meta_documents(MetaDocuments(table)).key_sizes.tolist()  # two chains
        [1, 1]
        """
        meta, key, response = meta_documents.codes()
        made = replace(_count(key, response, meta), tallies=meta_documents.tallies)
        if NAME not in meta_documents.table:
            return made
        names, present = pd.factorize(meta_documents.table[NAME])[0], response >= 0
        return replace(
            made,
            surplus=surplus(
                meta[present], response[present], names[present], len(made.key_mentions)
            ),
        )

    @classmethod
    def from_clusterings(cls, key: Clustering, response: Clustering) -> Contingency:
        """Build from two clusterings, aligned by mention id, as one meta-document.

        >>> key = Clustering.from_labels({"a": 1, "b": 1})
        >>> response = Clustering.from_labels({"b": 1, "c": 1})
        >>> Contingency.from_clusterings(key, response).common_mentions.tolist()
        [1]
        """
        key_codes, response_codes = (factorized(side.labels)[0] for side in (key, response))
        position = key.labels.index.get_indexer(response.labels.index)
        twinless = response_codes[position < 0]
        partner = np.full(len(key_codes), -1)
        partner[position[position >= 0]] = response_codes[position >= 0]
        left = np.concatenate([key_codes, np.full(len(twinless), -1)])
        right = np.concatenate([partner, twinless])
        return _count(left, right, np.zeros(len(left), dtype=np.int64))


def _codes(labels: Labels) -> Ints:
    """Return codes 0, 1, … of the labels, −1 if missing; in integer arrays −1 means missing."""
    values = labels if isinstance(labels, np.ndarray | pd.Series) else pd.Series(list(labels))
    if not (isinstance(values.dtype, np.dtype) and values.dtype.kind == "i"):
        return factorized(values)[0]
    numbers = np.asarray(values)
    present = numbers != -1
    if present.all():
        return _number(numbers)
    codes = np.full(len(numbers), -1)
    codes[present] = _number(numbers[present])
    return codes


def _number(labels: Ints) -> Ints:
    """Return codes 0, 1, … of integers; a table of their range is faster than hashing them."""
    if not len(labels) or labels.min() < 0 or labels.max() >= _RANGE * len(labels):
        return factorized(labels)[0]
    used = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
    used[labels] = True
    return (np.cumsum(used, dtype=np.int32) - 1)[labels].astype(np.int64)


def _count(key: Ints, response: Ints, meta: Ints) -> Contingency:
    """Return the contingency of codes 0, 1, … per mention (−1: that side lacks the mention)."""
    if (meta < 0).any():
        message = f"{counted(int((meta < 0).sum()), 'mention')} without a meta-document"
        raise ScoringError("argument-type", message, hint="name one for each mention")
    documents = int(meta.max()) + 1 if len(meta) else 0
    chains = _chains(meta, key, response)
    in_key, in_response = (side >= 0 for side in chains)
    common = in_key & in_response
    key_sizes = np.bincount(_at(chains[0], in_key))
    response_sizes = np.bincount(_at(chains[1], in_response))
    sides = tuple(_at(side, common) for side in chains)
    ones = np.ones(len(sides[0]), dtype=np.int64)
    shape = (len(key_sizes), len(response_sizes))
    cells = coo_array((ones, sides), shape=shape).tocsr()
    return Contingency(
        key_sizes=key_sizes,
        response_sizes=response_sizes,
        rows=np.repeat(np.arange(len(key_sizes)), np.diff(cells.indptr)),
        cols=cells.indices.astype(np.int64),
        overlap=cells.data,
        key_mentions=np.bincount(_at(meta, in_key), minlength=documents),
        response_mentions=np.bincount(_at(meta, in_response), minlength=documents),
        common_mentions=np.bincount(_at(meta, common), minlength=documents),
    )


def _chains(meta: Ints, key: Ints, response: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of the chains; a code that occurs in two meta-documents is two chains."""
    if not len(meta) or not meta.max():
        return key, response
    return numbered(meta, key), numbered(meta, response)


def _at(values: Ints, chosen: Bools) -> Ints:
    """Return the chosen values; without a copy if these are all."""
    return values if chosen.all() else values[chosen]


def _sums(chains: Ints, overlap: Ints, size: int) -> Ints:
    return np.bincount(chains, weights=overlap, minlength=size).astype(np.int64)
