"""``cdec pairs``."""

from __future__ import annotations

from pathlib import Path

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import FormatError

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
_DIRECTIONS = Option(
    "--directions",
    "mean|max|min",
    "How the scores of a pair in both directions are combined.",
    default="mean",
    complete=("mean", "max", "min"),
)


@command(
    _FILE,
    o.DIAGNOSED,
    _THRESHOLD,
    _DIRECTIONS,
    o.KEY_PATCH,
    *o.SCORED_PART,
    s.CI,
    *s.INTERVALS,
    *o.WORK,
    *o.REPORT,
)
def pairs(call: Run) -> None:
    """Show what a list of mention pairs covers, and how well their scores link.

    Without scores the list is one of candidates: its coverage of the key, and the bounds of any
    system that decides on these pairs only.

    \b
    # Scores of a pair classifier on dev
    cdec pairs scores.csv --split cybulska/dev
    # A list of candidates, under all settings
    cdec pairs candidates.csv --split cybulska/test --setting all
    """
    from cdec.evaluation.mention_pairs import MentionPairs
    from cdec.pair_scores.page import pairs_page
    from cdec.settings.catalog import as_settings

    read = MentionPairs.read(str(call.file), call.part, call.directions)
    if read is None:
        message = "the header or first line names no two mentions"
        hint = "write the columns a and b, and score"
        raise FormatError("table-invalid", message, place=call.file, hint=hint)
    call.notify(read.notices)
    settings = as_settings(call.setting, call.part)
    call.show(pairs_page(read, settings, call.threshold, call.interval_plan()))
