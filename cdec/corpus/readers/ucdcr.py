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
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import pandas as pd
from pydantic import BaseModel, BeforeValidator

from cdec.corpus.build import build, mentions_at
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, PART, Corpus, Document, Variants
from cdec.corpus.readers.records import Excerpts, records, table_of, validated
from cdec.corpus.source import HINT, Source, error
from cdec.errors import CorpusError
from cdec.formats.brackets import Span

_DOCUMENTS, _MENTIONS = "all_documents.parquet", "all_mentions.parquet"
_EVENTS = "event_mentions.json"
UNLINKED = "unlinked"
VARIANTS: Variants = {"ucdcr": {UNLINKED: "drop"}, "with-unlinked": {UNLINKED: "keep"}}
_PARTS = {"val": "dev"}
_WORDS = "tokens_text"
_ACTIONS = ("ACTION_", "NEG_ACTION_")
_KEY, _PLACE = "topic/subtopic_name/doc", ["topic/subtopic_name/doc", "sent_id", "token_id"]


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


class _Mention(BaseModel):
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
    tokens_text: _Words = []
    split: str = ""


class _InContext(_Mention):
    mention_context: _Words
    tokens_number_context: _Numbers


def is_ucdcr(source: Source) -> bool:
    """Return whether there is a table of uCDCR, or a JSON file with its fields."""
    if any(file.endswith((_DOCUMENTS, _MENTIONS)) for file in source.files):
        return True
    heads = ("".join(source.head(f, 2**14)) for f in source.files if f.endswith(".json"))
    return any('"conll_doc_key"' in head and '"mention_context"' in head for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the file, and the record and field."""
    texts = [file for file in source.files if file.endswith(_DOCUMENTS)]
    by_document: dict[str, list[_Mention]] = {}
    found, events = _mentions(source, _Mention if texts else _InContext)
    for mention in found:
        by_document.setdefault(mention.conll_doc_key, []).append(mention)
    names = _names(source, found)

    def facts(mention: _Mention) -> dict[str, Any]:
        listed = mention.mention_id in events
        action = mention.mention_full_type.startswith(_ACTIONS)
        return {
            "kind": EVENT if listed or action else ENTITY,
            "state": UNLINKED if action and events and not listed else ANNOTATED,
            "tag": mention.mention_full_type,
            "descriptor": str(mention.description),
        }

    documents: list[Document] = []
    mentions: list[dict[str, Any]] = []
    for file in texts:
        for key, sentences, split in _documents(source, file):
            own = by_document.pop(key, [])
            topic, subtopic = [*key.split("/", 2), "", ""][:2]
            part = own[-1].split if own else split
            about = _part(part)
            documents.append(
                Document(names.get(key, key), topic, subtopic, sentences, attributes=about)
            )
            mentions += _at(source, documents[-1], own, facts)
    for key, own in by_document.items():
        if texts:
            message = f"the document '{key}' of a mention is not in the table of documents"
            raise CorpusError("corpus-invalid", message, place=texts[0], hint=HINT)
        first = own[0]
        topic, subtopic = str(first.topic_id), str(first.subtopic_id)
        excerpts = Excerpts(str(source.path), names[key], topic, subtopic, _part(first.split))
        for one in own:
            if isinstance(one, _InContext):
                place = one.mention_id, one.mention_context, one.tokens_number_context
                excerpts.add(*place, str(one.coref_chain), **facts(one))
        documents.append(excerpts.document)
        mentions += excerpts.mentions
    return build(
        documents,
        mentions,
        text="full" if texts else "contexts",
        variants=VARIANTS if any(row["state"] == UNLINKED for row in mentions) else {},
    )


def _part(split: str) -> dict[str, str]:
    return {PART: _PARTS.get(split, split)} if split else {}


def _mentions(source: Source, model: type[_Mention]) -> tuple[list[_Mention], set[str]]:
    """Return the mentions, and the ids of those in a file of event mentions."""
    events: set[str] = set()
    listed: list[_Mention] = []
    rows: list[_Mention] = []
    tables = [file for file in source.files if file.endswith(_MENTIONS)]
    for file, _ in source:
        if file.endswith(".json"):
            found = records(source, file, model)
            listed += found
            if file.endswith(_EVENTS):
                events |= {mention.mention_id for mention in found}
        elif file in tables:
            needed = [name for name in model.model_fields if name != _WORDS]
            table = table_of(source, file, needed, [_WORDS])
            rows += validated(file, table.to_dict("records"), model)
    return (rows if tables else listed), events


def _names(source: Source, mentions: list[_Mention]) -> dict[str, str]:
    """Return key of a document → its id; a name that several documents have is noted."""
    keys: dict[str, set[str]] = {}
    for mention in mentions:
        keys.setdefault(str(mention.doc), set()).add(mention.conll_doc_key)
    for name, documents in keys.items():
        if len(documents) > 1:
            source.note("document-name-repeated", name)
    return {
        key: name if len(documents) == 1 else key
        for name, documents in keys.items()
        for key in documents
    }


def _documents(source: Source, file: str) -> list[tuple[str, tuple[tuple[str, ...], ...], str]]:
    """Return key, sentences and part of the documents of a table; repeated ones are noted.

    Raises CorpusError for the row of a token out of order.
    """
    table = table_of(source, file, [*_PLACE, "token", "split"])
    once = table.drop_duplicates(_PLACE)
    for key in pd.unique(table[_KEY][~table.index.isin(once.index)]):
        source.note("document-repeated", str(key))
    once = once.sort_values(_PLACE[1:], kind="stable")
    step = once.groupby(_KEY)["sent_id"].diff().fillna(once["sent_id"] + 1)
    later = ~step.isin([0, 1]) | (once.groupby(_PLACE[:2]).cumcount() != once["token_id"])
    if later.any():
        row = int(later.index[later][0])
        message = (
            f"token {table['token_id'][row]} of sentence {table['sent_id'][row]} is out of order"
        )
        raise error(file, "corpus-invalid", row + 1, message)
    found = []
    for key, rows in once.groupby(_KEY, sort=False):
        sentences = rows["token"].astype(str).groupby(rows["sent_id"]).agg(tuple)
        found.append((str(key), tuple(sentences), str(rows["split"].iloc[0])))
    return found


def _at(
    source: Source,
    document: Document,
    mentions: list[_Mention],
    facts: Callable[[_Mention], Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return the mentions of a document, whose tokens count in a sentence or go on after it."""
    spans: dict[Span, _Mention] = {}
    ordered: list[Span] = []
    for mention in mentions:
        tokens = sorted(set(mention.tokens_number))
        if not _is_inside(document, mention, tokens):
            message = f"tokens {tokens[:5]} are not in sentence {mention.sent_id}"
            place = f"{document.id}/{mention.mention_id}"
            raise CorpusError("corpus-invalid", message, place=place, hint=HINT)
        first = document.sentence_starts[mention.sent_id]
        places = tuple(first + token for token in tokens)
        gap = places if places[-1] - places[0] >= len(places) else ()
        ordered.append(Span(places[0], places[-1], str(mention.coref_chain), gap))
        spans.setdefault(ordered[-1], mention)
    return mentions_at(source, document, sorted(ordered), lambda span: facts(spans[span]))


def _is_inside(document: Document, mention: _Mention, tokens: list[int]) -> bool:
    """Return whether tokens are in the sentence or continue past its end with the given words."""
    if not tokens or tokens[0] < 0 or not 0 <= mention.sent_id < len(document.sentences):
        return False
    length = len(document.sentences[mention.sent_id])
    words = document.tokens[document.sentence_starts[mention.sent_id] :]
    beyond = tokens[0] < length <= tokens[-1] < len(words)
    return tokens[-1] < length or (beyond and [words[t] for t in tokens] == mention.tokens_text)


FORMAT = CorpusFormat(
    "ucdcr",
    "uCDCR",
    patterns=(f"*{_DOCUMENTS}", f"*{_MENTIONS}", "*/*_mentions.json", "*_mentions.json"),
    expected="all_documents.parquet and all_mentions.parquet, or event_mentions.json",
    sniff=is_ucdcr,
    read=read,
    schema="2",
    release="a corpus in the format of uCDCR",
)
