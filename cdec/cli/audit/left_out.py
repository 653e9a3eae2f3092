"""Notices on decisions that have no effect on the corrected key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cdec.errors import counted
from cdec.notices import Notice, notice

if TYPE_CHECKING:
    from cdec.audit.review.conflicts import Conflict
    from cdec.audit.review.decisions import Decision, Review
    from cdec.audit.review.effects import Known


def left_out(
    reviews: Sequence[Review], disputed: Sequence[str], skipped: Sequence[str] = ()
) -> Iterator[Notice]:
    """Yield a notice on files without decisions, on conflicting and on disputed cases."""
    empty = [review.reviewer for review in reviews if not review.decisions]
    if empty:
        message = f"{counted(len(empty), 'file has', 'files have')} no decisions"
        yield notice("decisions-empty", message, empty)
    if skipped:
        message = f"{counted(len(skipped), 'case')} with conflicting corrections left out"
        yield notice("case-conflicting", message, skipped)
    if disputed:
        message = f"{counted(len(disputed), 'disputed case')} left out"
        yield notice("case-disputed", message, disputed)


def each(conflicts: Sequence[Conflict]) -> Iterator[Notice]:
    """Yield a notice on each conflict."""
    for conflict in conflicts:
        yield Notice("case-conflicting", len(conflict.cases), conflict.text)


def indirect(decisions: Sequence[Decision], known: Known) -> Iterator[Notice]:
    """Yield a notice on mentions of one sentence in one chain, which no decision names."""
    from cdec.audit.review.effects import joined_sentences

    if joined := joined_sentences(decisions, known):
        pairs = counted(len(joined), "pair")
        message = f"{pairs} of mentions of one sentence are in one chain, by no single decision"
        yield notice("sentence-joined", message, [conflict.text for conflict in joined])


def unchecked(mentions: Iterable[str], known: Known) -> Iterator[Notice]:
    """Yield a notice on mentions whose chains or sentences the decisions files do not have."""
    if missing := sorted({*mentions} - (known.chains.keys() & known.sentences.keys())):
        message = (
            f"chain or sentence of {counted(len(missing), 'mention')} unknown: effects that no "
            "decision names (moves undone, large chains fused, mentions of a sentence in one "
            "chain) cannot be found"
        )
        yield notice("moves-unchecked", message, missing)
