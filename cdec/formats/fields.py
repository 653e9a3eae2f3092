"""The fields of a mention in JSON Lines, CSV, TSV and JSON, and the names they may have.

==========  =====================================================================
doc         document name
start, end  indices of the first and the last token in the document, from 0
tokens      indices of all tokens in the document (instead of start and end)
chain       chain label, text or integer
mention     mention id such as 37_4ecbplus/36 (instead of doc and tokens)
m_id        the part of the mention id after the document's name (with doc)
==========  =====================================================================
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
}  # fmt: skip
NEEDED = "a mention has 'chain' and one of doc+start+end, doc+tokens, mention, doc+m_id"
_CANONICAL = {alias: field for field, aliases in ALIASES.items() for alias in aliases}


def canonical(name: str) -> str | None:
    """Return the field that ``name`` is an alias of, whatever its case, or None."""
    return _CANONICAL.get(name.strip().casefold().replace("-", "_").replace(" ", "_"))


def resolve(names: Iterable[str], place: str) -> dict[str, str]:
    """Return field → name in the file; names that are no field are left out.

    Raises FormatError for two names of one field: which of them is meant is not guessed.
    """
    found: dict[str, str] = {}
    for name in names:
        field = canonical(name)
        if field is None:
            continue
        if field in found:
            message = f"'{found[field]}' and '{name}' both mean the {field}"
            raise FormatError(message, place=place, cure="rename or remove the one not meant")
        found[field] = name
    return found


def is_mention(fields: Mapping[str, str]) -> bool:
    """Tell whether these fields make a mention in a chain."""
    return "chain" in fields and is_place(fields)


def is_place(fields: Mapping[str, str]) -> bool:
    """Tell whether these fields say which mention is meant."""
    spans = "tokens" in fields or {"start", "end"} <= fields.keys() or "m_id" in fields
    return "mention" in fields or ("doc" in fields and spans)
