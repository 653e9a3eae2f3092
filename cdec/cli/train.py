"""``cdec train``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli.names import LEARNER_IDS, listed
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import UnknownNameError

if TYPE_CHECKING:
    from cdec.system import Learner

_SYSTEM = Option(
    "system",
    None,
    f"System to train: {listed(LEARNER_IDS)}.",
    default="sac",
)
_SAVED = o.written(None, "a model", help="Write the model to this file.", attribute="file")


@command(
    _SYSTEM,
    o.TRAINED_SPLIT,
    o.NLP,
    _SAVED,
    o.KEY_PATCH,
    *o.WHOLE_CORPUS,
    o.PRINTED_FORMAT,
    *o.WORK,
    *o.SCREEN,
)
def train(call: Run) -> None:
    """Train a system on the train part of a split; dev is scored for information only.

    sac is the system of Upadhyay et al. (2016). The table shows the score at each
    threshold, cross-validated over the training topics.

    \b
    # Train, save the model, and use it
    cdec train sac -o sac.model
    cdec eval --system sac --model sac.model
    """
    from cdec.files.jobs import chosen_jobs

    trained = _trainable(call, call.system)
    train_part, dev = call.train_and_dev(call.split, patched=True)
    trained = trained.fit(train_part, dev, jobs=chosen_jobs())
    if call.file:
        trained.save(call.file)
        call.say(f"model written to {call.file}")
    if hasattr(trained, "training_page"):
        call.show(trained.training_page(train_part, dev))


def _trainable(call: Run, name: str) -> Learner:
    """Return the trainable system ``name``. Raises UnknownNameError if it is not trainable."""
    from cdec.baselines import names_of
    from cdec.system import is_learner

    (system,) = call.make([name])
    if not is_learner(system):
        raise UnknownNameError("trainable system", system.name, names_of(is_learner))
    return system
