"""The page of `cdec train` for a detector: agreement on dev by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.detection.detector import Detector

_NOTES = (
    "Mentions of dev in its annotated sentences; a mention is correct if its span is.",
    "*: chosen: the best F1 on dev",
)


def training_page(detector: Detector, train: Corpus, dev: Corpus) -> Page:
    """Return precision, recall and F1 of the mentions of dev by threshold."""
    fitted = detector.fitting().fitted
    data = pd.DataFrame(
        [
            {"kind": kind, "threshold": t, **value._asdict(), "chosen": t == part.cut.threshold}
            for kind, part in fitted.items()
            for t, value in part.curve.items()
        ]
    )
    marks = data["chosen"].map({True: " *", False: ""})
    view = pd.DataFrame(
        {
            "Kind": data["kind"],
            "Threshold": data["threshold"].map("{:.2f}".format) + marks,
            **{head: data[head.lower()].map(percent) for head in ("Precision", "Recall", "F1")},
        }
    )
    signature = Signature.from_fields(**train.about, **detector.parameters)
    title = f"{detector.name} on {train.part}, mentions of {dev.part}"
    notes = (*_NOTES, str(signature))
    return Page.from_table(view, data, title=title, notes=notes, about=in_json(signature))
