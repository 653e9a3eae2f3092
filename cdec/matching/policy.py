"""The policy for irregular response files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from cdec.clustering import NOISE
from cdec.errors import UsageError, one_of

REPEATED = {
    "first": "the first occurrence counts, as in the reference scorer",
    "error": "this is an error",
    "drop": "no occurrence counts",
}
SINGLETONS = ("keep", "drop")
ALIGNMENTS = ("exact", "head", "partial", "overlap:0.5")
_CHOICES = {
    "repeated": REPEATED,
    "missing": (None, "count", "singletons", "drop"),
    "singletons": SINGLETONS,
    "heads": ("file", "tree"),
    "zeros": ("linear", "dependent"),
}
# Choices that can move a number → the field of the signature.
_SIGNED = {
    "alignment": "match",
    "missing": "missing",
    "noise": "noise",
    "singletons": "own_singletons",
    "zeros": "zeros",
    "upos": "upos",
}


@dataclass(frozen=True)
class Rule:
    """How mentions of key and response are aligned: the kind, and the threshold of ``overlap``.

    >>> Rule.parse("overlap:0.5")
    Rule(kind='overlap', threshold=0.5)
    """

    kind: str
    threshold: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Return the rule ``exact``, ``head``, ``partial`` or ``overlap:X`` with 0 < X ≤ 1.

        Raises UnknownNameError for another text.
        """
        kind, colon, share = text.partition(":")
        if kind == "overlap" and colon:
            if re.fullmatch(r"[0-9]*\.?[0-9]+", share) and 0 < float(share) <= 1:
                return cls(kind, float(share))
            message = f"the share in '{text:.40}' is not a number above 0 and at most 1"
            raise UsageError("name-unknown", message, hint="as in overlap:0.5")
        return cls(one_of("alignment", text, ALIGNMENTS))

    @property
    def needs_heads(self) -> bool:
        """Whether the key mentions must have heads."""
        return self.kind in ("head", "partial")


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``repeated`` (first, error or drop): for a mention that occurs more than once;
    * ``allow_empty``: accept a response without any mention of the key;
    * ``missing``: for key mentions that are missing from the response. ``count``: they are not
      found; ``singletons``: each is a singleton of the response; ``drop``: they leave the key.
      None: they count as not found, and responses with different documents are not compared;
    * ``noise`` (a key of NOISE): for mentions whose label means no chain, see ``cdec.clustering``;
    * ``singletons``: ``keep``, or, for two files, ``drop``: each side drops its own before mentions
      are aligned;
    * ``alignment`` (exact, head, partial or overlap:X): how response mentions are aligned with key
      mentions, see ``cdec.matching.align``;
    * for two CoNLL-U files: ``heads``, those that the ``file`` gives or those of the ``tree``;
      ``zeros``, aligned by their place among the words (``linear``) or first by their parents
      (``dependent``); ``upos``: score only entities with a mention whose head has this tag;
    * ``nlp``: the language pipeline that finds heads in a corpus.

    ``rule`` is that of ``alignment``.

    Raises UnknownNameError for an unknown value.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False
    missing: str | None = None
    noise: str | None = None
    alignment: str = "exact"
    singletons: str = "keep"
    heads: str = "file"
    zeros: str = "linear"
    nlp: str = "hanta"
    upos: str = ""
    rule: Rule = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                one_of("policy", value, [one for one in known if one])
        object.__setattr__(self, "rule", Rule.parse(self.alignment))
        if self.noise is not None:
            one_of("noise treatment", self.noise, NOISE)

    @property
    def signed(self) -> dict[str, str]:
        """The choices that differ from the default, as fields of a signature."""
        chosen = {name: getattr(self, name) for name in _SIGNED}
        return {
            _SIGNED[name]: value
            for name, value in chosen.items()
            if value not in (getattr(FilePolicy, name), "count")  # missing=count is the default
        }


def policy_of(value: object, noise: str | None) -> FilePolicy:
    """Return the policy with this treatment of noise. Raises UsageError for another value."""
    if not isinstance(value, FilePolicy):
        message = f"expected a FilePolicy, got {type(value).__name__}"
        raise UsageError("argument-invalid", message, hint='use cdec.FilePolicy(missing="drop")')
    return value if noise is None else replace(value, noise=noise)


DEFAULT_POLICY = FilePolicy()
