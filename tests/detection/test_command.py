"""The options --mentions predicted:… and --detector, and `cdec train` of a detector."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec.cli.completion import FINDER_IDS
from cdec.detection import NAMES
from tests.cli.conftest import Run, cdec

__all__ = ["cdec"]  # the fixture
LEXICON = ("--corpus", "sample", "--mentions", "predicted:detector-lexicon")


def test_help_lists_the_detectors() -> None:
    assert FINDER_IDS == NAMES


def test_eval_scores_the_mentions_of_a_detector(cdec: Run) -> None:
    ran = cdec("eval", "-q", "--system", "lemma", "-s", "simple", *LEXICON, "-f", "json")
    assert ran.code == 0, ran.err
    (signature,) = json.loads(ran.out)["signatures"]
    assert signature["mentions"] == "predicted"
    assert signature["detector"] == "detector-lexicon@1"
    assert signature["detection"]["kind"] == "event"


def test_a_detector_finds_the_kind_that_is_scored(cdec: Run) -> None:
    chosen = ("--corpus", "sample", "--mentions", "predicted:detector-lexicon/entity")
    ran = cdec("eval", "-q", "--system", "lemma", "-s", "simple", *chosen, "-f", "json")
    assert ran.code == 0, ran.err
    (signature,) = json.loads(ran.out)["signatures"]
    assert signature["kind"] == signature["detection"]["kind"] == "entity"


@pytest.mark.parametrize(
    "call",
    [
        ("compare", "lemma", "lemma-wd", "-s", "simple", "--metric", "muc", "--resamples", "20"),
        ("diagnose", "lemma"),
        ("explain", "--system", "lemma", "-s", "simple", "-m", "muc", "--document", "4_1ecb"),
        ("predict", "--system", "lemma"),
    ],
)
def test_other_commands_use_the_mentions_of_a_detector(call: tuple[str, ...], cdec: Run) -> None:
    ran = cdec(*call, "-q", *LEXICON)
    assert ran.code == 0, ran.err
    gold = cdec(*call, "-q", "--corpus", "sample")
    assert ran.out != gold.out


def test_train_writes_a_detector_that_eval_can_use(cdec: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.detector"
    ran = cdec("train", "detector-lexicon", "--corpus", "sample", "-o", path, "-f", "json")
    assert ran.code == 0, ran.err
    thresholds = [row["threshold"] for row in json.loads(ran.out)["rows"]]
    assert thresholds == sorted(set(thresholds))
    outputs = []
    for name in (path, "detector-lexicon"):
        chosen = ("--corpus", "sample", "--mentions", f"predicted:{name}")
        outputs.append(cdec("eval", "-q", "--system", "lemma", *chosen, "-f", "csv").out)
    assert outputs[0] == outputs[1] != ""


def test_a_detector_of_another_kind_is_refused(cdec: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.detector"
    kind = ("--corpus", "sample", "--mentions", "entity")
    assert cdec("train", "detector-lexicon", *kind, "-o", path, "-q").code == 0
    ran = cdec("eval", "--system", "lemma", "--corpus", "sample", "--mentions", f"predicted:{path}")
    assert ran.error == "model-mismatch"
    ran = cdec(
        *("eval", "-q", "--system", "lemma", "--corpus", "sample"),
        *("--mentions", f"predicted:{path}/entity"),
    )
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("predicted:", "name-unknown"),
        ("predicted:mine", "name-unknown"),
        ("predicted:detector-tagger/events", "name-unknown"),
        ("predictions", "name-unknown"),
    ],
)
def test_an_unknown_detector_is_refused(value: str, code: str, cdec: Run) -> None:
    ran = cdec("eval", "--system", "lemma", "--corpus", "sample", "--mentions", value)
    assert ran.code == 2
    assert ran.error == code


@pytest.mark.parametrize("command", [("stats",), ("tune", "lemma-delta"), ("train", "sac")])
def test_commands_that_need_gold_mentions_refuse_a_detector(
    command: tuple[str, ...], cdec: Run
) -> None:
    ran = cdec(*command, *LEXICON)
    assert ran.code == 2
    assert ran.error == "name-unknown"
