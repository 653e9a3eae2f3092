"""Mentions as they stand in their sentences."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import pandas as pd

from cdec.corpus.model import Corpus

OPEN, CLOSE = "[", "]"


@dataclass(frozen=True)
class Quote:
    """A mention, its document and topic, and its sentence with the mention in brackets."""

    mention: str
    doc: str
    topic: str
    sentence: str


def quote(mention: str, mentions: pd.DataFrame, corpus: Corpus) -> Quote:
    """Return a mention of the table ``mentions`` with its sentence."""
    (row,) = mentions.loc[[mention]].to_dict("records")
    document = corpus.documents[row["doc"]]
    starts = document.sentence_starts
    number = bisect_right(starts, row["start"]) - 1
    tokens = set(row["tokens"] or range(int(row["start"]), int(row["end"]) + 1))
    words = [
        f"{OPEN}{word}{CLOSE}" if starts[number] + at in tokens else word
        for at, word in enumerate(document.sentences[number])
    ]
    text = " ".join(words).replace(f"{CLOSE} {OPEN}", " ")
    return Quote(mention, str(row["doc"]), str(row["topic"]), text)
