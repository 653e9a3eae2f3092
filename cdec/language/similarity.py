"""Tf-idf vectors of documents, and the pairs of documents with a cosine of at least δ.

The words of a document are its tokens in the corpus from ``text_start`` on, so that the page's URL
is left out. The weights are those of scikit-learn: term frequency times ln((1 + n) / (1 + df)) + 1
for n documents, with rows normalised to length 1. A document without a word is a zero row: its
cosine with any document is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Floats, Ints
from cdec.corpus.model import Document
from cdec.errors import UsageError, check_number
from cdec.files.progress import Progress, silent

Matrix: TypeAlias = "csr_array[Any]"
# The tolerance below δ: the cosine of two equal texts is 1 up to rounding.
ROUNDING = 1e-9
_CELLS = 1 << 24  # of the document product in memory at once: about 300 MB
_MOST_DF = 10_000


@dataclass(frozen=True)
class Tfidf:
    """The parameters of the vectors; all of them can change scores.

    ``lowercase``: ignore case. ``stop_words``: remove scikit-learn's English stop words.
    ``words_only``: remove tokens without a letter or digit. ``sublinear_tf``: use 1 + ln(tf)
    instead of tf. ``min_df``: remove words that occur in fewer documents. Raises UsageError for an
    invalid value.
    """

    lowercase: bool
    stop_words: bool
    words_only: bool
    sublinear_tf: bool
    min_df: int

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "min_df" and type(value) is not bool:
                raise UsageError("argument-invalid", f"invalid {name}", hint="use true or false")
        check_number("min_df", self.min_df, 1, _MOST_DF)


def vectors(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    """Return the matrix documents × words: tf-idf rows of length 1, or 0 without a word."""
    texts = [list(chain.from_iterable(d.sentences[d.text_start :])) for d in documents]
    tokens = np.fromiter(chain.from_iterable(texts), dtype=object)
    form_of, forms = pd.factorize(tokens)
    column_of, words = pd.factorize(_words(forms, choice))
    row = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    column = column_of[form_of] if len(forms) else form_of
    kept = column >= 0
    shape = len(texts), len(words)
    counts = coo_array((np.ones(kept.sum()), (row[kept], column[kept])), shape).tocsr()
    spread = np.bincount(counts.indices, minlength=len(words))
    often = np.flatnonzero(spread >= choice.min_df)
    counts = counts[:, often]
    row = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
    idf = np.log((1 + len(texts)) / (1 + spread[often])) + 1
    weight = np.log(counts.data) + 1 if choice.sublinear_tf else counts.data
    weight = weight * idf[counts.indices]
    length = np.sqrt(np.bincount(row, weight**2, minlength=len(texts)))
    return csr_array((weight / length[row], counts.indices, counts.indptr), counts.shape)


def _words(forms: npt.NDArray[Any], choice: Tfidf) -> npt.NDArray[np.object_]:
    """Return the normalised word of each form, None if it is left out."""
    dropped = frozenset[str]()
    if choice.stop_words:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415  slow

        dropped = ENGLISH_STOP_WORDS
    words = np.array([f.lower() if choice.lowercase else f for f in forms], dtype=object)
    for place, form in enumerate(forms):
        non_word = choice.words_only and not any(map(str.isalnum, form))
        if non_word or not form.strip() or form.lower() in dropped:
            words[place] = None
    return words


class DocumentPairs(NamedTuple):
    """Pairs of documents by row (left < right), and their cosines."""

    left: Ints
    right: Ints
    cosine: Floats

    def reaching(self, delta: float) -> DocumentPairs:
        """Return the pairs whose cosine is at least δ."""
        kept = self.cosine >= delta - ROUNDING
        return DocumentPairs(self.left[kept], self.right[kept], self.cosine[kept])


NO_PAIRS = DocumentPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def similar_pairs(
    rows: Matrix, delta: float, progress: Progress = silent
) -> Iterator[DocumentPairs]:
    """Yield, in chunks, each pair of rows (of length 1 or 0) with a cosine of at least δ > 0.

    The memory is bounded: the product of all rows is computed in blocks of rows. Raises ValueError
    for δ ≤ 0, which every pair satisfies.
    """
    if not delta > 0:
        raise ValueError(f"δ must be greater than 0, got {delta}")
    size = rows.shape[0]
    step = max(_CELLS // max(size, 1), 1)
    starts = range(0, size, step)
    for start in progress(starts, len(starts), "comparing documents"):
        product = rows[start : start + step] @ rows[start:].T
        left = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
        kept = (product.indices > left) & (product.data >= delta - ROUNDING)
        right = product.indices[kept].astype(np.int64)
        yield DocumentPairs(left[kept] + start, right + start, product.data[kept])
