"""``cdec audit apply``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cdec.cli.audit.left_out import each, indirect, left_out, unchecked
from cdec.cli.audit.options import DecisionsArgument, SkipOption
from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.audit.patches.model import Patch


@grouped
def apply(
    decisions: DecisionsArgument,
    *,
    output: Annotated[
        Path,
        file_option("File to write the patch to, as JSON.", "FILE.json", "a patch", ".json"),
    ] = Path("patch.json"),
    skip_conflicts: SkipOption = False,
    screen: ScreenOptions,
) -> None:
    """Write a patch of the key from decisions: chains to merge and mentions to move.

    The corpus itself is never changed. With several reviewers, the majority of
    "error" and "not an error" decides, then that of the corrections; ties are
    left out and listed. Corrections that exclude each other, or fuse two chains
    of three or more mentions through others, are an error that names all of
    them, or left out with --skip-conflicts.

    \b
    # One reviewer, then the scores against the corrected key
    cdec audit apply decisions.json -o patch.json
    cdec eval --setting pure --key-patch patch.json
    # Two reviewers
    cdec audit apply ann.json bob.json -o patch.json
    """
    from cdec.audit.review.conflicts import conflicts
    from cdec.audit.review.decisions import read_reviews, settled
    from cdec.audit.review.effects import Known
    from cdec.audit.review.verdicts import make_patch
    from cdec.io.output import save

    decided, disputed = settled(reviews := read_reviews(decisions))
    known = Known.of_reviews(reviews)
    if not skip_conflicts and len(found := conflicts(decided, known.chains)) > 1:
        screen.notify(each(found))  # the message of the error may be too short for all of them
    patch, skipped = make_patch(decided, reviews, skip=skip_conflicts, chains=known.chains)
    screen.notify(left_out(reviews, disputed, skipped))
    screen.notify(indirect([d for d in decided if d.case not in skipped], known))
    screen.notify(unchecked(patch.mentions, known))
    save([patch.to_json()], output)
    screen.say(f"{_counts(patch)} written to {output} (digest {patch.digest[:12]})")


def _counts(patch: Patch) -> str:
    chains = f"{counted(len(patch.merge), 'merge')}, {counted(len(patch.move), 'move')}"
    return f"{chains} and {counted(patch.edits, 'change')} of mentions"
