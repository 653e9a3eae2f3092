"""Indirect effects of corrections: mentions of one sentence in a chain, named by no decision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from cdec.audit.review.conflicts import Conflict, Links, listed
from cdec.audit.review.decisions import ERROR, Decision, Review
from cdec.corpus.model import Corpus


@dataclass(frozen=True)
class Known:
    """Mention → its chain in the key, and mention → its sentence."""

    chains: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_reviews(cls, reviews: Sequence[Review]) -> Known:
        """Return what the decisions files have."""
        chains = {id_: chain for review in reviews for id_, chain in review.chains.items()}
        sentences = {id_: place for review in reviews for id_, place in review.sentences.items()}
        return cls(chains, sentences)

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> Known:
        """Return chain and sentence of every event mention of ``corpus``."""
        events = corpus.selected
        columns = events[["chain", "doc", "sentence"]].itertuples(name=None)
        rows = [(str(id_), str(chain), f"{doc}#{at}") for id_, chain, doc, at in columns]
        chains = {id_: chain for id_, chain, _ in rows}
        return cls(chains, {id_: place for id_, _, place in rows})


def joined_sentences(decisions: Sequence[Decision], known: Known) -> list[Conflict]:
    """Return the pairs of mentions of one sentence that corrections bring into one chain.

    Pairs that a single decision names are left out.
    """
    errors = [decision for decision in decisions if decision.verdict == ERROR]
    links = Links(errors, known.chains)
    removed = {mention for decision in errors for mention in decision.operation.remove}
    groups: dict[tuple[object, str], list[str]] = defaultdict(list)
    for mention, sentence in known.sentences.items():
        if mention not in removed and (chain := links.joined(links.node(mention))):
            groups[chain, sentence].append(mention)
    named = {pair for d in errors for pair in combinations(sorted(d.operation.merge), 2)}
    pairs = (pair for mentions in groups.values() for pair in combinations(sorted(mentions), 2))
    return [
        Conflict(cases, f"'{one}' and '{two}' ({listed(cases)})")
        for one, two in pairs
        if (one, two) not in named and links.node(one) != links.node(two)
        if (cases := links.between(one, two))
    ]
