"""Systems that learn: which corpus parts they are given, and models from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.output import say
from cdec.cli.progress import progress
from cdec.errors import UnknownNameError, UsageError
from cdec.system import is_learner

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.system import Learner, System

ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE",
        help="A trained model (`cdec train`) for sac or sac-plus. Default: train, or take the "
        "model that was trained on the same data before.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", min=1, metavar="N", help="Train with N threads; the result is the same."
    ),
]


def fit_or_load(
    systems: list[System],
    choice: str | None,
    split: str,
    scored: Corpus,
    quiet: bool,
    model: Path | None = None,
    jobs: int = 1,
) -> list[System]:
    """Return the systems, those that must be trained with a model: from the file, or trained.

    Training sees train and dev of the split that ``split`` names a part of. Raises UsageError for
    a model that none of the systems takes, or several would.
    """
    from cdec.baselines import names_of

    learners = [system for system in systems if is_learner(system)]
    if model is not None and len(learners) != 1:
        names = " and ".join(names_of(is_learner))
        raise UsageError(f"--model goes with one of {names}", place=model)
    if not learners:
        return systems
    if model is None:
        train, dev = parts(choice, split, quiet)
        ready = [system.fit(train, dev, jobs=jobs) for system in learners]
    else:
        ready = [learners[0].load(model)]
    for system in ready:
        if system.has_seen(scored):
            say(f"warning: {system.name} was trained on documents of this part", quiet)
    done = iter(ready)
    return [next(done) if is_learner(system) else system for system in systems]


def learner(system: System) -> Learner:
    """Return a system that can be trained. Raises UnknownNameError for one that cannot."""
    from cdec.baselines import names_of

    if not is_learner(system):
        raise UnknownNameError("system that learns", system.name, names_of(is_learner))
    return system


def parts(choice: str | None, split: str, quiet: bool) -> tuple[Corpus, Corpus]:
    """Return train and dev of the split that ``split`` (``[SPLIT/]PART``) names a part of."""
    from cdec.api import read_part
    from cdec.corpus.splits import divided
    from cdec.corpus.store.locate import locate

    with progress("reading the corpus", quiet) as tick:
        whole = read_part(locate(choice), "all", tick)
    found = divided(whole, split.rpartition("/")[0] or None)
    return found["train"], found["dev"]
