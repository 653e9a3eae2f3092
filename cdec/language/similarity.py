"""Tf-idf vectors of documents, and the pairs of documents with a cosine of at least δ.

The words of a document are its tokens in the corpus from ``text_start`` on, so that the page's URL
is left out. The weights are those of scikit-learn: term frequency times ln((1 + n) / (1 + df)) + 1
for n documents, with rows normalised to length 1. A document without a word is a zero row: its
cosine with any document is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Bools, Ints, Reals
from cdec.corpus.model import Document
from cdec.errors import UsageError, check_number
from cdec.files.progress import Progress, silent

Matrix: TypeAlias = "csr_array[Any]"
# The tolerance below δ: the cosine of two equal texts is 1 up to rounding.
ROUNDING = 1e-9
_CELLS = 1 << 24  # of the document product in memory at once: about 300 MB
_LARGEST_DF = 10_000


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
                raise UsageError(
                    "argument-invalid", f"invalid {name}", hint="use true or false"
                )
        check_number("min_df", self.min_df, 1, _LARGEST_DF)


def vectors(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    """Return the matrix documents × words: tf-idf rows of length 1, or 0 without a word."""
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415  slow

    texts = []
    for document in documents:
        sentences = document.sentences[document.text_start :]
        texts.append(list(chain.from_iterable(sentences)))
    tokens = np.fromiter(chain.from_iterable(texts), dtype=object)
    form_of_token, forms = pd.factorize(tokens)
    column_of_form, words = pd.factorize(_words(forms, choice))
    row = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    column = column_of_form[form_of_token]
    has_word = column >= 0
    cells = (row[has_word], column[has_word])
    counts = coo_array(
        (np.ones(has_word.sum()), cells), (len(texts), len(words))
    ).tocsr()
    frequency = np.bincount(
        counts.indices, minlength=len(words)
    )  # documents of each word
    counts = counts[:, frequency >= choice.min_df]
    if 0 in counts.shape:  # which scikit-learn refuses
        return counts
    weights = TfidfTransformer(sublinear_tf=choice.sublinear_tf)
    return csr_array(weights.fit_transform(counts))


def _words(forms: npt.NDArray[Any], choice: Tfidf) -> npt.NDArray[np.object_]:
    """Return the normalised word of each form, None if it is left out."""
    stop_words = frozenset[str]()
    if choice.stop_words:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415  slow

        stop_words = ENGLISH_STOP_WORDS
    words = np.empty(len(forms), dtype=object)  # of None
    for position, form in enumerate(forms):
        is_word = bool(form.strip()) and form.lower() not in stop_words
        if choice.words_only:
            is_word = is_word and any(map(str.isalnum, form))
        if is_word:
            words[position] = form.lower() if choice.lowercase else form
    return words


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of documents, or of mentions, by row (left < right), with the cosine of the documents.

    The cosine of two mentions of one document is 1.
    """

    left: Ints
    right: Ints
    cosine: Reals

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, rows: slice | Bools | Ints) -> Pairs:
        return Pairs(self.left[rows], self.right[rows], self.cosine[rows])


def concatenate(parts: Iterable[Pairs]) -> Pairs:
    """Return the pairs of all ``parts``, one part after another."""
    nothing = np.zeros(0, np.int64)
    pairs = [Pairs(nothing, nothing, np.zeros(0, np.float32)), *parts]
    return Pairs(
        np.concatenate([part.left for part in pairs]),
        np.concatenate([part.right for part in pairs]),
        np.concatenate([part.cosine for part in pairs]),
    )


def similar_pairs(
    rows: Matrix, delta: float, progress: Progress = silent
) -> Iterator[Pairs]:
    """Yield, in chunks, each pair of rows (of length 1 or 0) with a cosine of at least δ > 0.

    The memory is bounded: the product of all rows is computed in blocks of rows.
    """
    size = rows.shape[0]
    step = max(_CELLS // max(size, 1), 1)
    starts = range(0, size, step)
    for start in progress(starts, len(starts), "comparing documents"):
        product = rows[start : start + step] @ rows[start:].T
        left = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
        is_later = product.indices > left  # each pair once
        is_pair = is_later & (product.data >= delta - ROUNDING)
        right = product.indices[is_pair].astype(np.int64)
        yield Pairs(left[is_pair] + start, right + start, product.data[is_pair])
