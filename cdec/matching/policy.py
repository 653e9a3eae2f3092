"""The policy for irregular response files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cdec.clustering import NOISE
from cdec.errors import one_of

FIRST = "the first occurrence counts, as in the reference scorer"
BY_HEAD = ("head", "partial")
"""Rules for which the key mentions must have heads."""
ALIGNMENTS = ("exact", "head", "partial", "overlap:0.5")
_CHOICES = {
    "missing": (None, "count", "singletons", "drop"),
    "singletons": ("keep", "drop"),
    "zeros": ("linear", "dependent"),
}
# Choices that can move a number → the field of the signature.
SIGNED = {
    "alignment": "match",
    "missing": "missing",
    "noise": "noise",
    "singletons": "own_singletons",
    "zeros": "zeros",
}


class Rule(NamedTuple):
    """How mentions of key and response are aligned: the kind, and the threshold of ``overlap``."""

    kind: str
    threshold: float = 0.0


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``allow_empty``: accept a response without any mention of the key;
    * ``missing``: for key mentions that are missing from the response. ``count``: they are not
      found; ``singletons``: each is a singleton of the response; ``drop``: they leave the key.
      None: they count as not found, and responses with different documents are not compared;
    * ``noise`` (a key of NOISE): for mentions whose label means no chain, see ``cdec.clustering``;
    * ``singletons``: ``keep``, or, for two files, ``drop``: each side drops its own before mentions
      are aligned;
    * ``alignment`` (exact, head, partial or overlap:X with 0 < X ≤ 1): how response mentions are
      aligned with key mentions, see ``rule``;
    * ``zeros`` of two CoNLL-U files: aligned by their place among the words (``linear``) or first
      by their parents (``dependent``);
    * ``nlp``: the language pipeline that finds heads in a corpus.

    Raises UnknownNameError for an unknown value.

    >>> FilePolicy(alignment="overlap:0.5").rule
    Rule(kind='overlap', threshold=0.5)
    """

    allow_empty: bool = False
    missing: str | None = None
    noise: str | None = None
    alignment: str = "exact"
    singletons: str = "keep"
    zeros: str = "linear"
    nlp: str = "hanta"

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                one_of("policy", value, [one for one in known if one])
        if self.noise is not None:
            one_of("noise treatment", self.noise, NOISE)
        if self.alignment != "exact":
            _ = self.rule

    @cached_property
    def rule(self) -> Rule:
        """The rule of ``alignment``."""
        kind, _, share = str(self.alignment).partition(":")
        if kind == "overlap" and share.replace(".", "", 1).isdecimal() and 0 < float(share) <= 1:
            return Rule(kind, float(share))
        return Rule(one_of("alignment", self.alignment, ALIGNMENTS))


DEFAULT_POLICY = FilePolicy()
