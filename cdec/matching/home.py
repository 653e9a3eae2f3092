"""The home of a response, in which its mentions are placed: a corpus, or a key file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from cdec.arrays import Ints
from cdec.corpus.model import Corpus
from cdec.formats.annotation import Annotation

Home: TypeAlias = Corpus | Annotation
"""Documents with their words, and mentions."""
MENTION = "response mention"
SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""
# Why a mention is unknown to its home.
NO_ID = "unknown id"
NO_DOCUMENT = "unknown document"
NO_TOKENS = "outside its document or sentence"


def sizes_of(home: Home) -> dict[str, int]:
    """Return document → the number of its words, as far as it is known.

    >>> from cdec.formats import mention_table
    >>> table = mention_table(["d"], [0], [1], ["fire"])
    >>> sizes_of(Annotation("key.jsonl", "jsonl", table, {"d": ("a", "fire")}))
    {'d': 2}
    """
    if isinstance(home, Corpus):
        return {name: len(document.tokens) for name, document in home.documents.items()}
    sizes = {doc: len(text) for doc, text in home.documents.items() if text is not None}
    return sizes | {doc: len(layout.lines) for doc, layout in home.layout.items()}


def sentences_of(home: Home, documents: Iterable[str]) -> Mapping[str, Ints]:
    """Return document → the sentence of each of its words, as far as it is known."""
    sentences = {}
    for name in documents:
        if isinstance(home, Corpus):
            sizes = list(map(len, home.documents[name].sentences))
            sentences[name] = np.repeat(np.arange(len(sizes)), sizes)
        elif name in home.layout:
            of_file = home.layout[name].sentences
            if of_file is not None:
                sentences[name] = of_file
    return sentences


def text_starts_of(corpus: Corpus) -> dict[str, int]:
    """Return document → the number of sentences before its text, such as a URL."""
    return {name: document.text_start for name, document in corpus.documents.items()}
