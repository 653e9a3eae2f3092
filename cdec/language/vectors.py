"""Documents as tf-idf vectors.

A document's words are its tokens as the corpus has them, from the first sentence that is text; the
page's URL is not. The weights are scikit-learn's: term frequency times ln((1 + n) / (1 + df)) + 1
over the n documents given, each row of length 1. A document in which no word is left is a zero
row: its cosine with any document is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.corpus.model import Document
from cdec.errors import UsageError

Matrix: TypeAlias = "csr_array[Any]"
_MOST_DF = 10_000


@dataclass(frozen=True)
class Tfidf:
    """Every choice about the vectors that can move a number.

    ``lowercase``: letter case is ignored. ``stop_words``: scikit-learn's English stop words are
    left out. ``words_only``: so are tokens without a letter or digit. ``sublinear_tf``: 1 + ln(tf)
    stands for tf. ``min_df``: words of fewer documents are left out. Raises UsageError for a value
    of another kind.
    """

    lowercase: bool
    stop_words: bool
    words_only: bool
    sublinear_tf: bool
    min_df: int

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name == "min_df":
                if type(value) is not int or not 1 <= value <= _MOST_DF:
                    shown = f"{value!r:.60}" if type(value) is not int or value < 1 else "too large"
                    hint = f"a whole number from 1 to {_MOST_DF}"
                    raise UsageError(f"min_df is {shown}", hint=hint)
            elif type(value) is not bool:
                raise UsageError(f"{name} is {value!r:.60}", hint="true or false")


def vectors(documents: Sequence[Document], choice: Tfidf) -> Matrix:
    """Return documents × words: tf-idf rows of length 1, or 0 where no word is left."""
    counts = _counts(documents, choice)
    spread = np.bincount(counts.indices, minlength=counts.shape[1])
    counts = counts[:, np.flatnonzero(spread >= choice.min_df)]
    if not counts.nnz:
        return csr_array((len(documents), 0), dtype=np.float64)
    # Imported late: scikit-learn costs a second that other systems need not wait.
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
    """Return what each form counts as, None where it does not count."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    dropped = ENGLISH_STOP_WORDS if choice.stop_words else frozenset({""})
    words = np.empty(len(forms), dtype=object)
    for place, form in enumerate(forms):
        silent_form = choice.words_only and not any(sign.isalnum() for sign in form)
        if not silent_form and form.strip() and form.lower() not in dropped:
            words[place] = form.lower() if choice.lowercase else form
    return words
