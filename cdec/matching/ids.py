"""Mention ids: ``24_1ecb/12``, ``24_1ecb.xml_12`` and, in 24_1ecb, ``12`` are one mention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from cdec.errors import counted
from cdec.matching.documents import bare
from cdec.matching.view import View
from cdec.notices import Notice, notice

_ID = re.compile(r"(.+?)(?:\.xml)?[/_]([^/_]+)", re.DOTALL)


def whole_id(doc: str, mention: str) -> str:
    """Return ``doc/number`` for the id of a mention of ``doc``, in whatever form it is given."""
    if mention.startswith(f"{doc}/"):
        return mention
    match = _ID.fullmatch(mention)
    number = match.group(2) if match and bare(match.group(1)) == bare(doc) else mention
    return f"{doc}/{number}"


def with_documents(view: View) -> View:
    """Return the view with the documents that bare mention ids name (``36_1ecb.xml_17``).

    An id that names none is its own document, so that it is said which one is not known.
    """
    table = view.mentions
    bare_ids = (table["start"] < 0) & (table["doc"] == "")
    if not bare_ids.any():
        return view
    found = [match.group(1) if (match := _ID.fullmatch(id_)) else id_ for id_ in table["mention"]]
    docs = table["doc"].where(~bare_ids, pd.Series(found, index=table.index, dtype=object))
    return replace(view, mentions=table.assign(doc=docs), texts=dict.fromkeys(docs))


def by_token_ids(view: View) -> View:
    """Return the view by the ids that stand as tokens (``36_1ecb.xml_17``), or as it is."""
    table = view.mentions
    texts = [view.texts[doc] for doc in table["doc"]]
    if (
        not len(table)
        or any(text is None for text in texts)
        or (table["start"] < table["end"]).any()
    ):
        return view
    tokens = [text[at] for text, at in zip(texts, table["start"], strict=True) if text is not None]
    split = [_ID.fullmatch(token) for token in tokens]
    if any(match is None for match in split):
        return view
    docs = [match.group(1) for match in split if match is not None]
    named = table.assign(doc=docs, mention=tokens, start=-1, end=-1)
    return View(view.source, named, dict.fromkeys(docs), {})


def with_places(
    table: pd.DataFrame, ids: Sequence[str], other: pd.DataFrame, other_ids: Sequence[str]
) -> list[str]:
    """Return ``ids``, those of mentions without tokens as the other file calls them.

    The other file has to give both tokens and mention ids.
    """
    unplaced = table["start"].to_numpy() < 0
    if not unplaced.any():
        return list(ids)
    given = (other["start"] >= 0) & (other["mention"] != "")
    rows = zip(other["doc"], other["mention"], other_ids, given, strict=True)
    called = {whole_id(doc, mention): id_ for doc, mention, id_, known in rows if known}
    names = zip(table["doc"], table["mention"], ids, unplaced, strict=True)
    return [called.get(whole_id(doc, m), id_) if bare_ else id_ for doc, m, id_, bare_ in names]


def lost_ids(key: pd.DataFrame, response: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on mentions that have only an id, where the other file has only places."""
    for side, table, other in (("key", key, response), ("response", response, key)):
        unplaced = table["mention"][table["start"] < 0].tolist()
        if unplaced and len(other) and not (other["mention"] != "").any():
            what = counted(
                len(unplaced), f"mention of the {side} is an id", f"mentions of the {side} are ids"
            )
            message = f"{what} without tokens, the other has no ids"
            yield notice("lost-id", message, unplaced)
