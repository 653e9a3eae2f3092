"""The patch that follows from decisions, unless they contradict each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain as flat

from scipy.cluster.hierarchy import DisjointSet

from cdec.audit.patches.model import Groups, Patch, contradiction
from cdec.audit.review.decisions import ERROR, Decision, Review


def make_patch(decisions: Iterable[Decision], reviews: Iterable[Review]) -> Patch:
    """Return the patch that follows from settled decisions.

    Raises FormatError for contradictions: as ``Patch`` does, and where merges that follow from
    errors join, perhaps through a third, chains that another decision found to be rightly apart.
    """
    given = list(decisions)
    wrong = [decision.operation for decision in given if decision.verdict == ERROR]
    merge = tuple(op.merge for op in wrong if op.merge)
    move = tuple(op.move for op in wrong if op.move)
    joined = _joined(merge)
    for decision in given:
        apart = decision.operation.merge
        if decision.verdict == ERROR or not apart:
            continue
        known = [mention for mention in apart if mention in joined]
        if len(known) == len(apart) and all(joined.connected(apart[0], m) for m in apart[1:]):
            raise contradiction(
                f"case {decision.case} says that the chains of {', '.join(apart)} are not one, and "
                "other cases merge them"
            )
    listed = list(reviews)
    places = {id_: at for review in listed for id_, at in review.places.items()}
    named = {*flat.from_iterable(merge), *flat.from_iterable(move)}
    kept = {mention: places[mention] for mention in sorted(named) if mention in places}
    about = dict(listed[0].about) if listed else {}
    return Patch(merge, move, {k: about[k] for k in ("corpus", "digest") if k in about}, kept)


def _joined(merge: Groups) -> DisjointSet:
    joined = DisjointSet(list(dict.fromkeys(flat.from_iterable(merge))))
    for group in merge:
        for mention in group[1:]:
            joined.merge(group[0], mention)
    return joined
