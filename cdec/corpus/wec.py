"""Reader for WEC (Eirew et al. 2021): a JSON list with a mention and its paragraph in each record.

A document is a Wikipedia article; its sentences are the distinct paragraphs of its mentions. There
are no topics. The part is the first word of the file name, as in ``Dev_Event_gold_mentions.json``.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel

from cdec.corpus.columns import head_of
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.reading import Content, reader
from cdec.corpus.records import Excerpts, records
from cdec.corpus.source import Source
from cdec.corpus.splits import PART

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
    heads = ("\n".join(head_of(source, file)) for file in source.files)
    return any('"mention_context"' in head and '"coref_link"' in head for head in heads)


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions; the name of a mention is its ``mention_id``."""
    content = Content(levels={}, text="contexts")
    for file in source.files:
        part = PurePosixPath(file).name.partition("_")[0].lower()
        attributes = {PART: part} if part in _PARTS else {}
        articles: dict[str, Excerpts] = {}
        for mention in records(source, file, _Mention):
            id_ = str(mention.doc_id)
            article = articles.setdefault(id_, Excerpts(file, id_, attributes=attributes))
            article.add(
                str(mention.mention_id),
                mention.mention_context,
                mention.tokens_number,
                str(mention.coref_chain),
                descriptor=mention.coref_link,
            )
        for article in articles.values():
            article.close(content)
        tick()
    return content


ADAPTER = reader(LAYOUTS["wec"], is_wec, read)
