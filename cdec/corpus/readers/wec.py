"""WEC (Eirew et al. 2021): a JSON list with a mention and its paragraph in each record.

A document is a Wikipedia article; its sentences are the distinct paragraphs of its mentions. There
are no topics. The part is the first word of the file name, as in ``Dev_Event_gold_mentions.json``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel

from cdec.corpus.build import build
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import PART, Corpus
from cdec.corpus.readers.records import Excerpts, records
from cdec.corpus.source import Source

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
    articles: dict[str, Excerpts] = {}
    for file, _ in source:
        part = PurePosixPath(file).name.partition("_")[0].lower()
        attributes = {PART: part} if part in _PARTS else {}
        earlier = frozenset(articles)
        for one in records(source, file, _Mention):
            doc, chain = str(one.doc_id), str(one.coref_chain)
            if doc in earlier and attributes:
                doc = f"{part}-{doc}"
                if doc not in articles:
                    source.note("document-id-repeated", doc)
            article = articles.setdefault(doc, Excerpts(file, doc, attributes=attributes))
            place = str(one.mention_id), one.mention_context, one.tokens_number
            article.add(*place, chain, descriptor=one.coref_link)
    mentions = [mention for article in articles.values() for mention in article.mentions]
    documents = [article.document for article in articles.values()]
    return build(documents, mentions, levels={}, text="contexts")


FORMAT = CorpusFormat(
    "wec",
    "WEC",
    patterns=("*Event_gold_mentions*.json",),
    expected="Event_gold_mentions.json, with one record for each mention",
    sniff=is_wec,
    read=read,
    release="WEC-Eng",
)
