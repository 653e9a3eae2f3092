"""Convert clusterings of a corpus and meta-documents to annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation, Layout, gaps, mention_table

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus, Document


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
    mentions = _rows(corpus, clustering.labels.index)
    table = mention_table(
        doc=mentions["doc"].tolist(),
        start=mentions["start"].to_numpy(),
        end=mentions["end"].to_numpy(),
        chain=[str(label) for label in clustering.labels[mentions.index]],
        tokens=gaps(mentions),
        mention=mentions.index.tolist(),
    )
    documents = {id_: document.tokens for id_, document in corpus.documents.items()}
    layout = {id_: _layout(id_, document) for id_, document in corpus.documents.items()}
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
    texts, offsets = _concatenated(corpus, homes)
    shift = scored["doc"].map(offsets).to_numpy()
    return _side(scored, shift, texts, "key"), _side(scored, shift, texts, "response")


def _rows(corpus: Corpus, ids: pd.Index[str]) -> pd.DataFrame:
    unknown = ids[~ids.isin(corpus.mentions.index)]
    if len(unknown):
        raise _unknown(corpus, unknown[0])
    return corpus.mentions[corpus.mentions.index.isin(ids)]


def _unknown(corpus: Corpus, mention: object) -> ScoringError:
    message = f"mention '{mention}' is not in the corpus"
    hint = "use mentions of this corpus and part"
    return ScoringError("mention-unknown", message, place=corpus.name, hint=hint)


def _layout(id_: str, document: Document) -> Layout:
    sizes = [len(sentence) for sentence in document.sentences]
    sentences = np.repeat(np.arange(len(sizes)), sizes)
    return Layout(id_, 0, np.zeros(len(sentences), dtype=np.int64), sentences)


def _concatenated(
    corpus: Corpus, homes: Mapping[str, str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """Return meta-document → tokens, and document → its offset in the meta-document."""
    tokens: dict[str, list[str]] = {}
    offsets: dict[str, int] = {}
    for id_, document in corpus.documents.items():
        text = tokens.setdefault(homes[id_], [])
        offsets[id_] = len(text)
        text.extend(document.tokens)
    return {meta: tuple(text) for meta, text in tokens.items()}, offsets


def _side(
    placed: pd.DataFrame, shift: Iterable[int], texts: dict[str, tuple[str, ...]], side: str
) -> Annotation:
    present = placed[side].notna().to_numpy()
    rows, moved = placed[present], np.asarray(shift)[present]
    labels = pd.MultiIndex.from_frame(rows[["meta", side]])
    own = gaps(rows)
    return Annotation(
        name=side,
        format="corpus",
        mentions=mention_table(
            doc=rows["meta"].tolist(),
            start=rows["start"].to_numpy() + moved,
            end=rows["end"].to_numpy() + moved,
            chain=(pd.factorize(labels)[0] + 1).astype(str).tolist(),
            tokens=[tuple(t + m for t in gap) for gap, m in zip(own, moved.tolist(), strict=True)],
        ),
        documents=texts,
    )
