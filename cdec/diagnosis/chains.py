"""Chains by size, lemmas of several chains, and the chains with the most errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import OTHER, SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.facts import present, quote
from cdec.errors import counted
from cdec.matching.alignment import Alignment
from cdec.metrics import links
from cdec.render.page import Listing

SIZES = ("1", "2", "3–5", "6–10", "11–20", "21 and more")
_LAST = (1, 2, 5, 10, 20)  # of each class but the last
SHOWN_PARTS, SHOWN_QUOTES = 4, 2


def size_class(sizes: Any) -> Ints:
    """Return the number of the class in SIZES of each size.

    >>> size_class([1, 4, 99]).tolist()
    [0, 2, 5]
    """
    return np.searchsorted(_LAST, np.asarray(sizes))


def overlaps(facts: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each pair of chains that share ``both`` mentions, with their sizes.

    The index has the codes of the key chain and of the response chain.
    """
    shared = present(facts, *SIDES).groupby(list(SIDES)).size().rename("both").to_frame()
    sizes = {side: present(facts, side).groupby(side).size() for side in SIDES}
    return shared.assign(
        **{side: sizes[side][shared.index.get_level_values(side)].to_numpy() for side in SIDES}
    )


def chain_table(facts: pd.DataFrame, side: Side) -> pd.DataFrame:
    """Return the chains of a side: their mentions, links, and links that the other side has too.

    ``exact`` is whether a chain of the other side has the same mentions.
    """
    mentions, shared = present(facts, side).groupby(side).size(), overlaps(facts)
    exact = (shared["both"] == shared["key"]) & (shared["both"] == shared["response"])
    found = pd.DataFrame({"exact": exact.astype(int), "right": links(shared["both"])})
    found = found.groupby(level=side).sum().reindex(mentions.index, fill_value=0)
    return pd.DataFrame({"mentions": mentions, "links": links(mentions)}).join(found)


def size_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the chains of each side by size class.

    ``share`` is right / links: recall for key chains, precision for response chains; NaN for 0/0.
    """
    tables = []
    for side in SIDES:
        chains = chain_table(facts, side).assign(chains=1)
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

    Errors are the wrong links of a response chain, or the missed links of a key chain. The parts
    of a chain are its mentions that share a chain of the other side, and each mention that the
    other side lacks.
    """
    other = OTHER[side]
    word = {"response": "wrong", "key": "missed"}[side]
    chains = chain_table(facts, side)
    errors = (chains["links"] - chains["right"]).sort_values(ascending=False, kind="stable")
    for code, wrong in errors[errors > 0].head(top).items():
        rows = facts[facts[side] == code]
        lost = rows[other].where(rows[other] >= 0, -1 - np.arange(len(rows)))
        every = (part for _, part in rows.groupby(lost, sort=False))
        parts = sorted(every, key=lambda part: (part[other].iloc[0] < 0, -len(part)))
        topics = int(rows["topic"].nunique())
        row = {
            "side": side,
            "name": _name(run, corpus, side, rows.index[0]),
            "mentions": len(rows),
            "topics": topics,
            "links": links(len(rows)),
            "errors": int(wrong),
            "in_parts": len(parts),
        }
        lines = []
        for part in parts[:SHOWN_PARTS]:
            name = _name(run, corpus, other, part.index[0])
            title = f"{other} chain '{name}'" if name else f"in no {other} chain"
            lines.append(f"{title}, {counted(len(part), 'mention')}")
            lines += [quote(id_, run.mentions, corpus) for id_ in part.index[:SHOWN_QUOTES]]
        if len(parts) > SHOWN_PARTS:
            lines.append(f"and {len(parts) - SHOWN_PARTS:,} more")
        label = (
            f"{side} chain '{row['name']}': {counted(len(rows), 'mention')} in "
            f"{counted(topics, 'topic')}, {wrong:,} of {row['links']:,} links "
            f"{word}, {counted(len(parts), f'{other} chain')}"
        )
        yield row, Listing(label, tuple(lines))


def _name(run: Alignment, corpus: Corpus, side: Side, mention: Any) -> str:
    """Return the chain label of a mention, in the key with its descriptor; '' for no chain."""
    label: Any = run.mentions[side][mention]
    if pd.isna(label):
        return ""
    descriptor = str(corpus.mentions["descriptor"][mention]) if side == "key" else ""
    return ", ".join(filter(None, [str(label), descriptor]))
