"""Links: the number of mention pairs inside chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd

from cdec.arrays import Ints
from cdec.metrics.counts import Counts

N = TypeVar("N", int, Ints, "pd.Series[Any]")


def links(mentions: N) -> N:
    """Return the number of unordered pairs of n mentions, n (n − 1) / 2, elementwise.

    >>> links(4)
    6
    """
    return mentions * (mentions - 1) // 2


def pairs(sizes: Ints) -> int:
    """Return the total number of unordered pairs inside groups of these sizes.

    >>> import numpy as np
    >>> pairs(np.array([1, 2, 4]))
    7
    """
    return int(links(sizes).sum())


@dataclass(frozen=True, slots=True)
class Links:
    """Links of key and response: in both (right), in the key only (missed), or wrong.

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
        """Build from the links of the key, of the response, and of both."""
        return cls(both, key - both, response - both)

    @property
    def made(self) -> int:
        """The links of the response."""
        return self.right + self.wrong

    @property
    def counts(self) -> Counts:
        """Right links out of the response links (precision) and of the key links (recall)."""
        return Counts(self.right, self.made, self.right, self.right + self.missed)
