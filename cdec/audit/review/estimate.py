"""Errors in the whole key, extrapolated from a reviewed random sample of the short-list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cdec.audit.review.decisions import ERROR, FINE, Review, settled
from cdec.audit.review.sample import UNLISTED
from cdec.errors import UsageError

_NORMAL = 1.96  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """Errors in a stratum: ``errors`` of ``judged`` sampled cases, out of ``cases``."""

    name: str
    cases: int
    judged: int
    errors: int

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of errors with its 95 % Wilson interval; (0, 0, 1) without verdicts."""
        if not self.judged:
            return 0.0, 0.0, 1.0
        p, z = self.errors / self.judged, _NORMAL**2 / self.judged
        middle = (p + z / 2) / (1 + z)
        half = _NORMAL * (p * (1 - p) / self.judged + z / (4 * self.judged)) ** 0.5 / (1 + z)
        return p, max(0.0, middle - half), min(1.0, middle + half)


def estimated(reviews: Sequence[Review]) -> tuple[Estimate, ...]:
    """Return the estimate of each stratum of the sample; empty if the list was not a sample.

    The majority decides; cases that are unsure or tied count as not judged. Raises UsageError for
    decisions on different samples.
    """
    sample = _sample(reviews)
    if sample is None:
        return ()
    verdicts = {decision.case: decision.verdict for decision in settled(reviews)[0]}
    rows = []
    for stratum in sample["strata"]:
        known = [verdicts[case] for case in stratum["drawn"] if case in verdicts]
        judged = [verdict for verdict in known if verdict in (ERROR, FINE)]
        counts = (len(judged), judged.count(ERROR))
        rows.append(Estimate(str(stratum["name"]), int(stratum["cases"]), *counts))
    return tuple(rows)


def _sample(reviews: Sequence[Review]) -> dict[str, Any] | None:
    """Return the sample that reviewers judged; None if nobody judged one."""
    samples = [sample for r in reviews if isinstance(sample := r.about.get("sample"), dict)]
    if any(sample != samples[0] for sample in samples):
        raise UsageError(
            "samples-mixed",
            "the decisions files are about different samples of a list",
            hint="report the decisions on each sample separately",
        )
    return samples[0] if samples else None


def estimate_notes(rows: Sequence[Estimate]) -> Iterator[str]:
    """Yield sentences: the estimate of each stratum, of the list, and of what it misses."""
    listed = [row for row in rows if row.name != UNLISTED]
    for row in rows:
        p, low, high = (value * row.cases for value in row.share)
        yield (
            f"{row.name}: {row.errors} errors of {row.judged} judged; of {row.cases:,} cases "
            f"{p:,.0f} (95 % interval {low:,.0f}–{high:,.0f})"
        )
    if not listed:
        return
    total = sum(row.share[0] * row.cases for row in listed)
    # Half-widths of independent strata add in squares.
    lower, upper = (
        sum(((row.share[0] - row.share[end]) * row.cases) ** 2 for row in listed) ** 0.5
        for end in (1, 2)
    )
    interval = f"{total - lower:,.0f}–{total + upper:,.0f}"
    yield f"errors in the list: {total:,.0f} (95 % interval {interval})"
    missed = next((row for row in rows if row.name == UNLISTED), None)
    if missed is not None:
        p, low, high = (value * missed.cases for value in missed.share)
        yield f"missing links that the list does not have: {p:,.0f} ({low:,.0f}–{high:,.0f})"
