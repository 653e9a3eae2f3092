"""Pages on training: scores over thresholds, feature families and topics."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.baselines import LEARNING, System
from cdec.baselines.sac.analysis import ablation, dev_curve, learning_curve
from cdec.baselines.sac.system import Sac
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

_HEADS = {
    "families": "Features",
    "topics": "Topics",
    "threshold": "Threshold",
    "cv": "Out of fold",
    "dev": "Dev",
}
_LOOK = "dev: a look, never a choice"
_MEANING = "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC."


def fitted(system: System, train: Corpus, dev: Corpus, jobs: int) -> tuple[Sac, Page]:
    """Return the system with its model, and the page of the thresholds.

    Raises UnknownNameError for a system that does not learn.
    """
    learner = replace(_learner(system), jobs=jobs).fit(train, dev)
    model = learner.fitting()
    seen = dev_curve(model, dev, learner.pipeline, learner.progress)
    data = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    data["dev"] = data["threshold"].map(seen)
    data["chosen"] = data["threshold"] == model.threshold
    marks = data["chosen"].map({True: " *", False: ""})
    view = pd.DataFrame(
        {
            _HEADS["threshold"]: data["threshold"].map("{:.2f}".format) + marks,
            _HEADS["cv"]: data["cv"].map(percent),
            _HEADS["dev"]: data["dev"].map(percent),
        }
    )
    note = f"*: the best mean of three neighbours, out of fold; {_LOOK}"
    return learner, _page(learner, train, view, data, note)


def analysed(system: System, train: Corpus, dev: Corpus, families: bool, jobs: int) -> Page:
    """Return the page of the ablation (``families``), or of the learning curve."""
    learner = _learner(system)
    measure = ablation if families else learning_curve
    data = measure(
        train, dev, learner.chosen, learner.pipeline, jobs=jobs, progress=learner.progress
    )
    text = data.assign(
        topics=data["topics"].astype(str),
        threshold=data["threshold"].map("{:.2f}".format),
        cv=data["cv"].map(percent),
        dev=data["dev"].map(percent),
    )
    return _page(learner, train, text.rename(columns=_HEADS), data, _LOOK)


def _learner(system: System) -> Sac:
    if not isinstance(system, Sac):
        raise UnknownNameError("system that learns", system.name, sorted(LEARNING))
    return system


def _page(learner: Sac, train: Corpus, view: pd.DataFrame, data: pd.DataFrame, note: str) -> Page:
    signature = Signature.from_fields(
        **train.about,
        system=learner.name,
        **learner.parameters,
    )
    title = f"{learner.name} on {train.part}"
    notes = (_MEANING, note, str(signature))
    return Page.from_table(view, data, title=title, notes=notes, about=in_json(signature))
