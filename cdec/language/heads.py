"""The head of every mention: its token, form, lemma and part of speech."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from cdec.corpus.fingerprint import fingerprint
from cdec.corpus.model import Corpus
from cdec.io import cache
from cdec.io.progress import Progress, silent
from cdec.language.headrule import head_by_parse, head_by_tags
from cdec.language.pipeline import pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc

KIND = "heads"
REVISION = "1"  # of the head rule and of the annotations; raise it when a head or lemma can move
COLUMNS = {
    "head": "index of the head token in the document",
    "form": "the head token as it stands in the text",
    "lemma": "its lemma in lower case",
    "pos": "its universal part of speech",
    "tag": "its tag in the pipeline's own tag set",
}
_TYPES = {name: "int64" if name == "head" else "str" for name in COLUMNS}
_STORED = ["head", "lemma", "pos", "tag"]


def heads(corpus: Corpus, name: str = "hanta", progress: Progress = silent) -> pd.DataFrame:
    """Return the table of heads, one row a mention of ``corpus.mentions``, with ``COLUMNS``.

    The head is the mention's syntactic root where the pipeline parses, else what
    ``head_by_tags`` names; of a mention with a gap only its own tokens count. The table is cached
    apart from the annotations: a warm start needs no spaCy. Raises as ``annotate`` does.
    """
    prints = {id_: fingerprint(document) for id_, document in corpus.documents.items()}
    documents, tokens = corpus.mentions["doc"], corpus.mentions["tokens"]
    places = [
        f"{prints[doc]}:{','.join(map(str, at))}" for doc, at in zip(documents, tokens, strict=True)
    ]
    distinct = sorted(set(places))
    key = cache.key(REVISION, pipeline(name).identity, *distinct)
    stored = _kept(key, distinct)
    if stored is None:
        found = _found(corpus, name, progress).set_axis(pd.Index(places))
        stored = found[~found.index.duplicated()].loc[distinct]
        cache.write(KIND, key, json.dumps(stored.to_dict("list")).encode())
    table = stored.loc[places].set_axis(corpus.mentions.index)
    forms = [corpus.documents[d].tokens[i] for d, i in zip(documents, table["head"], strict=True)]
    return table.assign(form=forms)[list(COLUMNS)].astype(_TYPES)


def _kept(key: str, distinct: list[str]) -> pd.DataFrame | None:
    body = cache.read(KIND, key)
    return None if body is None else pd.DataFrame(json.loads(body), index=pd.Index(distinct))


def _found(corpus: Corpus, name: str, progress: Progress) -> pd.DataFrame:
    # Imported late: spaCy costs a second that a warm cache saves.
    from cdec.language.annotate import annotate  # noqa: PLC0415

    docs = annotate(corpus, name, progress)
    mentions = zip(corpus.mentions["doc"], corpus.mentions["tokens"], strict=True)
    return pd.DataFrame(_rows(docs, mentions), columns=_STORED)


def _rows(
    docs: dict[str, Doc], mentions: Iterable[tuple[str, tuple[int, ...]]]
) -> Iterable[tuple[int, str, str, str]]:
    parsed = {id_: _parse(doc) for id_, doc in docs.items()}
    for id_, tokens in mentions:
        doc = docs[id_]
        syntax = parsed[id_]
        if syntax is None:
            place = head_by_tags([doc[i].pos_ for i in tokens])
        else:
            place = head_by_parse(tokens, syntax)
        head = doc[tokens[place]]
        yield head.i, head.lemma_.lower(), head.pos_, head.tag_


def _parse(doc: Doc) -> list[int] | None:
    return [token.head.i for token in doc] if doc.has_annotation("DEP") else None
