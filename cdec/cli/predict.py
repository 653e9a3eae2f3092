"""``cdec predict``."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from cdec.cli import names, values
from cdec.cli import options as o
from cdec.cli.names import listed
from cdec.cli.run import Run, command

if TYPE_CHECKING:
    from cdec.system import System

_PAIRS_OUT = o.TO_FILE.but(
    words="--pairs-out",
    metavar="FILE.csv",
    help="Instead: write the score of each mention pair that the system compares "
    f"({listed(names.LEARNER_IDS)}) to this file, for `cdec pairs`.",
    check=values.file_of("pair scores", ".csv"),
)


@command(
    o.SYSTEM,
    *o.PARAMETERS,
    *o.SCORED_PART,
    *o.WORK,
    _PAIRS_OUT,
    *o.ANNOTATION,
)
def predict(call: Run) -> None:
    """Write the response of a baseline: its chains of the event mentions of the corpus.

    With --verbose, sac also reports its candidate pairs and the gold links among
    them.

    \b
    # A response file for cdec eval and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    # Scores of mention pairs, for cdec pairs
    cdec predict --system sac --split dev --pairs-out scores.csv
    """
    if call.pairs_out:
        call.refuse(["output", "to"], "--pairs-out")
    named = [call.system] if call.system else [config.system for config in call.configs()]
    (chosen,) = call.ready((named or ["lemma"])[:1])
    if call.verbose and hasattr(chosen, "remark"):
        call.say(f"{chosen.name}: {chosen.remark(call.part)}")
    if call.pairs_out:
        return _write_pairs(call, chosen)
    return call.write(call.annotation(chosen))


def _write_pairs(run: Run, system: System) -> None:
    from cdec.evaluation.run import pair_scores

    columns = ["a", "b", "score"]
    blocks = pair_scores(system, run.part)
    lines = (block.to_csv(columns=columns, index=False, header=False) for block in blocks)
    header = ",".join(columns) + "\n"
    run.save_text(chain([header], lines), run.pairs_out, f"pair scores written to {run.pairs_out}")
