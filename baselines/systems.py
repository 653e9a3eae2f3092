"""The systems that a call names: configured by its files, trained or loaded if they learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.baselines import names_of
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, warn_of
from cdec.files.jobs import chosen_jobs
from cdec.system import System, is_learner, system, system_id

if TYPE_CHECKING:
    from cdec.baselines.config import Configuration


def make_systems(
    names: Iterable[str],
    configs: Iterable[Path],
    scored: Corpus,
    model: Path | None,
    training: Callable[[Corpus], tuple[Corpus, Corpus]],
    **common: object,
) -> list[System]:
    """Return the systems ``names``, configured, and trained, for a corpus to be scored on.

    A trainable system has the model of a file, else it is trained on the two parts of ``training``.
    Raises UsageError for two configurations of one system, for one of a system not in ``names``,
    and for a model unless it is of exactly one system.
    """
    ids = [system_id(name) for name in names]
    by_name = _configurations(configs, ids)
    systems = {}
    for name in ids:
        if name in by_name:
            systems[name] = by_name[name].make(scored, **common)
        else:
            systems[name] = system(name, **common)
    learners = {
        name: instance for name, instance in systems.items() if is_learner(instance)
    }
    if model and len(learners) != 1:
        raise UsageError(
            "system-invalid",
            f"--model requires exactly one trainable system, got {len(learners)}",
            place=model,
            hint=f"name one of {', '.join(names_of(is_learner))}, or drop --model",
        )
    trained = {}
    if model:
        trained = {name: learners[name].load(model) for name in learners}
    elif learners:
        train, dev = training(scored)
        for name, learner in learners.items():
            trained[name] = learner.fit(train, dev, jobs=chosen_jobs())
    for name, learner in trained.items():
        if learner.has_seen(scored):
            message = f"{name} was trained on documents of the evaluated part"
            warn_of([Notice("trained-on-part", 1, message)])
    return [trained.get(name, systems[name]) for name in ids]


def _configurations(
    configs: Iterable[Path], ids: Sequence[str]
) -> dict[str, Configuration]:
    """Return the configurations in files by system. Raises UsageError as ``make_systems``."""
    from cdec.baselines.config import read_config  # noqa: PLC0415  # few calls have a file

    by_name = {}
    for path in configs:
        config = read_config(path, ids)
        if config.system in by_name:
            raise UsageError(
                "file-invalid",
                f"duplicate configuration of '{config.system}'",
                place=config.place,
                hint="remove one of them",
            )
        if config.system not in ids:
            raise UsageError(
                "file-invalid",
                f"it configures '{config.system}', which is not among the selected systems",
                place=config.place,
                hint=f"add the system {config.system}",
            )
        by_name[config.system] = config
    return by_name
