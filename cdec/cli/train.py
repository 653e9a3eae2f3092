"""``cdec train``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import choice
from cdec.cli.groups import grouped
from cdec.cli.options import (
    ConfigOption,
    CorpusOptions,
    JobsOption,
    NlpOption,
    SystemOptions,
    split_option,
)
from cdec.cli.run import Run
from cdec.cli.screen import QuietOptions
from cdec.cli.targets import FormatOption, ReportOptions, file_option
from cdec.errors import UnknownNameError, UsageError
from cdec.system import is_learner

if TYPE_CHECKING:
    from cdec.render import Page
    from cdec.system import Learner


@grouped
def train(
    system: Annotated[
        str,
        typer.Argument(
            help="sac or sac-plus.",
            autocompletion=choice("sac", "sac-plus"),
            show_default=False,
        ),
    ] = "sac",
    *,
    split: Annotated[str | None, split_option("Whose train and dev")] = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: Annotated[
        Path | None,
        file_option("Write the model to this file.", "FILE", "a model"),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also train without each feature family.")
    ] = False,
    curve: Annotated[
        bool, typer.Option("--learning-curve", help="Also train on fewer topics.")
    ] = False,
    jobs: JobsOption = 1,
    corpus: CorpusOptions,
    format: FormatOption = "table",
    screen: QuietOptions,
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
    run, pages = Run(corpus, screen, SystemOptions(nlp, config)), ReportOptions(format=format)
    trained = _learner(run, system)
    train_part, dev = run.train_and_dev(split)
    if ablation or curve:
        study = _method(trained, "ablation" if ablation else "learning_curve")
        pages.show(study(train_part, dev, jobs=jobs))
        return
    trained = trained.fit(train_part, dev, jobs=jobs)
    if model:
        trained.save(model)
        screen.say(f"the model is in {model}")
    if hasattr(trained, "training_page"):
        pages.show(trained.training_page(train_part, dev))


def _learner(run: Run, name: str) -> Learner:
    """Return a system that can be trained. Raises UnknownNameError for one that cannot."""
    from cdec.baselines import names_of

    (made,) = run.make([name])
    if not is_learner(made):
        raise UnknownNameError("system that learns", made.name, names_of(is_learner))
    return made


def _method(trained: Learner, name: str) -> Callable[..., Page]:
    """Return an analysis of the system. Raises UsageError where it has none of this name."""
    if not hasattr(trained, name):
        option = f"--{name.replace('_', '-')}"
        raise UsageError(f"'{trained.name}' has no {name.replace('_', ' ')}", hint=f"drop {option}")
    return getattr(trained, name)  # type: ignore[no-any-return]
