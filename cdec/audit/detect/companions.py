"""Pairs whose sentences tell of one happening, as other pairs of the same sentences say.

"A massive quake … sparking a tsunami that killed" and "a huge earthquake … triggered a tsunami that
killed": the pairs of like words between two sentences speak for the pairs of unlike ones.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints


def companions(left: Ints, right: Ints, sentence: Ints, supported: Bools) -> Ints:
    """Return for each pair how many others between its two sentences are ``supported``.

    ``left`` and ``right`` are rows of mentions, ``sentence`` a code a mention. Others share no
    mention with the pair; of several that share one, one counts. Pairs inside a sentence have none.
    """
    table = pd.DataFrame({"left": left, "right": right})
    one, two = sentence[left], sentence[right]
    size = int(sentence.max(initial=0)) + 1
    table["place"] = np.where(one == two, -1, one * size + two)
    given = table[supported & (one != two)]
    places = given.groupby("place")
    mine = (given.groupby(["place", side])[side].size() for side in ("left", "right"))
    counts = []
    for side, own in zip(("left", "right"), mine, strict=True):
        distinct = table["place"].map(places[side].nunique()).fillna(0)
        keys = pd.MultiIndex.from_frame(table[["place", side]])
        counts.append(distinct.to_numpy() - (own.reindex(keys).fillna(0).to_numpy() > 0))
    return np.asarray(np.minimum(*counts), dtype=np.int64)
