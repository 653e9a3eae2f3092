"""Files written by cdec: results, trained models, cache entries."""

from __future__ import annotations

import io
import os
import zipfile
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import numpy as np

from cdec.baselines.sac import (
    MEMBERS,
    Calibration,
    Forest,
    Model,
    SacConfig,
    columns,
    dump,
    load,
    mean_logits,
)
from cdec.errors import CdecError
from cdec.evaluation import is_saved, load_results
from cdec.io import cache
from cdec.statistics import Plan, compare_saved
from tests.fuzz.audits import JSON
from tests.fuzz.reader import Reader

GOLDEN = Path(__file__).parents[1] / "cli" / "golden" / "eval.json"
SAVED = """{"signatures": [{"system": "a", "setting": "pure"}], "by": "topic", "rows": [
{"system": "a", "setting": "pure", "metric": "muc", "f1": 0.5, "unit": "micro"},
{"system": "a", "setting": "pure", "metric": "muc", "f1": 0.5, "unit": "1"}]}"""
RESULT = ('"signatures":', '"rows":', '"by":', '"unit":', '"system":', '"setting":', '"metric":',
          '"f1":', '"response_digest":', '"corpus":', '"format":', '"cdec-results/2"')  # fmt: skip
KIND = "corpus"
KEY = cache.key("fuzz")


def readers() -> list[Reader]:
    results = (GOLDEN.read_bytes(), SAVED.encode())
    whole = b"content\nof a file"
    kept = f"cdec-cache/1 {KIND} {KEY} {sha256(whole).hexdigest()}\n".encode() + whole
    models = tuple(_stored(dump(_model(classifiers))) for classifiers in ("linear", "forest"))
    return [
        Reader("saved-results", "eval.json", _results, results, JSON + RESULT),
        Reader("sac-model", "sac.npz", _read_model, models, (*JSON, "<f8", "<U9", "|O", "|u1")),
        Reader("cache", KEY, _cached, (kept, b""), (KIND, KEY, "cdec-cache/1 ", "cdec-cache/2 ")),
    ]


def _model(classifier: str) -> Model:
    choices = SacConfig(
        gate=0.2, families=("head",), classifiers=(classifier,), link="average", negatives=8,
        folds=5, seed=1, extras=(), tfidf=SacConfig.shipped("sac").tfidf,
    )  # fmt: skip
    width = len(columns(choices.families))
    features = np.eye(2 * width, width, dtype=np.float32)
    fitted = MEMBERS[classifier].fit(features, features[:, 0] > 0, 0)
    if isinstance(fitted, Forest):  # a few trees are enough
        names = ("column", "threshold", "mask", "values")
        fitted = replace(fitted, **{name: getattr(fitted, name)[:2] for name in names})
    return Model(
        choices, "hanta", "sample-train", "0" * 64, ("f",), (fitted,), Calibration(1.0, 0.0), 0.5,
        {0.25: 0.5, 0.5: 0.75},
    )  # fmt: skip


def _stored(archive: bytes) -> bytes:
    """Return the zip without compression, so that a changed byte reaches the arrays."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            new.writestr(zipfile.ZipInfo(info.filename), old.read(info))
    return buffer.getvalue()


def _read_model(path: Path) -> None:
    """Read a model, predict with it, write it, and read it back unchanged.

    Checksums are ignored: a file forged on purpose would have valid ones.
    """
    with patch.object(zipfile.ZipExtFile, "_update_crc", lambda *_: None):
        model = load(path)
    width = len(columns(model.choices.families))
    rows = np.linspace(-1, 1, 3 * width, dtype=np.float32).reshape(3, width)
    logits = mean_logits(model.members, rows)
    probabilities = model.calibration.probabilities(logits)
    assert probabilities.shape == (3,)
    assert np.isfinite(logits).all() and np.isfinite(probabilities).all()
    again = dump(model)
    path.write_bytes(again)
    assert dump(load(path)) == again


def _results(path: Path) -> None:
    assert is_saved(path) in (True, False)
    results = load_results(path)
    for result in results:
        assert {"metric", "f1"} <= set(result.frame)
        assert set(map(type, (result.system, result.setting))) == {str}
    with suppress(CdecError):  # the results may not be comparable
        compare_saved(results, Plan("topic", 2, 0, 0.5, "percentile", 2))


def _cached(path: Path) -> None:
    """Read a cache entry: None, or the content that its first line describes."""
    data = path.read_bytes()
    with patch.dict(os.environ, {cache.VARIABLE: str(path.parent)}):
        place = cache.path(KIND, KEY)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
        body = cache.read(KIND, KEY)
        assert body is None or data == f"cdec-cache/{cache.SCHEMA} {KIND} {KEY} ".encode() + (
            sha256(body).hexdigest().encode() + b"\n" + body
        )
        if body is not None:
            cache.write(KIND, KEY, body)
            assert place.read_bytes() == data
