"""Companions of a pair: other linked pairs between its two sentences.

Pairs between the same two sentences support each other: in "A massive quake … sparking a tsunami
that killed" and "a huge earthquake … triggered a tsunami that killed" the links between equal words
are evidence for a link between "quake" and "earthquake".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.auditing.suspect import LINKS, Flag, detector

if TYPE_CHECKING:
    from cdec.auditing.key import Key

COMPANIONS = "companions"
_NEARLY = 0.6  # smallest |a| of an unlinked pair that counts as a companion
_LEAST = 2  # smallest number of other pairs between the two sentences


def counts(key: Key) -> Ints:
    """Return for each candidate pair the number of other pairs between its two sentences.

    They are linked or nearly so by the SVM, and share no mention with the pair; among pairs that
    share a mention with each other, one counts. Pairs inside a sentence have no companions.
    """
    sentence = key.corpus.selected.groupby(["doc", "sentence"], sort=False).ngroup().to_numpy()
    table = pd.DataFrame({"left": key.pairs.left, "right": key.pairs.right})
    one, two = sentence[table["left"]], sentence[table["right"]]
    table["place"] = np.where(one == two, -1, one * (sentence.max() + 1) + two)
    support = table[(key.linked | (key.anchors > _NEARLY)) & (one != two)]
    others = []
    for side in ("left", "right"):
        distinct = table["place"].map(support.groupby("place")[side].nunique()).fillna(0)
        own = support.groupby(["place", side]).size()
        itself = pd.MultiIndex.from_frame(table[["place", side]]).isin(own.index)
        others.append(distinct.to_numpy() - itself)
    return np.asarray(np.minimum(*others), dtype=np.int64)


@detector(COMPANIONS, "pairs between two sentences with two other linked or almost linked pairs")
def companions(key: Key) -> Iterator[Flag]:
    """Flag a link whose strongest pair has two companions."""
    rows = key.links[key.links[COMPANIONS] >= _LEAST]
    for row, count in zip(rows.index.tolist(), rows[COMPANIONS].astype(int), strict=True):
        reason = f"{count} other mention pairs of these two sentences are linked or almost linked"
        yield Flag(LINKS, row, count / (count + 1), reason)
