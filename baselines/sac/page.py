"""The page on training: scores by threshold."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.arrays import Singles
from cdec.baselines.sac.data import LabelledPairs
from cdec.baselines.sac.model import Model
from cdec.baselines.sac.training import threshold_curve
from cdec.render.page import Page, Table, percent
from cdec.signature import Signature, in_json

_CURVE = Table(
    "{learner} on {train}",
    {"marked": "Threshold", "cv": ("Out of fold", percent), "dev": ("Dev", percent)},
    "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC.\n*: chosen: the best out-of-fold mean of a "
    "threshold and its two neighbours; dev: for information; nothing is chosen on it",
    heads=0,
)


def training_page(
    model: Model,
    features: Singles,
    dev: LabelledPairs,
    names: Mapping[str, str],
    signature: Signature,
) -> Page:
    """Return the scores of a trained model by threshold, out of fold and on ``dev``.

    ``features`` are those of the pairs of ``dev``; ``names`` has the system and its train part.
    """
    dev_curve = threshold_curve(dev, model.probabilities(features), model.choices.link)
    table = pd.DataFrame(
        {"threshold": list(model.curve), "cv": list(model.curve.values())}
    )
    table["dev"] = table["threshold"].map(dev_curve)
    table["chosen"] = table["threshold"] == model.threshold
    marks = table["chosen"].map({True: " *", False: ""})
    frame = table.assign(marked=table["threshold"].map("{:.2f}".format) + marks)
    return Page.of(
        _CURVE.grid(frame, str(signature), **names), table, in_json(signature)
    )
