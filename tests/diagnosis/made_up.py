"""Small random corpora: chains, nested places, and lemmas."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from cdec.arrays import Ints
from cdec.diagnosis import ALL, KINDS, LEMMAS, Mentions

# Document → (sub-topic, topic): two topics, one of them with two sub-topics.
HOME = {0: (0, 0), 1: (0, 0), 2: (1, 0), 3: (1, 0), 4: (2, 1), 5: (2, 1)}


@st.composite
def made_up(draw: st.DrawFn, size: int = 14, twinless: bool = True) -> Mentions:
    """Return the mentions of a random corpus; −1 for a mention that a side does not have."""
    number = draw(st.integers(0, size))
    lowest = -1 if twinless else 0

    def column(least: int, most: int) -> Ints:
        drawn = draw(st.lists(st.integers(least, most), min_size=number, max_size=number))
        return np.array(drawn, dtype=np.int64)

    doc = column(0, len(HOME) - 1)
    subtopic, topic = (np.array([HOME[d][n] for d in doc], dtype=np.int64) for n in (0, 1))
    index = pd.Index([f"m{n}" for n in range(number)], dtype=object)
    key, response, lemma = column(lowest, 4), column(lowest, 4), column(0, 3)
    numbers = (dense(chains) for chains in (key, response, doc, subtopic, topic, lemma))
    return Mentions(index, *numbers)


def dense(numbers: Ints) -> Ints:
    """Return consecutive codes, as in a real corpus; −1 stays −1."""
    codes = pd.factorize(np.where(numbers < 0, np.nan, numbers))[0]
    return codes.astype(np.int64)


def kind(mentions: Mentions, i: int, j: int) -> str:
    """Return the kind of a mention pair, by definition."""
    if mentions.doc[i] == mentions.doc[j]:
        return "document"
    if mentions.subtopic[i] == mentions.subtopic[j]:
        return "subtopic"
    return "topic" if mentions.topic[i] == mentions.topic[j] else "corpus"


def linked(chains: Ints, i: int, j: int) -> bool:
    return bool(chains[i] == chains[j] and chains[i] >= 0)


def cells() -> Iterator[tuple[str, str]]:
    """Yield the rows of a table by kind and lemma, in order."""
    yield from ((k, lemma) for k in [*KINDS, ALL] for lemma in [*LEMMAS, ALL])


def counted(mentions: Mentions, wanted: Callable[[int, int], bool]) -> list[int]:
    """Return the number of ``wanted`` pairs for each row of ``cells``, by enumeration."""
    pairs = [
        (kind(mentions, i, j), LEMMAS[int(mentions.lemma[i] != mentions.lemma[j])])
        for i, j in combinations(range(len(mentions)), 2)
        if wanted(i, j)
    ]
    return [
        sum(k in (row[0], ALL) or row[0] == ALL for k, m in pairs if row[1] in (m, ALL))
        for row in cells()
    ]
