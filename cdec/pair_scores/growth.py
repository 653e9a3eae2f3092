"""The response chains of all thresholds as the chains of one table.

Where two chains merge, both end and a new one begins: n mentions have at most 2n − 1 chains over
all thresholds. A metric whose terms depend on a cell and the sizes of its chains only (MUC, B³,
LEA, links) has the same terms for each of these chains as for those of one response. Its counts at
every threshold are therefore sums over the chains that have begun and not ended.

What a setting does to a chain is done here while it grows: it is divided into parts, one in each
meta-document; a mention that is alone may not count; only the first mention of a document may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints, numbered
from cdec.metrics import Table
from cdec.pair_scores.merges import Merges, root_of
from cdec.settings import Setting

_CELLS = 2**20
"""Cells of a table, which is counted before the next is made: it bounds the memory."""


class Part(NamedTuple):
    """A response chain in one meta-document, with the level at which it begins, and ends.

    ``key`` has the key chains of its mentions, −1 for those without one; ``overlap`` their number.
    """

    begin: int
    end: int
    key: Ints
    overlap: Ints


class Grown(NamedTuple):
    """Parts as response chains of a table, with the levels of each."""

    table: Table
    begin: Ints
    end: Ints


class Growth:
    """The growing response chains under a setting.

    ``mentions`` are those of an ``Alignment``, whose response is not used; their positions are
    those of ``merges``. Level 0 is before the first merge, level i after the merges at
    ``merges.levels[i - 1]``. Parts of the last chains end one level after the last merges.
    """

    def __init__(self, setting: Setting, mentions: pd.DataFrame, merges: Merges) -> None:
        alone = mentions.assign(response=range(len(mentions)))
        # A response mention that is alone at first is in a longer chain at a lower threshold.
        self._own = setting.ignore_singletons == "own"
        kept = replace(setting, ignore_singletons="no") if self._own else setting
        rows = kept.build(alone)["meta"].reindex(mentions.index)
        self._meta = pd.factorize(rows)[0]
        labels = setting.build(alone)["key"].reindex(mentions.index)
        self._key = numbered(self._meta, pd.factorize(labels)[0])
        self._key_sizes = np.bincount(self._key[self._key >= 0])
        reduced = setting.reduce_within_document
        self._slot = pd.factorize(mentions["doc"])[0] if reduced else np.arange(len(mentions))
        self._merges = merges

    def tables(self) -> Iterator[Grown]:
        """Yield the parts as tables of limited size."""
        parts: list[Part] = []
        cells = 0
        for part in self._parts():
            parts.append(part)
            cells += len(part.key)
            if cells > _CELLS:
                yield self._grown(parts)
                parts, cells = [], 0
        yield self._grown(parts)

    def _grown(self, parts: list[Part]) -> Grown:
        none = np.zeros(0, np.int64)
        rows = np.concatenate([none, *(part.key for part in parts)])
        overlap = np.concatenate([none, *(part.overlap for part in parts)])
        cols = np.repeat(np.arange(len(parts)), [len(part.key) for part in parts])
        sizes = np.bincount(cols, weights=overlap, minlength=len(parts)).astype(np.int64)
        common, zero = (rows >= 0) & (overlap > 0), np.zeros(1, np.int64)
        cells = rows[common], cols[common], overlap[common]
        table = Table(self._key_sizes, sizes, *cells, zero, zero, zero)
        begin, end = np.array([part[:2] for part in parts], np.int64).reshape(-1, 2).T
        return Grown(table, begin, end)

    def _parts(self) -> Iterator[Part]:
        """Yield each part when it ends."""
        merges, root = self._merges, list(range(self._merges.size))
        chains = [_Chain(*row, own=self._own) for row in self._rows()]
        levels = np.searchsorted(-merges.levels, -merges.score) + 1
        pairs = zip(merges.first.tolist(), merges.second.tolist(), levels.tolist(), strict=True)
        for first, second, level in pairs:
            ends = (root_of(root, first), root_of(root, second))
            small, large = sorted(ends, key=lambda at: chains[at].size)
            metas = set(chains[small].cells)
            if not chains[large].begun:  # a singleton that was ignored
                metas.update(chains[large].cells)
            for at in (small, large):
                yield from chains[at].ended(level, metas)
            root[small] = large
            chains[large].absorb(chains[small])
            chains[large].begun.update(dict.fromkeys(metas, level))
        for at, one in enumerate(chains):
            if root[at] == at:
                yield from one.ended(len(merges.levels) + 1, one.cells)

    def _rows(self) -> Iterator[tuple[int, int, int, int]]:
        codes = (self._slot, self._meta, self._key)
        yield from zip(range(len(self._meta)), *(code.tolist() for code in codes), strict=True)


class _Chain:
    """A growing chain: ``shown`` has the mention that counts in each slot, ``cells`` its parts.

    ``begun`` has the level at which the part in a meta-document began, if it has; with ``own``
    singletons are ignored.
    """

    def __init__(self, mention: int, slot: int, meta: int, key: int, *, own: bool) -> None:
        self.size = 1
        self.shown = {slot: (mention, meta, key)} if meta >= 0 else {}
        self.cells = {meta: _Cells(key)} if meta >= 0 else {}
        self.begun = {} if own else dict.fromkeys(self.cells, 0)

    def ended(self, level: int, metas: Iterable[int]) -> Iterator[Part]:
        """Yield the parts in ``metas``, which end at a level, but for those that begin there."""
        for meta in metas:
            begin, cells = self.begun.get(meta, level), self.cells.get(meta)
            if cells and begin < level:
                yield Part(begin, level, *cells.copy())

    def absorb(self, other: _Chain) -> None:
        """Add the mentions of another chain; the earlier mention of two in one slot counts."""
        self.size += other.size
        for slot, mention in other.shown.items():
            now = self.shown.get(slot)
            if now is not None and now[0] < mention[0]:
                continue
            if now is not None:
                self.cells[now[1]].count(now[2], -1)
            self.shown[slot] = mention
            _, meta, key = mention
            if meta not in self.cells:
                self.cells[meta] = _Cells(key)
            else:
                self.cells[meta].count(key, 1)


class _Cells:
    """The number of mentions by key chain, as arrays: a part is copied whenever it ends."""

    def __init__(self, key: int) -> None:
        self._at = {key: 0}
        self._table = np.array([[key], [1]])

    def count(self, key: int, by: int) -> None:
        """Count one mention more, or less."""
        at = self._at.setdefault(key, len(self._at))
        if at == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.zeros_like(self._table)], axis=1)
        self._table[0, at] = key
        self._table[1, at] += by

    def copy(self) -> Ints:
        """Return key chains and their numbers of mentions, some of them 0, shape (2, cells)."""
        return self._table[:, : len(self._at)].copy()
