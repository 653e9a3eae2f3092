"""The names of the fields of a mention in records (JSON Lines, CSV, TSV, JSON).

A mention of uCDCR has ``tokens_number`` and ``sent_id``: its tokens count in the sentence, and its
document is ``doc``, because ``doc_id`` is not unique. A mention of WEC has the first name only: its
tokens count in the paragraph ``mention_context``, so that its id identifies it.

A file with both ``coref_chain`` and ``predicted_coref_chain`` has the chains of the key and of the
response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cdec.errors import FormatError

ALIASES = {
    "doc": ("doc", "document", "doc_id", "document_id", "doc_key"),
    "start": ("start", "begin", "start_token"),
    "end": ("end", "end_token"),
    "tokens": ("tokens", "token_ids", "token_indices"),
    "chain": (
        "chain", "chain_id", "coref_chain", "predicted_coref_chain",
        "cluster", "cluster_id", "coref_id", "label",
    ),
    "mention": ("mention", "mention_id"),
    "m_id": ("m_id",),
    "sentence": ("sentence", "sentence_id", "sent_id", "sentence_number"),
}  # fmt: skip
NEEDED = "a mention needs 'chain' and one of doc+start+end, doc+tokens, mention, doc+m_id"
_CANONICAL = {alias: field for field, aliases in ALIASES.items() for alias in aliases}
_GOLD, _PREDICTED = "coref_chain", "predicted_coref_chain"


_UCDCR = {"doc": "doc", "tokens_number": "tokens", "sent_id": "sentence"}


def normal(name: str) -> str:
    """Return a name in lower case, with ``_`` for hyphens and spaces."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def canonical(name: str) -> str | None:
    """Return the field of which ``name`` is an alias (ignoring case), or None."""
    return _CANONICAL.get(normal(name))


def resolve(names: Iterable[str], place: str) -> dict[str, str]:
    """Return field → name in the file; names that are not a field are left out.

    The field ``gold`` is the chain of the key in a file that has the chain of the response too.
    Raises FormatError for two names of the same field.
    """
    known = [(name, normal(name)) for name in names]
    present = {plain for _, plain in known}
    dialect = _UCDCR if {"tokens_number", "sent_id"} <= present else {}
    fields = {dialect[plain]: name for name, plain in known if plain in dialect}
    preferred = frozenset(fields)
    for name, plain in known:
        field = _CANONICAL.get(plain)
        if plain == _GOLD and _PREDICTED in present:
            field = "gold"
        if field is None or field in preferred:
            continue
        if field in fields:
            message = f"'{fields[field]}' and '{name}' both mean the field '{field}'"
            raise FormatError(
                "field-duplicate", message, place=place, hint="rename or remove one of them"
            )
        fields[field] = name
    return fields


def is_mention(fields: Mapping[str, str]) -> bool:
    """Return whether these fields identify a mention and its chain."""
    return "chain" in fields and is_place(fields)


def is_place(fields: Mapping[str, str]) -> bool:
    """Return whether these fields identify a mention."""
    spans = "tokens" in fields or {"start", "end"} <= fields.keys() or "m_id" in fields
    return "mention" in fields or ("doc" in fields and spans)
