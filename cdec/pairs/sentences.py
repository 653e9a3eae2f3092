"""Sentences of a corpus with their mentions marked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from cdec.corpus.model import Corpus


def marked_sentence(
    corpus: Corpus, doc: str, number: int, marks: Mapping[int, str]
) -> str:
    """Return a sentence with its marked tokens, by their positions, in brackets after the mark."""
    document = corpus.documents[doc]
    words = enumerate(document.sentences[number], document.sentence_starts[number])
    runs = groupby(words, key=lambda word: marks.get(word[0]))
    pieces = ((mark, " ".join(word for _, word in run)) for mark, run in runs)
    return " ".join(
        text if mark is None else f"[{mark and f'{mark}: '}{text}]"
        for mark, text in pieces
    )
