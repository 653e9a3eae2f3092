"""``cdec predict``, for a corpus or for plain texts."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import values
from cdec.cli.completion import listed
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.system import System

_RUN_ON_TEXTS = added("run on texts").get("text")
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
    *((o.TEXT, o.DETECTOR, o.REPORTING) if _RUN_ON_TEXTS else ()),
    *o.SCORED_PART,
    *o.WORK,
    _PAIRS_OUT,
    *o.ANNOTATION,
    endings={".html": "html"} if _RUN_ON_TEXTS else {},
)
def predict(call: Run) -> None:
    """Write the response of a baseline: its chains of the event mentions of the corpus.

    With --text, the mentions and chains of your own texts: an .html file is a
    page to read; .jsonl, .csv, .tsv and .json files have the text and character
    offsets of each mention. With --verbose, sac also reports its candidate pairs
    and the gold links among them.

    \b
    # A response file for cdec eval and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    # Scores of mention pairs, for cdec pairs
    cdec predict --system sac --split dev --pairs-out scores.csv
    # Event mentions and chains in a folder of plain text files
    cdec predict --text news -o chains.html
    """
    if not call.text:
        _refuse_options_of_texts(call)
    if call.pairs_out:
        call.refuse(["text", "output", "to"], "--pairs-out")
    run = call
    if call.text and _RUN_ON_TEXTS:
        run = imported(_RUN_ON_TEXTS)(call.context, call.options, call.values, call.endings)
    named = [call.system] if call.system else [config.system for config in call.configs()]
    (chosen,) = run.ready((named or [run.usual_system])[:1])
    if call.verbose and hasattr(chosen, "remark"):
        call.say(f"{chosen.name}: {chosen.remark(run.part)}")
    if call.pairs_out:
        return _write_pairs(run, chosen)
    return run.write(run.annotation(chosen))


def _refuse_options_of_texts(call: Run) -> None:
    call.require(["detector"], "--text", "with a corpus, use --mentions predicted:NAME")
    call.require(["reporting"], "--text")
    if call.file_format == "html":
        message, hint = "a page of chains requires --text", "choose .conll or .jsonl"
        raise UsageError("option-requires", message, place=call.output, hint=hint)


def _write_pairs(run: Run, system: System) -> None:
    from cdec.evaluation.run import pair_scores

    columns = ["a", "b", "score"]
    blocks = pair_scores(system, run.part)
    lines = (block.to_csv(columns=columns, index=False, header=False) for block in blocks)
    header = ",".join(columns) + "\n"
    run.save_text(chain([header], lines), run.pairs_out, f"pair scores written to {run.pairs_out}")
