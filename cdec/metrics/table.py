"""The table of key chains × response chains, over all meta-documents: what metrics count on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import NAME, TALLIES, Floats, Ints, numbered
from cdec.clustering import Clustering, factorized
from cdec.errors import ScoringError, counted
from cdec.metrics.align import best_assignment
from cdec.metrics.counts import COUNT_COLUMNS
from cdec.metrics.repeats import NO_SURPLUS, Surplus, surplus

Similarity: TypeAlias = Callable[["Table"], Floats]
"""A positive number for each cell of a table."""


@dataclass(frozen=True, eq=False)
class Table:
    """Key chains × response chains, over one or more meta-documents.

    ``key_sizes`` (one entry per key chain) and ``response_sizes`` (one per response chain) count
    mentions, including twinless ones. ``rows``, ``cols`` and ``overlap`` are the non-zero cells,
    sorted by row and column: key chain, response chain, number of common mentions.
    ``key_mentions``, ``response_mentions`` and ``common_mentions`` have one entry per
    meta-document, because links exist only inside a meta-document. ``tallies`` are the counts of
    TALLIES that are known, ``surplus`` is that of response mentions that occur again.

    Chains of different meta-documents share no mention, so that the pooled counts of a metric are
    the sums over the meta-documents.

    >>> Table.of_codes(*np.array([[1, 1, 0, 0], [0, 0, 0, -1]]))
    Table(2 × 1 chain, 2 cells, 1 meta)
    """

    key_sizes: Ints
    response_sizes: Ints
    rows: Ints
    cols: Ints
    overlap: Ints
    key_mentions: Ints
    response_mentions: Ints
    common_mentions: Ints
    tallies: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    surplus: Surplus = NO_SURPLUS
    _alignments: dict[Similarity, Ints] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, mentions: pd.DataFrame) -> Table:
        """Build from a frame of mentions: ``meta`` (meta-document), ``key``, ``response``.

        The chain label of a side is missing if the side lacks the mention; a label in two
        meta-documents is two chains. Optional: ``name``, equal for rows that are occurrences of
        one response mention, and counts on words, see TALLIES.

        >>> mentions = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, None]})
        >>> Table.of(mentions)  # two key chains
        Table(2 × 1 chain, 1 cell, 2 meta)
        """
        meta, key, response = chain_codes(mentions)
        table = cls._of_chains(key, response, meta)
        again = NO_SURPLUS
        if NAME in mentions:
            present = response >= 0
            name = pd.factorize(mentions[NAME])[0][present]
            again = surplus(meta[present], response[present], name, len(table.key_mentions))
        known = {name: tuple(rows.sum(axis=0).tolist()) for name, rows in tallies(mentions).items()}
        return replace(table, tallies=known, surplus=again)

    @classmethod
    def of_clusterings(cls, key: Clustering, response: Clustering) -> Table:
        """Build from two clusterings, aligned by mention id, as one meta-document.

        >>> key = Clustering.from_labels({"a": 1, "b": 1})
        >>> Table.of_clusterings(key, Clustering.from_labels({"b": 1, "c": 1})).overlap.tolist()
        [1]
        """
        sides = [
            pd.Series(factorized(side.labels)[0], side.labels.index) for side in (key, response)
        ]
        both = pd.concat(sides, axis=1).fillna(-1).to_numpy(np.int64)
        return cls.of_codes(both[:, 0], both[:, 1])

    @classmethod
    def of_codes(cls, key: Ints, response: Ints, meta: Ints | None = None) -> Table:
        """Build from codes 0, 1, … of the chains of each mention; −1: the side lacks the mention.

        ``meta`` has the code of the meta-document of each mention; without it there is one. A code
        in two meta-documents is two chains. Raises ScoringError for a mention without any.
        """
        if meta is None:
            return cls._of_chains(key, response, np.zeros(len(key), np.int64))
        if (meta < 0).any():
            message = f"{counted(int((meta < 0).sum()), 'mention')} without a meta-document"
            raise ScoringError("argument-invalid", message, hint="name one for each mention")
        return cls._of_chains(numbered(meta, key), numbered(meta, response), meta)

    @classmethod
    def _of_chains(cls, key: Ints, response: Ints, meta: Ints) -> Table:
        """Build from the numbers of chains, each of which is in one meta-document."""
        metas = int(meta.max(initial=-1)) + 1
        (key, key_sizes), (response, response_sizes) = _sizes(key), _sizes(response)
        in_key, in_response = key >= 0, response >= 0
        common = in_key & in_response
        width = max(len(response_sizes), 1)
        cells, overlap = np.unique(key[common] * width + response[common], return_counts=True)
        return cls(
            key_sizes=key_sizes,
            response_sizes=response_sizes,
            rows=cells // width,
            cols=cells % width,
            overlap=overlap,
            key_mentions=np.bincount(meta[in_key], minlength=metas),
            response_mentions=np.bincount(meta[in_response], minlength=metas),
            common_mentions=np.bincount(meta[common], minlength=metas),
        )

    @property
    def k(self) -> Ints:
        """The size of the key chain of each cell."""
        return self.key_sizes[self.rows]

    @property
    def r(self) -> Ints:
        """The size of the response chain of each cell."""
        return self.response_sizes[self.cols]

    @cached_property
    def key_common(self) -> Ints:
        """The number of mentions of each key chain that the response has, too."""
        return np.bincount(self.rows, self.overlap, len(self.key_sizes)).astype(np.int64)

    @cached_property
    def response_common(self) -> Ints:
        """The number of mentions of each response chain that the key has, too."""
        return np.bincount(self.cols, self.overlap, len(self.response_sizes)).astype(np.int64)

    def aligned(self, similarity: Similarity) -> Ints:
        """Return 1 for each cell of the best one-to-one alignment by ``similarity``, else 0.

        It is found once for each similarity, so that all uses of a table have the same one of
        several best alignments.
        """
        if similarity not in self._alignments:
            flags = np.zeros(len(self.overlap), np.int64)
            flags[best_assignment(self.rows, self.cols, similarity(self))] = 1
            self._alignments[similarity] = flags
        return self._alignments[similarity]

    def __repr__(self) -> str:
        shape = f"{len(self.key_sizes)} × {counted(len(self.response_sizes), 'chain')}"
        cells = counted(len(self.overlap), "cell")
        return f"Table({shape}, {cells}, {len(self.key_mentions)} meta)"


def chain_codes(mentions: pd.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Return the number of meta-document, key chain and response chain of each mention.

    Numbers are in order of first occurrence; −1 where a side lacks the mention.
    """
    meta, key, response = (
        pd.factorize(mentions[column])[0] for column in ("meta", "key", "response")
    )
    return meta, numbered(meta, key), numbered(meta, response)


def tallies(mentions: pd.DataFrame, names: Iterable[str] = TALLIES) -> dict[str, Floats]:
    """Return the counts on words that a frame of mentions has: name → array (mentions, 4).

    Those of recall count where the key has the mention, those of precision where the response has.
    """
    known = [name for name in TALLIES if name in names and f"{name}.p_num" in mentions]
    if not known:
        return {}
    present = mentions[["response", "response", "key", "key"]].notna().to_numpy()
    columns = {name: [f"{name}.{column}" for column in COUNT_COLUMNS] for name in known}
    return {
        name: np.where(present, mentions[columns[name]].to_numpy(np.float64), 0) for name in known
    }


def _sizes(chains: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of the chains without gaps, and the size of each."""
    sizes = np.bincount(chains[chains >= 0])
    if sizes.all():
        return chains, sizes
    numbers = np.append(np.cumsum(sizes > 0) - 1, -1)
    return numbers[chains], sizes[sizes > 0]
