"""The table of key chains × response chains, over all meta-documents: what metrics count on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from cdec.arrays import COUNTS, NAME, AnySeries, Floats, Ints
from cdec.metrics.repeats import (
    NO_KEY_SURPLUS,
    NO_SURPLUS,
    KeySurplus,
    Surplus,
    surplus,
)
from cdec.plugins import part_of_room


@dataclass(frozen=True, eq=False)
class Table:
    """Key chains × response chains, over one or more meta-documents.

    ``key_sizes`` (one entry per key chain) and ``response_sizes`` (one per response chain) count
    mentions, including twinless ones. ``rows``, ``cols`` and ``overlap`` are the non-zero cells,
    sorted by row and column: key chain, response chain, number of common mentions; ``k`` and ``r``
    are the sizes of the two chains of each cell, ``last_overlap`` its mentions for which the key
    chain is the only one, or the last. ``key_mentions``, ``response_mentions`` and
    ``common_mentions`` have one entry per meta-document, because links exist only inside a
    meta-document. ``tallies`` are the counts by metric that the alignment knows, ``surplus`` is
    that of response mentions that occur again, ``key_surplus`` that of key mentions in several
    chains.

    Chains of different meta-documents share no mention, so that the pooled counts of a metric are
    the sums over the meta-documents.

    >>> Table.of_codes(*np.array([[1, 1, 0, 0], [0, 0, 0, -1]])).overlap.tolist()
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
    tallies: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    surplus: Surplus = NO_SURPLUS
    key_surplus: KeySurplus = NO_KEY_SURPLUS
    k: Ints = field(init=False)
    r: Ints = field(init=False)
    last_overlap: Ints = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", self.key_sizes[self.rows])
        object.__setattr__(self, "r", self.response_sizes[self.cols])
        last_overlap = self.overlap - self.key_surplus.overlap
        object.__setattr__(self, "last_overlap", last_overlap)

    @classmethod
    def of(cls, mentions: pd.DataFrame) -> Table:
        """Build from a frame of mentions: ``meta`` (meta-document), ``key``, ``response``.

        The chain label of a side is missing if the side lacks the mention; a label in two
        meta-documents is two chains. Optional: ``name``, equal for rows that are occurrences of
        one mention of the response, or of the key, of which one row has the response chain; and
        the counts by metric that the alignment knows.

        >>> mentions = pd.DataFrame({"meta": ["m", "n"], "key": [1, 1], "response": [1, None]})
        >>> Table.of(mentions).key_sizes.tolist()
        [1, 1]
        """
        meta = pd.factorize(mentions["meta"])[0]
        key = pd.factorize(mentions["key"])[0]
        response = pd.factorize(mentions["response"])[0]
        table = cls.of_codes(key, response, meta)
        if NAME in mentions:
            name = pd.factorize(mentions[NAME])[0]
            chain = numbered(meta, response)
            present = response >= 0
            metas = len(table.key_mentions)
            excess = surplus(meta[present], chain[present], name[present], metas)
            table = replace(table, surplus=excess)
            name_in_key = name[key >= 0]
            if len(np.unique(name_in_key)) < len(name_in_key):
                in_every_chain = part_of_room(
                    "counts", "key mentions in several chains"
                )
                table = in_every_chain(table, meta, key, response, name)
        if any(f".{COUNTS[0]}" in str(column) for column in mentions):
            counts = tallies(mentions)
            sums = {
                name: tuple(rows.sum(axis=0).tolist()) for name, rows in counts.items()
            }
            table = replace(table, tallies=sums)
        return table

    @classmethod
    def of_codes(
        cls,
        key: Ints,
        response: Ints,
        meta: Ints | None = None,
    ) -> Table:
        """Build from codes 0, 1, … of the chains of each mention; −1: the side lacks the mention.

        ``meta`` has the code of the meta-document of each mention; without it there is one. A code
        in two meta-documents is two chains.
        """
        if meta is None:
            meta = np.zeros(len(key), np.int64)
        metas = int(meta.max(initial=-1)) + 1
        key = numbered(meta, key)
        response = numbered(meta, response)
        in_key = key >= 0
        in_response = response >= 0
        common = in_key & in_response
        width = int(response.max(initial=0)) + 1
        cell = (key * width + response)[common]
        cells, overlap = np.unique(cell, return_counts=True)
        return cls(
            key_sizes=np.bincount(key[in_key]),
            response_sizes=np.bincount(response[in_response]),
            rows=cells // width,
            cols=cells % width,
            overlap=overlap,
            key_mentions=np.bincount(meta[in_key], minlength=metas),
            response_mentions=np.bincount(meta[in_response], minlength=metas),
            common_mentions=np.bincount(meta[common], minlength=metas),
        )

    @cached_property
    def key_common(self) -> Ints:
        """The number of mentions of each key chain that the response has, too."""
        return np.bincount(self.rows, self.overlap, len(self.key_sizes)).astype(
            np.int64
        )

    @cached_property
    def response_common(self) -> Ints:
        """The number of mentions of each response chain that the key has, too."""
        return np.bincount(
            self.cols, self.last_overlap, len(self.response_sizes)
        ).astype(np.int64)


def tallies(mentions: pd.DataFrame) -> dict[str, Floats]:
    """Return the counts that a frame of mentions has: metric → array (mentions, 4)."""
    counts = {}
    for column in mentions:
        metric, _, count = str(column).rpartition(".")
        if metric and count == COUNTS[0]:
            numbers = mentions[[f"{metric}.{count}" for count in COUNTS]]
            sides = ["response", "response", "key", "key"]
            is_present = mentions[sides].notna().to_numpy()
            counts[metric] = np.where(is_present, numbers.to_numpy(np.float64), 0)
    return counts


def numbered(
    meta: Ints,
    chain: Ints,
    *,
    in_order_of_codes: bool = False,
) -> Ints:
    """Return the chain number 0, 1, … of each mention; −1 without a chain.

    ``meta`` and ``chain`` have the integer codes of the meta-document and the chain label of each
    mention (−1: no chain). A label in two meta-documents is two chains. Numbers are in order of
    first occurrence, or of the codes.

    >>> numbered(np.array([1, 1, 0]), np.array([5, -1, 5])).tolist()
    [0, -1, 1]
    >>> numbered(np.array([1, 1, 0]), np.array([5, -1, 5]), in_order_of_codes=True).tolist()
    [1, -1, 0]
    """
    steps = np.diff(np.maximum.accumulate(chain), prepend=-1)
    if not meta.any() and steps.max(initial=0) <= 1:  # they have these numbers already
        return chain
    present = chain >= 0
    numbers = np.full(len(chain), -1, dtype=np.int64)
    labels = int(chain.max(initial=0)) + 1
    pairs = meta[present] * labels + chain[present]
    numbers[present] = pd.factorize(pairs, sort=in_order_of_codes)[0]
    return numbers


def chain_numbers(meta: AnySeries, labels: AnySeries) -> Ints:
    """Return the chain number of each mention, in order of first occurrence; −1 without a chain.

    ``meta`` has the meta-document of each mention; a label in two meta-documents is two chains.

    >>> chain_numbers(pd.Series(["m", "m", "n"]), pd.Series([1, None, 1])).tolist()
    [0, -1, 1]
    """
    return numbered(pd.factorize(meta)[0], pd.factorize(labels)[0])
