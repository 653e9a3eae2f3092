"""Pages on training: scores by threshold, feature family and number of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from cdec.baselines.sac import analysis
from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.baselines.sac.system import Sac

_HEADS = {
    "families": "Features",
    "topics": "Topics",
    "threshold": "Threshold",
    "cv": "Out of fold",
    "dev": "Dev",
}
_DEV = "dev: for information; nothing is chosen on it"
_SCORES = "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC."


def training_page(learner: Sac, train: Corpus, dev: Corpus) -> Page:
    """Return the scores of a trained system by threshold, out of fold and on ``dev``."""
    model = learner.fitting()
    dev_scores = analysis.dev_curve(model, dev, learner.pipeline, learner.progress)
    data = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    data["dev"] = data["threshold"].map(dev_scores)
    data["chosen"] = data["threshold"] == model.threshold
    marks = data["chosen"].map({True: " *", False: ""})
    view = pd.DataFrame(
        {
            _HEADS["threshold"]: data["threshold"].map("{:.2f}".format) + marks,
            _HEADS["cv"]: data["cv"].map(percent),
            _HEADS["dev"]: data["dev"].map(percent),
        }
    )
    note = f"*: chosen: the best out-of-fold mean of a threshold and its two neighbours; {_DEV}"
    return _page(learner, train, view, data, note)


def ablation(learner: Sac, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Page:
    """Return the scores with all feature families, and without each of them."""
    return _analysis(analysis.ablation, learner, train, dev, jobs)


def learning_curve(learner: Sac, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Page:
    """Return the scores by number of training topics."""
    return _analysis(analysis.learning_curve, learner, train, dev, jobs)


def _analysis(
    function: Callable[..., pd.DataFrame], learner: Sac, train: Corpus, dev: Corpus, jobs: int
) -> Page:
    data = function(
        train, dev, learner.chosen, learner.pipeline, jobs=jobs, progress=learner.progress
    )
    text = data.assign(
        topics=data["topics"].astype(str),
        threshold=data["threshold"].map("{:.2f}".format),
        cv=data["cv"].map(percent),
        dev=data["dev"].map(percent),
    )
    return _page(learner, train, text.rename(columns=_HEADS), data, _DEV)


def _page(learner: Sac, train: Corpus, view: pd.DataFrame, data: pd.DataFrame, note: str) -> Page:
    signature = Signature.from_fields(
        **train.about,
        system=learner.name,
        **learner.parameters,
    )
    title = f"{learner.name} on {train.part}"
    notes = (_SCORES, note, str(signature))
    return Page.from_table(view, data, title=title, notes=notes, about=in_json(signature))
