"""The decisions of reviewers on the cases of a short-list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import FailFast

from cdec.audit.about import About
from cdec.audit.case import Kind
from cdec.audit.operation import Operation, OperationRecord
from cdec.errors import FormatError, UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, one_of

FORMAT = "cdec-audit-decisions/1"
_HINT = "export one from the page that `cdec audit review` makes"
_KIND = FileKind("an audit decisions file", FormatError, "decisions-invalid", _HINT)
ERROR, FINE, UNSURE = VERDICTS = ("error", "not-error", "unsure")


@dataclass(frozen=True)
class Decision:
    """One reviewer's verdict on one case; ``operation`` corrects the key if it is an error."""

    case: str
    kind: str
    verdict: str
    operation: Operation
    comment: str = ""


@dataclass(frozen=True)
class Review:
    """One reviewer's decisions, by case.

    ``about`` has corpus and digest, ``places`` maps mention ids to ``document/tokens``.
    """

    reviewer: str
    decisions: Mapping[str, Decision]
    about: Mapping[str, Any]
    places: Mapping[str, str]


class _Decision(FileModel):
    case: str
    kind: Kind
    verdict: Annotated[str, one_of(VERDICTS)]
    operation: OperationRecord
    comment: str = ""
    time: Any = None


class _File(FileModel):
    reviewer: str = ""
    decisions: Annotated[list[_Decision], FailFast()]
    places: dict[str, str]
    about: About


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_reviews(paths: Sequence[Path]) -> tuple[Review, ...]:
    """Return the reviews of decisions files, one for each reviewer.

    Raises FormatError for an invalid file, UsageError if two files have the same reviewer or are
    about different corpora.
    """
    reviews = tuple(_read(path) for path in paths)
    names = Counter(review.reviewer for review in reviews)
    for name, count in names.items():
        if count > 1:
            raise UsageError(
                "reviewer-duplicate",
                f"{count} decisions files have the reviewer '{name}'",
                hint='import them into one review page, or change "reviewer" in one of them',
            )
    if len({review.about.get("digest") for review in reviews}) > 1:
        raise UsageError(
            "decisions-mixed",
            "the decisions files are about corpora with different content",
            hint="give decisions on one corpus only",
        )
    return reviews


def _read(path: Path) -> Review:
    file = _SCHEMA.read_json(path)
    for case, count in Counter(entry.case for entry in file.decisions).items():
        if count > 1:
            raise _KIND.refuse(path, f"duplicate case {case} ({count} decisions)")
    decisions = {
        entry.case: Decision(
            entry.case, entry.kind, entry.verdict, entry.operation.to_operation(), entry.comment
        )
        for entry in file.decisions
    }
    return Review(file.reviewer or path.stem, decisions, file.about, file.places)


def settled(reviews: Iterable[Review]) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Return the majority decision of each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*. A case with a tie has no majority decision.
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
        majority.append(next(decision for decision in decisions if decision.verdict == verdict))
    return tuple(majority), tuple(disputed)


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


def agreement(reviews: Sequence[Review]) -> pd.DataFrame:
    """Return Cohen's κ of each pair of reviewers on the cases that both decided.

    Columns: ``one, two, cases, agreed`` (share of equal verdicts), ``kappa`` (over the three
    verdicts). κ is missing if there are no common cases or all verdicts are the same.
    """
    from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415

    rows = []
    for one, two in combinations(reviews, 2):
        shared = [case for case in one.decisions if case in two.decisions]
        left = [one.decisions[case].verdict for case in shared]
        right = [two.decisions[case].verdict for case in shared]
        agreed = sum(a == b for a, b in zip(left, right, strict=True)) / max(len(shared), 1)
        varied = len({*left, *right}) > 1
        kappa = float(cohen_kappa_score(left, right)) if varied else float("nan")
        rows.append((one.reviewer, two.reviewer, len(shared), agreed, kappa))
    return pd.DataFrame(rows, columns=["one", "two", "cases", "agreed", "kappa"])
