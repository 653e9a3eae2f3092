"""``cdec audit duplicates``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option


@grouped
def duplicates(
    *,
    output: Annotated[
        Path,
        file_option("File to write the patch to, as JSON.", "FILE.json", "a patch", ".json"),
    ] = Path("patch.json"),
    corpus: CorpusOptions,
    screen: ScreenOptions,
) -> None:
    """Write a patch that links the duplicate singletons: no reviewer decides.

    Singletons at the same place of identical sentences of two documents, with the
    same words, tag and sub-topic. Mentions that are in a chain are left as they are.

    \b
    # The patch
    cdec audit duplicates -o patch.json
    # For another corpus
    cdec audit duplicates --corpus sample -o sample-patch.json
    # The scores against the corrected key
    cdec eval --setting pure --key-patch patch.json
    """
    from cdec.audit.patches.duplicates import duplicates_patch
    from cdec.io.output import save

    result = duplicates_patch(Run(corpus, screen).whole)
    save([result.patch.to_json()], output)
    counts = ", ".join(f"{number} {name}" for name, number in result.counts.items())
    screen.say(f"{counts}; patch written to {output} (digest {result.patch.digest[:12]})")
