"""Turn decisions into a patch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain as flat

from scipy.cluster.hierarchy import DisjointSet

from cdec.audit.patches.model import Groups, Patch, contradiction
from cdec.audit.review.decisions import ERROR, Decision, Review


def make_patch(decisions: Iterable[Decision], reviews: Iterable[Review]) -> Patch:
    """Return the patch with the operations of all cases decided to be errors.

    Raises FormatError as ``Patch`` does, and if the merges, directly or through other chains, join
    chains that another decision keeps separate.
    """
    settled = list(decisions)
    errors = [decision.operation for decision in settled if decision.verdict == ERROR]
    merge = tuple(op.merge for op in errors if op.merge)
    move = tuple(op.move for op in errors if op.move)
    joined = _joined(merge)
    for decision in settled:
        separate = decision.operation.merge
        if decision.verdict == ERROR or not separate:
            continue
        merged = all(mention in joined for mention in separate)
        if merged and all(joined.connected(separate[0], m) for m in separate[1:]):
            raise contradiction(
                f"case {decision.case} keeps the chains of {', '.join(separate)} separate, but "
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
