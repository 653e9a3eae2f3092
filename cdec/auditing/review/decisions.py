"""The decisions of reviewers on the cases of a short-list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain as flat
from itertools import combinations
from pathlib import Path
from typing import Annotated, Self

import pandas as pd
from pydantic import BeforeValidator, FailFast, Field, model_validator

from cdec.auditing.about import About, check_key, mismatch
from cdec.auditing.case import Kind, Operation
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, complaint, one_of

FORMAT = "cdec-audit-decisions/1"
_HINT = "export one from the page that `cdec audit review` makes"
_KIND = FileKind("an audit decisions file", FormatError, "file-invalid", _HINT)
ERROR, FINE, UNSURE = VERDICTS = ("error", "not-error", "unsure")
_COPIED = 5  # equal decisions, with equal times, that show that a part of a file was copied


class Decision(FileModel):
    """One reviewer's verdict on one case; ``operation`` corrects the key if it is an error."""

    case: str
    kind: Kind
    verdict: Annotated[str, one_of(VERDICTS)]
    operation: Operation
    comment: str = ""
    time: Annotated[str, BeforeValidator(lambda time: time if isinstance(time, str) else "")] = ""


class Review(FileModel):
    """One reviewer's decisions, as in a decisions file.

    ``about`` has corpus, digest and list, ``places`` maps mention ids to ``document/tokens``,
    ``chains`` to their chains in the key, ``sentences`` to their sentences.
    """

    reviewer: str = ""
    decisions: Annotated[tuple[Decision, ...], Field(strict=False), FailFast()]
    places: dict[str, str]
    about: About
    chains: dict[str, str] = Field(default_factory=dict)
    sentences: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _refuse_two_verdicts(self) -> Self:
        for case, count in Counter(decision.case for decision in self.decisions).items():
            if count > 1:
                raise complaint(f"has a duplicate case {case} ({count} decisions)")
        return self

    @cached_property
    def by_case(self) -> Mapping[str, Decision]:
        """The decisions by case."""
        return {decision.case: decision for decision in self.decisions}


_SCHEMA = Schema(_KIND, Review, FORMAT)


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
        ids, places = (
            list(map(str, events.index)),
            zip(events["doc"], events["sentence"], strict=True),
        )
        sentences = dict(zip(ids, (f"{doc}#{at}" for doc, at in places), strict=True))
        return cls(dict(zip(ids, map(str, events["chain"]), strict=True)), sentences)


def read_reviews(paths: Sequence[Path]) -> tuple[Review, ...]:
    """Return the reviews of decisions files, one for each reviewer.

    Raises FormatError for an invalid file and for decisions on a corrected key without its digest,
    UsageError if two files have the same reviewer, are copies of each other, or are about different
    corpora or keys.
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
    if len({(review.about.get("digest"), review.about.get("base")) for review in reviews}) > 1:
        raise UsageError(
            "input-mismatch",
            "the decisions files are about corpora with different content",
            hint="give decisions on one corpus only",
        )
    return reviews


def _refuse_copy(one: Review, two: Review) -> None:
    """Raise UsageError if decisions have the same times: at least five, or all of a reviewer."""
    equal = [own for own in one.decisions if own.time and own == two.by_case.get(own.case)]
    shortest = min(len(one.decisions), len(two.decisions))
    if equal and len(equal) >= min(_COPIED, shortest):
        raise UsageError(
            "name-duplicate",
            f"{len(equal)} decisions of '{one.reviewer}' and '{two.reviewer}' are equal, with "
            "equal times: one file is a copy of the other",
            hint="give each file once",
        )


def _read(path: Path) -> Review:
    review = _SCHEMA.read_json(path)
    check_key(review.about, path)
    return review.model_copy(update={"reviewer": review.reviewer or path.stem})


def settled(reviews: Iterable[Review]) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Return the majority decision of each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*. Of several errors, the operation of the
    majority decides. A case with a tie in either has no majority decision.
    """
    votes: dict[str, list[Decision]] = {}
    for decision in flat.from_iterable(review.decisions for review in reviews):
        votes.setdefault(decision.case, []).append(decision)
    majority, disputed = [], []
    for case, decisions in votes.items():
        counts = Counter(decision.verdict for decision in decisions)
        if counts[ERROR] == counts[FINE]:
            disputed += [case] if counts[ERROR] else []
            continue
        verdict = ERROR if counts[ERROR] > counts[FINE] else FINE
        voted = [decision for decision in decisions if decision.verdict == verdict]
        ballots = Counter(correction(decision.operation) for decision in voted)
        first, *others = ballots.most_common(2)
        if verdict == ERROR and others and others[0][1] == first[1]:
            disputed.append(case)
            continue
        majority.append(next(d for d in voted if correction(d.operation) == first[0]))
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
    if not any(sum(case in review.by_case for review in reviews) > 1 for case in known):
        raise UsageError(
            "case-none",
            "the decisions files have no case of the list in common",
            hint="give two decisions files on this list",
        )
    differing = []
    for case in known:
        decisions = [r.by_case[case] for r in reviews if case in r.by_case]
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
        for decision in review.decisions
    ]
    names = ["reviewer", "kind", "verdict"]
    groups = pd.DataFrame(rows, columns=names).groupby(names, sort=False)
    return groups.size().reset_index(name="count")
