"""A case: one suspected annotation error, for an annotator to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cdec.audit.operation import Operation, OperationRecord
from cdec.io.schema import FileModel, Texts, complaint, one_of

KINDS = {
    "missing-singleton-singleton": "two singletons that may refer to the same event",
    "missing-singleton-cluster": "a singleton that may belong to a chain",
    "missing-cluster-cluster": "mentions of two chains that may refer to the same event",
    "spurious-member": "a mention that may not belong to its chain",
    "two-events": "a chain that may have mentions of two events",
    "contradicting-members": "a chain with event and argument tags, which cannot corefer",
    "no-event": "a mention that may not be an event",
    "copies-differ": "copies of a sentence in which a mention, its span or its tag differs",
}
MISSING = "missing"  # the kind of a case that links chains, without their sizes
FIXES = {
    "merge": "the chains become one",
    "move": "a mention changes its chain",
    "pair": "two mentions leave their chains and form one",
    "split": "a chain becomes two",
    "singleton": "a mention becomes a singleton",
    "remove": "a mention is not an event",
    "span": "a mention gets another span",
    "tag": "a mention gets another tag",
    "add": "a missing mention is added",
}
_ID = 10  # hexadecimal digits


@dataclass(frozen=True)
class CaseSide:
    """One side of a case: the mentions in question and their chain.

    ``members`` are the other event mentions of the chain, or further mentions as evidence.
    ``place`` (``document/tokens``) is where a mention may be missing, instead of mentions.
    """

    mentions: tuple[str, ...]
    chain: str
    descriptor: str = ""
    members: tuple[str, ...] = ()
    place: str = ""


def missing(sides: Sequence[CaseSide]) -> str:
    """Return the kind of a missing link of these sides."""
    clusters = min(2, sum(bool(side.members) for side in sides))
    sizes = ("singleton-singleton", "singleton-cluster", "cluster-cluster")[clusters]
    return f"{MISSING}-{sizes}"


@dataclass(frozen=True)
class Fix:
    """A possible correction: a key of ``FIXES``, a sentence for the annotator, the operation.

    ``tied``: another correction is equally probable, so the annotator must choose one of them.
    """

    name: str
    text: str
    operation: Operation
    tied: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the correction as a JSON object; ``tied`` only if it is."""
        tied = {"tied": True} if self.tied else {}
        return {"fix": self.name, "text": self.text, "operation": self.operation.to_dict(), **tied}


@dataclass(frozen=True)
class Case:
    """A suspected error and the evidence for it.

    ``score`` is the probability of an error, None where no probabilities were fitted; ``rank`` the
    place in the whole list, from 1 (0: in none); ``fixes`` are the corrections that may be right,
    the best first; ``reviewed`` is whether each mention, or a member of its chain, is in a reviewed
    sentence (None: the corpus has no list of these); ``detectors`` maps each detector that flagged
    the case to its score; ``reasons`` are sentences; ``evidence`` lists (feature, contribution to
    the SVM margin, value) of the strongest pair.
    """

    kind: str
    score: float | None
    topic: str
    sides: tuple[CaseSide, ...]
    fixes: tuple[Fix, ...]
    detectors: Mapping[str, float]
    reasons: tuple[str, ...] = ()
    evidence: tuple[tuple[str, float, float], ...] = field(default=(), repr=False)
    reviewed: bool | None = None
    rank: int = 0

    @property
    def id(self) -> str:
        """Hash of kind, chains and mentions in question: equal in every run that has the case."""
        chains = sorted(side.chain or side.place for side in self.sides)
        by_chain = self.kind.startswith(MISSING) or self.kind == "contradicting-members"
        subject = () if by_chain else self.sides[0].mentions
        text = "|".join([self.kind, *chains, *sorted(subject)])
        return sha256(text.encode()).hexdigest()[:_ID]

    @property
    def by_pair(self) -> bool:
        """Whether the link between the first mentions of both sides is in question."""
        return self.kind.startswith((MISSING, "spurious"))

    def to_dict(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        return {
            "case": self.id,
            "kind": self.kind,
            "rank": self.rank,
            "score": self.score,
            "topic": self.topic,
            "reviewed": self.reviewed,
            "detectors": dict(self.detectors),
            "reasons": list(self.reasons),
            "evidence": [
                {"feature": name, "adds": adds, "value": value}
                for name, adds, value in self.evidence
            ],
            "sides": [_side_object(side) for side in self.sides],
            "fixes": [fix.to_dict() for fix in self.fixes],
        }


def _side_object(side: CaseSide) -> dict[str, Any]:
    place = {"place": side.place} if side.place else {}
    return {
        "mentions": list(side.mentions),
        "chain": side.chain,
        "descriptor": side.descriptor,
        "members": list(side.members),
        **place,
    }


class _Side(FileModel):
    mentions: Texts
    chain: str
    descriptor: str
    members: Texts
    place: str = ""


class _Evidence(FileModel):
    feature: str
    adds: float
    value: float


class _Fix(FileModel):
    fix: Annotated[str, one_of(FIXES)]
    text: str
    operation: OperationRecord
    tied: bool = False

    def to_fix(self) -> Fix:
        """Return the correction."""
        return Fix(self.fix, self.text, self.operation.to_operation(), self.tied)


Kind = Annotated[str, one_of(KINDS)]


class CaseRecord(FileModel):
    """A case as a JSON object; ``case`` is recomputed and ``sentences`` are for people only."""

    kind: Kind
    score: Annotated[float, Field(ge=0, le=1)] | None
    topic: str
    detectors: dict[str, float]
    reasons: Texts
    evidence: list[_Evidence]
    sides: list[_Side]
    fixes: Annotated[list[_Fix], Field(min_length=1)]
    reviewed: bool | None = None
    rank: Annotated[int, Field(ge=0)] = 0
    case: Any = None
    sentences: Any = None

    @model_validator(mode="after")
    def _refuse_outside_mentions(self) -> Self:
        on_sides = {id_ for side in self.sides for id_ in (*side.mentions, *side.members)}
        for fix in self.fixes:
            for id_ in fix.operation.to_operation().mentions:
                if id_ not in on_sides:
                    raise complaint(f"has the mention '{id_}' in a fix but on no side")
        return self

    def to_case(self) -> Case:
        """Return the case."""
        own = {name: value for name, value in self if name not in ("case", "sentences")}
        own["sides"] = tuple(CaseSide(**dict(side)) for side in self.sides)
        own["fixes"] = tuple(fix.to_fix() for fix in self.fixes)
        own["evidence"] = tuple((e.feature, e.adds, e.value) for e in self.evidence)
        return Case(**own)
