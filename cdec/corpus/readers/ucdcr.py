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
from collections.abc import Iterator
from typing import Annotated, Any

import pandas as pd
from pydantic import BaseModel, BeforeValidator

from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, PART, Corpus, Document, Variants
from cdec.corpus.readers.columns import Placed, corpus_at
from cdec.corpus.readers.records import InContext, corpus_of_contexts, records, table_of, validated
from cdec.corpus.source import HINT, CorpusFormat, Source, error
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


class _WithContext(_Mention):
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
    found, events = _mentions(source, _Mention if texts else _WithContext)
    names = _names(source, found)
    by_document: dict[str, list[tuple[Any, dict[str, Any]]]] = {}
    for one in found:
        action = one.mention_full_type.startswith(_ACTIONS)
        listed = one.mention_id in events
        about: dict[str, Any] = {
            "kind": EVENT if listed or action else ENTITY,
            "state": UNLINKED if action and events and not listed else ANNOTATED,
            "tag": one.mention_full_type,
            "descriptor": str(one.description),
        }
        by_document.setdefault(one.conll_doc_key, []).append((one, about))
    states = {about["state"] for own in by_document.values() for _, about in own}
    variants = VARIANTS if UNLINKED in states else {}
    if not texts:
        contexts = []
        for key, own in by_document.items():
            for one, about in own:
                levels = str(one.topic_id), str(one.subtopic_id)
                document = Document(names[key], *levels, (), attributes=_part(one.split))
                at = one.mention_id, one.mention_context, one.tokens_number_context
                contexts.append(InContext(document, *at, str(one.coref_chain), about))
        return corpus_of_contexts(source, contexts, variants=variants)
    documents: list[Document] = []
    mentions: list[Placed] = []
    for key, sentences, split in (text for file in texts for text in _documents(source, file)):
        own = by_document.pop(key, [])
        topic, subtopic = [*key.split("/", 2), "", ""][:2]
        part = _part(own[-1][0].split if own else split)
        document = Document(names.get(key, key), topic, subtopic, sentences, attributes=part)
        documents.append(document)
        spans = [(_span(document, one), number) for number, (one, _) in enumerate(own)]
        mentions += ((document.id, span, own[number][1]) for span, number in sorted(spans))
    for key in by_document:
        message = f"the document '{key}' of a mention is not in the table of documents"
        raise CorpusError("corpus-invalid", message, place=texts[0], hint=HINT)
    return corpus_at(source, documents, mentions, variants=variants)


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
    rows = [(one.conll_doc_key, str(one.doc)) for one in mentions]
    pairs = pd.DataFrame(rows, columns=["key", "name"]).drop_duplicates()
    several = pairs.duplicated("name", keep=False)
    for name in pairs["name"][several].unique():
        source.note("document-name-repeated", name)
    return dict(zip(pairs["key"], pairs["name"].mask(several, pairs["key"]), strict=True))


def _documents(source: Source, file: str) -> Iterator[tuple[str, tuple[tuple[str, ...], ...], str]]:
    """Yield key, sentences and part of the documents of a table; repeated ones are noted.

    Raises CorpusError for the row of a token out of order.
    """
    table = table_of(source, file, [*_PLACE, "token", "split"])
    twice = table.duplicated(_PLACE)
    for key in pd.unique(table[_KEY][twice]):
        source.note("document-repeated", str(key))
    once = table[~twice].sort_values(_PLACE[1:], kind="stable")
    step = once.groupby(_KEY)["sent_id"].diff().fillna(once["sent_id"] + 1)
    later = ~step.isin([0, 1]) | (once.groupby(_PLACE[:2]).cumcount() != once["token_id"])
    for row in later.index[later][:1]:
        sentence, token = table["sent_id"][row], table["token_id"][row]
        message = f"token {token} of sentence {sentence} is out of order"
        raise error(file, "corpus-invalid", row + 1, message)
    for key, rows in once.groupby(_KEY, sort=False):
        sentences = rows["token"].astype(str).groupby(rows["sent_id"]).agg(tuple)
        yield str(key), tuple(sentences), str(rows["split"].iloc[0])


def _span(document: Document, mention: _Mention) -> Span:
    """Return the span of a mention, whose tokens count in its sentence.

    They may go on after its end if they have the words of the mention.
    """
    tokens, at = sorted(set(mention.tokens_number)), mention.sent_id
    inside = bool(tokens) and tokens[0] >= 0 and 0 <= at < len(document.sentences)
    first = document.sentence_starts[at] if inside else 0
    if inside and tokens[-1] >= len(document.sentences[at]):
        words = [document.tokens[first + t] for t in tokens if first + t < len(document.tokens)]
        inside = tokens[0] < len(document.sentences[at]) and words == mention.tokens_text
    if not inside:
        message = f"tokens {tokens[:5]} are not in sentence {at}"
        place = f"{document.id}/{mention.mention_id}"
        raise CorpusError("corpus-invalid", message, place=place, hint=HINT)
    places = tuple(first + token for token in tokens)
    gap = places if places[-1] - places[0] >= len(places) else ()
    return Span(places[0], places[-1], str(mention.coref_chain), gap)


FORMAT = CorpusFormat(
    "ucdcr",
    "uCDCR",
    patterns=(f"*{_DOCUMENTS}", f"*{_MENTIONS}", "*/*_mentions.json", "*_mentions.json"),
    expected="all_documents.parquet and all_mentions.parquet, or event_mentions.json",
    sniff=is_ucdcr,
    read=read,
    schema="2",
)
