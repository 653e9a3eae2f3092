"""Which mention of the key each mention of a response is, and each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.formats.annotation import gaps, object_array
from cdec.matching.policy import REPEATED
from cdec.matching.view import View, mention_ids
from cdec.notices import Notice, notice

# A place, in the form of ``mention_ids`` → the id of the key mention there.
Places = Mapping[str, str]


def _exact(mentions: pd.DataFrame, places: Sequence[str], key: Sequence[Places]) -> pd.DataFrame:
    """Align by the place; a mention named by an id is the one of that id."""
    placed = (mentions["start"] >= 0).tolist()
    ids = [
        next((ids[place] for ids in key if place in ids), place) if there else place
        for place, there in zip(places, placed, strict=True)
    ]
    return mentions.set_index(pd.Index(ids, dtype=object))


# The ways to find which mention of the key each mention of a response is; the names are those of
# ``policy.ALIGNMENTS``. They are given the response's mentions, the place of each, and what a
# place means in the key, the mapping that goes first at the head; they return the mentions by id.
# A mention that the key lacks has its place for an id.
ALIGN: Mapping[str, Callable[[pd.DataFrame, Sequence[str], Sequence[Places]], pd.DataFrame]] = {
    "exact": _exact
}


def corpus_places(corpus: Corpus) -> list[Places]:
    """Return what a place in a corpus means, in this order.

    The event mention of these tokens, the event mention with a gap between these ends (where
    there is only one), the argument mention of these tokens.
    """
    table = corpus.mentions.assign(tokens=object_array(gaps(corpus.mentions)), mention="")
    is_event = table["is_event"].to_numpy()
    ids = table.index.to_numpy()
    names = object_array(mention_ids(table))
    # Of several mentions of the same tokens the first is meant.
    events, arguments = (
        dict(zip(reversed(names[side]), reversed(ids[side]), strict=True))
        for side in (is_event, ~is_event)
    )
    gapped = table[is_event & (table["tokens"].map(len) > 0).to_numpy()]
    alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
    ends = mention_ids(alone.assign(tokens=object_array([()] * len(alone))))
    return [events, dict(zip(ends, alone.index.tolist(), strict=True)), arguments]


def refuse_repeats(key: View, ids: Sequence[str], may_be_swapped: bool) -> None:
    """Raise ScoringError for a duplicate mention in the key."""
    twice = np.flatnonzero(pd.Series(ids, dtype=object).duplicated().to_numpy())
    if twice.size:
        row = int(twice[0])
        first = key.place(int(key.mentions["line"].iloc[list(ids).index(ids[row])]))
        message = f"mention '{ids[row]}' stands twice in the key, first at {first}"
        hint = "keep one of the two" + ("; are key and response swapped?" if may_be_swapped else "")
        raise ScoringError(message, place=key.place(int(key.mentions["line"].iloc[row])), hint=hint)


def settle(
    response: View, table: pd.DataFrame, key: pd.Index[str], policy: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the response's mentions (by id, as aligned) with each there once, and notices.

    Policy ``first`` gives the numbers of the reference scorer (v8.01) without its refusal after
    ten: the occurrence in the chain that opens first in the document counts; a repeated mention
    that the key lacks counts each time (as ``id#2``, …), for the reference looks for repeats among
    the key's mentions only. Its BLANC, which counts links by name, differs in the latter case.
    ``error`` raises ScoringError with ``file:line``; ``drop`` leaves out all occurrences.
    """
    if table.index.is_unique:
        return table, []
    order = np.argsort(pd.factorize(table["doc"] + "\0" + table["chain"])[0], kind="stable")
    table = table.iloc[order]
    known = table.index.isin(key)
    if policy == "error":
        _refuse(response, table)
    notices = list(_notices(response, table, known, policy))
    if policy == "drop":
        return table[~table.index.duplicated(keep=False)], notices
    return _as_copies(table[~table.index.duplicated() | ~known]), notices


def _refuse(response: View, table: pd.DataFrame) -> None:
    row = int(np.flatnonzero(table.index.duplicated())[0])
    message = f"mention '{table.index[row]}' stands twice in the response"
    place = response.place(int(table["line"].iloc[row]))
    raise ScoringError(message, place=place, hint="keep one, or --repeated first|drop")


def _as_copies(table: pd.DataFrame) -> pd.DataFrame:
    number = table.groupby(table.index).cumcount().to_numpy()
    ids = [f"{i}#{n + 1}" if n else i for i, n in zip(table.index, number, strict=True)]
    return table.set_axis(pd.Index(ids, dtype=object))


def _notices(response: View, table: pd.DataFrame, known: Bools, policy: str) -> Iterator[Notice]:
    frame = pd.DataFrame({"id": table.index, "chain": table["chain"].to_numpy()})
    again = frame.duplicated("id").to_numpy()
    same = frame.duplicated(["id", "chain"]).to_numpy()
    second = again & ~same
    repeated = counted(int(same.sum()), "mention is", "mentions are")
    stands = counted(int(second.sum()), "response mention stands", "response mentions stand")
    lines = table["line"].to_numpy()
    for kind, mask, message in (
        ("repeated-mention", same, f"{repeated} repeated in one chain of the response"),
        ("mention-in-two-chains", second, f"{stands} in a second chain"),
    ):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            cases = [f"{table.index[r]} at {response.place(int(lines[r]))}" for r in rows]
            yield notice(kind, f"{message}; {_done(policy, known[mask])}", cases)


def _done(policy: str, known: Bools) -> str:
    """Say what becomes of repeated mentions, of which ``known`` are in the key."""
    twinless = int((~known).sum())
    if policy == "drop" or not twinless:
        return REPEATED[policy]
    if twinless == len(known):
        lacked = "it" if twinless == 1 else "them"
        return f"the key lacks {lacked}: each counts, as in the reference scorer"
    return f"{REPEATED[policy]}; where the key lacks the mention ({twinless:,}), each counts"
