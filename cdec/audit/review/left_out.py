"""The patch of decisions, and notices on decisions that have no effect on the corrected key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from cdec.audit.patches.model import Patch
from cdec.audit.review.conflicts import Conflict, conflicts
from cdec.audit.review.decisions import Decision, Review, settled
from cdec.audit.review.effects import Known, joined_sentences
from cdec.audit.review.verdicts import make_patch
from cdec.errors import counted
from cdec.notices import Notice, notice


def patch_of(
    reviews: Sequence[Review],
    known: Known,
    notify: Callable[[Iterable[Notice]], object],
    *,
    skip: bool,
) -> Patch:
    """Return the patch of the majority of the reviews; ``notify`` gets what is left out of it.

    ``skip``: leave out corrections that exclude each other; otherwise they are an error, see
    ``make_patch``, and ``notify`` gets each of them before.
    """
    decided, disputed = settled(reviews)
    if not skip and len(found := conflicts(decided, known.chains)) > 1:
        notify(each(found))  # the message of the error may be too short for all of them
    patch, skipped = make_patch(decided, reviews, skip=skip, chains=known.chains)
    notify(left_out(reviews, disputed, skipped))
    notify(indirect([d for d in decided if d.case not in skipped], known))
    return patch


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
