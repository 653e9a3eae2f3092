"""The alignment: key and response side by side, in one frame. It is all that is handed on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from cdec.arrays import NAME, AnySeries, BoolSeries
from cdec.clustering import Clustering, Side
from cdec.errors import Notices
from cdec.plugins import Origin
from cdec.records import Fields


@dataclass(frozen=True, eq=False)
class Alignment:
    """A response of a system and its key, side by side in one frame, with all irregularities.

    ``mentions`` has a row for each mention of either side, in text order, indexed by mention id.
    Its columns are doc, start, end, tokens (all of a corpus mention; of others, () without a gap),
    ``key`` and ``response`` (chain labels; missing for a mention that is not on that side); of a
    corpus also topic, subtopic, sentence, text and kind. It can have ``alone`` (whether a mention
    was a singleton of the key before a policy removed mentions) and ``name`` (equal for the
    occurrences of one response mention, or of one key mention in several chains). The same label in
    two documents is one chain or two, as the scope of a setting says.

    ``about`` are the fields of the signature on the response. ``name`` is that of this run, or of
    the ``system`` if it has no other. ``words`` returns the counts on words that ``counted`` has.
    ``origins`` are the packages other than cdec whose code made the response.

    >>> mentions = pd.DataFrame({"doc": ["d", "d"]}, index=["d/1", "d/2"])
    >>> key, response = Clustering.from_labels({"d/1": "x"}), Clustering.from_chains([["d/2"]])
    >>> Alignment.of(mentions, key, response).mentions["key"].notna().tolist()
    [True, False]
    """

    mentions: pd.DataFrame = field(repr=False)
    notices: Notices = ()
    about: Fields = field(default_factory=dict)
    system: str = "response"
    name: str = "response"
    words: Callable[[], pd.DataFrame] = pd.DataFrame
    origins: tuple[Origin, ...] = ()

    @classmethod
    def of(
        cls,
        mentions: pd.DataFrame,
        key: Clustering,
        response: Clustering,
        system: str = "response",
    ) -> Alignment:
        """Return two clusterings side by side. Raises ValueError for a mention not in the table."""
        ours, theirs = (chains_at(mentions.index, side) for side in (key, response))
        return cls(
            mentions.assign(key=ours, response=theirs), system=system, name=system
        )

    @cached_property
    def key(self) -> Clustering:
        """The chains of the key."""
        return Clustering(self.mentions["key"].dropna())

    @cached_property
    def response(self) -> Clustering:
        """The chains of the response."""
        return Clustering(self.mentions["response"].dropna())

    @property
    def has_same_mentions(self) -> bool:
        """Whether key and response have the same mentions."""
        return bool(
            (self.mentions["key"].isna() == self.mentions["response"].isna()).all()
        )

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The mentions with the counts on words as columns, as far as they are known."""
        return self.mentions.join(self.words())

    def having(self, side: Side, chains: Clustering) -> Alignment:
        """Return the alignment with other chains of one side. Raises ValueError as ``of`` does."""
        labels = chains_at(self.mentions.index, chains)
        return replace(self, mentions=self.mentions.assign(**{side: labels}))


def again_in_key(mentions: pd.DataFrame) -> BoolSeries:
    """Return which rows are further occurrences of a key mention, in other chains of the key.

    >>> again_in_key(pd.DataFrame({"key": ["x", "y"], "name": "d/1"}, ["d/1", "d/1#2"])).tolist()
    [False, True]
    """
    if NAME not in mentions:
        return pd.Series(data=False, index=mentions.index)
    return mentions["key"].notna() & (mentions[NAME] != mentions.index)


def chains_at(index: pd.Index[Any], side: Clustering) -> AnySeries:
    """Return the chain label of each mention of the index, missing if the side lacks it.

    Raises ValueError for a mention that is not in the index.
    """
    mentions = side.labels.index
    unknown = mentions[~mentions.isin(index)]
    if len(unknown):
        raise ValueError(f"mention '{unknown[0]}' is not in the table of mentions")
    return side.labels.astype(object).reindex(index)
