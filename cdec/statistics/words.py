"""The word of each mention, for the test by word."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import snowballstemmer

from cdec.statistics.units import Units


def words_of(mentions: Iterable[pd.DataFrame]) -> Units | None:
    """Return the words of all mentions as units; None if a table has no column ``text``.

    The word of a mention is the stem (Snowball, English) of its longest token, or of the first of
    several longest. It needs no language pipeline. On ECB+ train, 83 % of the mention pairs with
    the same head lemma (HanTa) have the same word; 94 % of the pairs with the same word have the
    same head lemma.
    """
    tables = list(mentions)
    if any("text" not in table for table in tables):
        return None
    texts = pd.concat([table["text"] for table in tables])
    texts = texts[~texts.index.duplicated()]
    longest = [max(str(text).lower().split(), key=len, default="") for text in texts]
    stems = snowballstemmer.stemmer("english").stemWords(longest)
    codes, names = pd.factorize(np.asarray(stems, dtype=object))
    return Units("word", tuple(map(str, names)), pd.Series(codes, texts.index))
