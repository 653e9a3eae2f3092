"""The tokens of a corpus as arrays: lemma, part of speech, content word or not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.annotate import annotate

CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")


@dataclass(frozen=True, eq=False)
class TokenTable:
    """All tokens of a corpus, document after document.

    ``lemma``: code of each token's lemma; ``pos``: its universal part of speech; ``content``:
    whether it is a content word; ``sentence`` and ``doc``: sentence number and document row;
    ``first``: document row → its first token; ``size``: the number of lemma codes.
    """

    documents: pd.Index[Any]
    lemma: Ints
    pos: npt.NDArray[np.str_]
    content: Bools
    sentence: Ints
    doc: Ints
    first: Ints
    size: int

    @cached_property
    def content_at(self) -> Ints:
        """The places of the content words."""
        return np.flatnonzero(self.content)

    @cached_property
    def longest(self) -> int:
        """A number above that of every sentence, and above that of the sentence after."""
        return int(self.sentence.max(initial=0)) + 2

    @cached_property
    def content_sentence(self) -> Ints:
        """The sentence of each content word, as document row × ``longest`` + number."""
        return self.doc[self.content_at] * self.longest + self.sentence[self.content_at]

    @cached_property
    def idf(self) -> Floats:
        """The idf of each lemma code: ln((1 + n) / (1 + df)) + 1."""
        seen = np.unique(self.lemma * max(len(self.documents), 1) + self.doc)
        spread = np.bincount(seen // max(len(self.documents), 1), minlength=self.size)
        return np.log((1 + len(self.documents)) / (1 + spread)) + 1

    def rows(self, documents: pd.Series[Any]) -> Ints:
        """Return the row of each document id."""
        return np.asarray(self.documents.get_indexer(pd.Index(documents)), dtype=np.int64)


def tokenise(corpus: Corpus, pipeline: str, progress: Progress = silent) -> TokenTable:
    """Return the tokens of ``corpus``; sentences before ``text_start`` have no content words."""
    table = annotate(corpus, pipeline, progress)
    documents = list(corpus.documents.values())
    doc, words = table["doc"].to_numpy(np.int64), list(table["lemma"].cat.categories)
    lemma, sentence = (
        table["lemma"].cat.codes.to_numpy().astype(np.int64),
        table["sentence"].to_numpy(),
    )
    start = np.array([document.text_start for document in documents], dtype=np.int64)
    meaningful = np.array(
        [w not in ENGLISH_STOP_WORDS and any(map(str.isalnum, w)) for w in words], dtype=bool
    )
    content = table["pos"].isin(CONTENT).to_numpy() & (sentence >= start[doc])
    if words:
        content &= meaningful[lemma]
    return TokenTable(
        pd.Index(list(corpus.documents)),
        lemma,
        table["pos"].to_numpy(str),
        content,
        sentence,
        doc,
        np.searchsorted(doc, np.arange(len(documents))),
        len(words),
    )
