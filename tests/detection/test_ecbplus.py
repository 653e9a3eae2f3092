"""The detectors on ECB+: the figures of docs/detection.md on dev, as lower bounds."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.configs import read_table
from cdec.detection import NAMES, Detector
from tests.cli.conftest import Run, cdec
from tests.detection.made import NEWS, news

__all__ = ["cdec"]  # the fixture

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
        load_corpus(str(ecbplus), f"cybulska/{part}").select(kind) for part in ("train", "dev")
    )
    fitted = Detector(name).fit(train, dev).fitting().fitted[kind]
    assert fitted.curve[fitted.cut.threshold].f1 >= MEASURED[name, kind]


@pytest.mark.slow
def test_the_example_of_the_guide_is_what_the_command_writes(
    cdec: Run, ecbplus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "detection.md").read_text("utf-8")
    assert all(text in page for text in NEWS.values())
    news(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    ran = cdec("predict", "--text", "news", "-o", "chains.jsonl")
    assert ran.code == 0
    assert ran.err in page
    lines = Path("chains.jsonl").read_text("utf-8").splitlines()
    shown = [line for line in page.splitlines() if line.startswith('{"doc"')]
    assert lines[: len(shown)] == shown != []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "split"), [*product(NAMES, ("ycf", "cybulska"))])
def test_the_figures_of_the_page(
    name: str, split: str, cdec: Run, ecbplus: Path, tmp_path: Path
) -> None:
    model, scores = tmp_path / "x.detector", tmp_path / "scores.csv"
    corpus = ("--corpus", ecbplus)
    assert cdec("train", name, "--split", split, "-o", model, *corpus).code == 0
    scored = ("-s", "simple", "-s", "pure", "--metric", "conll", "--metric", "mentions")
    part = (*corpus, "--split", "cybulska/test", "--mentions", f"predicted:{model}")
    assert cdec("eval", "--system", "lemma", *scored, *part, "-o", scores).code == 0
    with scores.open(encoding="utf-8") as lines:
        found = {(row["setting"], row["metric"]): row for row in csv.DictReader(lines)}
    trained = {"trained on": f"ecb+/{split}-train"}
    (mentions,) = rows("mentions", mentions="event", detector=name, **trained)
    (chains,) = rows("chains", part="test", mentions=name, **trained)
    shown = dict(zip(("precision", "recall", "f1"), ("P", "R", "F1"), strict=True))
    for column, title in shown.items():
        value = float(found["simple", "mentions"][column])
        assert f"{100 * value:.1f}" == mentions[f"test {title}"]
    for setting in ("simple", "pure"):
        value = float(found[setting, "conll"]["f1"])
        assert f"{100 * value:.1f}" == chains[f"{setting.upper()} lemma"]


def rows(table: str, **of: str) -> list[dict[str, str]]:
    return [row for row in read_table(f"detection/{table}.csv") if of.items() <= row.items()]
