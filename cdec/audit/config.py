"""Every choice of an audit that can move its short-list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cdec.errors import UsageError, one_of

DETECTORS = {
    "duplicate": "the same mention in an identical or nearly identical sentence elsewhere",
    "tags": "an action in the chain of a participant, a place or a time",
    "svm": "pairs that an anchored SVM had to memorise (Goldberg & Elhadad 2007)",
    "companions": "pairs whose sentences have two other pairs that are linked, or nearly",
    "held-out": "pairs that a model trained on the other topics contradicts",
    "review-list": "documents of which the annotators reviewed few sentences",
}


@dataclass(frozen=True)
class AuditConfig:
    """What is compared, and what counts as a find.

    ``similarity``: tf-idf cosine that two documents of a topic need. ``letters``: letter n-gram
    cosine at which heads without a common lemma or word are still compared. ``delta``: |a| from
    which a pair is flagged, 0.95 in Upadhyay et al. (2016). ``cost``: C of the SVM. ``identity``:
    share of tokens in common, from 0 to 1, at which sentences are nearly identical. ``folds``:
    groups of topics of the held-out ranking. Raises UsageError for a number out of its range.

    >>> AuditConfig(detectors=("tags",)).detectors
    ('tags',)
    """

    detectors: tuple[str, ...] = tuple(DETECTORS)
    pipeline: str = "hanta"
    similarity: float = 0.1
    letters: float = 0.5
    delta: float = 0.95
    cost: float = 1e4
    identity: float = 0.8
    folds: int = 5

    def __post_init__(self) -> None:
        for name in self.detectors:
            one_of("detector", name, DETECTORS)
        bounds = {"similarity": 1.0, "letters": 1.0, "delta": 2.0, "identity": 1.0, "cost": 1e9}
        for name, most in bounds.items():
            value = getattr(self, name)
            if not 0 < value <= most:
                raise UsageError(f"{name} is {value}", hint=f"above 0 and at most {most:g}")
        if self.folds < 2:
            raise UsageError(f"folds is {self.folds}", hint="2 or more")

    @property
    def about(self) -> Mapping[str, Any]:
        """The signature's fields."""
        return {name: value for name, value in asdict(self).items() if name != "pipeline"}
