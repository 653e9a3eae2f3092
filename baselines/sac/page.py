"""Pages on training: scores by threshold, feature family and number of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from cdec.baselines.sac import analysis
from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Columns, Table
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.baselines.sac.system import Sac

_SCORED: Columns = {"cv": ("Out of fold", percent), "dev": ("Dev", percent)}
_TITLE = "{learner} on {train}"
_LEGEND = "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC.\n"
_DEV = "dev: for information; nothing is chosen on it"
_CURVE = Table(
    _TITLE,
    {"marked": "Threshold", **_SCORED},
    f"{_LEGEND}*: chosen: the best out-of-fold mean of a threshold and its two neighbours; {_DEV}",
)
_ANALYSIS = Table(
    _TITLE,
    {
        "families": "Features",
        "topics": ("Topics", str),
        "threshold": ("Threshold", ".2f"),
        **_SCORED,
    },
    _LEGEND + _DEV,
)


def training_page(learner: Sac, train: Corpus, dev: Corpus) -> Page:
    """Return the scores of a trained system by threshold, out of fold and on ``dev``."""
    model = learner.fitting()
    dev_scores = analysis.dev_curve(model, dev, learner.pipeline, learner.progress)
    data = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    data["dev"] = data["threshold"].map(dev_scores)
    data["chosen"] = data["threshold"] == model.threshold
    marks = data["chosen"].map({True: " *", False: ""})
    frame = data.assign(marked=data["threshold"].map("{:.2f}".format) + marks)
    return _page(learner, train, _CURVE, frame, data)


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
    return _page(learner, train, _ANALYSIS, data, data)


def _page(
    learner: Sac, train: Corpus, table: Table, frame: pd.DataFrame, data: pd.DataFrame
) -> Page:
    about = Signature.from_fields(**train.about, system=learner.name, **learner.parameters)
    names = {"learner": learner.name, "train": train.part}
    return table.page(frame, str(about), about=in_json(about), data=data, **names)
