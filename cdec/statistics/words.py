"""The words of mentions: what a system decides by, if it decides by word."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import snowballstemmer

from cdec.statistics.units import Units


def words_of(mentions: Iterable[pd.DataFrame]) -> Units | None:
    """Return the word of each mention of some tables as units; None where one has no ``text``.

    A mention's word is the stem (Snowball, English) of its longest token, the first of several.
    It needs no language pipeline. On ECB+ train it keeps 83 % of the mention pairs that have one
    head lemma (HanTa) together; 94 % of the pairs that it puts together have one.
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
