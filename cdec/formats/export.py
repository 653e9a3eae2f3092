"""Convert clusterings of a corpus and meta-documents to annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation, Layout, gaps, mention_table

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus


def from_corpus(corpus: Corpus, clustering: Clustering, name: str | None = None) -> Annotation:
    """Return ``clustering`` as an Annotation with all documents and texts of ``corpus``.

    Labels become strings; for the reference scorer, number them by ``Annotation.numbered``.
    ``name`` is the name of the annotation (default: that of the corpus). Raises ScoringError for
    a mention that is not in the corpus.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from_corpus(corpus, corpus.gold).mentions["chain"].nunique() == len(corpus.gold.chains())
    True
    """
    ids = clustering.labels.index
    unknown = ids[~ids.isin(corpus.mentions.index)]
    if len(unknown):
        message = f"mention '{unknown[0]}' is not in the corpus"
        hint = "use mentions of this corpus and part"
        raise ScoringError("mention-unknown", message, place=corpus.name, hint=hint)
    mentions = corpus.mentions[corpus.mentions.index.isin(ids)]
    table = mention_table(
        doc=mentions["doc"].tolist(),
        start=mentions["start"].to_numpy(),
        end=mentions["end"].to_numpy(),
        chain=[str(label) for label in clustering.labels[mentions.index]],
        tokens=gaps(mentions),
        mention=mentions.index.tolist(),
    )
    documents, layout = {}, {}
    for id_, document in corpus.documents.items():
        documents[id_] = document.tokens
        sizes = [len(sentence) for sentence in document.sentences]
        sentences = np.repeat(np.arange(len(sizes)), sizes)
        layout[id_] = Layout(id_, 0, np.zeros(len(sentences), dtype=np.int64), sentences)
    return Annotation(name or corpus.name, "corpus", table, documents, layout)


def from_meta_documents(
    corpus: Corpus, scored: pd.DataFrame, homes: Mapping[str, str]
) -> tuple[Annotation, Annotation]:
    """Return (key, response) with one document per meta-document, for any other scorer.

    ``scored`` are the aligned mentions of ``Setting.build``; ``homes`` maps document id →
    meta-document. The text of a meta-document is the concatenation of all its documents in corpus
    order, also of those without a mention: key and response then have the same text. Chains are
    numbered.
    """
    texts: dict[str, list[str]] = {}
    offsets: dict[str, int] = {}
    for id_, document in corpus.documents.items():
        text = texts.setdefault(homes[id_], [])
        offsets[id_] = len(text)
        text.extend(document.tokens)
    documents = {meta: tuple(text) for meta, text in texts.items()}

    def of(side: str) -> Annotation:
        rows = scored[scored[side].notna()]
        shift = np.array([offsets[doc] for doc in rows["doc"]], np.int64)
        moved = zip(gaps(rows), shift.tolist(), strict=True)
        table = mention_table(
            doc=rows["meta"].tolist(),
            start=rows["start"].to_numpy(np.int64) + shift,
            end=rows["end"].to_numpy(np.int64) + shift,
            chain=(rows.groupby(["meta", side], sort=False).ngroup() + 1).astype(str).tolist(),
            tokens=[tuple(token + by for token in gap) for gap, by in moved],
        )
        return Annotation(side, "corpus", table, documents)

    return of("key"), of("response")
