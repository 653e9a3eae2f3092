"""Turn decisions into a patch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cdec._version import __version__
from cdec.audit.patches.model import Patch, contradiction
from cdec.audit.review.agreement import ALL, agreement
from cdec.audit.review.conflicts import conflicts
from cdec.audit.review.decisions import ERROR, VERDICTS, Decision, Review
from cdec.audit.review.effects import Known


def make_patch(
    decisions: Iterable[Decision],
    reviews: Sequence[Review],
    *,
    skip: bool = False,
    chains: Mapping[str, str] | None = None,
) -> tuple[Patch, tuple[str, ...]]:
    """Return the patch with the operations of all cases decided to be errors, and skipped cases.

    ``chains``: the chains of mentions, by default those that the reviews have. Raises FormatError
    that names all conflicts, unless ``skip``: then their cases are left out.
    """
    settled = list(decisions)
    found = conflicts(settled, Known.of_reviews(reviews).chains if chains is None else chains)
    if found and not skip:
        raise contradiction("; ".join(conflict.text for conflict in found))
    left_out = {case for conflict in found for case in conflict.cases}
    errors = [d for d in settled if d.verdict == ERROR and d.case not in left_out]
    places = {id_: at for review in reviews for id_, at in review.places.items()}
    named = {id_ for decision in errors for id_ in decision.operation.mentions}
    kept = {mention: places[mention] for mention in sorted(named) if mention in places}
    operations = [decision.operation for decision in errors]
    patch = Patch.from_operations(operations, _about(reviews), kept)
    return patch, tuple(case for case in dict.fromkeys(d.case for d in settled) if case in left_out)


def _about(reviews: Sequence[Review]) -> dict[str, Any]:
    """Return who decided, when, with how many votes and what agreement, on which list."""
    if not reviews:
        return {}
    names = ("corpus", "digest", "list", "audit")
    origin = {name: reviews[0].about[name] for name in names if name in reviews[0].about}
    decided = [decision for review in reviews for decision in review.decisions.values()]
    times = sorted(decision.time for decision in decided if decision.time)
    votes = Counter(decision.verdict for decision in decided)
    about = {
        **origin,
        "cdec": __version__,
        "reviewers": [review.reviewer for review in reviews],
        "votes": {verdict: votes[verdict] for verdict in VERDICTS},
    }
    about |= {"decided": [times[0], times[-1]]} if times else {}
    table = agreement(reviews)
    pairs = table[(table["kind"] == ALL) & (table["cases"] > 0)]
    rows = pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4)
    listed = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return about | ({"agreement": listed} if listed else {})
