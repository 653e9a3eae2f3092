"""The question about each kind of case, which is never negated, and its answers."""

from __future__ import annotations

from typing import NamedTuple

from cdec.auditing.case import (
    CONTRADICTING,
    COPIES_DIFFER,
    NO_EVENT,
    SPURIOUS,
    TWO_EVENTS,
    UNMARKED,
)

ERROR = "error"
FINE = "not-error"
UNSURE = "unsure"
VERDICTS = (ERROR, FINE, UNSURE)
REASONS = {  # why a case is not an error: code → words
    "different-event": "different event",
    "different-circumstances": "different participants, place or time",
    "general": "general or hypothetical",
    "part": "part of a larger event",
    "right-chain": "mention in its right chain",
    "rule": "annotation rule",
    "other": "other",
}


class Question(NamedTuple):
    """A question, and the verdict that its first answer is."""

    text: str
    yes: str

    @property
    def verdicts(self) -> dict[str, str]:
        """The answers, yes, no and neither: verdict → words."""
        yes_word, no_word = "Yes", "No"
        if self.text.lower().endswith("same event?"):
            yes_word, no_word = "Same", "Different"
        no = FINE if self.yes == ERROR else ERROR
        return {self.yes: yes_word, no: no_word, UNSURE: "not sure"}


QUESTIONS = {
    "missing-singleton-singleton": Question("Same event?", ERROR),
    "missing-singleton-cluster": Question("Same event?", ERROR),
    "missing-cluster-cluster": Question("A and B: same event?", ERROR),
    SPURIOUS: Question("A and its chain (B): same event?", FINE),
    TWO_EVENTS: Question("A and B: same event?", FINE),
    CONTRADICTING: Question("B is no action. Do A and B belong to one chain?", FINE),
    NO_EVENT: Question("Is this an event?", FINE),
    COPIES_DIFFER: Question(
        "The sentences are identical. Are all annotated rightly?", FINE
    ),
    UNMARKED: Question("Is A an event, without its mention?", ERROR),
}
