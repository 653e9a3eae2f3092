"""Chains by size, lemmas of several chains, and the chains with the most errors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import OTHER, SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import present
from cdec.errors import counted
from cdec.matching.alignment import Alignment
from cdec.matching.unknown import is_invented
from cdec.metrics import links
from cdec.render.page import Listing

SIZES = ("1", "2", "3–5", "6–10", "11–20", "21 and more")
_LAST = (1, 2, 5, 10, 20)  # of each class but the last
_PARTS, _QUOTES = 4, 2  # of a chain that are shown


def size_class(sizes: Any) -> Ints:
    """Return the number of the class in SIZES of each size.

    >>> size_class([1, 4, 99]).tolist()
    [0, 2, 5]
    """
    return np.searchsorted(_LAST, np.asarray(sizes))


def chain_table(facts: pd.DataFrame, side: Side) -> pd.DataFrame:
    """Return the chains of a side: their mentions, links, and links that the other side has too.

    ``exact``: whether a chain of the other side has the same mentions; ``overlap``: its part of the
    numerator of B³ (recall for key chains, precision for response chains).
    """
    sizes = {one: present(facts, one).groupby(one).size() for one in SIDES}
    shared = present(facts, *SIDES).groupby(list(SIDES)).size().rename("both").reset_index()
    key, response = (shared[one].map(sizes[one]) for one in SIDES)
    found = pd.DataFrame(
        {
            "exact": ((shared["both"] == key) & (shared["both"] == response)).astype(int),
            "right": links(shared["both"]),
            "overlap": shared["both"] ** 2 / shared[side].map(sizes[side]),
        }
    )
    sums = found.groupby(shared[side]).sum().reindex(sizes[side].index, fill_value=0)
    return pd.DataFrame({"mentions": sizes[side], "links": links(sizes[side])}).join(sums)


def size_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the chains of each side by size class.

    ``share`` is right / links: recall for key chains, precision for response chains; NaN for 0/0.
    """
    tables = []
    for side in SIDES:
        chains = chain_table(facts, side).drop(columns="overlap").assign(chains=1)
        sums = chains.groupby(size_class(chains["mentions"])).sum()
        table = sums.reindex(range(len(SIZES)), fill_value=0)
        tables.append(table.assign(side=side, size=SIZES, share=table["right"] / table["links"]))
    columns = ["side", "size", "chains", "mentions", "exact", "links", "right", "share"]
    return pd.concat(tables, ignore_index=True)[columns]


def lemma_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the head lemmas of mentions of several key chains, with the most errors first.

    Only links between two mentions of the lemma count.
    """
    named = facts[facts["word"].notna()]

    def links_of(*sides: Side) -> pd.Series[int]:
        sizes = present(named, *sides).groupby(["word", *sides]).size()
        return links(sizes).groupby(level="word").sum()

    key, response = (present(named, side).groupby("word") for side in SIDES)
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
    table[["missed", "wrong"]] = table[["missed", "wrong"]].sub(table["right"], axis=0)
    table = table[table["key_chains"] > 1].rename_axis("lemma").reset_index()
    order = table.assign(errors=-table["missed"] - table["wrong"]).sort_values(["errors", "lemma"])
    return table.loc[order.index].reset_index(drop=True)


def worst_chains(
    facts: pd.DataFrame, run: Alignment, corpus: Corpus, side: Side, top: int
) -> Iterator[tuple[dict[str, Any], Listing]]:
    """Yield the chains with the most errors, the worst first: the numbers of each, and its text.

    Errors are the wrong links of a response chain, or the missed links of a key chain; ``cost`` is
    the share of B³ precision, or recall, that the chain loses. The parts of a chain are its
    mentions that share a chain of the other side, and each mention that the other side lacks.
    """
    other, word = OTHER[side], {"response": "wrong", "key": "missed"}[side]
    chains = chain_table(facts, side)
    total = chains["mentions"].sum()
    chains["errors"] = chains["links"] - chains["right"]
    chains = chains.sort_values("errors", ascending=False, kind="stable")
    for code, chain in chains[chains["errors"] > 0].head(top).iterrows():
        rows = facts[facts[side] == code]
        lost = rows[other].where(rows[other] >= 0, -1 - np.arange(len(rows)))
        every = (part for _, part in rows.groupby(lost, sort=False))
        parts = sorted(every, key=lambda part: (part[other].iloc[0] < 0, -len(part)))
        row: dict[str, Any] = {
            "side": side,
            "name": _name(run, corpus, side, rows.index[0]),
            "mentions": len(rows),
            "topics": int(rows["topic"].nunique()),
            "links": links(len(rows)),
            "errors": int(chain["errors"]),
            "in_parts": len(parts),
            "cost": float((chain["mentions"] - chain["overlap"]) / total),
        }
        lines = [f"{row['errors']:,} of {row['links']:,} links {word}; {len(parts):,} parts"]
        for part in parts[:_PARTS]:
            name = _name(run, corpus, other, part.index[0])
            title = f"{other} chain '{name}'" if name else f"in no {other} chain"
            lines.append(f"{title}, {counted(len(part), 'mention')}")
            lines += [quote(id_, run.mentions, corpus) for id_ in part.index[:_QUOTES]]
        yield row, Listing(f"{side} chain '{row['name']}'", tuple(lines))


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
    tokens = set(row["tokens"] or range(int(row["start"]), int(row["end"]) + 1))
    words = (
        f"[{word}]" if at in tokens else word
        for at, word in enumerate(document.sentences[number], start=starts[number])
    )
    return f"    – {row['doc']}: {' '.join(words).replace('] [', ' ')}"


def _name(run: Alignment, corpus: Corpus, side: Side, mention: Any) -> str:
    """Return the chain label of a mention, in the key with its descriptor; '' for no chain."""
    label: Any = run.mentions[side][mention]
    if pd.isna(label):
        return ""
    descriptor = str(corpus.mentions["descriptor"][mention]) if side == "key" else ""
    return ", ".join(filter(None, [str(label), descriptor]))
