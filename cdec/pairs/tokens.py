"""The tokens of a corpus as arrays: lemma, part of speech, content word or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.mention_heads import portions

if TYPE_CHECKING:
    from spacy.tokens import Doc

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
    # Imported here: importing spaCy takes a second.
    from cdec.language.annotate import annotate  # noqa: PLC0415

    parts = [
        _lemmas_and_tags(annotate(part, pipeline, progress), part.documents)
        for part in portions(corpus)
    ]
    lemma, words = _joined([part[0] for part in parts])
    tag, tags = _joined([part[1] for part in parts])
    pos = np.array(tags, dtype=str)[tag] if len(tags) else np.zeros(0, dtype=str)
    lengths = [len(document.tokens) for document in corpus.documents.values()]
    sizes = [[len(words) for words in d.sentences] for d in corpus.documents.values()]
    sentence = _numbers_of_sentences(sizes)
    start = np.repeat([d.text_start for d in corpus.documents.values()], lengths)
    meaningful = np.array([w not in ENGLISH_STOP_WORDS and any(map(str.isalnum, w)) for w in words])
    content = np.isin(pos, CONTENT) & (sentence >= start)
    if len(words):
        content &= meaningful[lemma]
    return TokenTable(
        pd.Index(list(corpus.documents)),
        lemma,
        pos,
        content,
        sentence,
        np.repeat(np.arange(len(lengths)), lengths),
        np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        len(words),
    )


_Coded = tuple[Ints, list[str]]  # the code of each token, and the words by code


def _lemmas_and_tags(docs: Mapping[str, Doc], ids: Iterable[str]) -> tuple[_Coded, _Coded]:
    """Return lemmas in lower case and universal parts of speech of the tokens of these Docs."""
    chosen = [docs[id_] for id_ in ids]
    columns = [doc.to_array(["LEMMA", "POS"]) for doc in chosen] or [np.zeros((0, 2), np.uint64)]
    lemma, tag = np.concatenate(columns).T
    code, hashes = pd.factorize(lemma)
    tag_code, numbers = pd.factorize(tag)
    # Each language has its own store of strings; the number of a string is the same in all.
    stores: list[Any] = list({id(doc.vocab): doc.vocab.strings for doc in chosen}.values())
    words, tags = (
        [next(store[at] for store in stores if at in store) for at in part.tolist()]
        for part in (hashes, numbers)
    )
    words = [word.lower() for word in words]
    return (code.astype(np.int64), words), (tag_code.astype(np.int64), tags)


def _joined(parts: list[_Coded]) -> _Coded:
    """Return the codes of all parts, by the distinct words in order."""
    words = sorted({word for _, own in parts for word in own})
    place = pd.Index(words, dtype=object)
    codes = [place.get_indexer(pd.Index(own, dtype=object))[code] for code, own in parts if own]
    return np.concatenate([np.zeros(0, np.int64), *codes]), words


def _numbers_of_sentences(sizes: list[list[int]]) -> Ints:
    """Return the sentence number of each token, from the lengths of the documents' sentences."""
    lengths = np.array([length for own in sizes for length in own], dtype=np.int64)
    numbers = np.array([number for own in sizes for number in range(len(own))], dtype=np.int64)
    return np.repeat(numbers, lengths)
