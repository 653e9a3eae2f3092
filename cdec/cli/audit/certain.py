"""``cdec audit certain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option


@grouped
def certain(
    *,
    output: Annotated[
        Path,
        file_option("File to write the patch to, as JSON.", "FILE.json", "a patch", ".json"),
    ] = Path("patch.json"),
    nlp: NlpOption = "hanta",
    corpus: CorpusOptions,
    screen: ScreenOptions,
) -> None:
    """Write a patch of the corrections that need no reviewer: identical sentences.

    Mentions at the same place of identical sentences that are not linked. One rule
    chooses the correction, another must confirm it.

    \b
    # The patch
    cdec audit certain -o patch.json
    # For another corpus
    cdec audit certain --corpus sample -o sample-patch.json
    # The scores against the corrected key
    cdec eval --setting pure --key-patch patch.json
    """
    from cdec.audit.patches.certain import certain_patch
    from cdec.io.output import save

    result = certain_patch(Run(corpus, screen).whole, screen.bar, nlp)
    save([result.patch.to_json()], output)
    counts = ", ".join(f"{number} {name}" for name, number in result.counts.items())
    screen.say(f"{counts}; patch written to {output} (digest {result.patch.digest[:12]})")
