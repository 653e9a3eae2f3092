"""A suspected annotation error as people judge it: with its place in the list, and corrections.

``to_dict`` is what a file has of it.
"""

from __future__ import annotations

from hashlib import sha256
from string import ascii_uppercase
from typing import Annotated, Self

from pydantic import Field, model_validator

from cdec.auditing.claims import Claim
from cdec.files.models import FileModel, Texts, complaint, one_of
from cdec.records import Row

MISSING = "missing"  # the kind of a case that links chains, without their sizes
SPURIOUS = "spurious-member"  # a mention that may not belong to its chain
TWO_EVENTS = "two-events"  # a chain that may have mentions of two events
CONTRADICTING = "contradicting-members"  # a chain with event and argument tags
NO_EVENT = "no-event"  # a mention that may not be an event
COPIES_DIFFER = (
    "copies-differ"  # copies of a sentence in which a mention, span or tag differs
)
UNMARKED = "unmarked-mention"  # a word that may lack its mention
WORDS = {  # of a kind, for people; the first three are the kinds of a missing link, by its chains
    f"{MISSING}-singleton-singleton": "singletons not linked",
    f"{MISSING}-singleton-cluster": "singleton not in a chain",
    f"{MISSING}-cluster-cluster": "two chains of one event",
    SPURIOUS: "mention in the wrong chain",
    TWO_EVENTS: "chain of two events",
    CONTRADICTING: "event tagged as an argument",
    NO_EVENT: "mention that is no event",
    COPIES_DIFFER: "copies annotated differently",
    UNMARKED: "mention not marked",
}
KINDS = tuple(WORDS)
# Chains become one; a mention changes its chain; two mentions form a chain; a chain becomes two; a
# mention is a singleton, is no event, gets another span or tag, is added; no correction is right.
FIXES = (
    "merge",
    "move",
    "pair",
    "split",
    "singleton",
    "remove",
    "span",
    "tag",
    "add",
    "none",
)
Claims = Annotated[tuple[Claim, ...], Field(strict=False)]
Kind = Annotated[str, one_of(KINDS)]


def letter_of(position: int) -> str:
    """Return the letter by which people name a side of a case, by its position from 0."""
    return ascii_uppercase[position % len(ascii_uppercase)]


class CaseSide(FileModel):
    """One side of a case: the mentions in question and their chain.

    ``members`` are the other event mentions of the chain, or further mentions as evidence.
    ``place`` (``document/tokens``) is where a mention may be missing, instead of mentions.
    ``evidence``: the chain is not in question, a correction names it.
    """

    mentions: Texts
    chain: str
    descriptor: str
    members: Texts
    place: str = ""
    evidence: bool = False

    @classmethod
    def missing_at(cls, place: str) -> Self:
        """Return the side of a mention that may be missing."""
        return cls(mentions=(), chain="", descriptor="", members=(), place=place)


class Fix(FileModel):
    """A possible correction: a key of ``FIXES``, a sentence for the annotator, what it claims.

    ``tied``: another correction is equally probable, so the annotator must choose one of them.
    ``none`` claims nothing: the case is an error, and the key is not corrected.
    """

    fix: Annotated[str, one_of(FIXES)]
    text: str
    claims: Claims
    tied: bool = False


class Case(FileModel):
    """A suspected error and the evidence for it.

    ``score`` is the probability of an error, None where no probabilities were fitted; ``rank`` the
    place in the whole list, from 1; ``fixes`` are the corrections that may be right, the best
    first; ``reviewed`` is whether each mention, or a member of its chain, is in a reviewed sentence
    (None: the corpus has no list of these); ``detectors`` maps each detector that flagged the case
    to its score; ``reasons`` are sentences. Cases with one ``group``, the id of the first of them,
    are about copies of the same sentences, and are read together.
    """

    kind: Kind
    group: str = ""
    rank: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(ge=0, le=1)] | None
    topic: str
    reviewed: bool | None
    detectors: dict[str, float]
    reasons: Texts
    sides: Annotated[tuple[CaseSide, ...], Field(strict=False)]
    fixes: Annotated[tuple[Fix, ...], Field(strict=False, min_length=1)]

    @model_validator(mode="after")
    def _refuse_outside_mentions(self) -> Self:
        on_sides = {
            id_ for side in self.sides for id_ in (*side.mentions, *side.members)
        }
        claims = (claim for fix in self.fixes for claim in fix.claims)
        for id_ in (mention for claim in claims for mention in claim.mentions):
            if id_ not in on_sides:
                raise complaint(f"has the mention '{id_}' in a fix but on no side")
        return self

    @property
    def id(self) -> str:
        """Hash of kind, chains and mentions in question: equal in every run that has the case."""
        named = [side.place for side in self.sides] if self.kind == UNMARKED else ()
        chains = sorted(filter(None, named)) or sorted(
            s.chain or s.place for s in self.questioned
        )
        by_chain = self.kind.startswith(MISSING) or self.kind == CONTRADICTING
        subject = () if by_chain else self.sides[0].mentions
        return sha256(
            "|".join([self.kind, *chains, *sorted(subject)]).encode()
        ).hexdigest()[:10]

    @property
    def group_id(self) -> str:
        """The group of the case, or its own id."""
        return self.group or self.id

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

    def to_dict(self) -> Row:
        """Return the JSON object: the id and all fields, but those with their usual value."""
        return {"case": self.id, **self.model_dump(mode="json", exclude_defaults=True)}
