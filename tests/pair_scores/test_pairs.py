"""Lists of pairs with scores: quality, intervals, the command."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from cdec import load_corpus, score_pairs
from cdec.arrays import Floats, Ints
from cdec.corpus import Corpus
from cdec.evaluation import MentionPairs, PairTable
from cdec.pair_scores import page
from cdec.pair_scores.clusterings import closure
from cdec.pair_scores.merges import Merges
from cdec.pair_scores.quality import _measures, at_threshold, quality, reliability
from cdec.pair_scores.tuning import linking
from cdec.render import render
from cdec.statistics import Plan
from tests.cli.conftest import Run
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


@pytest.fixture(scope="module")
def scored(sample: Corpus) -> pd.DataFrame:
    """All pairs of the first 60 mentions; gold links score higher by .3."""
    ids = sample.selected.index[:60].to_numpy()
    chains = pd.factorize(sample.gold.labels)[0]
    first, second = np.triu_indices(60, 1)
    noise = np.random.default_rng(1).random(len(first))
    scores = (0.7 * noise + 0.3 * (chains[first] == chains[second])).round(4)
    return pd.DataFrame({"a": ids[first], "b": ids[second], "score": scores})


def read(path: Path, corpus: Corpus, directions: str = "mean") -> MentionPairs:
    pairs = MentionPairs.read(str(path), corpus, directions)  # type: ignore[arg-type]
    assert pairs is not None
    return pairs


def lines(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["a,b,score", *rows]) + "\n", "utf-8")
    return path


def test_quality_is_that_of_scikit_learn(
    scored: pd.DataFrame, sample: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    scored.to_csv(path, index=False)
    pairs = read(path, sample)
    gold, score = pairs.gold, pairs.scores
    table = quality(pairs, 0.5, Plan(unit="topic", resamples=50)).set_index("measure")
    assert table.loc["average precision", "value"] == average_precision_score(gold, score)
    assert table.loc["ROC AUC", "value"] == roc_auc_score(gold, score)
    assert table.loc["Brier score", "value"] == brier_score_loss(gold, score)
    bins = reliability(pairs)
    share, mean = calibration_curve(gold, score, n_bins=10)
    assert bins["gold"].to_numpy() == pytest.approx(share)
    assert bins["score"].to_numpy() == pytest.approx(mean)
    expected = (bins["pairs"] * (bins["gold"] - bins["score"]).abs()).sum() / len(pairs)
    assert table.loc["calibration error", "value"] == pytest.approx(expected)
    inside = table.dropna()
    assert (inside["low"] <= inside["value"]).all()
    assert (inside["value"] <= inside["high"]).all()


def test_weighted_measures_are_those_of_scikit_learn(scored: pd.DataFrame, sample: Corpus) -> None:
    pairs = MentionPairs.of_table(PairTable("made", scored.sample(frac=1, random_state=1)), sample)
    drawn: Ints = np.random.default_rng(5).integers(0, 4, len(pairs))
    weight: Floats = drawn.astype(np.float64)
    gold, score = pairs.gold, pairs.scores
    for name, peer in (
        ("average precision", average_precision_score),
        ("ROC AUC", roc_auc_score),
        ("Brier score", brier_score_loss),
    ):
        for given in (None, weight):
            value = _measures(pairs, 0.5)[name](given)
            assert value == pytest.approx(peer(gold, score, sample_weight=given), abs=1e-12), name


def test_the_curve_of_precision_is_drawn_in_html_only(
    scored: pd.DataFrame, sample: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = score_pairs(sample, scored)
    html = render(shown.page, "html")
    assert html.count("<svg role") == 2
    assert "recall (%)" in html
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", None)
    for name in ("table", "csv", "json", "markdown", "latex"):
        assert render(shown.page, name)


def test_intervals_keep_the_weights_of_one_resample(scored: pd.DataFrame, sample: Corpus) -> None:
    pairs = MentionPairs.of_table(PairTable("made", scored), sample)
    most = []
    for resamples in (5, 50):
        tracemalloc.start()
        quality(pairs, 0.5, Plan(unit="topic", resamples=resamples))
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] - most[0] < 10 * pairs.scores.nbytes


def test_log_odds_link_at_zero_and_have_the_same_order(
    scored: pd.DataFrame, sample: Corpus, tmp_path: Path
) -> None:
    probable = scored.assign(score=scored["score"].clip(0.01, 0.99))
    odds = probable.assign(score=np.log(probable["score"] / (1 - probable["score"])))
    tables = []
    for rows, threshold in ((probable, 0.5), (odds, 0.0)):
        rows.to_csv(tmp_path / "s.csv", index=False)
        tables.append(quality(read(tmp_path / "s.csv", sample), threshold))
    assert tables[0]["value"].to_numpy() == pytest.approx(tables[1]["value"].to_numpy(), abs=1e-6)


@pytest.mark.parametrize("directions", ["mean", "max", "min"])
def test_the_scale_is_that_of_all_given_scores(
    sample: Corpus, tmp_path: Path, directions: str
) -> None:
    a, b, c = sample.selected.index[:3]
    rows = (f"{a},{b},1.6", f"{b},{a},.2", f"{a},{c},-.1", f"{c},{a},.7")
    pairs = read(lines(tmp_path / "s.csv", *rows), sample, directions)
    assert linking(pairs, None, None).threshold == 0
    assert pairs.probabilities.tolist() == expit(pairs.scores).tolist()
    alone = read(lines(tmp_path / "s.csv", f"{a},{a},2", f"{a},{b},.4"), sample)
    assert alone.log_odds
    assert alone.scored().log_odds
    assert not read(lines(tmp_path / "s.csv", f"{a},{b},1", f"{a},{c},"), sample).log_odds


def test_a_pair_links_at_its_own_score() -> None:
    gold, score = np.array([True, False]), np.array([0.5, 0.4])
    measures = at_threshold(0.5)
    assert [measures[name](gold, score, None) for name in measures] == [1, 1, 1]


def test_a_page_of_pairs_that_scores_cannot_separate(sample: Corpus) -> None:
    """All are links, none is, none has a score, there are none: the rest of the page is there."""
    chains = sample.gold.labels
    a, b = chains[chains == chains.value_counts().index[0]].index[:2]
    c = chains[chains != chains[a]].index[0]
    for scores, measures in (
        ({(a, b): 0.9}, {"reliability"}),
        ({(a, c): 0.0, (b, c): 0.0}, {"reliability"}),
        ({(a, b): None, (a, c): None}, set()),
        ({}, set()),
    ):
        for cluster in ("closure", "average"):
            shown = score_pairs(sample, scores, cluster=cluster)
            frame = shown.to_frame()
            listed = frame.loc[frame["section"] == "list", "listed"].dropna()
            assert listed.tolist() == [(a, b) in scores]
            assert set(frame.get("measure", pd.Series()).dropna()) == measures
            oracle = frame[frame["response"].astype(str).str.startswith("best decision")]
            assert oracle["conll"].notna().tolist() == [True]
            assert ("nothing to separate" in str(shown)) == bool(measures)


def test_pairs_are_clustered_once_for_all_settings(
    scored: pd.DataFrame, sample: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(given: MentionPairs) -> Merges:
        made.append(given)
        return closure(given)

    monkeypatch.setattr(page, "CLUSTERINGS", {"closure": counted})
    score_pairs(sample, scored.head(20), setting=["simple", "pure"])
    assert len(made) == 1


def test_the_signature_has_the_plan_of_intervals(scored: pd.DataFrame, sample: Corpus) -> None:
    plan = Plan(unit="topic", resamples=10, seed=3, level=0.9)
    shown = score_pairs(sample, scored, plan=plan).page
    assert "ci:percentile-0.9|unit:topic-3|resamples:10|seed:3" in shown.intro[0]
    with refused("parameter-invalid", "bca"):
        score_pairs(sample, scored, plan=replace(plan, method="bca"))


def test_options_of_scores_need_scores(cdec: Run, scored: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    scored[["a", "b"]].to_csv(path, index=False)
    call = ("pairs", path, "--corpus", "sample", "-v")
    for more in (
        ("--threshold", ".9"),
        ("--cluster", "average"),
        ("--ci",),
        ("--directions", "max"),
    ):
        done = cdec(*call, *more)
        assert done.code == 2
        assert f"{more[0]} has no effect without scores" in done.err
    assert cdec(*call, "-f", "csv").code == 0
    sample, bare = load_corpus("sample", "test"), scored[["a", "b"]]
    options: tuple[dict[str, Any], ...] = (
        {"threshold": 0.9},
        {"cluster": "average"},
        {"plan": Plan()},
        {"directions": "max"},
    )
    for option in options:
        with refused("option-requires", f"{next(iter(option))} has no effect without scores"):
            score_pairs(sample, bare, **option)
    with refused("argument-type"):
        score_pairs(sample, bare, train="sample")


def test_the_command(cdec: Run, scored: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    scored.to_csv(path, index=False)
    done = cdec("pairs", path, "--corpus", "sample", "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert {row["section"] for row in rows} == {"list", "quality", "chains-simple", "gold"}
    chains = [row for row in rows if row["section"] == "chains-simple" and row.get("conll")]
    yes, linked, best, oracle = (row["conll"] for row in chains)
    assert max(yes, linked) <= best <= oracle


def test_a_response_has_a_scored_pair(cdec: Run, tmp_path: Path, sample: Corpus) -> None:
    path = tmp_path / "s.csv"
    a, b = sample.selected.index[:2]
    for content in ("a,b,score\n", f"a,b,score\n{a},{b},\n"):
        path.write_text(content)
        ran = cdec("eval", f"pairs:{path}", "-s", "pure")
        assert (ran.code, ran.error) == (1, "table-invalid")
