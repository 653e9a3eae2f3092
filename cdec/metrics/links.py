"""Links: the pairs of mentions of one chain, counted and never listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd

from cdec.arrays import Ints
from cdec.metrics.counts import Counts

N = TypeVar("N", int, Ints, "pd.Series[Any]")


def links(mentions: N) -> N:
    """Return the unordered pairs among so many mentions, n (n − 1) / 2, each number by itself.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2


def pairs(sizes: Ints) -> int:
    """Return the unordered pairs inside groups of these sizes, together.

    >>> import numpy as np
    >>> pairs(np.array([1, 2, 4]))
    7
    """
    return int(links(sizes).sum())


@dataclass(frozen=True, slots=True)
class Links:
    """Links of key and response: those of both, of the key alone and of the response alone.

    >>> Links.from_totals(key=6, response=3, both=1)
    Links(right=1, missed=5, wrong=2)
    >>> Links(right=1, missed=5, wrong=2).counts
    Counts(p_num=1, p_den=3, r_num=1, r_den=6)
    """

    right: int
    missed: int
    wrong: int

    @classmethod
    def from_totals(cls, key: int, response: int, both: int) -> Links:
        """Return the links of a key and a response of which they share ``both``."""
        return cls(both, key - both, response - both)

    @property
    def made(self) -> int:
        """The links of the response."""
        return self.right + self.wrong

    @property
    def counts(self) -> Counts:
        """Right links, out of those of the response (precision) and of the key (recall)."""
        return Counts(self.right, self.made, self.right, self.right + self.missed)
