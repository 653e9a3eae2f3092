"""The mentions of key and response: chains, places and lemmas as codes, and their sentences."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, chain_numbers
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.settings import Setting

PLACES = ("topic", "subtopic", "doc")
OPEN, CLOSE = "[", "]"  # around the words of a mention
NEEDED = (*PLACES, "sentence", "start", "end", "tokens")


def lemmas_of(corpus: Corpus, pipeline: str, progress: Progress = silent) -> pd.Series[str]:
    """Return mention id → lemma of the head; raises LanguageError as ``heads`` does."""
    return heads(corpus, pipeline, progress)["lemma"]


@dataclass(frozen=True, eq=False)
class Mentions:
    """The mentions of some meta-documents, as arrays of equal length in the order of ``index``.

    ``key`` and ``response`` are chain codes under the setting, which splits chains at the borders
    of its meta-documents; −1 if that side does not have the mention. ``doc``, ``subtopic`` and
    ``topic`` are codes of places. ``lemma`` is the code of the head lemma; a mention with a blank
    or unknown head has a unique code.
    """

    index: pd.Index[Any]
    key: Ints
    response: Ints
    doc: Ints
    subtopic: Ints
    topic: Ints
    lemma: Ints

    @classmethod
    def from_run(cls, run: Alignment, setting: Setting, lemmas: pd.Series[Any]) -> Mentions:
        """Return the mentions that ``setting`` scores; ``lemmas`` maps mention id → lemma.

        Raises UsageError without a corpus, because topics and sentences are missing.
        """
        return cls.from_table(scored(run, setting), run.mentions, lemmas)

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, mentions: pd.DataFrame, lemmas: pd.Series[Any]
    ) -> Mentions:
        """Return the mentions of a table of meta-documents; ``mentions`` has their places."""
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
        """Mask of the mentions in both key and response."""
        return (self.key >= 0) & (self.response >= 0)


def _numbers(places: pd.DataFrame, depth: int) -> Ints:
    """Return the codes of the places of one depth; equal names in two parents differ."""
    groups = places.groupby(list(PLACES[:depth]), sort=False)
    return np.asarray(groups.ngroup(), dtype=np.int64)


def scored(run: Alignment, setting: Setting) -> pd.DataFrame:
    """Return the meta-documents of ``setting`` as a table. Raises UsageError without a corpus."""
    if any(name not in run.mentions for name in NEEDED):
        message = "a diagnosis needs topics and sentences"
        raise UsageError("annotation-missing", message, hint="name a corpus")
    return setting.build(run.mentions)


def _lemma_codes(lemmas: pd.Series[Any], index: pd.Index[Any]) -> Ints:
    known = lemmas.reindex(index)
    blank = known.isna() | (known.astype(str).str.strip() == "")
    codes = pd.factorize(known.where(~blank))[0].astype(np.int64)
    codes[codes < 0] = codes.max(initial=-1) + 1 + np.arange((codes < 0).sum())
    return codes


@dataclass(frozen=True)
class Quote:
    """A mention with its document, its topic, and its sentence with the mention in brackets."""

    mention: str
    doc: str
    topic: str
    sentence: str

    @property
    def line(self) -> str:
        """Document and sentence, as a line of a list."""
        return f"    – {self.doc}: {self.sentence}"


def quote(mention: str, mentions: pd.DataFrame, corpus: Corpus) -> Quote:
    """Return the quote of a mention of the table ``mentions``."""
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
