"""Mentions as sets of places, in flat arrays: the form in which two sides are aligned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints

_BLOCK = 2**22  # places per block of pairs


@dataclass(frozen=True, eq=False)
class Spans:
    """The places of n mentions, and their heads.

    A place is an integer that identifies a token in all documents of both sides and increases with
    the text. ``places[bounds[i]:bounds[i + 1]]`` are those of mention i, increasing; a mention
    without tokens has none. ``head`` is the place of the head, −1 if unknown.

    >>> spans = Spans.of([[1, 2, 3], [7]], head=[2, 7])
    >>> spans.first.tolist(), spans.last.tolist(), spans.sizes.tolist()
    ([1, 7], [3, 7], [3, 1])
    """

    bounds: Ints
    places: Ints = field(repr=False)
    head: Ints = field(repr=False)

    @classmethod
    def of(
        cls, mentions: Iterable[Sequence[int] | Ints], head: Sequence[int] | None = None
    ) -> Spans:
        """Return the spans of mentions, each given as its places in text order."""
        sets = list(mentions)
        bounds = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        places = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(bounds[-1]))
        heads = np.full(len(sets), -1) if head is None else np.asarray(head, dtype=np.int64)
        return cls(bounds, places, heads)

    @classmethod
    def of_tables(
        cls, tables: Sequence[pd.DataFrame], heads: Sequence[Ints | None] = (None, None)
    ) -> list[Spans]:
        """Return the spans of tables with doc, start, end and tokens: documents follow one another.

        ``heads`` have the number of each head in its document, −1 if unknown.
        """
        ends = pd.concat([table[["doc", "end"]] for table in tables])
        sizes = ends.groupby("doc", sort=False)["end"].max().clip(lower=0) + 1
        first = dict(zip(sizes.index, (sizes.cumsum() - sizes).tolist(), strict=True))
        return [cls._of_table(*side, first) for side in zip(tables, heads, strict=True)]

    @classmethod
    def _of_table(
        cls, mentions: pd.DataFrame, head: Ints | None, offsets: Mapping[str, int]
    ) -> Spans:
        base: Ints = np.asarray(mentions["doc"].map(offsets), np.int64)
        start, end = (mentions[name].to_numpy(np.int64) for name in ("start", "end"))
        sizes: Ints = np.where(start < 0, 0, end - start + 1).astype(np.int64)
        tokens = mentions["tokens"].tolist()
        gapped = [row for row, numbers in enumerate(tokens) if numbers]
        sizes[gapped] = [len(tokens[row]) for row in gapped]
        first: Ints = (start + base).astype(np.int64)
        spans = cls.ranges(first, sizes)
        listed, length = (tokens[row] for row in gapped), sizes[gapped]
        inside = np.fromiter(chain.from_iterable(listed), np.int64, int(length.sum()))
        at = expanded(spans.bounds[gapped], length)
        spans.places[at] = inside + np.repeat(base[gapped], length)
        heads = np.full(len(base), -1) if head is None else np.where(head < 0, -1, head + base)
        return cls(spans.bounds, spans.places, heads)

    @classmethod
    def ranges(cls, first: Ints, sizes: Ints) -> Spans:
        """Return spans of consecutive places, without heads."""
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        return cls(bounds, expanded(first, sizes), np.full(len(sizes), -1))

    def __len__(self) -> int:
        return len(self.head)

    @property
    def sizes(self) -> Ints:
        """The number of places of each mention."""
        return np.diff(self.bounds)

    @property
    def first(self) -> Ints:
        """The first place of each mention; −1 without places."""
        return self._at(self.bounds[:-1])

    @property
    def last(self) -> Ints:
        """The last place of each mention; −1 without places."""
        return self._at(self.bounds[1:] - 1)

    @property
    def text_order(self) -> Ints:
        """The rows in text order: by first place, last place and size."""
        return np.lexsort((self.sizes, self.last, self.first))

    def take(self, rows: Ints | Bools) -> Spans:
        """Return the spans at these rows."""
        starts, sizes = self.bounds[:-1][rows], self.sizes[rows]
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        return Spans(bounds, self.places[expanded(starts, sizes)], self.head[rows])

    def rows(self) -> Ints:
        """Return the mention of each entry of ``places``."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def runs(self) -> tuple[Ints, Ints, Ints]:
        """Return the runs of consecutive places: their mentions, first and last places.

        >>> [values.tolist() for values in Spans.of([[1, 2, 5], [6]]).runs()]
        [[0, 0, 1], [1, 5, 6], [2, 5, 6]]
        """
        begins = np.diff(self.places, prepend=-2) != 1
        begins[self.bounds[:-1][self.sizes > 0]] = True
        ends = np.append(begins[1:], True)[: len(begins)]
        return self.rows()[begins], self.places[begins], self.places[ends]

    def _at(self, positions: Ints) -> Ints:
        found = np.full(len(self), -1, dtype=np.int64)
        filled = self.sizes > 0
        found[filled] = self.places[positions[filled]]
        return found


def expanded(first: Ints, sizes: Ints) -> Ints:
    """Return first[0], first[0] + 1, …, sizes[0] of them, then those of first[1] and so on.

    >>> expanded(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes - first, sizes)


def identities(one: Spans, other: Spans, width: int = 1) -> list[Ints]:
    """Return a number for each mention of both: equal numbers are equal sets of places.

    ``width``: the distance of consecutive words; empty nodes have places between them.

    >>> numbers = identities(Spans.of([[1, 2], [1, 3]]), Spans.of([[1, 3], [1, 2]]))
    >>> [n.tolist() for n in numbers]
    [[0, 4], [4, 0]]
    """
    sides = (one, other)
    first, size, plain = (
        np.concatenate(parts)
        for parts in zip(*((s.first, s.sizes, _is_plain(s, width)) for s in sides), strict=True)
    )
    # Consecutive words are known by the first of them and their number.
    codes = pd.factorize(first * (int(size.max(initial=0)) + 1) + size)[0].astype(np.int64)
    above, known = len(codes), dict[bytes, int]()
    for row in np.flatnonzero(~plain).tolist():
        side, at = (one, row) if row < len(one) else (other, row - len(one))
        content = side.places[side.bounds[at] : side.bounds[at + 1]].tobytes()
        codes[row] = above + known.setdefault(content, len(known))
    return [codes[: len(one)], codes[len(one) :]]


def _is_plain(spans: Spans, width: int) -> Bools:
    """Return which mentions are consecutive words, without an empty node."""
    empty = np.concatenate([[0], np.cumsum(spans.places % width > 0)])
    words_only = empty[spans.bounds[1:]] == empty[spans.bounds[:-1]]
    plain: Bools = words_only & (spans.last - spans.first == (spans.sizes - 1) * width)
    return plain


def common(key: Spans, response: Spans, rows: Ints, cols: Ints) -> Ints:
    """Return the number of common places of each pair of mentions (key row, response row)."""
    counts = np.zeros(len(rows), dtype=np.int64)
    wide = max(int(key.places.max(initial=0)), int(response.places.max(initial=0))) + 1
    content = key.rows() * wide + key.places  # increasing
    sizes = response.sizes[cols]
    cuts = np.searchsorted(np.cumsum(sizes), np.arange(_BLOCK, int(sizes.sum()), _BLOCK))
    for part in np.split(np.arange(len(rows)), cuts):
        length = sizes[part]
        inside = response.places[expanded(response.bounds[cols[part]], length)]
        wanted = np.repeat(rows[part], length) * wide + inside
        at = np.minimum(np.searchsorted(content, wanted), len(content) - 1)
        pair = np.repeat(np.arange(len(part)), length)
        hits = content[at] == wanted if len(content) else np.zeros(len(wanted), np.bool_)
        counts[part] = np.bincount(pair[hits], minlength=len(part))
    return counts
