"""The parameters of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cdec.auditing.detectors import DETECTORS, USUAL
from cdec.auditing.suspect import AnyDetector
from cdec.errors import UsageError, one_of


@dataclass(frozen=True)
class AuditConfig:
    """The detectors to run, and their thresholds.

    ``similarity``: smallest tf-idf cosine of two documents of a topic. ``letters``: smallest letter
    n-gram cosine of two heads that have no lemma or word in common. ``delta``: smallest |a| of a
    flagged pair, 0.95 in Upadhyay et al. (2016). ``identity``: smallest
    share of common tokens, in (0, 1], of nearly identical sentences. ``folds``: number of topic
    folds of the held-out detector. Raises UnknownNameError for an unknown detector,
    UsageError for a number out of its range.

    >>> AuditConfig(detectors=("tags",)).detectors
    ('tags',)
    """

    detectors: tuple[str, ...] = USUAL
    pipeline: str = "hanta"
    similarity: float = 0.1
    letters: float = 0.5
    delta: float = 0.95
    identity: float = 0.8
    folds: int = 5

    def __post_init__(self) -> None:
        for name in self.detectors:
            one_of("detector", name, DETECTORS)
        bounds = {"similarity": 1.0, "letters": 1.0, "delta": 2.0, "identity": 1.0}
        for name, most in bounds.items():
            value = getattr(self, name)
            if not 0 < value <= most:
                hint = f"use a number above 0 and at most {most:g}"
                raise UsageError("argument-invalid", f"{name} is {value}", hint=hint)
        if self.folds < 2:
            message = f"folds is {self.folds}"
            raise UsageError("argument-invalid", message, hint="use 2 or more")

    @property
    def chosen(self) -> list[AnyDetector]:
        """The detectors to run."""
        return [DETECTORS[name] for name in self.detectors]

    @property
    def about(self) -> Mapping[str, Any]:
        """The fields of the signature."""
        fields = {name: value for name, value in asdict(self).items() if name != "pipeline"}
        return {**fields, "detectors": list(self.detectors)}  # a tuple would be several results
