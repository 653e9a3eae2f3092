"""The decisions of reviewers: who decided what, what the majority says, and what excludes what."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Annotated, Any, Self

import pandas as pd
from pydantic import BeforeValidator, FailFast, Field, model_validator

from cdec.auditing.case import SPURIOUS, Claims, Kind
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import (
    NEW,
    NOWHERE,
    About,
    Claim,
    Difference,
    Outcome,
    check_key,
    differing,
    listed,
    mismatch,
)
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.files.models import FileModel, complaint, one_of

FORMAT = "cdec-audit-decisions/2"
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
    """One reviewer's verdict on one case.

    ``claims`` correct the key if it is an error; if it is none, they are what the reviewer denies.
    ``reason`` is a code of ``REASONS`` if it is not an error, else any text.
    """

    case: str
    kind: Kind
    verdict: Annotated[str, one_of(VERDICTS)]
    claims: Claims = ()
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
        decided = [
            {**one.model_dump(mode="json"), "claims": [claim.to_dict() for claim in one.claims]}
            for one in self.decisions
        ]
        facts = self.model_dump(mode="json", exclude={"decisions"})
        content = {"format": FORMAT, **facts, "decisions": decided}
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


class Majority(Decision):
    """The decision of a case, who of the readers made it, and how many: "2 of 2".

    ``readers`` agree on verdict and claims; ``reasons``: theirs, each once.
    """

    readers: tuple[str, ...]
    agreement: str
    reasons: tuple[str, ...]


def settled(
    reviews: Sequence[Review], known: Known | None = None
) -> tuple[tuple[Majority, ...], tuple[str, ...]]:
    """Return the decision of each case, and the cases with a tie.

    The majority decides. Only *error* and *not-error* count, not *unsure*. Of several errors, the
    claims of the majority decide; the same chain, named through another mention, is the same claim.
    A case with a tie in either has no majority decision.

    >>> case = {"case": "c", "kind": "no-event"}
    >>> ann, bob = (Decision(verdict=v, **case) for v in ("error", "not-error"))
    >>> named = {"about": {}, "places": {}}
    >>> two = [Review(reviewer=n, decisions=(d,), **named) for n, d in (("ann", ann), ("bob", bob))]
    >>> settled(two), settled(two[:1])[0][0].agreement
    (((), ('c',)), '1 of 1')
    """
    chains = (known or Known.of_reviews(reviews)).chains
    votes: dict[str, dict[str, Decision]] = {}
    for review in reviews:
        for decision in review.decisions:
            votes.setdefault(decision.case, {})[review.reviewer] = decision
    every = {case: _majority(decisions, chains) for case, decisions in votes.items()}
    sure = (case for case, own in votes.items() if any(d.verdict != UNSURE for d in own.values()))
    disputed = tuple(case for case in sure if every[case] is None)
    return tuple(one for one in every.values() if one), disputed


def vote(decision: Decision, chains: Mapping[str, str]) -> tuple[str, object]:
    """Return the verdict and, for an error, what the claims say: equal for equal corrections."""
    return decision.verdict, meaning(decision.claims, chains) if decision.verdict == ERROR else ""


def meaning(claims: Sequence[Claim], chains: Mapping[str, str]) -> frozenset[object]:
    """Return what claims say of the key ``chains``, equal for claims with the same effect.

    >>> key = {"a": "1", "x": "2", "y": "2"}
    >>> one, two = ([Claim(mention="a", to=target)] for target in "xy")
    >>> meaning(one, key) == meaning(two, key)
    True
    """
    made = Outcome(claims, chains)
    named = [mention for claim in claims for mention in (claim.subject, *claim.mentions)]
    homes = {made.home(mention) for mention in named}
    groups: dict[object, set[object]] = defaultdict(set)
    for home in homes:
        groups[made.root(home)].add(home)
    for mention in made.moved:
        if made.of(mention)[0] == "new":
            groups[made.of(mention)].add(mention)
    moved = {(mention, frozenset(groups[made.of(mention)])) for mention in made.moved}
    joined = {frozenset(groups[made.root(made.home(c.chain))]) for c in claims if c.chain}
    gone = {mention for mention in made.moved if made.of(mention) == NOWHERE}
    forms = {(c.subject, c.tokens, c.tag) for c in claims if c.tokens or c.tag}
    return frozenset([frozenset(moved), frozenset(joined), frozenset(gone), frozenset(forms)])


def _majority(decisions: Mapping[str, Decision], chains: Mapping[str, str]) -> Majority | None:
    """Return the decision of the majority, the first of equal ones; None for a tie or no vote."""
    votes = {name: vote(decision, chains) for name, decision in decisions.items()}
    counts = Counter(verdict for verdict, _ in votes.values())
    if counts[ERROR] == counts[FINE]:
        return None
    verdict = ERROR if counts[ERROR] > counts[FINE] else FINE
    first, *others = Counter(one for one in votes.values() if one[0] == verdict).most_common(2)
    if others and others[0][1] == first[1]:
        return None
    alike = {name: decisions[name] for name, one in votes.items() if one == first[0]}
    said = tuple(dict.fromkeys(decision.reason for decision in alike.values() if decision.reason))
    agreement = f"{len(alike)} of {len(decisions)}"
    chosen = next(iter(alike.values()))
    return Majority(**dict(chosen), readers=tuple(alike), agreement=agreement, reasons=said)


def claims_of(decision: Decision, detectors: Iterable[str] = ()) -> list[Claim]:
    """Return the claims of an error with its case, its readers and the name of a new chain."""
    who: dict[str, Any] = {"reason": decision.reason}
    if isinstance(decision, Majority):
        who = {"readers": decision.readers, "agreement": decision.agreement}
        who |= {"reason": "; ".join(decision.reasons)}
    who |= {"case": decision.case, "kind": decision.kind, "evidence": tuple(detectors)}
    names = dict.fromkeys(str(claim.to) for claim in decision.claims if claim.is_new)
    ends = ("", *(f"-{number}" for number in range(2, len(names) + 1)))
    new = {name: f"{NEW}{decision.case}{end}" for name, end in zip(names, ends, strict=False)}
    return [
        claim.model_copy(update=who | ({"to": new[str(claim.to)]} if claim.is_new else {}))
        for claim in decision.claims
    ]


def conflicts(
    decisions: Sequence[Decision], chains: Mapping[str, str] | None = None
) -> list[Difference]:
    """Return all conflicts: claims that differ on a mention, and claims that a decision denies.

    Without the cases of all conflicts, the rest has no conflict. ``chains`` maps mentions to their
    chains in the key.
    """
    found: list[Difference] = []
    rest = list(decisions)
    while True:
        claims = [claim for one in rest if one.verdict == ERROR for claim in claims_of(one)]
        new = Outcome(claims, chains or {}).differences or list(_denied(rest, claims, chains or {}))
        if not new:
            return found
        found += new
        left_out = {case for difference in new for case in difference.cases}
        rest = [decision for decision in rest if decision.case not in left_out]


def _denied(
    decisions: Sequence[Decision], claims: Sequence[Claim], chains: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the claims that bring about what a decision on another case denies."""
    made, plain = Outcome(claims, chains), Outcome((), chains)
    for decision in decisions:
        denied = [claim for claim in decision.claims if not claim.add]
        if decision.verdict != FINE or decision.kind == SPURIOUS or _hold(denied, plain):
            continue
        if _hold(denied, made):
            of_it = {made.of(claim.subject) for claim in denied}
            near = [c for c in claims if of_it & {made.of(m) for m in (c.subject, *c.mentions)}]
            cases = dict.fromkeys(claim.case for claim in near)
            without = {one: [c for c in claims if c.case != one] for one in cases}
            alone = [one for one in cases if not _hold(denied, Outcome(without[one], chains))]
            by = [claim for claim in near if not alone or claim.case in alone]
            names = listed(dict.fromkeys(m for claim in denied for m in claim.mentions))
            yield differing(by, f"correct {names}, which case '{decision.case}' calls no error")


def _hold(claims: Sequence[Claim], made: Outcome) -> bool:
    """Return whether the chains of an outcome are as claims say."""

    def holds(claim: Claim) -> bool:
        if claim.to is None or claim.is_new:
            return False  # nothing that others could bring about
        there = made.of(claim.target) if claim.target else NOWHERE
        return made.of(claim.subject) == there

    return bool(claims) and all(map(holds, claims))


def joined_sentences(decisions: Sequence[Decision], known: Known) -> list[Difference]:
    """Return the pairs of mentions of one sentence that claims bring into one chain.

    Pairs that a single decision names are left out.
    """
    claims = [claim for one in decisions if one.verdict == ERROR for claim in claims_of(one)]
    made = Outcome(claims, known.chains)
    touched = {made.of(m) for claim in claims for m in (claim.subject, *claim.mentions)} - {NOWHERE}
    groups: dict[tuple[object, str], list[str]] = defaultdict(list)
    for mention, sentence in known.sentences.items():
        if made.of(mention) in touched:
            groups[made.of(mention), sentence].append(mention)
    named: dict[str, set[str]] = defaultdict(set)
    for claim in claims:
        named[claim.case] |= {claim.subject, *claim.mentions}
    found = []
    for mentions in groups.values():
        for one, two in combinations(sorted(mentions), 2):
            if made.home(one) == made.home(two) or any({one, two} <= own for own in named.values()):
                continue
            near = [c for c in claims if made.of(c.subject) == made.of(one)]
            cases = listed(dict.fromkeys(claim.case for claim in near))
            found.append(Difference(tuple(near), f"'{one}' and '{two}' (cases {cases})"))
    return found


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
    chains = Known.of_reviews(reviews).chains
    votes = {
        case.id: [vote(r.by_case[case.id], chains) for r in reviews if case.id in r.by_case]
        for case in shortlist.cases
    }
    differing_ = [id_ for id_, own in votes.items() if len({*own}) > 1]
    message, hint = "have no case of the list in common", "give two decisions files on this list"
    if any(len(own) > 1 for own in votes.values()):
        message, hint = "agree on every case that both decided", "leave out --disputed"
    if not differing_:
        raise UsageError("part-too-small", f"the decisions files {message}", hint=hint)
    return differing_


def decided(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return ``reviewer``, ``kind``, ``verdict`` and ``reason`` of each decision."""
    rows = [(one.reviewer, d.kind, d.verdict, d.reason) for one in reviews for d in one.decisions]
    return pd.DataFrame(rows, columns=["reviewer", "kind", "verdict", "reason"])


def tally(reviews: Iterable[Review]) -> pd.DataFrame:
    """Return the number of verdicts of each reviewer: ``reviewer, kind, verdict, count``."""
    groups = decided(reviews).groupby(["reviewer", "kind", "verdict"], sort=False)
    return groups.size().reset_index(name="count")
