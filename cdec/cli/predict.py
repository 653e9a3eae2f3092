"""``cdec predict``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.inputs import make_systems, read_configs, read_corpus
from cdec.cli.learning import JobsOption, ModelOption, fit_or_load
from cdec.cli.options import (
    ConfigOption,
    CorpusOption,
    FileFormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import say, write_annotation


def predict(
    system: Annotated[
        str | None,
        typer.Option("--system", help="The baseline, by id. Default: that of --config, or lemma."),
    ] = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: ModelOption = None,
    jobs: JobsOption = 1,
    to: FileFormatOption = None,
    output: OutputOption = None,
    quiet: QuietOption = False,
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
    from cdec.evaluation.run import run
    from cdec.formats import from_corpus

    configs = read_configs(config)
    part = read_corpus(corpus, split, quiet)
    name = system or (configs[0].system if configs else "lemma")
    made = make_systems([name], nlp, quiet, configs, part)
    (chosen,) = fit_or_load(made, corpus, split, part, quiet, model, jobs)
    if verbose and hasattr(chosen, "remark"):
        say(f"{chosen.name}: {chosen.remark(part)}", quiet)
    write_annotation(from_corpus(part, run(chosen, part)), to, output)
