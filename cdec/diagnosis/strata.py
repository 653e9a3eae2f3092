"""Strata of a diagnosis: chains by size, singletons, topics, and ambiguous head lemmas."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.clustering import SIDES
from cdec.diagnosis.by_stratum import Strata, sizes_of
from cdec.diagnosis.links import COUNTED, with_scores
from cdec.diagnosis.mentions import Mentions
from cdec.diagnosis.stratum import SIZES, STRATA, size_class
from cdec.metrics import links

SIZE_COLUMNS = ("side", "size", "chains", "mentions", "exact", "links", "right", "share")
ACROSS = ("right_across", "missed_across", "wrong_across")
TOPIC_COLUMNS = ("topic", "mentions", *COUNTED, "precision", "recall", "f1", *ACROSS)
LEMMA_COLUMNS = ("lemma", "mentions", "topics", "key_chains", "response_chains", *COUNTED)


def size_table(mentions: Mentions) -> pd.DataFrame:
    """Return the chains of key and response by size class. Columns: SIZE_COLUMNS.

    ``exact``: chains with the same mentions on the other side. ``right``: links that the other side
    also has. ``share``: right / links, which is recall for key chains and precision for response
    chains; NaN without links.
    """
    counts = Strata(STRATA["size"]).counts(mentions).set_index("metric")
    both = mentions.both
    cells = pd.DataFrame({side: getattr(mentions, side)[both] for side in SIDES}).value_counts()
    sizes = {side: sizes_of(getattr(mentions, side)) for side in SIDES}
    ends = [sizes[side][cells.index.get_level_values(side)] for side in SIDES]
    same = ends[0][(cells == ends[0]) & (cells == ends[1])]
    tables = []
    for side, letter in zip(SIDES, ("r", "p"), strict=True):
        chains, exact = (
            np.bincount(size_class(n), minlength=len(SIZES)) for n in (sizes[side], same)
        )
        links_, right = (counts.loc["blanc_coref", f"{letter}_{x}"] for x in ("den", "num"))
        mentions_ = counts.loc["b3", f"{letter}_den"]
        columns = (chains, mentions_, exact, links_, right)
        named = dict(
            zip(SIZE_COLUMNS[2:7], (np.asarray(c, np.int64) for c in columns), strict=True)
        )
        tables.append(pd.DataFrame({"side": side, "size": [*SIZES], **named}))
    table = pd.concat(tables, ignore_index=True)
    return table.assign(share=table["right"] / table["links"])


def singleton_table(mentions: Mentions) -> pd.DataFrame:
    """Return the numbers of singletons in key and response, with precision, recall and F1.

    A singleton of the response is right if its mention is also a singleton in the key. An undefined
    score (0/0) is NaN.
    """
    alone = {}
    for side in SIDES:
        chains = getattr(mentions, side)
        alone[side] = (chains >= 0) & (np.append(sizes_of(chains), 0)[chains] == 1)
    right = int((alone["key"] & alone["response"]).sum())
    key, predicted = (int(alone[side].sum()) for side in SIDES)
    outcomes = {"right": right, "missed": key - right, "wrong": predicted - right}
    return with_scores(pd.DataFrame([{"key": key, "predicted": predicted, **outcomes}]))


def topic_table(mentions: Mentions, names: pd.Series[str]) -> pd.DataFrame:
    """Return the links of each topic, in order of first occurrence. Columns: TOPIC_COLUMNS.

    ``names`` maps mention id → topic. A link between two topics (``…_across``) counts in both.
    """
    topics = int(mentions.topic.max(initial=-1)) + 1
    counted = [
        _topic_links(mentions.topic, chains, topics)
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
    return with_scores(inside).assign(**dict(zip(ACROSS, across, strict=True)))[list(TOPIC_COLUMNS)]


def _topic_links(topic: Ints, chains: list[Ints], topics: int) -> tuple[Ints, Ints]:
    """Return the links inside each topic and to other topics, of mentions sharing ``chains``."""
    present: Bools = np.all([chain >= 0 for chain in chains], axis=0)
    group = np.unique(np.stack([c[present] for c in chains]), axis=1, return_inverse=True)[1]
    parts = pd.DataFrame({"chain": group.reshape(-1), "topic": topic[present]})
    sizes = parts.value_counts(["chain", "topic"]).rename("n").reset_index()
    n = sizes["n"].to_numpy(np.int64)
    whole = sizes.groupby("chain")["n"].transform("sum").to_numpy(np.int64)
    inside, outside = (
        np.bincount(sizes["topic"], weights=pairs, minlength=topics).astype(np.int64)
        for pairs in (links(n), n * (whole - n))
    )
    return inside, outside


def lemma_table(mentions: Mentions, lemmas: pd.Series[str]) -> pd.DataFrame:
    """Return the lemmas of more than one key chain, with the most errors first.

    Only links between two mentions of the lemma count. ``lemmas`` maps mention id → lemma; mentions
    without a lemma are left out. Columns: LEMMA_COLUMNS.
    """
    table = _by_lemma(mentions, lemmas)
    key, response = table[table["key"] >= 0], table[table["response"] >= 0]
    right = _lemma_links(key[key["response"] >= 0], ["key", "response"])
    counts = pd.DataFrame(
        {
            "mentions": key.groupby("lemma").size(),
            "topics": key.groupby("lemma")["topic"].nunique(),
            "key_chains": key.groupby("lemma")["key"].nunique(),
            "response_chains": response.groupby("lemma")["response"].nunique(),
            "right": right,
            "missed": _lemma_links(key, ["key"]).sub(right, fill_value=0),
            "wrong": _lemma_links(response, ["response"]).sub(right, fill_value=0),
        }
    )
    counts = counts.fillna(0).astype("int64").rename_axis("lemma").reset_index()
    ambiguous = counts[counts["key_chains"] > 1]
    errors = -(ambiguous["missed"] + ambiguous["wrong"])
    order = ambiguous.assign(errors=errors).sort_values(["errors", "lemma"]).index
    return ambiguous.loc[order, list(LEMMA_COLUMNS)].reset_index(drop=True)


def _by_lemma(mentions: Mentions, lemmas: pd.Series[str]) -> pd.DataFrame:
    names = ("topic", "key", "response")
    table = pd.DataFrame({name: getattr(mentions, name) for name in names})
    table = table.assign(lemma=lemmas.reindex(mentions.index).to_numpy())
    return table[table["lemma"].notna() & (table["lemma"].astype(str).str.strip() != "")]


def _lemma_links(table: pd.DataFrame, chains: list[str]) -> pd.Series[int]:
    sizes = table.groupby(["lemma", *chains]).size()
    return links(sizes).groupby("lemma").sum()
