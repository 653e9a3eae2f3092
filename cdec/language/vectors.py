"""Tf-idf vectors of documents.

The words of a document are its tokens in the corpus from ``text_start`` on, so that the page's URL
is left out. The weights are those of scikit-learn: term frequency times ln((1 + n) / (1 + df)) + 1
for n documents, with rows normalised to length 1. A document without a word is a zero row: its
cosine with any document is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from runpy import run_path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.corpus.model import Document
from cdec.errors import UsageError

Matrix: TypeAlias = "csr_array[Any]"
_MOST_DF = 10_000
# To import scikit-learn takes longer than the rest of a first run.
_STOP_WORDS = Path("feature_extraction", "_stop_words.py")


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
            if name == "min_df":
                valid = type(value) is int and 1 <= value <= _MOST_DF
                hint = f"use an integer from 1 to {_MOST_DF}"
            else:
                valid, hint = type(value) is bool, "use true or false"
            if not valid:
                # Python does not print an integer of thousands of digits.
                huge = type(value) is int and abs(value) > _MOST_DF
                shown = "a huge number" if huge else f"{value!r:.60}"
                raise UsageError("parameter-invalid", f"invalid {name}: {shown}", hint=hint)


def vectors(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    """Return the matrix documents × words: tf-idf rows of length 1, or 0 without a word."""
    counts = _counts(documents, choice)
    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(spread >= choice.min_df)
    counts = counts[:, kept]
    row = np.repeat(np.arange(len(documents)), np.diff(counts.indptr))
    idf = np.log((1 + len(documents)) / (1 + spread[kept])) + 1
    weight = np.log(counts.data) + 1 if choice.sublinear_tf else counts.data
    weight = weight * idf[counts.indices]
    length = np.sqrt(np.bincount(row, weight**2, minlength=len(documents)))
    return csr_array((weight / length[row], counts.indices, counts.indptr), counts.shape)


def _counts(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    texts = [list(chain.from_iterable(d.sentences[d.text_start :])) for d in documents]
    tokens = np.fromiter(chain.from_iterable(texts), dtype=object)
    form_of, forms = pd.factorize(tokens)
    column_of, words = pd.factorize(_words(forms, choice))
    row = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    column = column_of[form_of] if len(forms) else form_of
    kept = column >= 0
    ones = np.ones(kept.sum(), dtype=np.float64)
    return coo_array((ones, (row[kept], column[kept])), (len(texts), len(words))).tocsr()


def _words(forms: npt.NDArray[Any], choice: Tfidf) -> npt.NDArray[np.object_]:
    """Return the normalised word of each form, None if it is left out."""
    dropped = _stop_words() if choice.stop_words else frozenset({""})
    words = np.empty(len(forms), dtype=object)
    for place, form in enumerate(forms):
        non_word = choice.words_only and not any(sign.isalnum() for sign in form)
        if not non_word and form.strip() and form.lower() not in dropped:
            words[place] = form.lower() if choice.lowercase else form
    return words


def _stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words, without its import if the file is where it was."""
    package = find_spec("sklearn")
    origin = package and package.origin
    if origin and (file := Path(origin).parent / _STOP_WORDS).is_file():
        return frozenset(run_path(str(file))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    return frozenset(ENGLISH_STOP_WORDS)
