"""The names of the fields of a mention in records (JSON Lines, CSV, TSV, JSON).

A mention of uCDCR has ``tokens_number`` and ``sent_id``: its tokens count in the sentence, and its
document is ``doc``, because ``doc_id`` is not unique. A mention of WEC has the first name only: its
tokens count in the paragraph ``mention_context``, so that its id identifies it.

A mention of Cattan et al. has its words as ``tokens`` and their numbers as ``tokens_ids``.
``id`` is the id of a mention that has no place otherwise.

A file with both ``coref_chain`` and ``predicted_coref_chain`` has the chains of the key and of the
response.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from cdec.errors import FormatError
from cdec.formats.layouts import DOCUMENT

ALIASES = {
    "doc": DOCUMENT,
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
# The names of the two mentions of a pair, in lists of pairs.
PAIR = (
    ("a", "first", "mention_1", "mention1", "mention_id_1"),
    ("b", "second", "mention_2", "mention2", "mention_id_2"),
)
_CANONICAL = {alias: field for field, aliases in ALIASES.items() for alias in aliases}
_UCDCR = {"doc": "doc", "tokens_number": "tokens", "sent_id": "sentence"}
_CATTAN = {"tokens_ids": "tokens"}
_OTHERS = {*_UCDCR, *_CATTAN, "id"}


def normal(name: str) -> str:
    """Return a name in lower case, with ``_`` for hyphens and spaces."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def canonical(name: str) -> str | None:
    """Return the field of which ``name`` is an alias (ignoring case), or None."""
    return _CANONICAL.get(normal(name))


@lru_cache
def is_field(name: str) -> bool:
    """Return whether ``name`` may be a field of a mention; all others are ignored."""
    return normal(name) in _CANONICAL or normal(name) in _OTHERS


def resolve(names: Iterable[str], place: str, *, whole: bool = False) -> dict[str, str]:
    """Return field → name in the file; names that are not a field are left out.

    The field ``gold`` is the chain of the key in a file that has the chain of the response too.
    Raises FormatError for two names of the same field; if these are the ``whole`` names of a table,
    also for a mention without a place or a chain.
    """
    plain = [(name, normal(name)) for name in names]
    present = {alias for _, alias in plain}
    known = dict(_CANONICAL)
    if "predicted_coref_chain" in present:
        known["coref_chain"] = "gold"
    ucdcr = _UCDCR if {"tokens_number", "sent_id"} <= present else {}
    own = {alias: field for alias, field in {**ucdcr, **_CATTAN}.items() if alias in present}
    known = {alias: f for alias, f in known.items() if f not in own.values()} | own
    fields: dict[str, str] = {}
    for name, alias in plain:
        field = known.get(alias)
        if field in fields:
            message = f"'{fields[field]}' and '{name}' both mean the field '{field}'"
            hint = "rename or remove one of them"
            raise FormatError("field-invalid", message, place=place, hint=hint)
        if field is not None:
            fields[field] = name
    if "id" in present and not is_place(fields):
        fields["mention"] = next(name for name, alias in plain if alias == "id")
    if whole and not ("chain" in fields and is_place(fields)):
        titles = [name for name, _ in plain]
        refuse_pairs(titles, place)
        message = f"a column is missing; there are: {', '.join(titles)[:80] or 'none'}"
        raise FormatError("field-invalid", message, place=place, hint=NEEDED)
    return fields


def is_place(fields: Collection[str]) -> bool:
    """Return whether these fields identify a mention."""
    spans = "tokens" in fields or {"start", "end"} <= set(fields) or "m_id" in fields
    return "mention" in fields or ("doc" in fields and spans)


def pair_names(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the names of the two mentions of a pair; None if both are not among ``names``.

    >>> pair_names(["score", "Mention 1", "Mention 2"]), pair_names(["mention", "chain"])
    (('Mention 1', 'Mention 2'), None)
    """
    known = {normal(name): name for name in names}
    first, second = (next((known[n] for n in side if n in known), None) for side in PAIR)
    return (first, second) if first is not None and second is not None else None


def refuse_pairs(names: Collection[str], place: str) -> None:
    """Raise FormatError if these are the fields of a list of mention pairs."""
    pair = pair_names(names)
    if pair and not is_place({canonical(name) or "" for name in names}):
        message = f"expected chains, got a list of mention pairs ('{pair[0]}' and '{pair[1]}')"
        hint = "write a chain for each mention; `cdec pairs` reads lists of pairs"
        raise FormatError("format-undetected", message, place=place, hint=hint)
