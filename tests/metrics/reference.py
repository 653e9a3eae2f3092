"""Slow reference implementations of the metrics: sets of mentions, pairs, permutations.

A clustering is a list of sets. The result is (p_num, p_den, r_num, r_den), exact fractions.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations

Chains = list[set[str]]
Result = tuple[Fraction, Fraction, Fraction, Fraction]
Metric = Callable[[Chains, Chains], Result]
Phi = Callable[[set[str], set[str]], Fraction]


def both_sides(recall: Callable[[Chains, Chains], tuple[Fraction, Fraction]]) -> Metric:
    """Precision is recall with key and response swapped."""

    def counts(key: Chains, response: Chains) -> Result:
        return (*recall(response, key), *recall(key, response))

    return counts


@both_sides
def muc(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Vilain et al. (1995), section 2: Σ (|S| − |p(S)|) / Σ (|S| − 1)."""
    correct = links = 0
    for chain in key:
        parts = [chain & other for other in response if chain & other]
        covered: set[str] = set().union(*parts)
        parts += [{mention} for mention in chain - covered]
        correct += len(chain) - len(parts)
        links += len(chain) - 1
    return Fraction(correct), Fraction(links)


@both_sides
def b_cubed(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Bagga and Baldwin (1998): the mean over mentions of |k(m) ∩ r(m)| / |k(m)|."""
    total, mentions = Fraction(0), 0
    for chain in key:
        for mention in chain:
            other = next((r for r in response if mention in r), set())
            total += Fraction(len(chain & other), len(chain))
            mentions += 1
    return total, Fraction(mentions)


def phi3(chain: set[str], other: set[str]) -> Fraction:
    """Luo (2005), equation 8: common mentions."""
    return Fraction(len(chain & other))


def phi4(chain: set[str], other: set[str]) -> Fraction:
    """Luo (2005), equation 9: common mentions over the mean size."""
    return Fraction(2 * len(chain & other), len(chain) + len(other))


def ceaf(phi: Phi) -> Metric:
    """Luo (2005): the best of all one-to-one alignments, by exhaustive search."""

    def counts(key: Chains, response: Chains) -> Result:
        few, many = sorted((key, response), key=len)
        best = max(
            sum((phi(a, b) for a, b in zip(few, order, strict=True)), Fraction(0))
            for order in permutations(many, len(few))
        )
        key_self = sum((phi(k, k) for k in key), Fraction(0))
        return best, sum((phi(r, r) for r in response), Fraction(0)), best, key_self

    return counts


def coreference_links(chains: Chains) -> set[frozenset[str]]:
    """Pairs of mentions in the same chain."""
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


def other_links(chains: Chains) -> set[frozenset[str]]:
    """Pairs of mentions in different chains."""
    mentions: set[str] = set().union(*chains)
    return {frozenset(pair) for pair in combinations(mentions, 2)} - coreference_links(chains)


def links(of: Callable[[Chains], set[frozenset[str]]]) -> Metric:
    """Luo et al. (2014), section 4: common links over the links of each side."""

    def counts(key: Chains, response: Chains) -> Result:
        common = Fraction(len(of(key) & of(response)))
        return common, Fraction(len(of(response))), common, Fraction(len(of(key)))

    return counts


@both_sides
def lea(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Moosavi and Strube (2016), section 4: importance times resolution, over importance."""
    total, importance = Fraction(0), 0
    for chain in key:
        own = self_or_links(chain)
        resolved = sum(len(own & self_or_links(other)) for other in response)
        total += len(chain) * Fraction(resolved, len(own))
        importance += len(chain)
    return total, Fraction(importance)


def self_or_links(chain: set[str]) -> set[frozenset[str]]:
    """The mention pairs of a chain; for a singleton, its link to itself."""
    return coreference_links([chain]) or {frozenset(chain)}


REFERENCE: dict[str, Metric] = {
    "muc": muc,
    "b3": b_cubed,
    "ceafm": ceaf(phi3),
    "ceafe": ceaf(phi4),
    "blanc_coref": links(coreference_links),
    "blanc_noncoref": links(other_links),
    "lea": lea,
}
