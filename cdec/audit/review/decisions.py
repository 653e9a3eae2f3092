"""The decisions of reviewers on the cases of a short-list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import FailFast, Field

from cdec.audit.about import About
from cdec.audit.case import Kind
from cdec.audit.operation import Operation, OperationRecord
from cdec.audit.shortlist import ShortList, check_key, mismatch
from cdec.errors import FormatError, UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, one_of

FORMAT = "cdec-audit-decisions/1"
_HINT = "export one from the page that `cdec audit review` makes"
_KIND = FileKind("an audit decisions file", FormatError, "file-invalid", _HINT)
ERROR, FINE, UNSURE = VERDICTS = ("error", "not-error", "unsure")
_COPIED = 5  # equal decisions, with equal times, that show that a part of a file was copied


@dataclass(frozen=True)
class Decision:
    """One reviewer's verdict on one case; ``operation`` corrects the key if it is an error."""

    case: str
    kind: str
    verdict: str
    operation: Operation
    comment: str = ""
    time: str = ""


@dataclass(frozen=True)
class Review:
    """One reviewer's decisions, by case.

    ``about`` has corpus, digest and list, ``places`` maps mention ids to ``document/tokens``,
    ``chains`` to their chains in the key, ``sentences`` to their sentences.
    """

    reviewer: str
    decisions: Mapping[str, Decision]
    about: Mapping[str, Any]
    places: Mapping[str, str]
    chains: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)


class _Decision(FileModel):
    case: str
    kind: Kind
    verdict: Annotated[str, one_of(VERDICTS)]
    operation: OperationRecord
    comment: str = ""
    time: Any = None

    def to_decision(self) -> Decision:
        """Return the decision."""
        operation = self.operation.to_operation()
        time = self.time if isinstance(self.time, str) else ""
        return Decision(self.case, self.kind, self.verdict, operation, self.comment, time)


class _File(FileModel):
    reviewer: str = ""
    decisions: Annotated[list[_Decision], FailFast()]
    places: dict[str, str]
    about: About
    chains: dict[str, str] = Field(default_factory=dict)
    sentences: dict[str, str] = Field(default_factory=dict)


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_reviews(paths: Sequence[Path]) -> tuple[Review, ...]:
    """Return the reviews of decisions files, one for each reviewer.

    Raises FormatError for an invalid file and for decisions on a corrected key, UsageError if two
    files have the same reviewer, are copies of each other, or are about different corpora.
    """
    reviews = tuple(_read(path) for path in paths)
    names = Counter(review.reviewer for review in reviews)
    for name, count in names.items():
        if count > 1:
            raise UsageError(
                "name-duplicate",
                f"{count} decisions files have the reviewer '{name}'",
                hint='import them into one review page, or change "reviewer" in one of them',
            )
    for one, two in combinations(reviews, 2):
        _refuse_copy(one, two)
    if len({review.about.get("digest") for review in reviews}) > 1:
        raise UsageError(
            "input-mismatch",
            "the decisions files are about corpora with different content",
            hint="give decisions on one corpus only",
        )
    return reviews


def _refuse_copy(one: Review, two: Review) -> None:
    """Raise UsageError if decisions have the same times: at least five, or all of a reviewer."""
    equal = [
        case
        for case, decision in one.decisions.items()
        if decision.time and decision == two.decisions.get(case)
    ]
    shortest = min(len(one.decisions), len(two.decisions))
    if equal and len(equal) >= min(_COPIED, shortest):
        raise UsageError(
            "name-duplicate",
            f"{len(equal)} decisions of '{one.reviewer}' and '{two.reviewer}' are equal, with "
            "equal times: one file is a copy of the other",
            hint="give each file once",
        )


def _read(path: Path) -> Review:
    file = _SCHEMA.read_json(path)
    check_key(file.about, path)
    for case, count in Counter(entry.case for entry in file.decisions).items():
        if count > 1:
            raise _KIND.refuse(path, f"duplicate case {case} ({count} decisions)")
    decisions = {entry.case: entry.to_decision() for entry in file.decisions}
    key = (file.places, file.chains, file.sentences)
    return Review(file.reviewer or path.stem, decisions, file.about, *key)


def settled(reviews: Iterable[Review]) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Return the majority decision of each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*. Of several errors, the operation of the
    majority decides. A case with a tie in either has no majority decision.
    """
    votes: dict[str, list[Decision]] = {}
    for review in reviews:
        for case, decision in review.decisions.items():
            votes.setdefault(case, []).append(decision)
    majority, disputed = [], []
    for case, decisions in votes.items():
        counts = Counter(decision.verdict for decision in decisions)
        if counts[ERROR] == counts[FINE]:
            if counts[ERROR]:
                disputed.append(case)
            continue
        verdict = ERROR if counts[ERROR] > counts[FINE] else FINE
        ballots = Counter(correction(d.operation) for d in decisions if d.verdict == verdict)
        first, *others = ballots.most_common(2)
        if verdict == ERROR and others and others[0][1] == first[1]:
            disputed.append(case)
            continue
        majority.append(
            next(
                d for d in decisions if (d.verdict, correction(d.operation)) == (verdict, first[0])
            )
        )
    return tuple(majority), tuple(disputed)


def disagreements(reviews: Sequence[Review], shortlist: ShortList) -> list[str]:
    """Return the cases of a list on which reviewers differ in verdict or correction, in order.

    Raises FormatError if the decisions are about another corpus, UsageError if no case is disputed.
    """
    for review in reviews:
        if review.about.get("digest") != shortlist.about.get("digest"):
            name, other = (about.get("corpus") for about in (review.about, shortlist.about))
            raise mismatch(name, other, f"decisions of {review.reviewer}")
    known = [case.id for case in shortlist.cases]
    if not any(sum(case in review.decisions for review in reviews) > 1 for case in known):
        raise UsageError(
            "case-none",
            "the decisions files have no case of the list in common",
            hint="give two decisions files on this list",
        )
    differing = []
    for case in known:
        decisions = [r.decisions[case] for r in reviews if case in r.decisions]
        errors = {correction(d.operation) for d in decisions if d.verdict == ERROR}
        if len({d.verdict for d in decisions}) > 1 or len(errors) > 1:
            differing.append(case)
    if not differing:
        raise UsageError(
            "case-none",
            "the decisions files agree on every case that both decided",
            hint="leave out --disputed",
        )
    return differing


def correction(operation: Operation) -> str:
    """Return the text of an operation, equal for equal corrections in any order of mentions."""
    fields = operation.to_dict().items()
    ordered = {name: sorted(value) if isinstance(value, list) else value for name, value in fields}
    return json.dumps(ordered, sort_keys=True)


def tally(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return the number of verdicts of each reviewer: ``reviewer, kind, verdict, count``."""
    rows = [
        (review.reviewer, decision.kind, decision.verdict)
        for review in reviews
        for decision in review.decisions.values()
    ]
    table = pd.DataFrame(rows, columns=["reviewer", "kind", "verdict"])
    return (
        table.groupby(["reviewer", "kind", "verdict"], sort=False).size().reset_index(name="count")
    )
