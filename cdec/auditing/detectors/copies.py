"""Copies of sentences: the same mention in two chains, or annotated in one of them only.

Mentions at the same position of a copied sentence in two documents refer to the same event; if they
are not linked, this is almost certainly an error.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

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
    for pairs in _groups(evidence):
        mentions = np.unique(pairs[["left", "right"]])
        _, firsts = np.unique(evidence.chain[mentions], return_index=True)
        rows = mentions[np.sort(firsts)].tolist()
        sides = [evidence.ids[row] for row in rows]
        share = float(pairs["identity"].mean())
        group = DUPLICATE
        same = "identical"
        if share < 1:
            group = f"near-{DUPLICATE}"
            same = f"{share:.0%} identical"
        reason = f"their sentences are {same}, with the mentions at the same position"
        yield Suspect(sides, reason, evidence.fixes.link(rows), group, share)


def _groups(evidence: Evidence) -> Iterator[pd.DataFrame]:
    """Yield the duplicates of each group of connected chains, see ``duplicate``."""
    sizes = evidence.sizes
    pairs = evidence.duplicates
    chains = evidence.chain[pairs[["left", "right"]].to_numpy()]
    divided = chains[:, 0] != chains[:, 1]
    one, two = np.sort(chains[divided]).T
    # If one of them is a singleton, the first is.
    first, second = np.where(sizes[one] == 1, [one, two], [two, one])
    single = sizes[second] == 1
    edges = (np.ones(single.sum(), dtype=np.int8), (one[single], two[single]))
    graph = coo_array(edges, (len(sizes), len(sizes)))
    _, component = connected_components(graph, directed=False)
    # Two chains of several mentions are in no component of singletons: they have a negative number.
    part = np.where(sizes[first] == 1, component[first], -1 - first)
    large = np.where(single, -1, second)
    table = pairs[divided].assign(part=part, large=large)
    large_chains = table[~single].groupby("part")["large"].nunique()
    table.loc[table["part"].map(large_chains) == 1, "large"] = -1
    for _, group in table.groupby(["part", "large"]):
        yield group


@detector(COPIES, kind=COPIES_DIFFER)
def copies(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence in mentions, spans and tags."""
    for difference in evidence.differences:
        other = len(difference.new) or len(difference.places)
        sides = [evidence.part(difference.first)]
        if difference.new:
            sides.append(evidence.part(difference.new))
        sides += map(CaseSide.missing_at, difference.places)
        problem = f"{counted(other, 'copy', 'copies')} {_DIFFER[difference.name]}"
        yield Suspect(
            sides,
            f"the sentence is identical in all documents, but {problem}",
            _corrections(difference, other),
        )


def _corrections(difference: Difference, other: int) -> tuple[Fix, ...]:
    """Return the corrections of copies, that of the majority first; ``other``: copies like B."""
    first = difference.first
    more = len(first) - other
    votes = f"({len(first)} of A, {other} of B)"
    if difference.name == "missing":
        claims = tuple(Claim(add=place, to=first[0]) for place in difference.places)
        text = f"add the mention where it is missing {votes}"
        add = Fix(fix="add", text=text, claims=claims, tied=more == 0)
        text = f"A is not an event {votes}"
        remove = Fix(fix="remove", text=text, claims=put(first, NONE), tied=more == 0)
        return (add, remove) if more >= 0 else (remove, add)
    field = "tokens" if difference.name == "span" else "tag"
    fixes = []
    for letter, forms in (("A", difference.new), ("B", difference.back)):
        text = f"all copies get the {difference.name} of {letter} {votes}"
        claims = tuple(
            Claim.model_validate({"mention": id_, field: form})
            for id_, form in forms.items()
        )
        fix = Fix(fix=difference.name, text=text, claims=claims, tied=more <= 0)
        fixes.append(fix)
    return tuple(fixes)
