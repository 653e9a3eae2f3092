"""The page on training: scores by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.baselines.sac.data import label
from cdec.baselines.sac.model import Model, logits
from cdec.baselines.sac.training import threshold_curve
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


def training_page(learner: Sac, part: Corpus, dev: Corpus) -> Page:
    """Return the scores of a trained system by threshold, out of fold and on ``dev``."""
    model = learner.fitting()
    dev_scores = _dev_curve(model, learner, dev)
    data = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    data["dev"] = data["threshold"].map(dev_scores)
    data["chosen"] = data["threshold"] == model.threshold
    marks = data["chosen"].map({True: " *", False: ""})
    frame = data.assign(marked=data["threshold"].map("{:.2f}".format) + marks)
    return _page(learner, part, _CURVE, frame, data)


def _dev_curve(model: Model, learner: Sac, dev: Corpus) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of a trained model on ``dev``, in [0, 1]."""
    data = label(dev, model.choices, learner.pipeline, learner.progress)
    p = model.calibration.probabilities(logits(model.classifier, data.described.features))
    return threshold_curve(data, p, model.choices.link)


def _page(
    learner: Sac, train: Corpus, table: Table, frame: pd.DataFrame, data: pd.DataFrame
) -> Page:
    about = Signature.from_fields(**train.about, system=learner.name, **learner.parameters)
    names = {"learner": learner.name, "train": train.part}
    return table.page(frame, str(about), about=in_json(about), data=data, **names)
