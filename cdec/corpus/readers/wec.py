"""WEC (Eirew et al. 2021): a JSON list with a mention and its paragraph in each record.

A document is a Wikipedia article; its sentences are the distinct paragraphs of its mentions. There
are no topics. The part is the first word of the file name, as in ``Dev_Event_gold_mentions.json``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from cdec.corpus.model import PART, Corpus, Document
from cdec.corpus.readers.records import Record, corpus_of_contexts, records
from cdec.corpus.source import CorpusFormat, Source

_PARTS = ("train", "dev", "test")


class _Mention(Record):
    coref_chain: int | str
    coref_link: str = ""
    doc_id: int | str
    mention_context: list[str]
    mention_id: int | str
    tokens_number: list[int]


def read(source: Source) -> Corpus:
    """Return the corpus; the name of a mention is its ``mention_id``."""
    documents: dict[str, Document] = {}
    mentions = []
    for file, _ in source:
        part = PurePosixPath(file).name.partition("_")[0].lower()
        attributes = {PART: part} if part in _PARTS else {}
        earlier = frozenset(documents)
        for place, one in records(source, file, _Mention):
            id_ = str(one.doc_id)
            if id_ in earlier:
                id_ = f"{part}-{id_}"
                if id_ not in documents:
                    source.note("document-id-repeated", id_)
            documents.setdefault(id_, Document(id_, "", "", (), attributes=attributes))
            mention = {
                "id": str(one.mention_id),
                "doc": id_,
                "chain": str(one.coref_chain),
                "context": one.mention_context,
                "tokens": one.tokens_number,
                "descriptor": one.coref_link,
                "place": place,
            }
            mentions.append(mention)
    return corpus_of_contexts(documents, mentions, levels={})


FORMAT = CorpusFormat(
    "wec",
    "WEC",
    patterns=("*Event_gold_mentions*.json",),
    begins=r"(?s)(?=.*\"mention_context\").*\"coref_link\"",
    read=read,
)
