"""Chains by size, lemmas of several chains, and the chains with the most errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import AnySeries, Ints, IntSeries
from cdec.clustering import OTHER, SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import links_of_chains, mentions_of
from cdec.errors import counted
from cdec.matching.alignment import Alignment
from cdec.metrics import links
from cdec.pairs.sentences import marked_sentence
from cdec.render.page import Listing

SIZES = ("1", "2", "3–5", "6–10", "11–20", "21 and more")
_LARGEST_SIZES = (1, 2, 5, 10, 20)  # of each class but the last
WORST: dict[Side, str] = {"response": "wrong", "key": "missed"}
"""Side → the errors of its chains."""
_PARTS = 4  # of a chain that are shown
_QUOTES = 2  # of a part
WORDS = 3
"""Lemmas that name a chain."""
_NAMES = ["side", "name", "words", "place"]
_QUOTED = ["doc", "sentence", "tokens", "start", "end"]


def size_class(sizes: Any) -> Ints:
    """Return the number of the class in SIZES of each size.

    >>> size_class([1, 4, 99]).tolist()
    [0, 2, 5]
    """
    return np.searchsorted(_LARGEST_SIZES, np.asarray(sizes))


def chain_table(facts: pd.DataFrame, side: str, other: str) -> pd.DataFrame:
    """Return the chains of a side: their mentions, links, and links that the other side has too.

    ``exact``: whether a chain of the other side has the same mentions; ``overlap``: its part of the
    numerator of B³ (recall for key chains, precision for response chains).
    """
    sizes = _chain_sizes(facts, side)
    other_sizes = _chain_sizes(facts, other)
    cells = (
        mentions_of(facts, side, other)
        .groupby([side, other])
        .size()
        .reset_index(name="both")
    )
    both = cells["both"]
    is_whole = both == cells[side].map(sizes)
    is_other_whole = both == cells[other].map(other_sizes)
    shares = pd.DataFrame(
        {
            "exact": (is_whole & is_other_whole).astype(int),
            "right": links(both),
            "overlap": both**2 / cells[side].map(sizes),
        }
    )
    sums = shares.groupby(cells[side]).sum().reindex(sizes.index, fill_value=0)
    return pd.DataFrame({"mentions": sizes, "links": links(sizes)}).join(sums)


def _chain_sizes(facts: pd.DataFrame, side: str) -> IntSeries:
    return mentions_of(facts, side).groupby(side).size()


def chain_errors(facts: pd.DataFrame, side: str, other: str) -> pd.DataFrame:
    """Return the chains of a side, with the links of each that the other side lacks.

    ``errors`` is the number of these links, ``errors_KIND`` that of a kind of KINDS.
    ``in_parts``: chains of the other side, and mentions that it lacks (``lacking``), in the chain.
    ``cost`` is the part of 1 − B³ recall (of the key), or of 1 − B³ precision: the costs of all
    chains of a side add up to it.
    """
    chains = chain_table(facts, side, other)
    mentions = mentions_of(facts, side)
    is_lacking = mentions[other] < 0
    lacking = is_lacking.groupby(mentions[side]).sum()
    counts = mentions.groupby(side)[["doc", "topic"]].nunique()
    parts = mentions_of(mentions, other).groupby(side)[other].nunique()
    lost = chains["mentions"] - chains["overlap"]
    table = pd.DataFrame(
        {
            "mentions": chains["mentions"],
            "documents": counts["doc"],
            "topics": counts["topic"],
            "links": chains["links"],
            "errors": (chains["links"] - chains["right"]).astype("int64"),
            "in_parts": parts.reindex(chains.index, fill_value=0) + lacking,
            "lacking": lacking,
            "cost": lost / chains["mentions"].sum(),
        }
    )
    links_of_side = links_of_chains(facts, side)
    links_of_both = links_of_chains(facts, side, other)
    of_kinds = links_of_side.sub(links_of_both, fill_value=0).astype("int64")
    return table.join(of_kinds.add_prefix("errors_"))


def chain_names(
    facts: pd.DataFrame,
    mentions: pd.DataFrame,
    side: str,
    levels: Mapping[str, str],
) -> pd.DataFrame:
    """Return what chains are about: their head lemmas and places, the commonest first.

    ``tally`` has the lemmas with their mentions, ``words`` the first three as text; ``units`` are
    the units of the smallest of the ``levels`` of the corpus, ``place`` the first of them as text.
    """
    rows = mentions_of(facts, side)
    texts = mentions["text"].reindex(rows.index)
    lemmas = rows["word"].fillna(texts).fillna("").astype(str)
    tally = _tallies(rows[side], lemmas)
    units = tally.map(lambda names: [])
    smallest = next((level for level in ("subtopic", "topic") if level in levels), None)
    if smallest:
        units = _tallies(rows[side], mentions[smallest].reindex(rows.index))
        units = units.map(lambda names: [str(name) for name, _ in names])
    words = tally.map(lambda names: ", ".join(name for name, _ in names[:WORDS]))
    return pd.DataFrame(
        {
            "tally": tally,
            "words": words,
            "units": units,
            "place": units.map(_place),
        }
    )


def _tallies(chains: IntSeries, values: AnySeries) -> AnySeries:
    """Return (value, number of mentions) of each chain, the commonest first."""
    tallies: dict[int, Counter[Any]] = {}
    for chain, value in zip(chains, values, strict=True):
        tallies.setdefault(chain, Counter())[value] += 1
    commonest = {chain: tally.most_common() for chain, tally in tallies.items()}
    return pd.Series(commonest, dtype=object).sort_index()


def _place(units: Sequence[str]) -> str:
    """Return the first unit, and the number of the others.

    >>> _place(["37ecb", "37ecbplus"])
    '37ecb +1'
    """
    if len(units) < 2:
        return "".join(units)
    return f"{units[0]} +{len(units) - 1}"


def size_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the chains of each side by size class.

    ``share`` is right / links: recall for key chains, precision for response chains; NaN for 0/0.
    """
    tables = []
    for side in SIDES:
        chains = chain_table(facts, side, OTHER[side])
        chains = chains.drop(columns="overlap").assign(chains=1)
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
    # The most errors first, then in order of the lemma, which the table has already.
    errors = table["missed"] + table["wrong"]
    order = errors.sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def worst_chains(
    facts: pd.DataFrame,
    names: Mapping[Side, pd.DataFrame],
    run: Alignment,
    corpus: Corpus,
    top: int,
) -> pd.DataFrame:
    """Return the ``top`` chains of each side that cost most, the costliest first.

    ``names`` are the ``chain_names`` of each side. The columns are those of ``chain_errors``,
    ``side``, ``words`` and ``place`` as in ``chain_names``, and ``name``, the label of the chain
    (in the key with its descriptor). The index has the codes of the chains.
    """
    tables = []
    for side in WORST:
        chains = chain_errors(facts, side, OTHER[side])
        chains = chains[chains["cost"] > 0]
        chains = chains.sort_values("cost", ascending=False, kind="stable").head(top)
        rows = mentions_of(facts, side)
        first = pd.Series(rows.index, rows[side]).groupby(level=0).first()
        labels = [_name(run, corpus, side, first[code]) for code in chains.index]
        chains = chains.assign(side=side, name=labels)
        tables.append(chains.join(names[side][["words", "place"]]))
    worst = pd.concat(tables)
    order = ["side", "name", "words", "place", *tables[0].columns.drop(_NAMES)]
    return worst[order].sort_values("cost", ascending=False, kind="stable")


def examples(
    facts: pd.DataFrame,
    worst: pd.DataFrame,
    names: Mapping[Side, pd.DataFrame],
    run: Alignment,
    corpus: Corpus,
    *,
    parts: int = _PARTS,
    quotes: int = _QUOTES,
) -> Iterator[Listing]:
    """Yield the text of each chain: its errors, and its first parts with quotations.

    The parts of a chain are its mentions that share a chain of the other side, and each mention
    that the other side lacks.
    """
    for code, row in zip(worst.index, worst.to_dict("records"), strict=True):
        side: Side = row["side"]
        other = OTHER[side]
        mentions = facts[facts[side] == code]
        lines = [
            f"{row['errors']:,} of {row['links']:,} links {WORST[side]}; "
            f"{counted(row['in_parts'], 'part')}; label {row['name']}"
        ]
        for part in _parts(mentions, other)[:parts]:
            title = f"in no {other} chain"
            if part[other].iloc[0] >= 0:
                name = names[other].loc[part[other].iloc[0]]
                title = f"{other} chain '{titled(name)}'"
            lines.append(f"{title}, {counted(len(part), 'mention')}")
            lines += [
                quote(mention, run.mentions, corpus) for mention in part.index[:quotes]
            ]
        yield Listing(f"{side} chain '{titled(row)}'", tuple(lines))


def titled(chain: Any) -> str:
    """Return the words of a chain, a row of ``chain_names``, with its place.

    >>> titled({"words": "quake, tremor", "place": "37ecb"})
    'quake, tremor (37ecb)'
    """
    if chain["place"]:
        return f"{chain['words']} ({chain['place']})"
    return str(chain["words"])


def _parts(mentions: pd.DataFrame, other: Side) -> list[pd.DataFrame]:
    # A mention that the other side lacks is a part, with a number below 0 that no other part has.
    number = mentions[other].where(mentions[other] >= 0, -1 - np.arange(len(mentions)))
    parts = [part for _, part in mentions.groupby(number, sort=False)]
    return sorted(parts, key=lambda part: (part[other].iloc[0] < 0, -len(part)))


def quote(mention: str, mentions: pd.DataFrame, corpus: Corpus) -> str:
    """Return a line with the document and the sentence of a mention, its words in brackets.

    A mention that the corpus does not have is a line with its name.
    """
    row: Any = mentions.index.get_loc(mention)
    doc, number, tokens, start, end = (mentions[name].iloc[row] for name in _QUOTED)
    if number < 0:
        return f"    – {mention}: not in the corpus"
    positions = tokens or range(int(start), int(end) + 1)
    sentence = marked_sentence(corpus, doc, int(number), dict.fromkeys(positions, ""))
    return f"    – {doc}: {sentence}"


def _name(
    run: Alignment,
    corpus: Corpus,
    side: Side,
    mention: Any,
) -> str:
    """Return the chain label of a mention, in the key with its descriptor."""
    parts = [str(run.mentions[side][mention])]
    if side == "key":
        parts.append(str(corpus.mentions["descriptor"][mention]))
    return ", ".join(filter(None, parts))
