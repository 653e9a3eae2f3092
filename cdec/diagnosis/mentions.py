"""The mentions of both sides: chains, places and lemmas as codes, and each in its sentence."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.evaluation.response import SystemRun
from cdec.metadocument import chain_numbers
from cdec.settings import Setting

PLACES = ("topic", "subtopic", "doc")
OPEN, CLOSE = "[", "]"  # around the words of a mention
NEEDED = (*PLACES, "sentence", "start", "end", "tokens")


@dataclass(frozen=True, eq=False)
class Mentions:
    """The mentions of some meta-documents, as arrays of one length in the order of ``index``.

    ``key`` and ``response`` are chain numbers, −1 where that side lacks the mention; chains are
    those of the setting, cut at the borders of its meta-documents. ``doc``, ``subtopic`` and
    ``topic`` are numbers of places, each inside the next; ``lemma`` is the number of the head's
    lemma, a number of its own for a mention whose head is blank or unknown.
    """

    index: pd.Index[Any]
    key: Ints
    response: Ints
    doc: Ints
    subtopic: Ints
    topic: Ints
    lemma: Ints

    @classmethod
    def from_run(cls, run: SystemRun, setting: Setting, lemmas: pd.Series[Any]) -> Mentions:
        """Return the mentions that ``setting`` scores; ``lemmas`` maps mention id → lemma.

        Raises UsageError where there is no corpus, and so no topics and sentences.
        """
        return cls.from_table(scored(run, setting), run.mentions, lemmas)

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, mentions: pd.DataFrame, lemmas: pd.Series[Any]
    ) -> Mentions:
        """Return the mentions of a table of meta-documents; ``mentions`` tells their places."""
        places = mentions.loc[table.index, list(PLACES)]
        numbers = {name: _numbers(places, depth) for depth, name in enumerate(PLACES, start=1)}
        return cls(
            table.index,
            key=chain_numbers(table["meta"], table["key"]),
            response=chain_numbers(table["meta"], table["response"]),
            lemma=_lemma_codes(lemmas, table.index),
            **numbers,
        )

    def __len__(self) -> int:
        return len(self.index)

    @property
    def both(self) -> Bools:
        """Which mentions both sides have."""
        return (self.key >= 0) & (self.response >= 0)


def _numbers(places: pd.DataFrame, depth: int) -> Ints:
    """Return the numbers of places of one depth, each inside one of the depth above."""
    groups = places.groupby(list(PLACES[:depth]), sort=False)
    return np.asarray(groups.ngroup(), dtype=np.int64)


def scored(run: SystemRun, setting: Setting) -> pd.DataFrame:
    """Return the table of the meta-documents that ``setting`` makes. Raises UsageError."""
    if any(name not in run.mentions for name in NEEDED):
        raise UsageError("a diagnosis needs topics and sentences", hint="name a corpus")
    return run.meta_documents(setting).table


def _lemma_codes(lemmas: pd.Series[Any], index: pd.Index[Any]) -> Ints:
    known = lemmas.reindex(index)
    blank = known.isna() | (known.astype(str).str.strip() == "")
    codes = pd.factorize(known.where(~blank))[0].astype(np.int64)
    codes[codes < 0] = codes.max(initial=-1) + 1 + np.arange((codes < 0).sum())
    return codes


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
