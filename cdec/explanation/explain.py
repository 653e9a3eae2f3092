"""An answer under a setting and a metric → the contributions of some chains, and of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cdec.evaluation.response import SystemRun
from cdec.explanation.contribution import Contribution, Share
from cdec.explanation.rules import RULES
from cdec.explanation.selection import Selection, select
from cdec.explanation.sheet import Chain, Sheet
from cdec.metadocument import SIDES, Side
from cdec.metrics import Counts, Value, derive, required
from cdec.settings import Setting


@dataclass(frozen=True, eq=False)
class Explanation:
    """What ``chosen`` chains bring to ``metric``, and what all chains bring.

    ``parts`` are the metrics that are counted: ``metric`` itself, or those that it is the mean
    of. ``chosen`` are the chains that ``choice`` means.
    """

    answer: SystemRun
    setting: Setting
    metric: str
    parts: tuple[str, ...]
    sheet: Sheet
    choice: Selection
    chosen: tuple[Chain, ...]

    def of(self, part: str, chain: Chain) -> Contribution:
        """Return what ``chain`` brings to the metric ``part``."""
        return RULES[part](chain, self.sheet)

    def brought(self, part: str, side: Side) -> Share:
        """Return the sum over the chosen chains of ``side``."""
        return Share.sum(self.of(part, chain).share for chain in self.chosen if chain.side == side)

    @cached_property
    def totals(self) -> dict[tuple[str, Side], Share]:
        """(metric, side) → the sum over all chains of the side."""
        return {(part, side): self._total(part, side) for part in self.parts for side in SIDES}

    @cached_property
    def counts(self) -> dict[str, Counts]:
        """The sums over all chains as counts of each metric."""
        return {part: counts_of(*self._sides(part)) for part in self.parts}

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Metric → precision, recall and F1, of ``metric`` and of what it is the mean of."""
        return derive(self.counts)

    def left_out(self, chain: Chain) -> int:
        """Return how many mentions the answer has under this label that ``chain`` has not.

        Where labels are local to a document this has no meaning, and 0 is returned.
        """
        if self.setting.scope == "document":
            return 0
        side = self.answer.key if chain.side == "key" else self.answer.response
        return int((side.labels.astype(str) == chain.label).sum()) - chain.size

    @cached_property
    def is_part_of_many(self) -> bool:
        """Whether the chosen chains are those of one meta-document of several."""
        same = [
            c for c in (*self.sheet.key, *self.sheet.response) if c.meta == self.choice.document
        ]
        return len(self.sheet.metas) > 1 and set(same) == set(self.chosen)

    def _sides(self, part: str) -> tuple[Share, Share]:
        return self.totals[part, "key"], self.totals[part, "response"]

    def _total(self, part: str, side: Side) -> Share:
        return Share.sum(self.of(part, chain).share for chain in self.sheet.chains(side))


def explain(
    answer: SystemRun,
    setting: Setting,
    metric: str,
    *,
    chain: str | None = None,
    document: str | None = None,
    side: str | None = None,
) -> Explanation:
    """Return the contributions of a chain, or of the chains with a mention in a document.

    ``metric`` is an id of ``cdec.metrics.ALL``; ``side`` restricts to ``key`` or ``response``.
    Raises UnknownNameError and UsageError, see ``select``.
    """
    parts = tuple(required([metric]))
    sheet = Sheet.from_meta_documents(answer.meta_documents(setting))
    choice = Selection(chain, document, side)
    chosen = select(answer, setting, sheet, choice)
    return Explanation(answer, setting, metric, parts, sheet, choice, chosen)


def counts_of(recall: Share, precision: Share) -> Counts:
    """Return the shares of both sides as Counts."""
    return Counts(
        p_num=float(precision.numerator),
        p_den=float(precision.denominator),
        r_num=float(recall.numerator),
        r_den=float(recall.denominator),
    )
