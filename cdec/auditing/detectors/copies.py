"""Copies of sentences: the same mention in two chains, or annotated in one of them only.

Mentions at the same position of a copied sentence in two documents refer to the same event; if they
are not linked, this is almost certainly an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.auditing.case import COPIES_DIFFER, MISSING, CaseSide, Fix
from cdec.auditing.claims import NONE, Claim
from cdec.auditing.copies import Difference
from cdec.auditing.evidence import Evidence
from cdec.auditing.fixes import put
from cdec.auditing.suspects import Suspect, detector
from cdec.errors import counted

DUPLICATE = "duplicate"
COPIES = "copies"
_DIFFER = {
    "missing": "lack this mention",
    "span": "have another span",
    "tag": "have another tag",
}


@detector(DUPLICATE, kind=MISSING)
def duplicate(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the groups of two or more chains that similar sentences connect, by a mention of each.

    Connected singletons form one group, together with a connected chain of several mentions if
    there is exactly one. Several such chains are in separate groups, and two of them connected
    directly are a group of two: no group merges them because of a third chain.
    """
    duplicates = evidence.duplicates
    left_chain = evidence.chain[duplicates["left"]]
    right_chain = evidence.chain[duplicates["right"]]
    for pairs in _groups(evidence, duplicates[left_chain != right_chain]):
        identity = float(pairs["identity"].mean())
        group = DUPLICATE
        words = "identical"
        if identity < 1:
            group = f"near-{DUPLICATE}"
            words = f"{identity:.0%} identical"
        reason = f"their sentences are {words}, with the mentions at the same position"
        mentions = np.unique(pairs[["left", "right"]])
        rows = _first_of_each_chain(evidence, mentions)
        sides = [evidence.ids[row] for row in rows]
        yield Suspect(sides, reason, evidence.fixes.link(rows), group, identity)


def _groups(evidence: Evidence, pairs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the pairs of mentions of each group of connected chains, see ``duplicate``."""
    chain = evidence.chain
    sizes = evidence.sizes
    left_chain = chain[pairs["left"]]
    right_chain = chain[pairs["right"]]
    first = np.minimum(left_chain, right_chain)
    second = np.maximum(left_chain, right_chain)
    first_is_single = sizes[first] == 1
    single = np.where(first_is_single, first, second)
    other = np.where(first_is_single, second, first)
    both_single = sizes[other] == 1
    edges = (first[both_single], second[both_single])
    weights = np.ones(both_single.sum(), dtype=np.int8)
    graph = coo_array((weights, edges), (len(sizes), len(sizes)))
    component = connected_components(graph, directed=False)[1]
    # Two chains of several mentions are in no component of singletons: they have a negative number.
    connected = np.where(sizes[single] == 1, component[single], -1 - single)
    table = pairs.assign(connected=connected, large=np.where(both_single, -1, other))
    large_chains = table[~both_single].groupby("connected")["large"].nunique()
    has_one_large = table["connected"].map(large_chains) == 1
    table.loc[has_one_large, "large"] = -1
    for _, group in table.groupby(["connected", "large"]):
        yield group


def _first_of_each_chain(evidence: Evidence, mentions: Ints) -> list[int]:
    """Return of each chain the first of these mentions (rows), in text order."""
    _, positions = np.unique(evidence.chain[mentions], return_index=True)
    rows: list[int] = mentions[np.sort(positions)].tolist()
    return rows


@detector(COPIES, kind=COPIES_DIFFER)
def copies(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence in mentions, spans and tags."""
    for difference in evidence.differences:
        other_votes = len(difference.new) or len(difference.places)
        sides = [evidence.part(difference.first)]
        if difference.new:
            sides.append(evidence.part(difference.new))
        sides += [CaseSide.missing_at(place) for place in difference.places]
        other_copies = counted(other_votes, "copy", "copies")
        problem = f"{other_copies} {_DIFFER[difference.name]}"
        yield Suspect(
            sides,
            f"the sentence is identical in all documents, but {problem}",
            _corrections(difference, other_votes),
        )


def _corrections(difference: Difference, other_votes: int) -> tuple[Fix, ...]:
    """Return the corrections of copies, that of the majority first."""
    first_votes = len(difference.first)
    votes = f"({first_votes} of A, {other_votes} of B)"
    if difference.name != "missing":
        return _corrections_of_form(difference, votes, tied=first_votes <= other_votes)
    target = difference.first[0]
    tied = first_votes == other_votes
    add = Fix(
        fix="add",
        text=f"add the mention where it is missing {votes}",
        claims=tuple(Claim(add=place, to=target) for place in difference.places),
        tied=tied,
    )
    remove = Fix(
        fix="remove",
        text=f"A is not an event {votes}",
        claims=put(difference.first, NONE),
        tied=tied,
    )
    if first_votes >= other_votes:
        return add, remove
    return remove, add


def _corrections_of_form(
    difference: Difference, votes: str, *, tied: bool
) -> tuple[Fix, Fix]:
    """Return the corrections that all copies get the span or tag of A, or that of B."""
    field = "tokens" if difference.name == "span" else "tag"

    def as_in(letter: str, forms: Mapping[str, str]) -> Fix:
        claims = [
            Claim.model_validate({"mention": id_, field: form})
            for id_, form in forms.items()
        ]
        text = f"all copies get the {difference.name} of {letter} {votes}"
        return Fix(fix=difference.name, text=text, claims=tuple(claims), tied=tied)

    return as_in("A", difference.new), as_in("B", difference.back)
