"""The page on training: scores by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.baselines.sac.data import label
from cdec.baselines.sac.training import threshold_curve
from cdec.corpus.model import Corpus
from cdec.render.page import Page, Table, percent
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.baselines.sac.system import Sac

_CURVE = Table(
    "{learner} on {train}",
    {"marked": "Threshold", "cv": ("Out of fold", percent), "dev": ("Dev", percent)},
    "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC.\n*: chosen: the best out-of-fold mean of a "
    "threshold and its two neighbours; dev: for information; nothing is chosen on it",
    heads=0,
)


def training_page(learner: Sac, part: Corpus, dev: Corpus) -> Page:
    """Return the scores of a trained system by threshold, out of fold and on ``dev``."""
    model = learner.fitting()
    data = label(dev, model.choices, learner.progress)
    p = model.probabilities(data.features(model.choices, learner.pipeline, learner.progress))
    scores = threshold_curve(data, p, model.choices.link)
    table = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    table["dev"] = table["threshold"].map(scores)
    table["chosen"] = table["threshold"] == model.threshold
    marks = table["chosen"].map({True: " *", False: ""})
    frame = table.assign(marked=table["threshold"].map("{:.2f}".format) + marks)
    about = Signature.from_fields(**part.about, system=learner.name, **learner.parameters)
    names = {"learner": learner.name, "train": part.part}
    return Page.of(_CURVE.grid(frame, str(about), **names), table, in_json(about))
