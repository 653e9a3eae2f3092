"""Alignment: which mention of the key each mention of a response is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.formats.annotation import gaps, id_index, object_array
from cdec.matching.ids import with_places
from cdec.matching.view import View, flattened_ids, mention_ids

Places = Mapping[str, str]


def align(
    mentions: pd.DataFrame, places: Sequence[str], key: Sequence[Places], alignment: str
) -> pd.DataFrame:
    """Return the mentions of a response by the id that each has in the key.

    ``places`` says where each mention is, in the form of ``mention_ids``; ``key`` maps such a
    place to the id of a key mention, the mapping that goes first at the head. A mention that the
    key lacks has its place for an id. ``alignment`` is a key of ``policy.ALIGNMENTS``.
    """
    return mentions.set_index(id_index(_ALIGNMENTS[alignment](mentions, places, key)))


def _exact(mentions: pd.DataFrame, places: Sequence[str], key: Sequence[Places]) -> list[str]:
    """Align by the place; a mention named by an id is the one of that id."""
    placed = (mentions["start"] >= 0).tolist()
    return [
        next((ids[place] for ids in key if place in ids), place) if there else place
        for place, there in zip(places, placed, strict=True)
    ]


_ALIGNMENTS = {"exact": _exact}


def file_places(key: View, response: View) -> tuple[list[str], list[str]]:
    """Return the places of the mentions of two files, which are also their ids.

    Brackets cannot express a gap, so against a CoNLL file a gap is filled. A mention that one side
    names by an id is where the other side says.
    """
    flat = "conll" in {key.source.format, response.source.format}
    name = flattened_ids if flat else mention_ids
    ours, theirs = key.mentions, response.mentions
    places, other = name(ours), name(theirs)
    return with_places(ours, places, theirs, other), with_places(theirs, other, ours, places)


def corpus_places(corpus: Corpus) -> list[Places]:
    """Return what a place in a corpus means, in this order.

    The event mention of these tokens, the event mention with a gap between these ends, the
    argument mention of these tokens.
    """
    is_event = corpus.mentions["is_event"]
    events, arguments = corpus.mentions[is_event], corpus.mentions[~is_event]
    return [_by_tokens(events), _by_ends(events), _by_tokens(arguments)]


def _by_tokens(mentions: pd.DataFrame) -> Places:
    places = mention_ids(mentions.assign(tokens=object_array(gaps(mentions)), mention=""))
    return dict(zip(reversed(places), reversed(mentions.index.tolist()), strict=True))


def _by_ends(events: pd.DataFrame) -> Places:
    """Return ``doc/start-end`` → event mention with a gap, where there is only one such."""
    gapped = events[[bool(tokens) for tokens in gaps(events)]]
    alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
    places = mention_ids(alone.assign(tokens=object_array([()] * len(alone)), mention=""))
    return dict(zip(places, alone.index.tolist(), strict=True))
