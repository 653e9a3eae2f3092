"""Chains by size, lemmas of several chains, and the chains with the most errors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints, IntSeries
from cdec.clustering import OTHER, SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import mentions_of
from cdec.errors import counted
from cdec.matching.alignment import Alignment
from cdec.matching.identify import is_invented
from cdec.metrics import links
from cdec.records import Fields, Row
from cdec.render.page import Listing

SIZES = ("1", "2", "3–5", "6–10", "11–20", "21 and more")
_LARGEST_SIZES = (1, 2, 5, 10, 20)  # of each class but the last
WORST: dict[Side, str] = {"response": "wrong", "key": "missed"}
"""Side → the errors of its chains."""
_PARTS = 4  # of a chain that are shown
_QUOTES = 2  # of a part


def size_class(sizes: Any) -> Ints:
    """Return the number of the class in SIZES of each size.

    >>> size_class([1, 4, 99]).tolist()
    [0, 2, 5]
    """
    return np.searchsorted(_LARGEST_SIZES, np.asarray(sizes))


def chain_table(facts: pd.DataFrame, side: Side) -> pd.DataFrame:
    """Return the chains of a side: their mentions, links, and links that the other side has too.

    ``exact``: whether a chain of the other side has the same mentions; ``overlap``: its part of the
    numerator of B³ (recall for key chains, precision for response chains).
    """
    key_sizes = _chain_sizes(facts, "key")
    response_sizes = _chain_sizes(facts, "response")
    sizes = key_sizes if side == "key" else response_sizes
    cells = (
        mentions_of(facts, *SIDES)
        .groupby(list(SIDES))
        .size()
        .rename("both")
        .reset_index()
    )
    both = cells["both"]
    is_whole_key = both == cells["key"].map(key_sizes)
    is_whole_response = both == cells["response"].map(response_sizes)
    shares = pd.DataFrame(
        {
            "exact": (is_whole_key & is_whole_response).astype(int),
            "right": links(both),
            "overlap": both**2 / cells[side].map(sizes),
        }
    )
    sums = shares.groupby(cells[side]).sum().reindex(sizes.index, fill_value=0)
    return pd.DataFrame({"mentions": sizes, "links": links(sizes)}).join(sums)


def _chain_sizes(facts: pd.DataFrame, side: Side) -> IntSeries:
    return mentions_of(facts, side).groupby(side).size()


def size_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the chains of each side by size class.

    ``share`` is right / links: recall for key chains, precision for response chains; NaN for 0/0.
    """
    tables = []
    for side in SIDES:
        chains = chain_table(facts, side).drop(columns="overlap").assign(chains=1)
        sums = chains.groupby(size_class(chains["mentions"])).sum()
        table = sums.reindex(range(len(SIZES)), fill_value=0)
        share = table["right"] / table["links"]
        tables.append(table.assign(side=side, size=SIZES, share=share))
    columns = ["side", "size", "chains", "mentions", "exact", "links", "right", "share"]
    return pd.concat(tables, ignore_index=True)[columns]


def lemma_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the head lemmas of mentions of several key chains, with the most errors first.

    Only links between two mentions of the lemma count.
    """
    with_word = facts[facts["word"].notna()]

    def links_of(*sides: Side) -> IntSeries:
        sizes = mentions_of(with_word, *sides).groupby(["word", *sides]).size()
        return links(sizes).groupby(level="word").sum()

    key = mentions_of(with_word, "key").groupby("word")
    response = mentions_of(with_word, "response").groupby("word")
    table = pd.DataFrame(
        {
            "mentions": key.size(),
            "topics": key["topic"].nunique(),
            "key_chains": key["key"].nunique(),
            "response_chains": response["response"].nunique(),
            "right": links_of(*SIDES),
            "missed": links_of("key"),
            "wrong": links_of("response"),
        }
    )
    table = table.fillna(0).astype("int64")
    table["missed"] -= table["right"]
    table["wrong"] -= table["right"]
    table = table[table["key_chains"] > 1].rename_axis("lemma").reset_index()
    # The most errors first, then in order of the lemma.
    gain = -table["missed"] - table["wrong"]
    order = table.assign(gain=gain).sort_values(["gain", "lemma"]).index
    return table.loc[order].reset_index(drop=True)


def worst_chains(
    facts: pd.DataFrame,
    run: Alignment,
    corpus: Corpus,
    side: Side,
    top: int,
) -> Iterator[tuple[Row, Listing]]:
    """Yield the chains with the most errors, the worst first: the numbers of each, and its text.

    Errors are the wrong links of a response chain, or the missed links of a key chain; ``cost`` is
    the share of B³ precision, or recall, that the chain loses. The parts of a chain are its
    mentions that share a chain of the other side, and each mention that the other side lacks.
    """
    chains = chain_table(facts, side)
    total = chains["mentions"].sum()
    chains["errors"] = chains["links"] - chains["right"]
    chains = chains.sort_values("errors", ascending=False, kind="stable")
    for code, chain in chains[chains["errors"] > 0].head(top).iterrows():
        mentions = facts[facts[side] == code]
        parts = _parts(mentions, OTHER[side])
        row: Row = {
            "side": side,
            "name": _name(run, corpus, side, mentions.index[0]),
            "mentions": len(mentions),
            "topics": int(mentions["topic"].nunique()),
            "links": links(len(mentions)),
            "errors": int(chain["errors"]),
            "in_parts": len(parts),
            "cost": float((chain["mentions"] - chain["overlap"]) / total),
        }
        yield row, _listing(row, parts, run, corpus)


def _parts(mentions: pd.DataFrame, other: Side) -> list[pd.DataFrame]:
    # A mention that the other side lacks is a part, with a number below 0 that no other part has.
    number = mentions[other].where(mentions[other] >= 0, -1 - np.arange(len(mentions)))
    parts = [part for _, part in mentions.groupby(number, sort=False)]
    return sorted(parts, key=lambda part: (part[other].iloc[0] < 0, -len(part)))


def _listing(
    row: Fields,
    parts: Sequence[pd.DataFrame],
    run: Alignment,
    corpus: Corpus,
) -> Listing:
    """Return the text of a chain: its errors, and its first parts with quotations."""
    side: Side = row["side"]
    other = OTHER[side]
    lines = [
        f"{row['errors']:,} of {row['links']:,} links {WORST[side]}; {len(parts):,} parts"
    ]
    for part in parts[:_PARTS]:
        name = _name(run, corpus, other, part.index[0])
        title = f"in no {other} chain"
        if name:
            title = f"{other} chain '{name}'"
        lines.append(f"{title}, {counted(len(part), 'mention')}")
        lines += [
            quote(mention, run.mentions, corpus) for mention in part.index[:_QUOTES]
        ]
    return Listing(f"{side} chain '{row['name']}'", tuple(lines))


def quote(mention: str, mentions: pd.DataFrame, corpus: Corpus) -> str:
    """Return a line with the document and the sentence of a mention, its words in brackets.

    A mention that the corpus does not have is a line with its name.
    """
    (row,) = mentions.loc[[mention]].to_dict("records")
    if is_invented(mentions.loc[[mention]], corpus.documents).any():
        return f"    – {mention}: not in the corpus"
    document = corpus.documents[row["doc"]]
    starts = document.sentence_starts
    number = bisect_right(starts, row["start"]) - 1
    positions = set(row["tokens"] or range(int(row["start"]), int(row["end"]) + 1))
    words = []
    for position, word in enumerate(document.sentences[number], start=starts[number]):
        words.append(f"[{word}]" if position in positions else word)
    sentence = " ".join(words).replace("] [", " ")
    return f"    – {row['doc']}: {sentence}"


def _name(
    run: Alignment,
    corpus: Corpus,
    side: Side,
    mention: Any,
) -> str:
    """Return the chain label of a mention, in the key with its descriptor; '' for no chain."""
    label: Any = run.mentions[side][mention]
    if pd.isna(label):
        return ""
    parts = [str(label)]
    if side == "key":
        parts.append(str(corpus.mentions["descriptor"][mention]))
    return ", ".join(filter(None, parts))
