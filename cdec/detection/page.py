"""The page of `cdec train` for a detector: agreement on dev by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.detection.detector import Detector

_CURVE = Table(
    "{detector} on {train}, mentions of {dev}",
    {
        "kind": "Kind",
        "marked": "Threshold",
        **{name.lower(): (name, percent) for name in ("Precision", "Recall", "F1")},
    },
    "Mentions of dev in its annotated sentences; a mention is correct if its span is.\n"
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
    frame = data.assign(marked=data["threshold"].map("{:.2f}".format) + marks)
    signature = Signature.from_fields(**train.about, **detector.parameters)
    names = {"detector": detector.name, "train": train.part, "dev": dev.part}
    return _CURVE.page(frame, str(signature), about=in_json(signature), data=data, **names)
