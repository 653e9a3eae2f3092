"""WEC (Eirew et al. 2021): a JSON list with a mention and its paragraph in each record.

A document is a Wikipedia article; its sentences are the distinct paragraphs of its mentions. There
are no topics. The part is the first word of the file name, as in ``Dev_Event_gold_mentions.json``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel

from cdec.corpus.model import PART, Corpus, Document
from cdec.corpus.readers.records import InContext, corpus_of_contexts, records
from cdec.corpus.source import CorpusFormat, Source

_PARTS = ("train", "dev", "test")


class _Mention(BaseModel):
    coref_chain: int | str
    coref_link: str = ""
    doc_id: int | str
    mention_context: list[str]
    mention_id: int | str
    tokens_number: list[int]


def is_wec(source: Source) -> bool:
    """Return whether any file begins with a mention of WEC."""
    heads = ("\n".join(source.head(file)) for file in source.files)
    return any('"mention_context"' in head and '"coref_link"' in head for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus; the name of a mention is its ``mention_id``."""
    documents: dict[str, Document] = {}
    mentions = []
    for file, _ in source:
        part = PurePosixPath(file).name.partition("_")[0].lower()
        attributes = {PART: part} if part in _PARTS else {}
        earlier = frozenset(documents)
        for one in records(source, file, _Mention):
            id_ = str(one.doc_id)
            if id_ in earlier:
                id_ = f"{part}-{id_}"
                if id_ not in documents:
                    source.note("document-id-repeated", id_)
            article = documents.setdefault(id_, Document(id_, "", "", (), attributes=attributes))
            place = str(one.mention_id), one.mention_context, one.tokens_number
            about = {"descriptor": one.coref_link}
            mentions.append(InContext(article, *place, str(one.coref_chain), about))
    return corpus_of_contexts(source, mentions, levels={})


FORMAT = CorpusFormat(
    "wec",
    "WEC",
    patterns=("*Event_gold_mentions*.json",),
    expected="Event_gold_mentions.json, with one record for each mention",
    sniff=is_wec,
    read=read,
)
