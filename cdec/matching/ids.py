"""The mentions of a corpus that a response names by id.

The response files of Bugert et al. (2021) number the mentions of each document. ECB+ has these
numbers (``m_id``). Where no mention of the corpus has a number as its id, they count the mentions
of the document in text order, from 0, those that a variant of the key leaves out included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.matching.names import whole_id
from cdec.matching.view import View
from cdec.notices import Notice


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
    numbers = _numbers(corpus) if all(_number(id_).isdecimal() for id_ in whole) else {}
    for row, id_ in zip(bare, whole, strict=True):
        ids[row] = numbers.get(id_, id_)
        if ids[row] not in known:
            raise _unknown(view, row)
    return ids, list(_notices(len(bare))) if numbers else []


def _number(id_: str) -> str:
    return id_.rpartition("/")[2]


def _numbers(corpus: Corpus) -> Mapping[str, str]:
    """Return document/number → mention; empty if ids of the corpus are numbers."""
    table = corpus.mentions[["doc"]]
    if any(_number(id_).isdecimal() for id_ in table.index):
        return {}
    places = zip(table["doc"], table.groupby("doc").cumcount(), table.index, strict=True)
    return {f"{doc}/{number}": id_ for doc, number, id_ in places}


def _unknown(view: View, row: int) -> ScoringError:
    doc, mention, line = view.mentions.iloc[row][["doc", "mention", "line"]]
    message = f"mention '{mention}' of '{doc}' is not in the corpus"
    hint = "use the mention ids of the corpus"
    return ScoringError("mention-unknown", message, place=view.place(int(line)), hint=hint)


def _notices(size: int) -> Iterator[Notice]:
    what = counted(size, "mention is", "mentions are")
    message = f"{what} given by number: the mentions of a document count from 0, in text order"
    yield Notice("mention-numbers", size, message, (), warning=False)
