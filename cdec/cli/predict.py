"""``cdec predict``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.options import PartOptions, SystemOptions, system_option
from cdec.cli.run import Run
from cdec.cli.targets import AnnotationOptions


@grouped
def predict(
    *,
    system: Annotated[
        str | None,
        system_option(
            "The baseline, by id", many=False, after="Default: that of --config, or lemma."
        ),
    ] = None,
    systems: SystemOptions,
    corpus: PartOptions,
    output: AnnotationOptions,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="sac: how many pairs, and which gold links they hold."
        ),
    ] = False,
) -> None:
    """Write a baseline's response: the chains it makes of the event mentions.

    \b
    # A file that cdec eval --response and cdec score read
    cdec predict --system lemma -o lemma.conll
    # Another part, another format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    """
    from cdec.evaluation.run import run as predicted
    from cdec.formats import from_corpus

    run = Run(corpus, output, systems)
    name = system or (run.configs[0].system if run.configs else "lemma")
    (chosen,) = run.ready([name])
    if verbose and hasattr(chosen, "remark"):
        output.say(f"{chosen.name}: {chosen.remark(run.part)}")
    output.write(from_corpus(run.part, predicted(chosen, run.part)))
