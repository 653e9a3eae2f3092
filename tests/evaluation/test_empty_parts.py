"""Parts of a corpus without documents or event mentions: an error with a code, no score of 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cdec.api import evaluate, predict
from cdec.baselines import SYSTEMS, system
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.baselines.sac import Sac
from cdec.corpus import Corpus, read, sample_path
from cdec.evaluation import FilePolicy, meta_document_sides
from cdec.settings import find_setting
from cdec.tuning import tune
from tests.cli.conftest import Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]  # a fixture
SAMPLE = read(sample_path())
EMPTY = {
    "no documents": SAMPLE.subset([], "none"),
    "no event mentions": replace(SAMPLE, mentions=SAMPLE.mentions.query("kind == 'entity'")),
}
RESPONSES: dict[str, Callable[[Corpus, Path], object]] = {
    "predict": lambda corpus, _: predict(corpus),
    "system": lambda corpus, _: evaluate(corpus, system("lemma")),
    "file": lambda corpus, file: evaluate(corpus, file, policy=FilePolicy(allow_empty=True)),
    "chains": lambda corpus, _: evaluate(corpus, {}, policy=FilePolicy(allow_empty=True)),
    "key": lambda corpus, _: meta_document_sides(corpus, find_setting("pure"), None),
    "tune": lambda corpus, _: tune(corpus, LemmaDelta(), find_setting("pure")),
    "train": lambda corpus, _: Sac().fit(corpus, SAMPLE),
}


@pytest.mark.parametrize("said", EMPTY)
@pytest.mark.parametrize("name", RESPONSES)
def test_from_python(name: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"doc": "1_1ecb", "start": 1, "end": 1, "chain": "é"}\n', "utf-8")
    with refused("part-too-small", said, place=f"({EMPTY[said].part})"):
        RESPONSES[name](EMPTY[said], file)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system(name: str) -> None:
    for said, corpus in EMPTY.items():
        with refused("part-too-small", said):
            predict(corpus, name)


@pytest.mark.parametrize(
    "call",
    [
        "eval --system lemma",
        "predict",
        "compare lemma lemma-wd",
        "diagnose lemma",
        "tune lemma-delta",
        "train sac",
        "corpus export",
        "corpus export -s pure",
    ],
)
def test_from_the_command_line(call: str, cdec: Run, tmp_path: Path) -> None:
    split = tmp_path / "my.toml"
    split.write_text('[topics]\ntrain = []\ndev = []\ntest = ["1-6"]\n', "utf-8")
    part = "/dev" if not call.startswith("train") else ""
    output = ["-o", tmp_path / "x"] if call.startswith("train") else []
    ran = cdec(*call.split(), "--corpus", "sample", "-q", "--split", f"{split}{part}", *output)
    assert (ran.code, ran.error) == (1, "part-too-small"), ran.err
