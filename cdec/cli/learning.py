"""Systems that learn: which corpus parts they are given, and models from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.output import say
from cdec.cli.progress import progress
from cdec.wording import counted

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.system import System

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


def taught(
    systems: list[System],
    choice: str | None,
    split: str,
    scored: Corpus,
    quiet: bool,
    model: Path | None = None,
    jobs: int = 1,
) -> list[System]:
    """Return the systems, those that learn with a model: from the file, or trained.

    Training sees train and dev of the split that ``split`` names a part of. Raises UsageError for
    a model that none of the systems takes, or several would.
    """
    from cdec.baselines import LEARNING
    from cdec.errors import UsageError

    learning = [system for system in systems if system.name in LEARNING]
    if model is not None and len(learning) != 1:
        raise UsageError("--model goes with one of sac and sac-plus", place=model)
    if not learning:
        return systems
    done = _fitted(learning, choice, split, quiet, jobs) if model is None else []
    made = dict(zip([s.name for s in learning], done or [_loaded(learning[0], model)], strict=True))
    for system in made.values():
        _warn(system, scored, quiet)
    return [made.get(system.name, system) for system in systems]


def show_pairs(system: System, part: Corpus, quiet: bool) -> None:
    """Say how many candidate pairs a system that learns has on ``part``, and which links they hold.

    The links are those of the key: they are counted for the reader, the system has not seen them.
    """
    from cdec.baselines import LEARNING
    from cdec.baselines.sac.data import label, recall

    if system.name not in LEARNING:
        return
    data = label(part, system.chosen, system.pipeline, system.progress)  # type: ignore[attr-defined]
    count, inside, held, links = recall(data)
    share = f" ({100 * held / links:.1f} %)" if links else ""
    pairs, gold = counted(count, "pair"), counted(links, "gold link")
    text = f"{pairs}, {inside:,} of them within a document: {held:,} of {gold} held"
    say(f"{system.name}: {text}{share}", quiet)


def parts(choice: str | None, split: str, quiet: bool) -> tuple[Corpus, Corpus]:
    """Return train and dev of the split that ``split`` (``[SPLIT/]PART``) names a part of."""
    from cdec.api import read_part
    from cdec.corpus.splits import divided
    from cdec.corpus.store.locate import locate

    with progress("reading the corpus", quiet) as tick:
        whole = read_part(locate(choice), "all", tick)
    found = divided(whole, split.rpartition("/")[0] or None)
    return found["train"], found["dev"]


def _fitted(
    learning: list[System], choice: str | None, split: str, quiet: bool, jobs: int
) -> list[System]:
    from dataclasses import replace

    train, dev = parts(choice, split, quiet)
    return [replace(system, jobs=jobs).fit(train, dev) for system in learning]  # type: ignore[type-var]


def _loaded(system: System, model: Path | None) -> System:
    from dataclasses import replace

    from cdec.baselines.sac.store import load

    return replace(system, model=load(model))  # type: ignore[type-var, arg-type]


def _warn(system: System, scored: Corpus, quiet: bool) -> None:
    if system.has_seen(scored):  # type: ignore[attr-defined]
        say(f"warning: {system.name} was trained on documents of this part", quiet)
