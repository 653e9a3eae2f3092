"""The tokens of a corpus as arrays: lemma, part of speech, content word or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent

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

    def rows(self, documents: pd.Series[Any]) -> Ints:
        """Return the row of each document id."""
        return np.asarray(self.documents.get_indexer(pd.Index(documents)), dtype=np.int64)


def tokenise(corpus: Corpus, pipeline: str, progress: Progress = silent) -> TokenTable:
    """Return the tokens of ``corpus``; sentences before ``text_start`` have no content words."""
    # Imported here: importing spaCy takes a second.
    from cdec.language.annotate import annotate  # noqa: PLC0415

    docs = annotate(corpus, pipeline, progress)
    lengths = [len(docs[id_]) for id_ in corpus.documents]
    lemmas = [token.lemma_.lower() for id_ in corpus.documents for token in docs[id_]]
    pos = np.array([token.pos_ for id_ in corpus.documents for token in docs[id_]], dtype=str)
    sentence = [
        number
        for document in corpus.documents.values()
        for number, words in enumerate(document.sentences)
        for _ in words
    ]
    start = np.repeat([d.text_start for d in corpus.documents.values()], lengths)
    lemma, words = pd.factorize(np.array(lemmas, dtype=object), sort=True)
    meaningful = np.array([w not in ENGLISH_STOP_WORDS and any(map(str.isalnum, w)) for w in words])
    content = np.isin(pos, CONTENT) & (np.asarray(sentence) >= start)
    if len(words):
        content &= meaningful[lemma]
    return TokenTable(
        pd.Index(list(corpus.documents)),
        np.asarray(lemma, dtype=np.int64),
        pos,
        content,
        np.asarray(sentence, dtype=np.int64),
        np.repeat(np.arange(len(lengths)), lengths),
        np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        len(words),
    )
