"""``cdec train``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.cli.completion import FINDER_IDS, choice
from cdec.cli.corpus_options import CorpusOptions, split_option
from cdec.cli.groups import grouped
from cdec.cli.options import ConfigOption, KeyPatchOption, NlpOption, SystemOptions
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import FormatOption, ReportOptions, file_option
from cdec.cli.workers import WorkOptions
from cdec.errors import UnknownNameError, UsageError
from cdec.io.jobs import chosen_jobs
from cdec.system import is_learner

if TYPE_CHECKING:
    from cdec.detection import Detector
    from cdec.system import Learner


@grouped
def train(
    system: Annotated[
        str,
        typer.Argument(
            help="System to train: sac or sac-plus; or a detector of mentions: detector-lexicon or "
            "detector-tagger.",
            autocompletion=choice("sac", "sac-plus", *FINDER_IDS),
            show_default=False,
        ),
    ] = "sac",
    *,
    split: Annotated[str | None, split_option("Use train and dev of this split")] = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: Annotated[
        Path | None,
        file_option("Write the model to this file.", "FILE", "a model"),
    ] = None,
    ablation: Annotated[
        bool,
        typer.Option("--ablation", help="Show scores without each feature family instead."),
    ] = False,
    curve: Annotated[
        bool,
        typer.Option("--learning-curve", help="Show scores with fewer training topics instead."),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Train sac-plus faster: fewer seeds, folds and negatives, no vectors."
        ),
    ] = False,
    key_patch: KeyPatchOption = None,
    corpus: CorpusOptions,
    format: FormatOption = "table",
    work: WorkOptions,
    screen: ScreenOptions,
) -> None:
    """Train a system on the train part of a split; dev is scored for information only.

    sac is the system of Upadhyay et al. (2016); sac-plus adds boosted trees, more
    features and the vectors of a small language model, if it is installed.
    The table shows the score at each threshold, cross-validated over the
    training topics. With --ablation or --learning-curve it shows that analysis.

    \b
    # Train, save the model, and use it
    cdec train sac -o sac.model
    cdec eval --system sac --model sac.model
    # A detector of mentions, for cdec predict --text
    cdec train detector-tagger -o events.detector
    # The contribution of each feature family
    cdec train sac --ablation
    """
    run = Run(corpus, screen, SystemOptions(nlp, config), key_patch=key_patch)
    pages = ReportOptions(format=format)
    trained = _learner(run, system, quick)
    train_part, dev = run.train_and_dev(split, patched=True)
    if ablation or curve:
        study = _method(trained, "ablation" if ablation else "learning_curve")
        pages.show(study(train_part, dev, jobs=chosen_jobs()))
        return
    trained = trained.fit(train_part, dev, jobs=chosen_jobs())
    if model:
        trained.save(model)
        screen.say(f"model written to {model}")
    if hasattr(trained, "training_page"):
        pages.show(trained.training_page(train_part, dev))


def _learner(run: Run, name: str, quick: bool) -> Learner | Detector:
    """Return the trainable system ``name``, or its quick variant.

    Raises UnknownNameError if it is not trainable, UsageError if it has no quick variant.
    """
    trained = _trainable(run, name)
    return _method(trained, "quick")() if quick else trained


def _trainable(run: Run, name: str) -> Learner | Detector:
    from cdec.baselines import names_of

    if name in FINDER_IDS:
        from cdec.detection import Detector

        return Detector(name, run.systems.nlp, run.screen.bar)
    (system,) = run.make([name])
    if not is_learner(system):
        known = [*names_of(is_learner), *FINDER_IDS]
        raise UnknownNameError("trainable system", system.name, known)
    return system


def _method(trained: Learner | Detector, name: str) -> Callable[..., Any]:
    """Return an analysis or variant of the system. Raises UsageError if it does not have it."""
    if not hasattr(trained, name):
        option = f"--{name.replace('_', '-')}"
        message = f"the system '{trained.name}' has no {option}"
        raise UsageError("analysis-missing", message, hint=f"drop {option}")
    return getattr(trained, name)  # type: ignore[no-any-return]
