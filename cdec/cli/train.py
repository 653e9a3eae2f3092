"""``cdec train``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.inputs import make_systems, read_configs
from cdec.cli.learning import JobsOption, learner, parts
from cdec.cli.options import (
    ConfigOption,
    CorpusOption,
    FormatOption,
    NlpOption,
    QuietOption,
    writable,
)
from cdec.cli.output import emit, say
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.render import Page
    from cdec.system import Learner


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
    (made,) = make_systems([system], nlp, quiet, read_configs(config))
    trained = learner(made)
    train_part, dev = parts(corpus, f"{split}/train" if split else "train", quiet)
    if ablation or curve:
        study = _method(trained, "ablation" if ablation else "learning_curve")
        emit(study(train_part, dev, jobs=jobs), format, None)
        return
    trained = trained.fit(train_part, dev, jobs=jobs)
    if model:
        trained.save(model)
        say(f"the model is in {model}", quiet)
    if hasattr(trained, "training_page"):
        emit(trained.training_page(train_part, dev), format, None)


def _method(trained: Learner, name: str) -> Callable[..., Page]:
    """Return an analysis of the system. Raises UsageError where it has none of this name."""
    if not hasattr(trained, name):
        option = f"--{name.replace('_', '-')}"
        raise UsageError(f"'{trained.name}' has no {name.replace('_', ' ')}", cure=f"drop {option}")
    return getattr(trained, name)  # type: ignore[no-any-return]
