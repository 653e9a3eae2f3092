"""``cdec pairs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option
from cdec.cli.run import Run, command

if TYPE_CHECKING:
    from cdec.evaluation.mention_pairs import MentionPairs
    from cdec.pair_scores.clusterings import Linking
    from cdec.settings import Setting

_FILE = Option(
    "file",
    "PAIRS",
    "The pairs: columns a and b (mentions, by ids as in responses or doc/start-end) and, "
    "optionally, score; CSV, TSV, JSON Lines or Parquet.",
    Path,
    required=True,
)
_THRESHOLD = Option(
    "--threshold",
    "T",
    "Link pairs with a score of at least T. Default: 0.5, or 0 for log-odds.",
    float,
)
_CLUSTER = Option(
    "--cluster",
    "CLUSTERING",
    "How linked pairs become chains: closure, average or complete. Default: closure; "
    "with --tune, the best of all.",
)
_TUNE = Option(
    "--tune",
    "DEV.csv",
    "Choose threshold and clustering by the CoNLL F1 of these scored pairs of another part.",
    Path,
)
_TUNED_PART = o.TUNED_PART.but(
    words="--tune-split",
    help="The part that the pairs of --tune are of. Not test. Default: dev of the split of "
    "--split.",
    default=None,
    brief="Default: dev.",
)
_OF_SCORES = ("threshold", "cluster", "ci")


@command(
    _FILE,
    o.DIAGNOSED,
    _THRESHOLD,
    _CLUSTER,
    _TUNE,
    _TUNED_PART,
    o.KEY_PATCH,
    *o.SCORED_PART,
    s.CI,
    *s.INTERVALS,
    *o.WORK,
    *o.REPORT,
)
def pairs(call: Run) -> None:
    """Show what a list of mention pairs covers, and how well their scores link.

    Without scores the list is one of candidates: its coverage of the key, and what decisions on
    these pairs can score.

    \b
    # Scores of a pair classifier on dev
    cdec pairs scores.csv --split cybulska/dev
    # Threshold and clustering chosen on dev
    cdec pairs test.csv --split cybulska/test --tune dev.csv
    # A list of candidates, under all settings
    cdec pairs candidates.csv --split cybulska/test --setting all
    """
    from cdec.pair_scores.clusterings import linking_notices
    from cdec.pair_scores.page import pairs_page
    from cdec.settings.catalog import as_settings

    if call.tune:
        call.refuse(["threshold"], "--tune")
    call.require([] if call.tune else ["tune_split"], "--tune")
    read = _read(call)
    call.require(_OF_SCORES if read.score is None else [], "scores", "add the column score")
    settings = as_settings(call.setting, call.part)
    at, plan = _linking(call, read, settings[0]), call.interval_plan()
    call.notify(linking_notices(read, at, settings))
    call.show(pairs_page(read, settings, at, plan))


def _read(call: Run) -> MentionPairs:
    """Return the pairs of the call, on the part of --split or else on the part that they cover."""
    from cdec.evaluation.mention_pairs import MentionPairs
    from cdec.pair_scores.source import ScoredPairs

    listed = ScoredPairs(call.file.stem, str(call.file))
    call.inputs = {str(call.file): listed}
    read = MentionPairs.of_table(listed.table, call.part)
    call.notify((*(call.part.chosen or ()), *read.notices))
    return read


def _linking(call: Run, read: MentionPairs, setting: Setting) -> Linking:
    """Return where the pairs link, chosen on the pairs of --tune if there are any."""
    from cdec.pair_scores.source import pairs_of
    from cdec.pair_scores.tuning import chosen, linking

    if not call.tune:
        return linking(read, call.threshold, call.cluster)
    home = call.home
    split = call.tune_split or (f"{home}/dev" if home else "dev")
    dev = pairs_of(call.tune, call.but(split=split).part)
    call.notify(dev.notices)
    return chosen(dev, read, split, setting, call.cluster)
