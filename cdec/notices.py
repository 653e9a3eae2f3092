"""What a reader or the matching wants the user to know, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdec.errors import one_line

KINDS = {
    "argument-mention": "a response mention that the corpus marks as an argument, not an event",
    "document-renamed": "a document matched by its bare name though its folder is another",
    "double-antecedent": "a bracket such as (12+3), which the reference scorer discards",
    "labels-recur": "a chain label that stands in more than one document",
    "length-mismatch": "a document without text has another number of tokens in the other file",
    "little-in-common": "a response has few mentions of the key and many others",
    "lost-id": "a mention given by an id alone, which the other file lacks",
    "mention-in-two-chains": "a response mention that stands in several chains",
    "missing-document": "a key document that the response lacks; it counts as empty",
    "missing-label": "a chain of several mentions whose label reads like a missing value",
    "missing-mention": "a key mention that the response lacks",
    "outside-split": "a document of the corpus that is not in the part under evaluation",
    "repeated-mention": "a response mention that stands several times in one chain",
    "swapped": "key and response look swapped",
    "twinless": "a response mention that the key lacks",
    "unfinished-document": "the last document of a file has no '#end document'",
    "unknown-document": "a response document that the key lacks; it is left out",
    "words-differ": "a word that differs from the key's at the same place",
}
EXAMPLES = 5


@dataclass(frozen=True)
class Notice:
    """One irregularity: ``kind`` is a key of KINDS, ``count`` how often, ``message`` one line.

    ``examples`` are the first few cases (``file:line``, mention or document); ``all_cases`` holds
    every case where a full list can be asked for (``--verbose``). ``warning`` tells what moves
    the numbers or may be a mistake from what is plainly legal.

    >>> print(Notice("twinless", 2, "2 response mentions are not in the key", ("d/3",)))
    2 response mentions are not in the key (such as d/3)
    """

    kind: str
    count: int
    message: str
    examples: tuple[str, ...] = ()
    warning: bool = True
    all_cases: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = f" (such as {', '.join(self.examples)})" if self.examples else ""
        return one_line(f"{self.message}{shown}")


def notice(kind: str, message: str, cases: Sequence[str], *, warning: bool = True) -> Notice:
    """Return the Notice on these cases."""
    return Notice(kind, len(cases), message, tuple(cases[:EXAMPLES]), warning, tuple(cases))
