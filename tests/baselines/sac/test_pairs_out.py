"""The scores of mention pairs that SAC writes for `cdec pairs`."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from cdec import build_corpus
from cdec.baselines import system
from cdec.baselines.sac import Sac
from cdec.corpus import Corpus
from cdec.evaluation import MentionPairs, PairTable, pair_scores
from tests.cli.conftest import Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]


def test_every_candidate_pair_has_a_score(fitted: Sac, sample: dict[str, Corpus]) -> None:
    table = pd.concat(pair_scores(fitted, sample["dev"]), ignore_index=True)
    pairs = MentionPairs.of_table(PairTable("sac", table), sample["dev"])
    count = f"{len(pairs):,} candidate pairs, "
    assert fitted.remark(sample["dev"]).startswith(count)
    assert pairs.notices == ()
    low, high = pairs.scores.min(), pairs.scores.max()
    assert (0 <= low < 0.1, 0.9 < high <= 1) == (True, True)
    assert pairs.scores[pairs.gold].mean() > 3 * pairs.scores[~pairs.gold].mean()


def test_a_system_without_pair_scores(sample: dict[str, Corpus]) -> None:
    with refused("system-unsuitable", place="lemma"):
        next(pair_scores(system("lemma"), sample["dev"]))


@pytest.fixture
def call(fitted: Sac, tmp_path: Path) -> tuple[str | Path, ...]:
    """A call of predict with a trained model, which writes the scores of pairs to a file."""
    model, file = tmp_path / "model.json", tmp_path / "scores.csv"
    fitted.save(model)
    return "predict", "--system", "sac", "--model", model, "--pairs-out", file


def test_a_corpus_without_a_pair_gives_a_header(
    cdec: Run, call: tuple[str | Path, ...], tmp_path: Path
) -> None:
    one = {"a": "A fire broke out."}, [{"id": "1", "doc": "a", "from_char": 2, "to_char": 6}]
    corpus = tmp_path / "one.jsonl"
    build_corpus(one[1], one[0]).save(corpus)
    done = cdec(*call, "--corpus", corpus)
    assert done.code == 0, done.err
    assert Path(call[-1]).read_text("utf-8") == "a,b,score\n"
    shown = cdec("pairs", call[-1], "--corpus", corpus, "--format", "json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["rows"][0]["listed"] == 0
    assert cdec("eval", f"pairs:{call[-1]}", "--corpus", corpus).error == "table-invalid"


@pytest.mark.parametrize("other", [("--text", "texts"), ("-o", "mine.conll"), ("--to", "jsonl")])
def test_pairs_are_written_instead_of_a_response(
    cdec: Run,
    call: tuple[str | Path, ...],
    other: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cdec.cli.run.Run.make", lambda self, names: pytest.fail("computes"))
    ran = cdec(*call, "--corpus", "sample", *other)
    assert (ran.code, ran.error) == (2, "option-conflict")
    assert f"{other[0].replace('-o', '--output')} cannot" in ran.err


def test_the_command_writes_the_pairs_only(cdec: Run, call: tuple[str | Path, ...]) -> None:
    file = Path(call[-1])
    done = cdec(*call, "--corpus", "sample", "--split", "dev")
    assert (done.code, done.out) == (0, "")
    assert file.read_text("utf-8").startswith("a,b,score\n")
    page = cdec("pairs", file, "--corpus", "sample", "--split", "dev", "-f", "csv")
    assert page.code == 0, page.err
    wrong = cdec("predict", "--system", "lemma", "--corpus", "sample", "--pairs-out", file, "-v")
    assert "system-unsuitable" in wrong.err
    assert file.read_text("utf-8").startswith("a,b,score\n")
