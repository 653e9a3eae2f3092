"""``cdec audit apply``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cdec.cli.audit.options import DecisionsArgument
from cdec.cli.groups import grouped
from cdec.cli.screen import QuietOptions
from cdec.cli.targets import file_option
from cdec.errors import counted


@grouped
def apply(
    decisions: DecisionsArgument,
    *,
    output: Annotated[
        Path,
        file_option("The patch to write, as JSON.", "PATCH", "a patch", ".json"),
    ] = Path("patch.json"),
    screen: QuietOptions,
) -> None:
    """Make a patch of the key from decisions: which chains to merge, which mentions to move.

    The corpus is never changed. Of several reviewers the majority of *error* and *not an error*
    decides; cases with as many of both are left out and named.

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
    made, disputed = settled(reviews)
    patch = make_patch(made, reviews)
    save([patch.to_json()], output)
    if disputed:
        screen.say(f"{counted(len(disputed), 'disputed case')} left out: {', '.join(disputed)}")
    counts = f"{counted(len(patch.merge), 'merge')} and {counted(len(patch.move), 'move')}"
    screen.say(f"{counts} written to {output} (digest {patch.digest[:12]})")
