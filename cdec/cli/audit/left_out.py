"""Notices on decisions that have no effect on the corrected key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cdec.errors import counted
from cdec.notices import Notice, notice

if TYPE_CHECKING:
    from cdec.audit.review.conflicts import Conflict
    from cdec.audit.review.decisions import Review


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


def unchecked(moved: Sequence[str]) -> Iterator[Notice]:
    """Yield a notice on moved mentions whose chains the decisions files do not have."""
    if moved:
        message = (
            f"the chains of {counted(len(moved), 'moved mention')} are unknown: merges that undo "
            "these moves are found only when the patch is used"
        )
        yield notice("moves-unchecked", message, moved)
