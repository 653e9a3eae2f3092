"""The policy for irregular response files."""

from __future__ import annotations

from dataclasses import dataclass

from cdec.errors import UnknownNameError, one_of

REPEATED = {
    "first": "the first occurrence counts, as in the reference scorer",
    "error": "this is an error",
    "drop": "no occurrence counts",
}
WORDS = {
    "warn": "the file is scored, with a warning",
    "error": "this is an error",
    "ignore": "the file is scored without a warning",
}
OUTSIDE = {
    "drop": "a mention outside the annotated region is left out",
    "keep": "it is wrong; mentions in documents outside the part are left out",
    "error": "this is an error",
}
MISSING = {
    "count": "the key mention is not found",
    "singletons": "it is a singleton of the response",
    "drop": "it is removed from the key",
}
ALIGNMENTS = {"exact": "mentions are the same if document and tokens are the same"}


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``repeated`` (a key of REPEATED): for a mention that occurs more than once;
    * ``allow_empty``: accept a response without any mention of the key;
    * ``words`` (a key of WORDS): for documents with the same number of tokens but other words than
      the key. None: a warning if more than 90 % of all words agree, or more than half of them and
      all words of the key mentions; else an error;
    * ``outside`` (a key of OUTSIDE): for response mentions outside the annotated region of a
      corpus, such as the reviewed sentences, and in documents outside the part;
    * ``missing`` (a key of MISSING): for key mentions that are missing from the response;
    * ``alignment`` (a key of ALIGNMENTS): how response mentions are matched with key mentions.

    Raises UnknownNameError for an unknown value.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False
    words: str | None = None
    outside: str = "drop"
    missing: str = "count"
    alignment: str = "exact"

    def __post_init__(self) -> None:
        one_of("policy", self.repeated, REPEATED)
        if self.words is not None and self.words not in WORDS:
            raise UnknownNameError("policy", self.words, WORDS)
        one_of("policy", self.outside, OUTSIDE)
        one_of("policy", self.missing, MISSING)
        one_of("alignment", self.alignment, ALIGNMENTS)

    @property
    def about(self) -> dict[str, str]:
        """The fields of a signature: the choices that can move a score, if not the default."""
        chosen = {"outside": self.outside, "missing": self.missing}
        return {name: value for name, value in chosen.items() if value != _DEFAULTS[name]}


_DEFAULTS = {"outside": "drop", "missing": "count"}
DEFAULT_POLICY = FilePolicy()
