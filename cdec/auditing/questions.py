"""What a reader is asked: a question for each kind of case, never one turned round; the answers."""

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

ERROR, FINE, UNSURE = VERDICTS = ("error", "not-error", "unsure")
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

    ask: str
    yes: str

    @property
    def verdicts(self) -> dict[str, str]:
        """The answers, yes, no and neither: verdict → words."""
        same = self.ask.lower().endswith("same event?")
        words = ("Same", "Different") if same else ("Yes", "No")
        no = FINE if self.yes == ERROR else ERROR
        return {self.yes: words[0], no: words[1], UNSURE: "not sure"}


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
