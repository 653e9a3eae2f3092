"""The detectors on ECB+: the figures of docs/detection.md on dev, as lower bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

import cdec
from cdec.detection import Detector

# Mention F1 on cybulska/dev, rounded down to half a point. The thresholds are chosen there.
MEASURED = {
    ("detector-lexicon", "event"): 0.665,
    ("detector-lexicon", "entity"): 0.36,
    ("detector-tagger", "event"): 0.775,
    ("detector-tagger", "entity"): 0.53,
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), MEASURED)
def test_mention_f1_on_dev(name: str, kind: str, ecbplus: Path) -> None:
    train, dev = (
        cdec.load_corpus(ecbplus, f"cybulska/{part}").select(kind) for part in ("train", "dev")
    )
    fitted = Detector(name).fit(train, dev).fitting().fitted[kind]
    assert fitted.curve[fitted.cut.threshold].f1 >= MEASURED[name, kind]
