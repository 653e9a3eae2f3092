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
ALIGNMENTS = {"exact": "mentions are the same if document and tokens are the same"}


@dataclass(frozen=True)
class FilePolicy:
    """The policy for irregular response files.

    * ``repeated`` (a key of REPEATED): for a mention that occurs more than once;
    * ``allow_empty``: accept a response without any mention of the key;
    * ``words`` (a key of WORDS): for documents with the same number of tokens but other words than
      the key. None: a warning if more than 90 % of all words agree, or more than half of them and
      all words of the key mentions; else an error;
    * ``alignment`` (a key of ALIGNMENTS): how response mentions are matched with key mentions.

    Raises UnknownNameError for an unknown value.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False
    words: str | None = None
    alignment: str = "exact"

    def __post_init__(self) -> None:
        one_of("policy", self.repeated, REPEATED)
        if self.words is not None and self.words not in WORDS:
            raise UnknownNameError("policy", self.words, WORDS)
        one_of("alignment", self.alignment, ALIGNMENTS)


DEFAULT_POLICY = FilePolicy()
