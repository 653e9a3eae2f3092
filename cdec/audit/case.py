"""A case: one suspected annotation error, for an annotator to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cdec.io.schema import FileModel, Texts, complaint, one_of

KINDS = {
    "missing-singleton-singleton": "two singletons that may refer to the same event",
    "missing-singleton-cluster": "a singleton that may belong to a chain",
    "missing-cluster-cluster": "two chains that may refer to the same event",
    "spurious-member": "a mention that may not belong to its chain",
    "contradicting-members": "a chain with event and argument tags, which cannot corefer",
    "unfinished-annotation": "a document with few reviewed sentences",
}
_ID = 10  # hexadecimal digits


@dataclass(frozen=True)
class CaseSide:
    """One side of a case: the mentions in question and their chain.

    ``members`` are the other event mentions of the chain, or further mentions as evidence.
    """

    mentions: tuple[str, ...]
    chain: str
    descriptor: str = ""
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """The correction of the key if the case is an error.

    ``move``: these mentions leave their chain and form a new one. ``merge``: the chains of these
    mentions are merged, after all moves; a mention that is moved and merged changes its chain.
    If both are empty, the key does not change.
    """

    merge: tuple[str, ...] = ()
    move: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[str]]:
        """Return the operation as a JSON object."""
        pairs = (("merge", self.merge), ("move", self.move))
        return {name: list(mentions) for name, mentions in pairs if mentions}


@dataclass(frozen=True)
class Case:
    """A suspected error and the evidence for it.

    ``score`` is in [0, 1]; ``detectors`` maps each detector that flagged the case to its score;
    ``reasons`` are sentences; ``evidence`` lists (feature, contribution to the SVM margin, value)
    of the strongest pair.
    """

    kind: str
    score: float
    topic: str
    sides: tuple[CaseSide, ...]
    operation: Operation
    detectors: Mapping[str, float]
    reasons: tuple[str, ...] = ()
    evidence: tuple[tuple[str, float, float], ...] = field(default=(), repr=False)

    @property
    def id(self) -> str:
        """Hash of kind, chains and moved mentions: equal in every run that finds the case."""
        chains = sorted(side.chain for side in self.sides)
        text = "|".join([self.kind, *chains, *sorted(self.operation.move)])
        return sha256(text.encode()).hexdigest()[:_ID]

    def to_dict(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        return {
            "case": self.id,
            "kind": self.kind,
            "score": self.score,
            "topic": self.topic,
            "detectors": dict(self.detectors),
            "reasons": list(self.reasons),
            "evidence": [
                {"feature": name, "adds": adds, "value": value}
                for name, adds, value in self.evidence
            ],
            "sides": [
                {
                    "mentions": list(side.mentions),
                    "chain": side.chain,
                    "descriptor": side.descriptor,
                    "members": list(side.members),
                }
                for side in self.sides
            ],
            "operation": self.operation.to_dict(),
        }


class OperationRecord(FileModel):
    """An operation as a JSON object."""

    merge: Texts = ()
    move: Texts = ()

    def to_operation(self) -> Operation:
        """Return the operation."""
        return Operation(self.merge, self.move)


class _Side(FileModel):
    mentions: Texts
    chain: str
    descriptor: str
    members: Texts


class _Evidence(FileModel):
    feature: str
    adds: float
    value: float


Kind = Annotated[str, one_of(KINDS)]


class CaseRecord(FileModel):
    """A case as a JSON object; ``case`` is recomputed and ``sentences`` are for people only."""

    kind: Kind
    score: Annotated[float, Field(ge=0, le=1)]
    topic: str
    detectors: dict[str, float]
    reasons: Texts
    evidence: list[_Evidence]
    sides: list[_Side]
    operation: OperationRecord
    case: Any = None
    sentences: Any = None

    @model_validator(mode="after")
    def _refuse_outside_mentions(self) -> Self:
        on_sides = {id_ for side in self.sides for id_ in (*side.mentions, *side.members)}
        for id_ in (*self.operation.merge, *self.operation.move):
            if id_ not in on_sides:
                raise complaint(f"has the mention '{id_}' in its operation but on neither side")
        return self

    def to_case(self) -> Case:
        """Return the case."""
        return Case(
            kind=self.kind,
            score=self.score,
            topic=self.topic,
            sides=tuple(CaseSide(s.mentions, s.chain, s.descriptor, s.members) for s in self.sides),
            operation=self.operation.to_operation(),
            detectors=self.detectors,
            reasons=self.reasons,
            evidence=tuple((e.feature, e.adds, e.value) for e in self.evidence),
        )
