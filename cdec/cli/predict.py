"""``cdec predict``, for a corpus or for plain texts."""

from __future__ import annotations

from cdec.cli import options as o
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

_RUN_ON_TEXTS = added("run on texts").get("text")


@command(
    o.SYSTEM,
    *o.PARAMETERS,
    *((o.TEXT, o.DETECTOR, o.REPORTING) if _RUN_ON_TEXTS else ()),
    *o.SCORED_PART,
    *o.WORK,
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
    # Event mentions and chains in a folder of plain text files
    cdec predict --text news -o chains.html
    """
    if not call.text:
        hint = "with a corpus, use --mentions predicted:NAME"
        call.require(["detector"], "--text", hint)
        call.require(["reporting"], "--text")
        if call.file_format == "html":
            message, hint = "a page of chains requires --text", "choose .conll or .jsonl"
            raise UsageError("option-requires", message, place=call.output, hint=hint)
    run = call
    if call.text and _RUN_ON_TEXTS:
        run = imported(_RUN_ON_TEXTS)(call.context, call.options, call.values, call.endings)
    names = [call.system] if call.system else [config.system for config in call.configs()]
    (chosen,) = run.ready((names or [run.usual_system])[:1])
    if call.verbose and hasattr(chosen, "remark"):
        call.say(f"{chosen.name}: {chosen.remark(run.part)}")
    run.write(run.annotation(chosen))
