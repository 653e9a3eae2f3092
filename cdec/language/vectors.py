"""Tf-idf vectors of documents.

The words of a document are its tokens in the corpus from ``text_start`` on, so that the page's URL
is left out. The weights are those of scikit-learn: term frequency times ln((1 + n) / (1 + df)) + 1
for n documents, with rows normalised to length 1. A document without a word is a zero row: its
cosine with any document is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from io import BytesIO
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csr_array, load_npz, save_npz

from cdec.corpus.model import Document
from cdec.errors import UsageError
from cdec.io import cache

Matrix: TypeAlias = "csr_array[Any]"
_MOST_DF = 10_000
KEPT = 4096  # documents; more are not worth their place in the cache
_KIND = "vectors"
_REVISION = "1"  # raise it when the words or the weights change


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
    """Return the matrix documents × words: tf-idf rows of length 1, or 0 without a word.

    Those of at most ``KEPT`` documents are cached: scikit-learn takes a second to import.
    """
    if len(documents) > KEPT:
        return _computed(documents, choice)
    version = f"scikit-learn-{metadata.version('scikit-learn')}"
    texts = (f"{document.text_start}:{document.fingerprint}" for document in documents)
    key = cache.key(_REVISION, version, repr(choice), *texts)
    stored = cache.parsed(_KIND, key, lambda body: csr_array(load_npz(BytesIO(body))))
    if stored is None:
        stored = _computed(documents, choice)
        body = BytesIO()
        save_npz(body, stored, compressed=False)
        cache.write(_KIND, key, body.getvalue())
    return stored


def _computed(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    counts = _counts(documents, choice)
    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    counts = counts[:, np.flatnonzero(spread >= choice.min_df)]
    if not counts.nnz:
        return csr_array((len(documents), 0), dtype=np.float64)
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415

    weigh = TfidfTransformer(sublinear_tf=choice.sublinear_tf)
    return csr_array(weigh.fit_transform(counts))


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
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    dropped = ENGLISH_STOP_WORDS if choice.stop_words else frozenset({""})
    words = np.empty(len(forms), dtype=object)
    for place, form in enumerate(forms):
        non_word = choice.words_only and not any(sign.isalnum() for sign in form)
        if not non_word and form.strip() and form.lower() not in dropped:
            words[place] = form.lower() if choice.lowercase else form
    return words
