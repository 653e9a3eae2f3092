"""Links topic by topic: inside the topic, and from it to other topics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.diagnosis.links import COUNTED, with_scores
from cdec.diagnosis.mentions import Mentions
from cdec.metrics.links import links

ACROSS = ("right_across", "missed_across", "wrong_across")
COLUMNS = ("topic", "mentions", *COUNTED, "precision", "recall", "f1", *ACROSS)


def topic_table(mentions: Mentions, names: pd.Series[str]) -> pd.DataFrame:
    """Return the links of each topic, in order of first occurrence (columns COLUMNS).

    ``names`` maps mention id → topic. Links to other topics (``…_across``) are counted in both
    of their topics.
    """
    topics = int(mentions.topic.max(initial=-1)) + 1
    counted = [
        _links(mentions.topic, chains, topics)
        for chains in (
            [mentions.key],
            [mentions.response],
            [mentions.key, mentions.response],
        )
    ]
    (key, key_out), (response, response_out), (right, right_out) = counted
    first = np.unique(mentions.topic, return_index=True)[1]
    inside = pd.DataFrame(
        {
            "topic": names.loc[mentions.index[first]].to_numpy(),
            "mentions": np.bincount(mentions.topic[mentions.key >= 0], minlength=topics),
            "right": right,
            "missed": key - right,
            "wrong": response - right,
        }
    )
    across = (right_out, key_out - right_out, response_out - right_out)
    return with_scores(inside).assign(**dict(zip(ACROSS, across, strict=True)))[list(COLUMNS)]


def _links(topic: Ints, chains: list[Ints], topics: int) -> tuple[Ints, Ints]:
    """Return per topic the links inside it and those to others, of mentions that share chains."""
    here: Bools = np.all([chain >= 0 for chain in chains], axis=0)
    group = np.unique(np.stack([c[here] for c in chains]), axis=1, return_inverse=True)[1]
    parts = pd.DataFrame({"chain": group.reshape(-1), "topic": topic[here]})
    sizes = parts.value_counts(["chain", "topic"]).rename("n").reset_index()
    n = sizes["n"].to_numpy(np.int64)
    whole = sizes.groupby("chain")["n"].transform("sum").to_numpy(np.int64)
    inside, outside = (
        np.bincount(sizes["topic"], weights=pairs, minlength=topics).astype(np.int64)
        for pairs in (links(n), n * (whole - n))
    )
    return inside, outside
