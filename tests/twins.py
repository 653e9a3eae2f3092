"""Slow twins of the metrics and settings, written from their papers, and what the tests feed both.

A chain is a set of mentions, a clustering a list of chains, and counts are exact fractions: the
numerator and denominator of precision, then those of recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

import pandas as pd
from hypothesis import strategies as st

import cdec

Mention = Hashable
Side = dict[Any, str]
Chain = frozenset[Mention]
Chains = list[Chain]
Counted = tuple[Fraction, ...]
OneSide = Callable[[Chains, Chains], tuple[Fraction, Fraction]]

COUNTS = ["p_num", "p_den", "r_num", "r_den"]
LENIENT = cdec.FilePolicy(allow_empty=True, missing="count", labels="corpus", key_labels="corpus")


# --- metrics --------------------------------------------------------------------------------------


def muc(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Vilain et al. (1995): the response divides a chain into parts; a missing mention is one."""
    found = links = 0
    for chain in key:
        home = {mention: n for n, other in enumerate(response) for mention in other}
        parts = {home.get(mention, mention) for mention in chain}
        found += len(chain) - len(parts)
        links += len(chain) - 1
    return Fraction(found), Fraction(links)


def b_cubed(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Bagga and Baldwin (1998): for each mention, the share of its chain on the other side."""
    total = Fraction(0)
    for chain in key:
        for mention in chain:
            other = next((one for one in response if mention in one), frozenset())
            total += Fraction(len(chain & other), len(chain))
    return total, Fraction(sum(map(len, key)))


def ceaf_m(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Luo (2005), φ₃: common mentions under the best one-to-one alignment."""
    best = alignment(key, response, lambda k, r: Fraction(len(k & r)))
    return best, Fraction(sum(map(len, key)))


def ceaf_e(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Luo (2005), φ₄: the alignment of the best similarity; a chain counts 1."""
    best = alignment(key, response, lambda k, r: Fraction(2 * len(k & r), len(k) + len(r)))
    return best, Fraction(len(key))


def alignment(key: Chains, response: Chains, of: Callable[[Chain, Chain], Fraction]) -> Fraction:
    """The best total over all one-to-one alignments, by trying each partner of each chain."""

    @cache
    def best(number: int, taken: frozenset[int]) -> Fraction:
        if number == len(key):
            return Fraction(0)
        found = [best(number + 1, taken)]
        for other, chain in enumerate(response):
            if other not in taken and key[number] & chain:
                rest = best(number + 1, taken | {other})
                found.append(of(key[number], chain) + rest)
        return max(found)

    return best(0, frozenset())


def linked(chains: Chains) -> set[frozenset[Mention]]:
    """Pairs of mentions in one chain."""
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


def unlinked(chains: Chains) -> set[frozenset[Mention]]:
    """Pairs of mentions in two chains."""
    mentions = {mention for chain in chains for mention in chain}
    return {frozenset(pair) for pair in combinations(mentions, 2)} - linked(chains)


def blanc_coref(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Luo et al. (2014), section 4: common coreference links, also where mentions differ."""
    return Fraction(len(linked(key) & linked(response))), Fraction(len(linked(key)))


def blanc_noncoref(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Luo et al. (2014), section 4: common pairs of mentions in two chains."""
    return Fraction(len(unlinked(key) & unlinked(response))), Fraction(len(unlinked(key)))


def lea(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Moosavi and Strube (2016): size times resolved links; a singleton links itself."""
    total = Fraction(0)
    for chain in key:
        own = linked([chain]) or {chain}
        found = sum(len(own & (linked([other]) or {other})) for other in response)
        total += len(chain) * Fraction(found, len(own))
    return total, Fraction(sum(map(len, key)))


def mentions(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Mentions of both sides, of those of the key."""
    ours, theirs = ({m for chain in side for m in chain} for side in (key, response))
    return Fraction(len(ours & theirs)), Fraction(len(ours))


TWINS: dict[str, OneSide] = {
    "muc": muc, "b3": b_cubed, "ceafm": ceaf_m, "ceafe": ceaf_e, "lea": lea,
    "blanc_coref": blanc_coref, "blanc_noncoref": blanc_noncoref, "mentions": mentions,
}  # fmt: skip
METRICS = [name for name in TWINS if name != "mentions"]


def twin_counts(
    documents: Iterable[tuple[Chains, Chains]], names: Iterable[str] = tuple(TWINS)
) -> dict[str, Counted]:
    """The counts of each metric, summed over meta-documents."""
    pairs = list(documents)
    totals = {}
    for name in names:
        one = TWINS[name]
        # Precision is recall with the sides swapped.
        each = [(*one(response, key), *one(key, response)) for key, response in pairs]
        totals[name] = tuple(sum((row[n] for row in each), Fraction(0)) for n in range(4))
    return totals


def ratio(part: Fraction, whole: Fraction | int) -> Fraction:
    """``part / whole``; 0/0 is 0."""
    return part / whole if whole else Fraction(0)


def prf(counts: Counted) -> tuple[Fraction, ...]:
    """Precision, recall and F1."""
    p, r = ratio(*counts[:2]), ratio(*counts[2:])
    return p, r, ratio(2 * p * r, p + r)


def twin_values(
    counts: Mapping[str, Counted], blanc: str = "key"
) -> dict[str, tuple[Fraction, ...]]:
    """Precision, recall and F1 of every metric; means over metrics have F1 only.

    A half of BLANC counts if the key has such links (as in the CoNLL reference scorer), or with
    ``blanc="both"`` if key or response has (Luo et al. 2014, section 4; corefud-scorer).
    """
    values = {name: prf(four) for name, four in counts.items()}
    halves = [counts[name] for name in ("blanc_coref", "blanc_noncoref")]
    if blanc == "both":
        kept = [prf(half) for half in halves if half[1] or half[3]]
    else:
        kept = [prf(half) for half in halves if half[3]]
    means = [sum((value[n] for value in kept), Fraction(0)) for n in range(3)]
    values["blanc"] = tuple(ratio(mean, len(kept)) for mean in means)
    three = values["muc"][2] + values["b3"][2] + values["ceafe"][2]
    return {**values, "conll": (three / 3,), "avg4": ((three + values["blanc"][2]) / 4,)}


# --- settings -------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a mention is; mentions are in text order."""

    mention: Mention
    doc: str
    subtopic: str
    topic: str


# Upadhyay et al. (2016), table 1: scope, ignored singletons, reduced to the first of each document.
SIX = {
    "pure": ("corpus", "no", True),
    "simple": ("corpus", "no", False),
    "bh": ("topic", "no", False),
    "st": ("subtopic", "no", False),
    "is": ("corpus", "key", False),
    "ycf": ("subtopic", "key", False),
}
SCOPES = ("document", "subtopic", "topic", "corpus")
EVERY = list(product(SCOPES, ("no", "key", "own"), (False, True)))


def choices(scope: str, ignored: str, reduced: bool) -> str:
    """A setting as ``--setting`` takes it."""
    once = "yes" if reduced else "no"
    return f"scope={scope},ignore_singletons={ignored},reduce_within_document={once}"


def twin_setting(
    places: Sequence[Place], both: tuple[Side, Side], scope: str, ignored: str, reduced: bool
) -> list[tuple[Chains, Chains]]:
    """The chains of both sides in each meta-document."""
    sides = list(both)
    alone = [{m for m in side if Counter(side.values())[side[m]] == 1} for side in sides]
    if ignored == "key":
        alone = [alone[0], alone[0]]
    if ignored != "no":
        sides = [
            {m: chain for m, chain in side.items() if m not in gone}
            for side, gone in zip(sides, alone, strict=True)
        ]
    if reduced:
        sides = [_first_of_each(places, side) for side in sides]
    homes = {p.mention: "corpus" if scope == "corpus" else _level(p, scope) for p in places}
    return [
        (chains_of(sides[0], homes, home), chains_of(sides[1], homes, home))
        for home in dict.fromkeys(homes.values())
    ]


def _level(place: Place, scope: str) -> str:
    return {"document": place.doc, "subtopic": place.subtopic, "topic": place.topic}[scope]


def _first_of_each(places: Sequence[Place], side: Side) -> Side:
    first: dict[tuple[str, str], Mention] = {}
    for place in places:
        if place.mention in side:
            first.setdefault((place.doc, side[place.mention]), place.mention)
    return {mention: side[mention] for mention in first.values()}


def chains_of(side: Side, homes: Mapping[Any, str] | None = None, home: str = "") -> Chains:
    """The chains of a side, inside one meta-document if ``homes`` are given."""
    groups: dict[str, set[Mention]] = {}
    for mention, label in side.items():
        if homes is None or homes[mention] == home:
            groups.setdefault(label, set()).add(mention)
    return list(map(frozenset, groups.values()))


# --- both sides of a comparison -------------------------------------------------------------------


def side_of(labels: Iterable[int], names: Iterable[Any]) -> Side:
    """Mention → chain of labels; −1 means that the side does not have the mention."""
    return {name: f"{n}c" for name, n in zip(names, labels, strict=True) if n >= 0}


@st.composite
def labels(draw: st.DrawFn, size: int, lowest: int = -1) -> list[int]:
    """Labels of so many mentions."""
    most = draw(st.integers(0, max(size, 1)))
    return draw(st.lists(st.integers(lowest, most), min_size=size, max_size=size))


@st.composite
def two_sides(
    draw: st.DrawFn, most: int = 12, documents: int = 1, lowest: int = -1
) -> tuple[Side, Side]:
    """Key and response whose mentions are in a few documents: ``d0/3``."""
    size = draw(st.integers(0, most))
    homes = draw(st.lists(st.integers(0, documents - 1), min_size=size, max_size=size))
    names = [f"d{home}/{n}" for n, home in enumerate(homes)]
    return side_of(draw(labels(size, lowest)), names), side_of(draw(labels(size, lowest)), names)


class Tiny(NamedTuple):
    """A corpus of one-token mentions in six documents, two a sub-topic, four a topic."""

    places: list[Place]
    key: Side
    response: Side
    words: list[str]

    @property
    def corpus(self) -> cdec.Corpus:
        """The key as a corpus."""
        texts: dict[str, list[str]] = {f"d{n}": ["the"] * 40 for n in range(6)}
        for place, word in zip(self.places, self.words, strict=True):
            texts[place.doc][place.mention[1]] = word  # type: ignore[index]
        documents = [
            {"id": doc, "topic": f"t{n // 4}", "subtopic": f"s{n // 2}", "sentences": [text]}
            for n, (doc, text) in enumerate(texts.items())
        ]
        records = [
            {"doc": mention[0], "start": mention[1], "end": mention[2], "chain": chain}
            for mention, chain in self.key.items()
        ]
        return cdec.build_corpus(records, documents)


def tiny(
    homes: Sequence[int], key: Iterable[int], response: Iterable[int], words: str = ""
) -> Tiny:
    """The corpus of mentions in these documents; −1 if a side does not have the mention."""
    names = [(f"d{home}", n, n) for n, home in enumerate(homes)]
    places = [
        Place(name, name[0], f"s{home // 2}", f"t{home // 4}")
        for name, home in zip(names, homes, strict=True)
    ]
    shown = words.split() or ["event"] * len(names)
    return Tiny(places, side_of(key, names), side_of(response, names), shown)


@st.composite
def tiny_corpora(draw: st.DrawFn, most: int = 16, lowest: int = -1) -> Tiny:
    """A tiny corpus with any chains on both sides."""
    size = draw(st.integers(1, most))
    homes = sorted(draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    key = draw(labels(size, lowest).filter(lambda some: max(some) >= 0))
    return tiny(homes, key, draw(labels(size, lowest)))


def score(key: Any, response: Any, **options: Any) -> cdec.Results:
    """``cdec.score`` of all metrics in one meta-document; a side may be empty."""
    given: dict[str, Any] = {"metrics": [*METRICS, "blanc", "conll", "avg4", "mentions"]}
    if "setting" not in options:
        given["scope"] = "corpus"
    return cdec.score(key, response, **{**given, "policy": LENIENT, **options})


def rows_of(results: cdec.Results) -> pd.DataFrame:
    """The rows of one system under one setting, by metric."""
    return results.to_frame().set_index("metric")


def counts(results: cdec.Results) -> dict[str, tuple[float, ...]]:
    """Metric → its counts; a derived metric has none."""
    frame = rows_of(results)[COUNTS].dropna()
    return {str(name): tuple(map(float, row)) for name, row in frame.iterrows()}
