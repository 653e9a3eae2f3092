"""``cdec audit apply``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cdec.cli.audit.options import DecisionsArgument
from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option
from cdec.errors import counted
from cdec.notices import notice


@grouped
def apply(
    decisions: DecisionsArgument,
    *,
    output: Annotated[
        Path,
        file_option("File to write the patch to, as JSON.", "FILE.json", "a patch", ".json"),
    ] = Path("patch.json"),
    screen: ScreenOptions,
) -> None:
    """Write a patch of the key from decisions: chains to merge and mentions to move.

    The corpus itself is never changed. With several reviewers, the majority of
    "error" and "not an error" decides; ties are left out and listed.

    \b
    # One reviewer, then the scores against the corrected key
    cdec audit apply decisions.json -o patch.json
    cdec eval --setting pure --key-patch patch.json
    # Two reviewers
    cdec audit apply ann.json bob.json -o patch.json
    """
    from cdec.audit.review.decisions import read_reviews, settled
    from cdec.audit.review.verdicts import make_patch
    from cdec.io.output import save

    reviews = read_reviews(decisions)
    decided, disputed = settled(reviews)
    patch = make_patch(decided, reviews)
    save([patch.to_json()], output)
    if disputed:
        message = f"{counted(len(disputed), 'disputed case')} left out"
        screen.notify([notice("case-disputed", message, disputed)])
    counts = f"{counted(len(patch.merge), 'merge')} and {counted(len(patch.move), 'move')}"
    screen.say(f"{counts} written to {output} (digest {patch.digest[:12]})")
