"""A case: what one person can judge at one look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any

from pydantic import Field

from cdec.io.schema import FileModel, Texts, one_of

KINDS = {
    "missing-singleton-singleton": "two mentions, each alone, that may be the same event",
    "missing-singleton-cluster": "a mention that is alone and may belong to a chain",
    "missing-cluster-cluster": "two chains that may be the same event",
    "spurious-member": "a mention that may not belong to its chain",
    "contradicting-members": "a chain whose members cannot be the same thing by their tags",
    "unfinished-annotation": "a document of which few sentences were reviewed",
}
_ID = 10  # hexadecimal digits


@dataclass(frozen=True)
class CaseSide:
    """One side of a case: the mentions to look at, and the chain that they stand in.

    ``members`` are the chain's other event mentions, or mentions that bear witness.
    """

    mentions: tuple[str, ...]
    chain: str
    descriptor: str = ""
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """What becomes of the key if the case is an error.

    ``move``: these mentions leave their chain, together, for one of their own. ``merge``: the
    chains of these mentions are one, after all moves: a mention that is moved and merged changes
    from one chain to the other. Both empty: nothing follows by itself.
    """

    merge: tuple[str, ...] = ()
    move: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[str]]:
        """Return the operation as it stands in JSON."""
        pairs = (("merge", self.merge), ("move", self.move))
        return {name: list(mentions) for name, mentions in pairs if mentions}


@dataclass(frozen=True)
class Case:
    """A suspected error, with what speaks for it.

    ``score`` is in [0, 1]; ``detectors`` maps the detectors that flagged the case to their own
    scores; ``reasons`` are sentences; ``evidence`` lists (feature, what it adds to the SVM's
    decision to link, its value) of the strongest pair.
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
        """A name made of kind, chains and what would move: the same in every run that finds it."""
        chains = sorted(side.chain for side in self.sides)
        text = "|".join([self.kind, *chains, *sorted(self.operation.move)])
        return sha256(text.encode()).hexdigest()[:_ID]

    def to_dict(self) -> dict[str, Any]:
        """Return the case as it stands in JSON."""
        return {
            "case": self.id,
            "kind": self.kind,
            "score": round(self.score, 6),
            "topic": self.topic,
            "detectors": {name: round(value, 6) for name, value in self.detectors.items()},
            "reasons": list(self.reasons),
            "evidence": [
                {"feature": name, "adds": round(adds, 4), "value": round(value, 4)}
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
    """An operation as it stands in JSON."""

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
    """A case as it stands in JSON; its name is made anew, and ``sentences`` are for readers."""

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
