"""``cdec predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.corpus_options import DetectorOption, ScoredOptions
from cdec.cli.detectors import run_of
from cdec.cli.groups import grouped
from cdec.cli.options import SystemOptions, system_option
from cdec.cli.run import Run
from cdec.cli.targets import AnnotationOptions
from cdec.cli.workers import WorkOptions


@grouped
def predict(
    *,
    system: Annotated[
        str | None,
        system_option(
            "A baseline, by id", many=False, after="Default: that of --config, else lemma."
        ),
    ] = None,
    systems: SystemOptions,
    text: Annotated[
        Path | None,
        typer.Option(
            "--text",
            metavar="FOLDER",
            help="Find mentions and chains in the plain text files (*.txt, UTF-8, English) of "
            "this folder, not in a corpus. The detector, and systems to train, are trained on "
            "--corpus.",
        ),
    ] = None,
    detector: DetectorOption = None,
    corpus: ScoredOptions,
    work: WorkOptions,
    output: AnnotationOptions,
) -> None:
    """Write the response of a baseline: its chains of the event mentions of the corpus.

    With --text, the mentions and chains of your own texts; .jsonl, .csv, .tsv
    and .json files have the text and character offsets of each mention. With
    --verbose, sac also reports its candidate pairs and the gold links among them.

    \b
    # A response file for cdec eval --response and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    # Event mentions and chains in a folder of plain text files
    cdec predict --text news -o chains.jsonl
    """
    run = run_of(text, detector, Run(corpus, output, systems))
    names = [system] if system else [config.system for config in run.configs()]
    (chosen,) = run.ready((names or ["lemma"])[:1])
    if output.verbose and hasattr(chosen, "remark"):
        output.say(f"{chosen.name}: {chosen.remark(run.part)}")
    output.write(run.annotation(chosen))
