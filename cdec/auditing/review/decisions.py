"""The decisions of reviewers on the cases of a short-list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Self

import pandas as pd
from pydantic import BeforeValidator, FailFast, Field, model_validator

from cdec.auditing.about import About, check_key, mismatch
from cdec.auditing.case import Kind, Operation
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.files.models import FileModel, complaint, one_of

FORMAT = "cdec-audit-decisions/1"
ERROR, FINE, UNSURE = VERDICTS = ("error", "not-error", "unsure")
REASONS = {  # why a case is not an error: code → words
    "different-event": "different event",
    "different-circumstances": "different participants, place or time",
    "general": "general or hypothetical",
    "part": "part of a larger event",
    "right-chain": "mention in its right chain",
    "rule": "annotation rule",
    "other": "other",
}


class Decision(FileModel):
    """One reviewer's verdict on one case; ``operation`` corrects the key if it is an error.

    ``reason`` is a code of ``REASONS`` if it is not an error, else any text.
    """

    case: str
    kind: Kind
    verdict: Annotated[str, one_of(VERDICTS)]
    operation: Operation
    reason: str = ""
    comment: str = ""
    time: Annotated[str, BeforeValidator(lambda time: time if isinstance(time, str) else "")] = ""

    @model_validator(mode="after")
    def _refuse_unknown_reason(self) -> Self:
        if self.verdict == FINE and self.reason and self.reason not in REASONS:
            raise complaint(f"has the reason '{self.reason}', not {', '.join(REASONS)}")
        return self


class Facts(FileModel):
    """What decisions have of their corpus.

    ``about`` has corpus, digest and list, ``places`` maps mention ids to ``document/tokens``,
    ``chains`` to their chains in the key, ``sentences`` to their sentences.
    """

    places: dict[str, str]
    about: About
    chains: dict[str, str] = Field(default_factory=dict)
    sentences: dict[str, str] = Field(default_factory=dict)


class Review(Facts):
    """One reviewer's decisions, as in a decisions file."""

    reviewer: str = ""
    decisions: Annotated[tuple[Decision, ...], Field(strict=False), FailFast()]

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

    def to_json(self) -> str:
        """Return the decisions file."""
        content = {"format": FORMAT, "reviewer": "", **self.model_dump(mode="json")}
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


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
        sentences = events["doc"] + "#" + events["sentence"].astype(str)
        chains = {str(id_): str(chain) for id_, chain in events["chain"].items()}
        return cls(chains, dict(zip(chains, sentences, strict=True)))


class Settled(Decision):
    """The decision of a case, who of the readers made it, and how many: "2 of 2".

    ``readers`` agree on verdict and correction.
    ``reasons``: theirs, each once.
    """

    readers: tuple[str, ...]
    agreement: str
    reasons: tuple[str, ...]


def settled(reviews: Sequence[Review]) -> tuple[tuple[Settled, ...], tuple[str, ...]]:
    """Return the decision of each case, and the cases with a tie.

    The majority decides. Only *error* and *not-error* count, not *unsure*. Of several errors, the
    operation of the majority decides. A case with a tie in either has no majority decision.

    >>> case = {"case": "c", "kind": "no-event", "operation": Operation()}
    >>> ann, bob = (Decision(verdict=v, **case) for v in ("error", "not-error"))
    >>> named = {"about": {}, "places": {}}
    >>> two = [Review(reviewer=n, decisions=(d,), **named) for n, d in (("ann", ann), ("bob", bob))]
    >>> settled(two), settled(two[:1])[0][0].agreement
    (((), ('c',)), '1 of 1')
    """
    votes: dict[str, dict[str, Decision]] = {}
    for review in reviews:
        for decision in review.decisions:
            votes.setdefault(decision.case, {})[review.reviewer] = decision
    every = {case: _settle(decisions) for case, decisions in votes.items()}
    sure = (case for case, own in votes.items() if any(d.verdict != UNSURE for d in own.values()))
    disputed = tuple(case for case in sure if every[case] is None)
    return tuple(one for one in every.values() if one), disputed


def _settle(decisions: Mapping[str, Decision]) -> Settled | None:
    """Return the settled decision of a case; None for a tie, and if nobody is sure."""
    chosen = _majority(list(decisions.values()))
    if chosen is None or chosen.verdict == UNSURE:
        return None
    alike = {name: d for name, d in decisions.items() if _vote(d) == _vote(chosen)}
    said = tuple(dict.fromkeys(d.reason for d in alike.values() if d.reason))
    agreement = f"{len(alike)} of {len(decisions)}"
    return Settled(**dict(chosen), readers=tuple(alike), agreement=agreement, reasons=said)


def _vote(decision: Decision) -> tuple[str, str]:
    """Return the verdict, and the correction of an error."""
    text = correction(decision.operation) if decision.verdict == ERROR else ""
    return decision.verdict, text


def _majority(decisions: Sequence[Decision]) -> Decision | None:
    """Return the decision of the majority, the first one of equal ones; None for a tie."""
    counts = Counter(decision.verdict for decision in decisions)
    if counts[ERROR] == counts[FINE]:
        return None
    verdict = ERROR if counts[ERROR] > counts[FINE] else FINE
    voted = [decision for decision in decisions if decision.verdict == verdict]
    ballots = Counter(correction(decision.operation) for decision in voted)
    first, *others = ballots.most_common(2)
    if verdict == ERROR and others and others[0][1] == first[1]:
        return None
    return next(decision for decision in voted if correction(decision.operation) == first[0])


def check_review(review: Review, shortlist: ShortList) -> None:
    """Raise FormatError for decisions on another corpus, and as ``check_key`` does."""
    name = f"decisions of {review.reviewer}"
    check_key(review.about, name)
    if review.about.get("digest") != shortlist.about.get("digest"):
        raise mismatch(review.about.get("corpus"), shortlist.about.get("corpus"), name)


def disagreements(reviews: Sequence[Review], shortlist: ShortList) -> list[str]:
    """Return the cases of a list on which reviewers differ in verdict or correction, in order.

    Raises FormatError if the decisions are about another corpus, UsageError if no case is disputed.
    """
    for review in reviews:
        check_review(review, shortlist)
    ids = [case.id for case in shortlist.cases]
    votes = {id_: [_vote(r.by_case[id_]) for r in reviews if id_ in r.by_case] for id_ in ids}
    differing = [id_ for id_, own in votes.items() if len({*own}) > 1]
    message, hint = "have no case of the list in common", "give two decisions files on this list"
    if any(len(own) > 1 for own in votes.values()):
        message, hint = "agree on every case that both decided", "leave out --disputed"
    if not differing:
        raise UsageError("case-none", f"the decisions files {message}", hint=hint)
    return differing


def correction(operation: Operation) -> str:
    """Return the text of an operation, equal for equal corrections in any order of mentions."""
    fields = operation.to_dict().items()
    ordered = {name: sorted(value) if isinstance(value, list) else value for name, value in fields}
    return json.dumps(ordered, sort_keys=True)


def decided(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return ``reviewer``, ``kind``, ``verdict`` and ``reason`` of each decision."""
    rows = [(one.reviewer, d.kind, d.verdict, d.reason) for one in reviews for d in one.decisions]
    return pd.DataFrame(rows, columns=["reviewer", "kind", "verdict", "reason"])


def tally(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return the number of verdicts of each reviewer: ``reviewer, kind, verdict, count``."""
    groups = decided(reviews).groupby(["reviewer", "kind", "verdict"], sort=False)
    return groups.size().reset_index(name="count")
