"""``cdec train``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cdec.cli import options as o
from cdec.cli.completion import FINDER_IDS, LEARNER_IDS, listed
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from cdec.system import Trained

_SYSTEM = Option(
    "system",
    None,
    f"System to train: {listed(LEARNER_IDS)}; or a detector of mentions: {listed(FINDER_IDS)}.",
    default="sac",
    complete=(*LEARNER_IDS, *FINDER_IDS),
)
_SAVED = o.written(None, "a model", help="Write the model to this file.", attribute="file")
_ABLATION = Option(
    "--ablation", None, "Show scores without each feature family instead.", bool, False
)
_CURVE = Option(
    "--learning-curve", None, "Show scores with fewer training topics instead.", bool, False
)
_QUICK = Option(
    "--quick",
    None,
    "Train sac-plus faster: fewer seeds, folds and negatives, no vectors.",
    bool,
    False,
)


@command(
    _SYSTEM,
    o.TRAINED_SPLIT,
    o.NLP,
    o.CONFIG,
    _SAVED,
    _ABLATION,
    _CURVE,
    _QUICK,
    o.KEY_PATCH,
    *o.WHOLE_CORPUS,
    o.PRINTED_FORMAT,
    *o.WORK,
    *o.SCREEN,
)
def train(call: Run) -> None:
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
    from cdec.io.jobs import chosen_jobs

    trained = _trainable(call, call.system)
    trained = _method(trained, "quick")() if call.quick else trained
    train_part, dev = call.train_and_dev(call.split, patched=True)
    if call.ablation or call.learning_curve:
        study = _method(trained, "ablation" if call.ablation else "learning_curve")
        return call.show(study(train_part, dev, jobs=chosen_jobs()))
    trained = trained.fit(train_part, dev, jobs=chosen_jobs())
    if call.file:
        trained.save(call.file)
        call.say(f"model written to {call.file}")
    if hasattr(trained, "training_page"):
        call.show(trained.training_page(train_part, dev))
    return None


def _trainable(call: Run, name: str) -> Trained:
    """Return the trainable system ``name``. Raises UnknownNameError if it is not trainable."""
    from cdec.baselines import names_of
    from cdec.system import is_learner

    if name in FINDER_IDS:
        return call.detector_named(name)
    (system,) = call.make([name])
    if not is_learner(system):
        known = [*names_of(is_learner), *FINDER_IDS]
        raise UnknownNameError("trainable system", system.name, known)
    return system


def _method(trained: Trained, name: str) -> Callable[..., Any]:
    """Return an analysis or variant of the system. Raises UsageError if it does not have it."""
    if not hasattr(trained, name):
        option = f"--{name.replace('_', '-')}"
        message = f"the system '{trained.name}' has no {option}"
        raise UsageError("system-unsuitable", message, hint=f"drop {option}")
    return getattr(trained, name)  # type: ignore[no-any-return]
