"""What to do with a response file that does not fit its key in every respect."""

from __future__ import annotations

from dataclasses import dataclass

from cdec.errors import UnknownNameError, one_of

REPEATED = {
    "first": "the first counts, as in the reference scorer",
    "error": "the file is refused",
    "drop": "none of them counts",
}
WORDS = {
    "warn": "the file is scored, with a warning",
    "error": "the file is refused",
    "ignore": "the file is scored",
}
ALIGNMENTS = {"exact": "a mention is the same if document and tokens are"}


@dataclass(frozen=True)
class FilePolicy:
    """What to do with irregular response files.

    ``repeated`` (a key of REPEATED) is for a mention given more than once; ``allow_empty`` accepts
    a response without any mention of the key; ``words`` (a key of WORDS) is for documents of as
    many tokens as in the key but with other words. By default those are a warning where more than
    90 % of all words agree, or more than half and all words of the key's mentions; else an error.
    ``alignment`` (a key of ALIGNMENTS) says which mention of the key a response mention is.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False
    words: str | None = None
    alignment: str = "exact"

    def __post_init__(self) -> None:
        """Raise UnknownNameError for a value that is none of those named."""
        one_of("policy for repeated mentions", self.repeated, REPEATED)
        if self.words is not None and self.words not in WORDS:
            raise UnknownNameError("policy for words that differ", self.words, WORDS)
        one_of("alignment", self.alignment, ALIGNMENTS)


DEFAULT_POLICY = FilePolicy()
