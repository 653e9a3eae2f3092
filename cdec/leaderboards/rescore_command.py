"""``cdec audit rescore``."""

from __future__ import annotations

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option
from cdec.cli.review import PRODUCT
from cdec.cli.run import Run, command
from cdec.leaderboards.options import BOARD, METRIC, SYSTEMS, TASK, board_to_read, corpora

_CONTRIBUTORS = Option(
    "--contributor",
    "SYSTEM",
    "A system whose answers helped to find the corrections (repeatable): the mean gain of these is "
    "compared with that of the others.",
    many=True,
)


@command(
    o.KEY_PATCH.but(
        words="patch",
        metavar="PATCH",
        help="A patch from `cdec audit apply`, or one of cdec.",
        required=True,
    ),
    TASK.but(help="The task whose systems are scored.", required=False, default="ecb+"),
    SYSTEMS,
    _CONTRIBUTORS,
    PRODUCT,
    o.setting("pure", "By default the strictest, pure"),
    METRIC.but(
        help="The metric that is shown: conll, lea or avg4. JSON and CSV have all; `cdec plugins` "
        "lists them."
    ),
    *BOARD,
    *s.DRAWS,
    *o.WORK,
    *o.REPORT,
)
def rescore(call: Run) -> None:
    """Score all systems of a task against the corrected key: what changes, and what is certain.

    Differences and changes of rank have paired intervals over topics. Corrections
    in reviewed sentences (product A) and all others (product B) are scored
    separately, and so are those that answers of systems helped to find.

    \b
    # All systems of the board of cdec
    cdec audit rescore ecbplus-duplicates
    # Does the key favour the systems that helped to find the corrections?
    cdec audit rescore ecbplus-duplicates --contributor cdec-lemma
    """
    from cdec.auditing.patches.model import read_patch
    from cdec.leaderboards.rescore import Choice, rescored

    named = (call.system or (), tuple(call.setting), call.metric, call.reviewed)
    choice = Choice(*named, call.contributor or (), corpora(call))
    patch, board = read_patch(call.patch), board_to_read(call)
    call.show(rescored(board, call.task, patch, call.plan(), choice, progress=call.bar))
