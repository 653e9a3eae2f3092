"""The mentions of a corpus that a response names by id.

The response files of Bugert et al. (2021) number the mentions of each document. ECB+ has these
numbers (``m_id``). Where no mention of the corpus has a number as its id, they count the mentions
of the document in text order, from 0, those that a variant of the key leaves out included. Token
ids of GVC (``b2.24``) count NEWLINE tokens, which the corpus does not have: they say the order of
the mentions of a document, and need all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.matching.names import GVC_ID, whole_id
from cdec.matching.view import View
from cdec.notices import Notice

_GVC_ID = re.compile(GVC_ID)


def in_corpus_ids(view: View, corpus: Corpus) -> tuple[list[str], list[Notice]]:
    """Return the id in the corpus of each mention without tokens ('' with tokens), and notices.

    Raises ScoringError with ``file:line`` for an id that is not in the corpus.
    """
    table = view.mentions
    bare = np.flatnonzero(table["start"].to_numpy() < 0).tolist()
    ids = [""] * len(table)
    if not bare:
        return ids, []
    known = set(corpus.mentions.index)
    if corpus.region is not None:
        known |= set(corpus.region.outside.index)
    names = table[["doc", "mention"]].iloc[bare].itertuples(index=False, name=None)
    whole = [whole_id(doc, mention) for doc, mention in names]
    numbers: Mapping[str, str] = {}
    if all(_number(id_).isdecimal() for id_ in whole):
        numbers = _numbers(corpus)
    elif all(_GVC_ID.fullmatch(_number(id_)) for id_ in whole):
        numbers = _by_order(view, bare, whole, corpus)
    for row, id_ in zip(bare, whole, strict=True):
        ids[row] = numbers.get(id_, id_)
        if ids[row] not in known:
            raise _unknown(view, row)
    return ids, [_counted_notice(len(bare), by_token="." in _number(whole[0]))] if numbers else []


def _number(id_: str) -> str:
    return id_.rpartition("/")[2]


def _numbers(corpus: Corpus) -> Mapping[str, str]:
    """Return document/number → mention; empty if ids of the corpus are numbers."""
    table = corpus.mentions[["doc"]]
    if any(_number(id_).isdecimal() for id_ in table.index):
        return {}
    places = zip(table["doc"], table.groupby("doc").cumcount(), table.index, strict=True)
    return {f"{doc}/{number}": id_ for doc, number, id_ in places}


def _by_order(
    view: View, rows: Sequence[int], whole: Sequence[str], corpus: Corpus
) -> Mapping[str, str]:
    """Return token id → mention, by their order in each document.

    Raises ScoringError with ``file:line`` for a document of which mentions are missing.
    """
    table = corpus.mentions[["doc"]]
    found: dict[str, str] = {}
    lines = dict(zip(whole, view.mentions["line"].iloc[list(rows)], strict=True))
    for doc, ids in pd.Series(lines.keys()).groupby([id_.rpartition("/")[0] for id_ in lines]):
        ordered, known = sorted(ids, key=_place), table.index[table["doc"] == doc]
        if len(ordered) != len(known):
            message = (
                f"'{doc}' has {counted(len(ordered), 'mention')} here and {len(known)} in the "
                "corpus: token ids count NEWLINE tokens, which the corpus does not have, so that "
                "only all mentions of a document can be matched, by their order"
            )
            place = view.place(int(lines[ordered[0]]))
            hint = "give all mentions of the document, or token numbers without NEWLINE"
            raise ScoringError("mention-unknown", message, place=place, hint=hint)
        found |= zip(ordered, known.astype(str), strict=True)
    return found


def _place(id_: str) -> tuple[bool, int, int]:
    """Return the place of a token id: title before body, sentence, token."""
    match = _GVC_ID.fullmatch(_number(id_))
    return (match[1] == "b", int(match[2]), int(match[3])) if match else (True, 0, 0)


def _unknown(view: View, row: int) -> ScoringError:
    doc, mention, line = view.mentions.iloc[row][["doc", "mention", "line"]]
    message = f"mention '{mention}' of '{doc}' is not in the corpus"
    hint = "use the mention ids of the corpus"
    return ScoringError("mention-unknown", message, place=view.place(int(line)), hint=hint)


def _counted_notice(size: int, by_token: bool) -> Notice:
    what = counted(size, "mention is", "mentions are")
    if by_token:
        message = f"{what} given by a token id that counts NEWLINE tokens: matched by text order"
    else:
        message = f"{what} given by number: the mentions of a document count from 0, in text order"
    return Notice("mention-numbers", size, message, (), warning=False)
