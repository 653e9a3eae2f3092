"""A large corpus in portions of documents, so that its annotations are never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cdec.corpus.model import Corpus

DOCUMENTS = 4096
"""Documents of a portion; a smaller corpus is one portion."""


def portions(corpus: Corpus) -> Iterator[Corpus]:
    """Yield the corpus in portions of documents, each with its mentions."""
    ids = list(corpus.documents)
    if len(ids) <= DOCUMENTS:
        yield corpus
        return
    for at in range(0, len(ids), DOCUMENTS):
        own = {id_: corpus.documents[id_] for id_ in ids[at : at + DOCUMENTS]}
        mentions = corpus.mentions[corpus.mentions["doc"].isin(own)]
        yield replace(corpus, documents=own, mentions=mentions)
