"""uCDCR (Zhukova et al. 2026), the common format of a dozen corpora.

``all_documents.parquet`` has a token in each row, ``all_mentions.parquet`` a mention; the same
mentions are in ``event_mentions.json`` and ``entity_mentions.json``, by part. Without the table of
documents, the text is that of the contexts of the mentions; without the table of mentions, they
come from the JSON files.

``doc_id`` is not unique; a document has the id in ``doc`` if that is, else its full key.

An event mention is one in ``event_mentions.json``, or one with a tag of an action. uCDCR files the
actions of ECB+ that no relation links as entities: they are in the state ``unlinked`` here, and
mentions under the variant ``with-unlinked`` only.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from operator import itemgetter
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import BeforeValidator, Field

from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, PART, Corpus, Document, Variants
from cdec.corpus.readers.columns import check, corpus_at, documents_of
from cdec.corpus.readers.ecbplus import EVENT_TAGS
from cdec.corpus.readers.records import (
    Record,
    checked,
    corpus_of_contexts,
    records,
    table_of,
)
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.formats.brackets import Span
from cdec.records import Fields, Row

_DOCUMENTS, _MENTIONS = "all_documents.parquet", "all_mentions.parquet"
_EVENTS = "event_mentions.json"
UNLINKED = "unlinked"
VARIANTS: Variants = {"ucdcr": {UNLINKED: "drop"}, "with-unlinked": {UNLINKED: "keep"}}
_PARTS = {"val": "dev"}
_WORDS = "tokens_text"
_ABOUT = ("kind", "state", "tag", "descriptor")
_FIELDS = ("id", "doc", "chain", *_ABOUT, "place")
_KEY = "topic/subtopic_name/doc"
_PLACE = [_KEY, "sent_id", "token_id"]


def _listed(value: object) -> object:
    """Return the list that a string such as ``[1, 2]`` shows: the tables hold lists as text."""
    if not isinstance(value, str):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


_Numbers = Annotated[list[int], BeforeValidator(_listed)]
_Words = Annotated[list[str], BeforeValidator(_listed)]


class _Mention(Record):
    mention_id: str
    coref_chain: int | str
    mention_full_type: str = ""
    description: int | str = ""
    topic_id: int | str
    subtopic_id: int | str
    doc: int | str
    conll_doc_key: str
    sent_id: int
    tokens_number: _Numbers
    tokens_text: _Words = Field([])
    split: str = ""


class _WithContext(_Mention):
    mention_context: _Words
    tokens_number_context: _Numbers


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the file, and the record and field."""
    texts = [file for file in source.files if file.endswith(_DOCUMENTS)]
    mentions = _mentions(source, _Mention if texts else _WithContext)
    variants = VARIANTS if UNLINKED in set(mentions["state"]) else {}
    if not texts:
        return _of_contexts(mentions, variants)
    grouped: Any = mentions.groupby("conll_doc_key")
    by_document = {key: rows.to_dict("records") for key, rows in grouped}
    placed = []
    for file in texts:
        tokens = _tokens(source, file)
        parts = dict(zip(tokens["doc"], tokens["split"].astype("str"), strict=True))
        for document, _ in documents_of(file, tokens):
            rows = by_document.pop(document.id, [])
            topic, subtopic, *_ = [*document.id.split("/", 2), "", ""]
            renamed = replace(
                document,
                id=rows[0]["doc"] if rows else document.id,
                topic=topic,
                subtopic=subtopic,
                attributes=_part(rows[-1]["split"] if rows else parts[document.id]),
            )
            spans = [
                (_span(document, row), {name: row[name] for name in _ABOUT})
                for row in rows
            ]
            placed.append((renamed, sorted(spans, key=itemgetter(0))))
    for key, rows in by_document.items():
        raise error(
            rows[0]["place"],
            "corpus-invalid",
            0,
            f"the document '{key}' of a mention is not in the table of documents",
        )
    return corpus_at(source, placed, variants=variants)


def _of_contexts(mentions: pd.DataFrame, variants: Variants) -> Corpus:
    """Return the corpus of mentions, whose text is that of their contexts."""
    columns = ["doc", "topic_id", "subtopic_id", "split"]
    rows = mentions.drop_duplicates("doc")[columns].astype("str").to_numpy()
    documents = {
        doc: Document(doc, topic, subtopic, (), attributes=_part(part))
        for doc, topic, subtopic, part in rows
    }
    context = {"mention_context": "context", "tokens_number_context": "tokens"}
    fields: Any = mentions.rename(columns=context)[[*_FIELDS, *context.values()]]
    return corpus_of_contexts(documents, fields.to_dict("records"), variants=variants)


def _part(split: str) -> dict[str, str]:
    return {PART: _PARTS.get(split, split)} if split else {}


def _mentions(source: Source, model: type[_Mention]) -> pd.DataFrame:
    """Return the mentions: the fields of their records and of ``build``, and their places.

    They are those of the table, if there is one. A name that several documents have is noted.
    """
    tables = [file for file in source.files if file.endswith(_MENTIONS)]
    events = set()
    rows: list[Row] = []
    for file, _ in source:
        mentions = []
        if file.endswith(".json"):
            mentions = records(source, file, model)
        elif file in tables:
            needed = [name for name in model.model_fields if name != _WORDS]
            table = table_of(source, file, needed, [_WORDS])
            mentions = checked(file, table.to_dict("records"), model)
        if file.endswith(_EVENTS):
            events |= {mention.mention_id for _, mention in mentions}
        if file in tables or not tables:
            rows += (
                {**mention.model_dump(), "place": place} for place, mention in mentions
            )
    table = pd.DataFrame(rows, columns=[*model.model_fields, "place"])
    names = table[["conll_doc_key", "doc"]].astype({"doc": "str"}).drop_duplicates()
    several = names.duplicated("doc", keep=False)
    for name in names["doc"][several].unique():
        source.note("document-name-repeated", name)
    unique_names = names["doc"].mask(several, names["conll_doc_key"])
    ids = dict(zip(names["conll_doc_key"], unique_names, strict=True))
    action = table["mention_full_type"].str.startswith(EVENT_TAGS).astype(bool)
    listed = table["mention_id"].isin(events)
    return table.assign(
        id=table["mention_id"],
        doc=table["conll_doc_key"].map(ids),
        chain=table["coref_chain"].map(str),
        kind=np.where(listed | action, EVENT, ENTITY),
        state=np.where(action & ~listed & bool(events), UNLINKED, ANNOTATED),
        tag=table["mention_full_type"],
        descriptor=table["description"].map(str),
    )


def _tokens(source: Source, file: str) -> pd.DataFrame:
    """Return the tokens of a table in the columns of ``documents_of``; repeated ones are noted.

    Raises CorpusError for the row of a token out of order.
    """
    table = table_of(source, file, [*_PLACE, "token", "split"])
    twice = table.duplicated(_PLACE)
    for key in pd.unique(table[_KEY][twice]):
        source.note("document-repeated", str(key))
    once = table.assign(line=table.index + 1)[~twice].sort_values(
        _PLACE[1:], kind="stable"
    )
    later = once.groupby(_PLACE[:2]).cumcount() != once["token_id"]
    check(
        file,
        once.sort_index(),
        later.sort_index(),
        "token {token_id} of sentence {sent_id} is out of order",
    )
    order = once.groupby(_KEY, sort=False).ngroup()
    rows = once.iloc[order.argsort(kind="stable")]
    return rows.assign(
        doc=rows[_KEY],
        topic="",
        subtopic="",
        sentence=rows["sent_id"],
        token=rows["token"].astype(str),
    )


def _span(document: Document, mention: Fields) -> Span:
    """Return the span of a mention, whose tokens count in its sentence.

    They may go on after its end if they have the words of the mention.
    """
    tokens = sorted(set(mention["tokens_number"]))
    sentence = mention["sent_id"]
    inside = bool(tokens) and tokens[0] >= 0 and 0 <= sentence < len(document.sentences)
    first = document.sentence_starts[sentence] if inside else 0
    if inside and tokens[-1] >= len(document.sentences[sentence]):
        text = document.tokens[first:]
        words = [text[token] for token in tokens if token < len(text)]
        begins_inside = tokens[0] < len(document.sentences[sentence])
        inside = begins_inside and words == mention["tokens_text"]
    if not inside:
        raise error(
            mention["place"],
            "corpus-invalid",
            0,
            f"tokens {tokens[:5]} of '{mention['id']}' are not in sentence {sentence}",
        )
    places = tuple(first + token for token in tokens)
    gap = places if places[-1] - places[0] >= len(places) else ()
    return Span(places[0], places[-1], mention["chain"], gap)


FORMAT = CorpusFormat(
    "ucdcr",
    "uCDCR",
    patterns=(
        f"*{_DOCUMENTS}",
        f"*{_MENTIONS}",
        "*/*_mentions.json",
        "*_mentions.json",
    ),
    begins=r'PAR1|(?s:(?=.*"conll_doc_key").*"mention_context")',
    read=read,
    schema="2",
)
