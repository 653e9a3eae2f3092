"""``cdec train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.inputs import make_systems, read_configs
from cdec.cli.learning import JobsOption, parts
from cdec.cli.options import (
    ConfigOption,
    CorpusOption,
    FormatOption,
    NlpOption,
    QuietOption,
    writable,
)
from cdec.cli.output import emit, say


def train(
    system: Annotated[str, typer.Argument(help="sac or sac-plus.", show_default=False)] = "sac",
    split: Annotated[
        str | None,
        typer.Option("--split", metavar="SPLIT", help="Whose train: ycf, cybulska or my.toml."),
    ] = None,
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=writable,
            help="Write the model to this file.",
        ),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also train without each feature family.")
    ] = False,
    curve: Annotated[
        bool, typer.Option("--learning-curve", help="Also train on fewer topics.")
    ] = False,
    jobs: JobsOption = 1,
    format: FormatOption = "table",
    quiet: QuietOption = False,
) -> None:
    """Train a system on the train part of a split; dev is looked at, test is not.

    The table shows the score over thresholds, out of fold over the training topics; with
    --ablation or --learning-curve the analysis asked for.

    \b
    # Train, keep the model, and use it
    cdec train sac -o sac.model
    cdec eval --system sac --model sac.model
    # What each family of features brings
    cdec train sac --ablation
    """
    from cdec.baselines.sac.store import dump
    from cdec.baselines.sac.training_view import analysed, fitted
    from cdec.io.output import save_bytes

    (made,) = make_systems([system], nlp, quiet, read_configs(config))
    train_part, dev = parts(corpus, f"{split}/train" if split else "train", quiet)
    if ablation or curve:
        emit(analysed(made, train_part, dev, ablation, jobs), format, None)
        return
    learner, report = fitted(made, train_part, dev, jobs)
    if model:
        save_bytes(dump(learner.fitting()), model)
        say(f"the model is in {model}", quiet)
    emit(report, format, None)
