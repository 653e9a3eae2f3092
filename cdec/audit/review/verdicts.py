"""Turn decisions into a patch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.cluster.hierarchy import DisjointSet

from cdec._version import __version__
from cdec.audit.patches.model import Patch, contradiction
from cdec.audit.review.agreement import ALL, agreement
from cdec.audit.review.decisions import ERROR, VERDICTS, Decision, Review

_SHOWN = 10  # conflicts in a message


@dataclass(frozen=True)
class Conflict:
    """Corrections that exclude each other: the cases to leave out, and why."""

    cases: tuple[str, ...]
    text: str


def make_patch(
    decisions: Iterable[Decision], reviews: Sequence[Review], *, skip: bool = False
) -> tuple[Patch, tuple[str, ...]]:
    """Return the patch with the operations of all cases decided to be errors, and skipped cases.

    Raises FormatError that names all conflicts, unless ``skip``: then their cases are left out.
    """
    settled = list(decisions)
    found = conflicts(settled)
    if found and not skip:
        shown = "; ".join(conflict.text for conflict in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise contradiction(f"{shown}{more}")
    left_out = {case for conflict in found for case in conflict.cases}
    errors = [d for d in settled if d.verdict == ERROR and d.case not in left_out]
    places = {id_: at for review in reviews for id_, at in review.places.items()}
    named = {id_ for decision in errors for id_ in decision.operation.mentions}
    kept = {mention: places[mention] for mention in sorted(named) if mention in places}
    operations = [decision.operation for decision in errors]
    patch = Patch.from_operations(operations, _about(reviews), kept)
    return patch, tuple(case for case in dict.fromkeys(d.case for d in settled) if case in left_out)


def conflicts(decisions: Sequence[Decision]) -> list[Conflict]:
    """Return all conflicts between the operations of errors, and with cases that are none."""
    errors = [decision for decision in decisions if decision.verdict == ERROR]
    return [
        *_moved_twice(errors),
        *_removed(errors),
        *_changed_twice(errors),
        *_kept_apart(decisions, errors),
    ]


def _moved_twice(errors: list[Decision]) -> list[Conflict]:
    """Mentions that two cases move with different groups, or to different chains."""
    moves: dict[str, dict[tuple[object, ...], list[str]]] = defaultdict(dict)
    for decision in errors:
        operation = decision.operation
        for mention in operation.move:
            target = (frozenset(operation.move), frozenset(operation.merge))
            moves[mention].setdefault(target, []).append(decision.case)
    found = []
    for mention, targets in moves.items():
        if len(targets) > 1:
            cases = tuple(case for listed in targets.values() for case in listed)
            text = f"cases {', '.join(cases)} move the mention '{mention}' differently"
            found.append(Conflict(cases, text))
    return found


def _removed(errors: list[Decision]) -> list[Conflict]:
    """Mentions that one case removes, and another links or changes."""
    removing: dict[str, list[str]] = defaultdict(list)
    using: dict[str, list[str]] = defaultdict(list)
    for decision in errors:
        removed = set(decision.operation.remove)
        for mention in decision.operation.mentions:
            (removing if mention in removed else using)[mention].append(decision.case)
    return [
        Conflict(
            (*removing[mention], *using[mention]),
            f"case {removing[mention][0]} removes the mention '{mention}', which case "
            f"{using[mention][0]} links or changes",
        )
        for mention in removing
        if mention in using
    ]


def _changed_twice(errors: list[Decision]) -> list[Conflict]:
    """Mentions with two different spans or tags, or that are added to two chains."""
    found = []
    for name in ("span", "tag", "add"):
        values: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for decision in errors:
            for mention, value in getattr(decision.operation, name).items():
                values[mention].setdefault(value, []).append(decision.case)
        for mention, chosen in values.items():
            if len(chosen) > 1:
                cases = tuple(case for listed in chosen.values() for case in listed)
                text = f"cases {', '.join(cases)} give '{mention}' different values of {name}"
                found.append(Conflict(cases, text))
    return found


def _kept_apart(decisions: Sequence[Decision], errors: list[Decision]) -> list[Conflict]:
    """Mentions that a decision keeps separate, and that other cases merge."""
    merging = [decision for decision in errors if decision.operation.merge]
    mentions = dict.fromkeys(id_ for d in merging for id_ in d.operation.merge)
    joined = DisjointSet(list(mentions))
    for decision in merging:
        first, *rest = decision.operation.merge
        for mention in rest:
            joined.merge(first, mention)
    found = []
    for decision in decisions:
        separate = decision.operation.merge
        if decision.verdict == ERROR or decision.operation.move or len(separate) < 2:
            continue
        known = all(mention in mentions for mention in separate)
        if known and all(joined.connected(separate[0], m) for m in separate[1:]):
            cases = tuple(
                d.case for d in merging if joined.connected(separate[0], d.operation.merge[0])
            )
            text = (
                f"case {decision.case} keeps the chains of {', '.join(separate)} separate, but "
                f"cases {', '.join(cases)} merge them"
            )
            found.append(Conflict(cases, text))
    return found


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
