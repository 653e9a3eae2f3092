"""The token numbers in the corpus of a CoNLL file that has some sentences of a document only.

The column of sentence numbers, or in the eight-column layout that of token numbers, identifies the
tokens. The numbers may start after the URL or date of the document (``text_start``). Whether the
words agree is up to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import Document
from cdec.formats.annotation import Layout


def placements(document: Document, layout: Layout | None, first: int) -> Iterator[Ints]:
    """Yield the token numbers by sentence, then by token number, if these fit the document.

    ``first`` is the number of the first token of a document.
    """
    if layout is None:
        return
    for skipped in dict.fromkeys((0, document.text_start)):
        if layout.sentences is not None:
            yield from _by_sentence(document, layout.sentences + skipped)
        if layout.numbers is not None and skipped < len(document.sentence_starts):
            before = document.sentence_starts[skipped]
            yield from _by_number(document, layout.numbers - first + before)


def first_number(layout: Mapping[str, Layout]) -> int:
    """Return 0 if any token of the file has the number 0, else 1."""
    given = [at.numbers for at in layout.values() if at.numbers is not None]
    return min((1, *(int(numbers.min()) for numbers in given if len(numbers))))


def _by_sentence(document: Document, sentences: Ints) -> Iterator[Ints]:
    starts = np.array(document.sentence_starts, dtype=np.int64)
    if not len(sentences) or sentences.max() >= len(starts):
        return
    changes = np.flatnonzero(np.diff(sentences, prepend=-1))
    inside = np.arange(len(sentences)) - np.repeat(changes, np.diff(changes, append=len(sentences)))
    sizes = np.array([len(sentence) for sentence in document.sentences])
    if (np.diff(sentences) >= 0).all() and (inside < sizes[sentences]).all():
        yield starts[sentences] + inside


def _by_number(document: Document, numbers: Ints) -> Iterator[Ints]:
    if len(numbers) and (np.diff(numbers) > 0).all() and numbers[-1] < len(document.tokens):
        yield numbers
