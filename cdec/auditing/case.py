"""A case: one suspected annotation error, with the claims that may correct it.

Each class is one noun from the detector to the decision. It checks itself when it is made, in
Python or from a file, and ``to_dict`` is what files have of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from cdec.corpus.claims import Claim
from cdec.files.models import FileModel, Texts, complaint, one_of

MISSING = "missing"  # the kind of a case that links chains, without their sizes
SPURIOUS = "spurious-member"  # a mention that may not belong to its chain
TWO_EVENTS = "two-events"  # a chain that may have mentions of two events
CONTRADICTING = "contradicting-members"  # a chain with event and argument tags
NO_EVENT = "no-event"  # a mention that may not be an event
COPIES_DIFFER = "copies-differ"  # copies of a sentence in which a mention, span or tag differs
UNMARKED = "unmarked-mention"  # a word that may lack its mention
_SIZES = ("singleton-singleton", "singleton-cluster", "cluster-cluster")
KINDS = (
    *(f"{MISSING}-{sizes}" for sizes in _SIZES),
    *(SPURIOUS, TWO_EVENTS, CONTRADICTING, NO_EVENT, COPIES_DIFFER, UNMARKED),
)
WORDS = {  # of a kind, for people
    "missing-singleton-singleton": "singletons not linked",
    "missing-singleton-cluster": "singleton not in a chain",
    "missing-cluster-cluster": "two chains of one event",
    SPURIOUS: "mention in the wrong chain",
    TWO_EVENTS: "chain of two events",
    CONTRADICTING: "event tagged as an argument",
    NO_EVENT: "mention that is no event",
    COPIES_DIFFER: "copies annotated differently",
    UNMARKED: "mention not marked",
}
# Chains become one; a mention changes its chain; two mentions form a chain; a chain becomes two; a
# mention is a singleton, is no event, gets another span or tag, is added; no correction is right.
FIXES = ("merge", "move", "pair", "split", "singleton", "remove", "span", "tag", "add", "none")
_ID = 10  # hexadecimal digits
Claims = Annotated[tuple[Claim, ...], Field(strict=False)]
Kind = Annotated[str, one_of(KINDS)]


class _Noun(FileModel):
    """An object of a case; fields of ``sparse`` are written only if they are filled."""

    sparse: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _filled(self, every: SerializerFunctionWrapHandler) -> dict[str, Any]:
        filled = {n: value for n, value in every(self).items() if value or n not in self.sparse}
        if "claims" in filled:
            filled["claims"] = [claim.to_dict() for claim in self.claims]  # type: ignore[attr-defined]
        return filled

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return self.model_dump(mode="json")


class CaseSide(_Noun):
    """One side of a case: the mentions in question and their chain.

    ``members`` are the other event mentions of the chain, or further mentions as evidence.
    ``place`` (``document/tokens``) is where a mention may be missing, instead of mentions.
    ``evidence``: the chain is not in question, a correction names it.
    """

    mentions: Texts
    chain: str
    descriptor: str = ""
    members: Texts = ()
    place: str = ""
    evidence: bool = False
    sparse = ("place", "evidence")


def missing(sides: Sequence[CaseSide]) -> str:
    """Return the kind of a missing link of these sides."""
    asked = (bool(side.members) for side in sides if not side.evidence)
    return f"{MISSING}-{_SIZES[min(2, sum(asked))]}"


class Fix(_Noun):
    """A possible correction: a key of ``FIXES``, a sentence for the annotator, what it claims.

    ``tied``: another correction is equally probable, so the annotator must choose one of them.
    ``none`` claims nothing: the case is an error, and the key is not corrected.
    """

    fix: Annotated[str, one_of(FIXES)]
    text: str
    claims: Claims
    tied: bool = False
    sparse = ("tied",)


class Case(_Noun):
    """A suspected error and the evidence for it.

    ``score`` is the probability of an error, None where no probabilities were fitted; ``rank`` the
    place in the whole list, from 1 (0: in none); ``fixes`` are the corrections that may be right,
    the best first; ``reviewed`` is whether each mention, or a member of its chain, is in a reviewed
    sentence (None: the corpus has no list of these); ``detectors`` maps each detector that flagged
    the case to its score; ``reasons`` are sentences. Cases with one ``group``, the id of the first
    of them, are about copies of the same sentences, and are read together.
    """

    sparse = ("group",)
    kind: Kind
    group: str = ""
    rank: Annotated[int, Field(ge=0)] = 0
    score: Annotated[float, Field(ge=0, le=1)] | None
    topic: str
    reviewed: bool | None = None
    detectors: dict[str, float]
    reasons: Texts
    sides: Annotated[tuple[CaseSide, ...], Field(strict=False)]
    fixes: Annotated[tuple[Fix, ...], Field(strict=False, min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _leave_out_derived(cls, value: object) -> object:
        """Leave out what a file has besides the fields: the id, and sentences for people."""
        if not isinstance(value, dict):
            return value
        return {name: item for name, item in value.items() if name not in ("case", "sentences")}

    @model_validator(mode="after")
    def _refuse_outside_mentions(self) -> Self:
        on_sides = {id_ for side in self.sides for id_ in (*side.mentions, *side.members)}
        for fix in self.fixes:
            for id_ in (mention for claim in fix.claims for mention in claim.mentions):
                if id_ not in on_sides:
                    raise complaint(f"has the mention '{id_}' in a fix but on no side")
        return self

    @property
    def id(self) -> str:
        """Hash of kind, chains and mentions in question: equal in every run that has the case."""
        named = [side.place for side in self.sides] if self.kind == UNMARKED else ()
        asked = self.questioned
        chains = sorted(filter(None, named)) or sorted(s.chain or s.place for s in asked)
        by_chain = self.kind.startswith(MISSING) or self.kind == CONTRADICTING
        subject = () if by_chain else self.sides[0].mentions
        text = "|".join([self.kind, *chains, *sorted(subject)])
        return sha256(text.encode()).hexdigest()[:_ID]

    @property
    def questioned(self) -> tuple[CaseSide, ...]:
        """The sides in question, without those that are only evidence."""
        return tuple(side for side in self.sides if not side.evidence)

    @property
    def asked(self) -> list[str]:
        """The mentions in question, by side."""
        return [id_ for side in self.questioned for id_ in side.mentions]

    @property
    def mentions(self) -> list[str]:
        """The mentions in question, then those of the sides that are only evidence."""
        return [id_ for side in self.sides for id_ in side.mentions]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object: the id and all fields."""
        return {"case": self.id, **super().to_dict()}
