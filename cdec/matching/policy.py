"""The policy for irregular response files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from cdec.errors import UnknownNameError, UsageError, one_of
from cdec.labels import noise_word

REPEATED = {
    "first": "the first occurrence counts, as in the reference scorer",
    "error": "this is an error",
    "drop": "no occurrence counts",
}
MISSING = {
    "count": "the key mention is not found",
    "singletons": "it is a singleton of the response",
    "drop": "it is removed from the key",
}
SINGLETONS = {
    "keep": "they are scored",
    "drop": "each side drops its own before mentions are aligned",
}
HEADS = {
    "file": "the heads that the file gives, else those of the tree",
    "tree": "the heads of the tree",
}
ZEROS = {
    "linear": "a zero is aligned by its place among the words",
    "dependent": "a zero is first aligned by its parents and relations",
}
ALIGNMENTS = {
    "exact": "mentions are the same if document and tokens are the same; without lists of tokens, "
    "first and last token",
    "head": "the two spans have the same head",
    "partial": "the response span lies inside the key span and has its head",
    "overlap:0.5": "the spans share at least this part of all their tokens",
}
_CHOICES = {
    "repeated": REPEATED,
    "missing": MISSING,
    "singletons": SINGLETONS,
    "heads": HEADS,
    "zeros": ZEROS,
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
        share = re.fullmatch(r"overlap:([0-9]*\.?[0-9]+)", text)
        if share and 0 < float(share[1]) <= 1:
            return cls("overlap", float(share[1]))
        if text.startswith("overlap:"):
            message = f"the share in '{text:.40}' is not a number above 0 and at most 1"
            raise UsageError("name-unknown", message, hint="as in overlap:0.5")
        if text not in ALIGNMENTS:
            raise UnknownNameError("alignment", text, ALIGNMENTS)
        return cls(text)

    @property
    def needs_heads(self) -> bool:
        """Whether the key mentions must have heads."""
        return self.kind in ("head", "partial")


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``repeated`` (a key of REPEATED): for a mention that occurs more than once;
    * ``allow_empty``: accept a response without any mention of the key;
    * ``missing`` (a key of MISSING): for key mentions that are missing from the response. None:
      they count as not found, and responses with different documents are not compared;
    * ``noise`` (a key of NOISE): for mentions whose label means no chain, see ``cdec.labels``;
    * ``singletons`` (a key of SINGLETONS): whether each side keeps its own, for two files;
    * ``alignment`` (exact, head, partial or overlap:X): how response mentions are aligned with key
      mentions, see ``cdec.matching.align``;
    * ``heads`` (a key of HEADS) and ``zeros`` (a key of ZEROS): for two CoNLL-U files;
    * ``upos``: score only entities with a mention whose head has this tag, for two CoNLL-U files;
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
            if name != "missing" or self.missing is not None:
                one_of("policy", getattr(self, name), known)
        object.__setattr__(self, "rule", Rule.parse(self.alignment))
        object.__setattr__(self, "noise", noise_word(self.noise))

    @property
    def signed(self) -> dict[str, str]:
        """The choices that differ from the default, as fields of a signature."""
        chosen = {field: getattr(self, name) for name, field in _SIGNED.items()}
        default = {field: getattr(FilePolicy, name) for name, field in _SIGNED.items()}
        default["missing"] = self.missing if self.missing == "count" else None
        return {field: value for field, value in chosen.items() if value != default[field]}


def policy_of(value: object, noise: object) -> FilePolicy:
    """Return the policy with this treatment of noise. Raises UsageError for another value."""
    if not isinstance(value, FilePolicy):
        message = f"expected a FilePolicy, got {type(value).__name__}"
        raise UsageError("argument-invalid", message, hint='use cdec.FilePolicy(missing="drop")')
    return value if noise is None else replace(value, noise=noise_word(noise))


DEFAULT_POLICY = FilePolicy()
