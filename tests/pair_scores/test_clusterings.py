"""Chains of scored pairs: each clustering against a slow one, and tuning."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdec as package
from cdec import load_corpus
from cdec.baselines.sac import Sac
from cdec.clustering import Clustering
from cdec.errors import CdecWarning
from cdec.evaluation import (
    MentionPairs,
    PairTable,
    SystemRun,
    pair_scores,
    prediction,
    run_on,
)
from cdec.metrics.scores import score
from cdec.pair_scores import command, page
from cdec.pair_scores.clusterings import CLUSTERINGS
from cdec.pair_scores.tuning import chosen
from cdec.settings import find_setting
from tests.cli.conftest import Run
from tests.refusals import refused

SAMPLE = load_corpus("sample", "test")
IDS = SAMPLE.selected.index[:7].to_numpy()
Probabilities = dict[tuple[int, int], float]


def listed(p: Probabilities) -> MentionPairs:
    rows = [(IDS[a], IDS[b], score) for (a, b), score in p.items()]
    table = PairTable("made", pd.DataFrame(rows, columns=["a", "b", "score"]))
    return MentionPairs.of_table(table, SAMPLE)


@st.composite
def probabilities(draw: st.DrawFn) -> Probabilities:
    every = list(combinations(range(len(IDS)), 2))
    chosen = draw(st.sets(st.sampled_from(every), min_size=1))
    chance = np.random.default_rng(draw(st.integers(0, 10**6)))
    return {pair: float(chance.random()) for pair in sorted(chosen)}


def value(chains: np.ndarray, p: Probabilities, threshold: float) -> float:
    """The aim of correlation clustering."""
    pairs = combinations(range(len(IDS)), 2)
    return sum(p.get(pair, 0.0) - threshold for pair in pairs if len(set(chains[[*pair]])) == 1)


@given(probabilities(), st.floats(0.1, 0.9))
def test_no_move_of_a_mention_raises_the_sum_of_correlation(
    p: Probabilities, threshold: float
) -> None:
    chains = CLUSTERINGS["correlation"](listed(p)).chains(threshold)[: len(IDS)]
    best = value(chains, p, threshold)
    assert best >= 0
    for at in range(len(IDS)):
        for other in (*chains.tolist(), -1):
            moved = chains.copy()
            moved[at] = other
            assert value(moved, p, threshold) <= best + 1e-6


@given(probabilities(), st.floats(0.1, 0.9))
def test_links_of_log_odds_are_those_of_their_probabilities(
    p: Probabilities, threshold: float
) -> None:
    odds = {pair: float(np.log(x / (1 - x))) for pair, x in p.items()}
    odds[0, 1], p[0, 1] = 9.0, 1 / (1 + np.exp(-9.0))
    at = float(np.log(threshold / (1 - threshold)))
    of_p, of_odds = listed(p), listed(odds)
    for name, clustering in CLUSTERINGS.items():
        chains = clustering(of_p).chains(threshold)
        same = clustering(of_odds).chains(at)
        assert Clustering(pd.Series(chains)) == Clustering(pd.Series(same)), name


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_a_higher_threshold_first_or_last_is_the_same(name: str) -> None:
    pairs = listed({(0, 1): 0.9, (1, 2): 0.6, (0, 2): 0.1, (3, 4): 0.3})
    cut = CLUSTERINGS[name](pairs)
    for threshold in (0.7, 0.2, 0.5, np.inf):
        fresh = CLUSTERINGS[name](pairs).chains(threshold)
        assert Clustering(pd.Series(cut.chains(threshold))) == Clustering(pd.Series(fresh))
    assert len(set(cut.chains(np.inf))) == len(SAMPLE.selected)


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_nothing_is_linked_at_the_infinite_threshold(name: str) -> None:
    """The sigmoid of log-odds of 22 and 30 is 1 within the digits that are compared."""
    cut = CLUSTERINGS[name](listed({(0, 1): 30.0, (0, 2): 22.0, (0, 3): -3.0}))
    assert len(set(cut.chains(np.inf))) == len(SAMPLE.selected)
    assert len(set(cut.chains(22.0))) == len(SAMPLE.selected) - (2 if name == "closure" else 1)


def test_the_command_and_the_page_know_all_clusterings() -> None:
    assert tuple(CLUSTERINGS) == command._CLUSTER.complete
    assert all(name in command._CLUSTER.help for name in CLUSTERINGS)
    assert list(CLUSTERINGS) == list(page._LINKED)


def test_a_threshold_of_zero_is_for_closure_only() -> None:
    pairs = listed({(0, 1): 0.9})
    assert CLUSTERINGS["closure"](pairs).chains(0.0)[0] == 0
    with refused("parameter-invalid"):
        CLUSTERINGS["average"](pairs).chains(0.0)


def test_the_scores_of_sac_give_its_chains(sample_sac: Sac, tmp_path: Path) -> None:
    """SAC joins by average link at its threshold: so does its file."""
    dev = load_corpus("sample", "dev")
    pd.concat(pair_scores(sample_sac, dev)).to_csv(tmp_path / "sac.csv", index=False)
    assert sample_sac.model is not None
    text = f"pairs:{tmp_path / 'sac.csv'}@{sample_sac.model.threshold}/average"
    run = run_on(dev, text)
    assert run.system == "sac"
    assert run.response == prediction(sample_sac, dev)
    assert run.about["clustering"] == "average"


def scores(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["a,b,score", *rows]) + "\n", "utf-8")
    return path


def test_tuning_on_dev(cdec: Run, sample_sac: Sac, tmp_path: Path) -> None:
    for part in ("dev", "test"):
        blocks = pair_scores(sample_sac, load_corpus("sample", part))
        pd.concat(blocks).to_csv(tmp_path / f"{part}.csv", index=False)
    call = ("pairs", tmp_path / "test.csv", "--corpus", "sample", "--tune")
    done = cdec(*call, tmp_path / "dev.csv", "-f", "json")
    assert done.code == 0, done.err
    rows = [row["response"] for row in json.loads(done.out)["rows"] if row.get("response")]
    assert "chosen on sample-dev" in rows[1]
    shown = package.score_pairs(
        SAMPLE,
        tmp_path / "test.csv",
        tune=(load_corpus("sample", "dev"), tmp_path / "dev.csv"),
    )
    assert rows[1] in shown.to_frame()["response"].tolist()
    assert "tuned_on:sample-dev" in json.loads(done.out)["signature"]
    test = cdec(*call, tmp_path / "test.csv", "--tune-split", "test", "-v")
    assert "tuning-on-test" in test.err
    assert "--tune" in cdec("pairs", tmp_path / "test.csv", "--tune-split", "dev").err
    assert cdec(*call, tmp_path / "dev.csv", "--threshold", "0.5").code == 2


def random_pairs(part: str, size: int = 60) -> MentionPairs:
    """Pairs with 25 different scores; links of the key score higher by .3."""
    corpus, chance = load_corpus("sample", part), np.random.default_rng(4)
    ids = corpus.selected.index[:size].to_numpy()
    first, second = np.triu_indices(size, 1)
    chains = pd.factorize(corpus.gold.labels)[0]
    scores = 0.7 * chance.random(len(first)) + 0.3 * (chains[first] == chains[second])
    table = {"a": ids[first], "b": ids[second], "score": np.ceil(25 * scores) / 25}
    return MentionPairs.of_table(PairTable(part, pd.DataFrame(table)), corpus)


@pytest.mark.parametrize("name", [None, "complete"])
def test_the_best_of_all_thresholds_and_clusterings_is_chosen(name: str | None) -> None:
    dev, setting = random_pairs("dev"), find_setting("simple")
    index, gold = dev.corpus.selected.index, dev.corpus.gold
    tried = []
    for one in [name] if name else CLUSTERINGS:
        cut = CLUSTERINGS[one](dev)
        for at in cut.levels.tolist():
            chains = Clustering(pd.Series(cut.chains(at), index=index))
            run = SystemRun("dev", dev.corpus.selected, gold, chains)
            rows = score(run.meta_documents(setting), ["conll"]).rows()
            tried.append((float(str(rows[0]["f1"])), at, one))
    best = max(tried, key=lambda row: row[0])
    assert min(tried)[0] < best[0]
    at = chosen(dev, random_pairs("test"), "dev", setting, name)
    assert (at.threshold, at.clustering, at.part) == (*best[1:], "sample-dev")
    assert f"of {len(tried)} tried" in at.note


def test_scores_of_zero_are_tuned_with_closure_only() -> None:
    dev, simple = random_pairs("dev"), find_setting("simple")
    zero = replace(dev, score=np.zeros(len(dev)))
    at = chosen(zero, random_pairs("test"), "dev", simple)
    assert (at.clustering, at.threshold) == ("closure", 0.0)
    for name in ("average", "complete", "correlation"):
        with refused("input-mismatch", name):
            chosen(zero, random_pairs("test"), "dev", simple, name)


def test_pairs_that_cannot_be_tuned_on() -> None:
    dev, test, simple = random_pairs("dev"), random_pairs("test"), find_setting("simple")
    with refused("tuning-on-test", "documents of the evaluated part"):
        chosen(dev, dev, "dev", simple)
    for one, other in ((replace(dev, log_odds=True), test), (dev, replace(test, log_odds=True))):
        with refused("input-mismatch", "log-odds"):
            chosen(one, other, "dev", simple)
    with refused("input-mismatch", "no scores"):
        chosen(replace(dev, score=None), test, "dev", simple)


def test_score_pairs_is_as_strict_as_the_command_on_dev() -> None:
    dev, test = (
        {(p.corpus.selected.index[a], p.corpus.selected.index[b]): score for a, b, score in rows}
        for p in (random_pairs("dev", 30), random_pairs("test", 30))
        for rows in [zip(p.first, p.second, p.scores, strict=True)]
    )
    dev[next(iter(dev))] = np.nan
    tune = (load_corpus("sample", "dev"), dev)
    with pytest.warns(CdecWarning, match="1 pair has no score"):
        package.score_pairs(SAMPLE, test, cluster="closure", tune=tune)
    with refused("option-conflict", "threshold"):
        package.score_pairs(SAMPLE, test, threshold=0.1, tune=tune)


def test_score_pairs_takes_a_dict_a_table_and_a_file(tmp_path: Path) -> None:
    a, b, c = SAMPLE.selected.index[[0, 1, 2]]
    table = pd.DataFrame({"a": [a, a], "b": [b, c], "score": [0.9, 0.2]})
    table.to_csv(tmp_path / "pairs.csv", index=False)
    given = ({(a, b): 0.9, (a, c): 0.2}, table, tmp_path / "pairs.csv")
    frames = [package.score_pairs(SAMPLE, one).to_frame() for one in given]
    pd.testing.assert_frame_equal(frames[0], frames[1])
    pd.testing.assert_frame_equal(frames[0], frames[2])
    with refused("table-invalid"):
        package.score_pairs(SAMPLE, table[["a"]])
