"""A slow reference implementation of the settings: dicts and loops, from the table of the paper."""

from __future__ import annotations

from collections import Counter

from tests.tiny_corpora import Tiny

# Scope of a meta-document; ignored singletons; reduce within documents.
TABLE = {
    "bh": ("topic", "no", False),
    "st": ("subtopic", "no", False),
    "simple": ("corpus", "no", False),
    "is": ("corpus", "key", False),
    "ycf": ("subtopic", "key", False),
    "pure": ("corpus", "no", True),
}
Side = dict[str, str]
Chains = set[frozenset[str]]


def meta_documents(
    corpus: Tiny, scope: str, ignore_singletons: str, reduce_within_document: bool
) -> dict[str, tuple[Chains, Chains]]:
    """Return meta-document → its key chains and response chains."""
    key, response = dict(corpus.key), dict(corpus.response)
    if ignore_singletons == "key":
        singletons = _singletons(key)
        key = {mention: chain for mention, chain in key.items() if mention not in singletons}
        response = {m: chain for m, chain in response.items() if m not in singletons}
    if ignore_singletons == "own":
        key = {m: chain for m, chain in key.items() if m not in _singletons(key)}
        response = {m: chain for m, chain in response.items() if m not in _singletons(response)}
    if reduce_within_document:
        key, response = _first_of_each_chain(corpus, key), _first_of_each_chain(corpus, response)
    metas = {}
    for name in dict.fromkeys(_meta(record, scope) for record in corpus.mentions):
        inside = [r["id"] for r in corpus.mentions if _meta(r, scope) == name]
        sides = _chains(key, inside), _chains(response, inside)
        if any(sides):
            metas[name] = sides
    return metas


def _singletons(side: Side) -> set[str]:
    sizes = Counter(side.values())
    return {mention for mention, chain in side.items() if sizes[chain] == 1}


def _meta(record: dict[str, str], scope: str) -> str:
    if scope == "corpus":
        return "corpus"
    return record["doc" if scope == "document" else scope]


def _first_of_each_chain(corpus: Tiny, side: Side) -> Side:
    kept: Side = {}
    seen: set[tuple[str, str]] = set()
    for record in corpus.mentions:
        mention = record["id"]
        if mention in side and (record["doc"], side[mention]) not in seen:
            seen.add((record["doc"], side[mention]))
            kept[mention] = side[mention]
    return kept


def _chains(side: Side, mentions: list[str]) -> Chains:
    chains: dict[str, set[str]] = {}
    for mention in mentions:
        if mention in side:
            chains.setdefault(side[mention], set()).add(mention)
    return {frozenset(chain) for chain in chains.values()}
