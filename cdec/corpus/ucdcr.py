"""Reader for uCDCR (Zhukova et al. 2026), the common format of a dozen corpora.

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import pandas as pd
from pydantic import BaseModel, BeforeValidator

from cdec.columns.brackets import Span
from cdec.corpus.columns import Columns, error, head_of
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, Document, Variants
from cdec.corpus.reading import HINT, Content, reader
from cdec.corpus.records import Excerpts, records, table_of, validated
from cdec.corpus.source import Source
from cdec.corpus.splits import PART
from cdec.errors import CorpusError

_DOCUMENTS, _MENTIONS, _EVENTS = (
    "all_documents.parquet",
    "all_mentions.parquet",
    "event_mentions.json",
)
UNLINKED = "unlinked"
VARIANTS: Variants = {"ucdcr": {UNLINKED: "drop"}, "with-unlinked": {UNLINKED: "keep"}}
_PARTS = {"val": "dev"}
_WORDS = "tokens_text"
_ACTIONS = ("ACTION_", "NEG_ACTION_")
_KEY, _SENTENCE, _TOKEN, _TEXT, _SPLIT = (
    *("topic/subtopic_name/doc", "sent_id", "token_id", "token", "split"),
)


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
    heads = ("".join(head_of(source, f, 2**14)) for f in source.files if f.endswith(".json"))
    return any('"conll_doc_key"' in head and '"mention_context"' in head for head in heads)


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions."""
    texts = [file for file in source.files if file.endswith(_DOCUMENTS)]
    model = _Mention if texts else _InContext
    mentions, events = _mentions(source, model)
    tick()
    content = Content(text="full" if texts else "contexts")
    names, parts = _names(mentions, content), {m.conll_doc_key: m.split for m in mentions}
    by_document: dict[str, list[_Mention]] = {}
    for mention in mentions:
        by_document.setdefault(mention.conll_doc_key, []).append(mention)
    for file in texts:
        for columns, split in _documents(source, file, content):
            document = _document(columns, names, parts.get(columns.id, split))
            _add(content, document, by_document.pop(columns.id, []), events)
        tick()
    for key, group in by_document.items():
        if texts:
            message = f"the document '{key}' of a mention is not in the table of documents"
            raise CorpusError("corpus-file-invalid", message, place=texts[0], hint=HINT)
        _add_excerpts(content, str(source.path), names[key], group, events)
    if any(row.state == UNLINKED for _, rows in content.documents for row in rows):
        content.variants = VARIANTS
    return content


def _mentions(source: Source, model: type[_Mention]) -> tuple[list[_Mention], set[str]]:
    """Return the mentions, and the ids of those in a file of event mentions."""
    events: set[str] = set()
    listed: list[_Mention] = []
    for file in source.files:
        if file.endswith(".json"):
            found = records(source, file, model)
            listed += found
            if file.endswith(_EVENTS):
                events |= {mention.mention_id for mention in found}
    tables = [file for file in source.files if file.endswith(_MENTIONS)]
    rows: list[_Mention] = []
    for file in tables:
        needed = [name for name in model.model_fields if name != _WORDS]
        table = table_of(source, file, needed, [_WORDS])
        rows += validated(file, table.to_dict("records"), model)
    return (rows if tables else listed), events


def _names(mentions: Iterable[_Mention], content: Content) -> dict[str, str]:
    """Return key of a document → its id; a name that several documents have is noted."""
    keys: dict[str, set[str]] = {}
    for mention in mentions:
        keys.setdefault(str(mention.doc), set()).add(mention.conll_doc_key)
    for name, documents in keys.items():
        if len(documents) > 1:
            content.note("document-name-repeated", name)
    return {
        key: name if len(documents) == 1 else key
        for name, documents in keys.items()
        for key in documents
    }


def _documents(source: Source, file: str, content: Content) -> Iterator[tuple[Columns, str]]:
    """Yield the documents of a table, and the part of each; repeated ones are noted."""
    table = table_of(source, file, [_KEY, _SENTENCE, _TOKEN, _TEXT, _SPLIT])
    place = [_KEY, _SENTENCE, _TOKEN]
    once = table.drop_duplicates(place)
    for key in pd.unique(table[_KEY][~table.index.isin(once.index)]):
        content.note("document-repeated", str(key))
    for key, rows in once.sort_values(place[1:], kind="stable").groupby(_KEY, sort=False):
        columns = Columns(file, str(key))
        sentences, numbers = rows[_SENTENCE].tolist(), rows[_TOKEN].tolist()
        for row, sentence, at, text in zip(
            rows.index, sentences, numbers, rows[_TEXT].astype(str), strict=True
        ):
            columns.add(int(row) + 1, sentence, text, "")
            if at != len(columns.sentences[sentence]) - 1:
                message = f"token {at} of sentence {sentence} is out of order"
                raise error("corpus-file-invalid", file, int(row) + 1, message)
        yield columns, str(rows[_SPLIT].iloc[0])


def _document(columns: Columns, names: Mapping[str, str], part: str) -> Document:
    topic, subtopic, _ = (*columns.id.split("/", 2), "", "")[:3]
    id_ = names.get(columns.id, columns.id)
    attributes = {PART: _PARTS.get(part, part)} if part else {}
    return Document(id_, topic, subtopic, columns.text, attributes=attributes)


def _add(
    content: Content, document: Document, mentions: Iterable[_Mention], events: set[str]
) -> None:
    """Add a document and its mentions."""
    spans: dict[Span, _Mention] = {}
    ordered = []
    for mention in mentions:
        tokens = sorted(set(mention.tokens_number))
        if not _is_inside(document, mention, tokens):
            message = f"tokens {tokens[:5]} are not in sentence {mention.sent_id}"
            place = f"{document.id}/{mention.mention_id}"
            raise CorpusError("corpus-record-invalid", message, place=place, hint=HINT)
        first = document.sentence_starts[mention.sent_id]
        places = tuple(first + token for token in tokens)
        gap = places if places[-1] - places[0] >= len(places) else ()
        span = Span(places[0], places[-1], str(mention.coref_chain), gap)
        spans.setdefault(span, mention)
        ordered.append(span)
    content.add(document, sorted(ordered), lambda span: _facts(spans[span], events))


def _is_inside(document: Document, mention: _Mention, tokens: Sequence[int]) -> bool:
    """Return whether tokens are in the sentence or continue past its end with the given words."""
    if not tokens or tokens[0] < 0 or not 0 <= mention.sent_id < len(document.sentences):
        return False
    length = len(document.sentences[mention.sent_id])
    words = document.tokens[document.sentence_starts[mention.sent_id] :]
    beyond = tokens[0] < length <= tokens[-1] < len(words)
    return tokens[-1] < length or (beyond and [words[t] for t in tokens] == mention.tokens_text)


def _add_excerpts(
    content: Content, file: str, id_: str, mentions: Sequence[_Mention], events: set[str]
) -> None:
    """Add a document of which the contexts of its mentions are known."""
    one = mentions[0]
    part = {PART: _PARTS.get(one.split, one.split)} if one.split else {}
    excerpts = Excerpts(file, id_, str(one.topic_id), str(one.subtopic_id), part)
    for mention in mentions:
        if isinstance(mention, _InContext):
            excerpts.add(
                mention.mention_id,
                mention.mention_context,
                mention.tokens_number_context,
                str(mention.coref_chain),
                **_facts(mention, events),
            )
    excerpts.close(content)


def _facts(mention: _Mention, events: set[str]) -> dict[str, Any]:
    """Return kind, state, tag and descriptor of a mention."""
    listed = mention.mention_id in events
    action = mention.mention_full_type.startswith(_ACTIONS)
    return {
        "kind": EVENT if listed or action else ENTITY,
        "state": UNLINKED if action and events and not listed else ANNOTATED,
        "tag": mention.mention_full_type,
        "descriptor": str(mention.description),
    }


ADAPTER = reader(LAYOUTS["ucdcr"], is_ucdcr, read, schema="2")
