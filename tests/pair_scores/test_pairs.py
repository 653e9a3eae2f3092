"""Lists of pairs with scores: reading, quality, the command."""

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
from cdec.diagnosis import Candidates, coverage
from cdec.evaluation import MentionPairs, PairTable
from cdec.pair_scores import page
from cdec.pair_scores.clusterings import Linking, closure, linking_notices
from cdec.pair_scores.merges import Merges
from cdec.pair_scores.quality import _measures, at_threshold, quality, reliability
from cdec.pair_scores.source import pairs_of
from cdec.pair_scores.tuning import linking
from cdec.render import render
from cdec.settings import find_setting
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


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_has_the_same_pairs(
    form: str, scored: pd.DataFrame, sample: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / f"scores.{form}"
    match form:
        case "csv":
            scored.to_csv(path, index=False)
        case "tsv":
            scored.to_csv(path, index=False, sep="\t")
        case "jsonl":
            scored.to_json(path, orient="records", lines=True)
        case _:
            scored.to_parquet(path)
    pairs = read(path, sample)
    assert len(pairs) == len(scored)
    assert pairs.scores.tolist() == scored["score"].tolist()
    assert pairs.notices == ()
    assert pairs.digest == MentionPairs.of_table(PairTable("memory", scored), sample).digest


def lines(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["a,b,score", *rows]) + "\n", "utf-8")
    return path


def test_directions_holes_self_pairs_and_repetitions(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    rows = (f"{a},{b},.2", f"{b},{a},.6", f"{a},{a},1", f"{a},{c},", f"{a},{b},.2", "")
    path = lines(tmp_path / "s.csv", *rows)
    for directions, score in (("mean", 0.4), ("max", 0.6), ("min", 0.2)):
        pairs = read(path, sample, directions)
        assert pairs.first.tolist() == [0, 0]
        assert pairs.scores.tolist() == pytest.approx([score, np.nan], nan_ok=True)
        assert len(pairs.scored()) == 1
    codes = [(notice.code, notice.count, notice.warning) for notice in pairs.notices]
    assert codes == [
        ("pairs-left-out", 1, False),
        ("pairs-left-out", 1, False),
        ("pairs-without-score", 1, True),
    ]


def test_wrong_rows_are_errors_with_their_line(sample: Corpus, tmp_path: Path) -> None:
    a, b = sample.selected.index[:2]
    for row, code in (
        (f"{a},{b},high", "table-invalid"),
        (f"{a},{b},inf", "table-invalid"),
        (f"{a},,.5", "table-invalid"),
        (f"{a},{b},.6", "table-invalid"),  # another score of the first pair
        (f"{a},nowhere/1,.5", "mention-unknown"),
    ):
        path = lines(tmp_path / "s.csv", f"{a},{b},.5", f"{a},{a},1", row)
        with refused(code, place="s.csv:4"):
            read(path, sample)
    with refused("table-invalid"):
        read(lines(tmp_path / "s.csv", f"{a},{b},.5,7"), sample)
    for header in ("a,b,score,score", "a,b,score,a", "a,b,score,Score", "a,b,score,first"):
        twice = tmp_path / "twice.csv"
        twice.write_text(f"{header}\n{a},{b},.5,.5\n")
        with refused("table-invalid", place="twice.csv"):
            read(twice, sample)


def test_tables_as_people_write_them(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    path = tmp_path / "s.csv"
    for text, line in (
        (f"\n \na,b,score\n{a},{b},.5\n{a},{c},", 5),
        (f"a , b, score\n{a} , {b}, .5\n \n\n{a}, {c},", 5),
        (f'a,b,score,"why, in words"\n{a},{b},.5,"x, y"\n{a},{c},', 3),
        (f'a,b,score,"why\nso"\n{a},{b},.5,"x\n\ny"\n{a},{c},', 6),
        (f'a\tb\tscore\r\n{a}\t{b}\t.5\r\n"{a}"\t{c}\t', 3),
    ):
        path.write_bytes(f"\ufeff{text}.25\n".encode())
        pairs = read(path, sample)
        assert pairs.first.tolist() == [0, 0]
        assert pairs.scores.tolist() == [0.5, 0.25]
        path.write_text(f"{text}bad\n", "utf-8")
        with refused("table-invalid", "'bad'", place=f"s.csv:{line}"):
            read(path, sample)


def test_an_id_is_text(sample: Corpus, tmp_path: Path) -> None:
    for row, first in (("0104985,1.10,.5", "0104985"), ("x,1.10,.5", "x"), ("true,y,", "true")):
        with refused("mention-unknown", f"'{first}'"):
            read(lines(tmp_path / "s.csv", row), sample)


def test_lines_of_json(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    path = tmp_path / "s.jsonl"
    first = {"a": a, "b": b, "score": 0.5, "prompt": "x\u2028y"}

    def written(**second: object) -> Path:
        rows = (json.dumps(row, ensure_ascii=False) for row in (first, second))
        path.write_text("\r\n".join(rows), "utf-8")
        return path

    assert read(written(a=a, b=c, score=0.25), sample).scores.tolist() == [0.5, 0.25]
    for wrong in ({"a": ["d", 1, 2]}, {"a": None}, {"a": 1.5}, {"b": True}, {"score": True}):
        with refused("table-invalid", place="s.jsonl:2"):
            read(written(**({"a": a, "b": c, "score": 0.1} | wrong)), sample)


def test_tables_and_dicts_are_checked_as_files_are(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    table = pd.DataFrame({"a": [a, a], "b": [b, c], "score": [0.5, 0.1]}, dtype=object)
    expected = pairs_of(table, sample)
    for index in (["r1", "r2"], [1.0, np.nan], [7, 7]):
        assert pairs_of(table.set_index(pd.Index(index)), sample).digest == expected.digest
    assert pairs_of({(a, b): 0.5, (a, c): 0.1}, sample).digest == expected.digest
    for column, value, code in (
        ("b", "nowhere/1", "mention-unknown"),
        ("b", np.nan, "table-invalid"),
        ("a", "", "table-invalid"),
        ("a", ("d", 1, 2), "table-invalid"),
        ("score", np.inf, "table-invalid"),
        ("score", True, "table-invalid"),
        ("score", "high", "table-invalid"),
        ("score", 10**400, "table-invalid"),
        ("score", 1 + 2j, "table-invalid"),
        ("score", pd.Timedelta(1, "s"), "table-invalid"),
    ):
        wrong = table.assign(**{column: pd.Series([table[column][0], value], dtype=object)})
        for rows in (wrong, wrong.set_index(pd.Index(["r1", "r2"]))):
            with refused(code, place="mine:1"):
                MentionPairs.of_table(PairTable("mine", rows), sample)
        scores = {(first, second): score for first, second, score in wrong.to_numpy()}
        with refused(code, place="pairs:1"):
            pairs_of(scores, sample)
    with refused("table-invalid", place="mine"):
        PairTable("mine", table[["a", "score"]])


def test_what_is_no_list_of_pairs(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    for key in ("xy", "abc", (a, b, c), 7):
        with refused("argument-type", place="pairs:1"):
            pairs_of({(a, b): 0.5, key: 0.5}, sample)  # type: ignore[dict-item]
    with refused("argument-type", "list"):
        pairs_of([(a, b, 0.5)], sample)  # type: ignore[arg-type]


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


def test_coverage_of_four_pairs(sample: Corpus) -> None:
    """A chain of two in two documents, one of two in one, a link of a chain of three, no link."""
    table = sample.selected.assign(key=sample.gold.labels, id=sample.selected.index)
    each = table.groupby("key", sort=False)
    shapes = pd.DataFrame({"size": each.size(), "docs": each["doc"].nunique()})
    chains = [
        each.get_group(shapes.query(f"size == {size} and docs == {docs}").index[0])["id"].tolist()
        for size, docs in ((2, 2), (2, 1), (3, 3))
    ]
    rows = [chain[:2] for chain in chains] + [[chains[0][0], chains[1][0]]]
    listed = PairTable("four", pd.DataFrame(rows, columns=["a", "b"]))
    pairs = MentionPairs.of_table(listed, sample)
    for name, sizes, expected in (
        ("simple", each.size(), (3, 2)),
        ("scope=document", table.groupby(["key", "doc"]).size(), (1, 1)),
        ("pure", each["doc"].nunique(), (2, 1)),
    ):
        candidates = Candidates.from_pairs(pairs)
        row, (links, whole) = coverage(pairs, candidates, find_setting(name)), expected
        gold, several = int((sizes * (sizes - 1) // 2).sum()), int((sizes > 1).sum())
        assert (row["gold"], row["listed"], row["share"]) == (gold, links, links / gold), name
        assert (row["chains"], row["whole"]) == (several, whole), name
        assert row["chain_share"] == whole / several, name
        assert row["complete"] == row["whole"], name  # no chain of three is whole


def test_a_chain_is_complete_with_all_of_its_links(sample: Corpus) -> None:
    chains = sample.gold.labels
    a, b, c = chains[chains.isin(chains.value_counts().loc[lambda n: n == 3].index[:1])].index
    for rows, whole, complete in (([(a, b)], 0, 0), ([(a, b), (b, c)], 1, 0)):
        for more, full in (([], complete), ([(a, c)], int(len(rows) == 2))):
            pairs = pairs_of(dict.fromkeys([*rows, *more], 1.0), sample)
            row = coverage(pairs, Candidates.from_pairs(pairs), find_setting("simple"))
            assert (row["whole"], row["complete"]) == (max(whole, len(rows + more) > 1), full)


def test_pairs_without_a_score_are_listed(cdec: Run, sample: Corpus, tmp_path: Path) -> None:
    a, *others = sample.selected.index[:14]
    path = lines(tmp_path / "s.csv", f"{a},{others[0]},.5", *(f"{a},{b}," for b in others[1:]))
    done = cdec("pairs", path, "--corpus", "sample", "--format", "json", "-v")
    assert "[pairs-without-score]" in done.err
    rows = [row for row in json.loads(done.out)["rows"] if row["section"] == "list"]
    assert (rows[0]["unscored"], rows[0]["alone"]) == (12, len(sample.selected) - 14)
    assert [(row["a"], row["b"]) for row in rows[1:]] == [(a, b) for b in others[1:]]
    shown = cdec("pairs", path, "--corpus", "sample").out
    assert others[10] in shown
    assert others[11] not in shown
    assert "The first 10 of 12" in shown


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


def test_cells_that_are_lists_or_times(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    prompts = [[{"role": "user", "content": text}] for text in ("same?", "same?")]
    table = pd.DataFrame({"a": [a, a], "b": [b, c], "score": [0.5, 0.1], "prompt": prompts})
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    table.to_parquet(tmp_path / "s.parquet")
    files = (tmp_path / "s.jsonl", tmp_path / "s.parquet")
    costs = [pairs_of(table, sample).cost, *(pairs_of(file, sample).cost for file in files)]
    assert [cost["total"].tolist() for cost in costs] == [[1.0]] * 3
    assert len({cost["measure"][0] for cost in costs}) == 1
    with refused("table-invalid", "the label '[1]'", place="pairs:0"):
        pairs_of(table.assign(label=pd.Series([[1], [0]], dtype=object)), sample)
    with refused("table-invalid", "is not a real number", place="pairs:0"):
        pairs_of(table.assign(seconds=pd.to_timedelta([1, 2], "s")), sample)


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


def test_what_is_assumed_of_the_scores_is_said(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    for scores, warning in (([0.2, 0.3, 1.0000002], True), ([-4, 3, 0.5], False)):
        rows = pd.DataFrame({"a": [a, a, b], "b": [b, c, c], "score": scores})
        pairs = MentionPairs.of_table(PairTable("mine", rows), sample)
        found = [n.warning for n in pairs.notices if n.code == "reading-assumed"]
        assert (found, pairs.log_odds) == ([warning], True)


def test_a_response_has_a_scored_pair(cdec: Run, tmp_path: Path, sample: Corpus) -> None:
    path = tmp_path / "s.csv"
    a, b = sample.selected.index[:2]
    for content in ("a,b,score\n", f"a,b,score\n{a},{b},\n"):
        path.write_text(content)
        ran = cdec("eval", f"pairs:{path}", "-s", "pure")
        assert (ran.code, ran.error) == (1, "table-invalid")


def test_pairs_of_another_part_are_noticed(ecbplus: Path) -> None:
    cybulska, ycf = (load_corpus(str(ecbplus), f"{name}/test") for name in ("cybulska", "ycf"))
    first = cybulska.selected.groupby("doc").head(1).index
    rows = pd.DataFrame({"a": first[:-1], "b": first[1:]})
    table = PairTable("mine", rows)
    assert [n.code for n in MentionPairs.of_table(table, ycf).notices] == ["other-split"]
    assert MentionPairs.of_table(table, cybulska).notices == ()


COSTS = {"label": "1", "seconds": "0.5", "tokens_in": "40", "tokens_out": "1", "prompt": "Same?"}


def test_what_pairs_cost_and_labels_of_the_file(sample: Corpus, tmp_path: Path) -> None:
    """A gold link with the right label, and another pair in both directions with wrong ones."""
    chains = sample.gold.labels
    a, b = chains[chains == chains.value_counts().index[0]].index[:2]
    c = chains[chains != chains[a]].index[0]
    table = pd.DataFrame({"a": [a, a, c], "b": [b, c, a], "score": [0.9, 0.2, 0.4]})
    table = table.assign(**COSTS | {"tokens_out": ["1", "", "2"], "prompt": ["x", "y", "x"]})
    table.to_csv(tmp_path / "s.csv", index=False)
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    for given in (table, tmp_path / "s.csv", str(tmp_path / "s.jsonl")):
        pairs = pairs_of(given, sample)
        assert [(n.code, n.count, n.warning) for n in pairs.notices] == [
            ("reading-assumed", 2, True)
        ]
        rows = pairs.cost.set_index("measure")
        assert rows["total"].tolist() == [1.5, 120, 3, 2]
        assert rows["pairs"].tolist() == [2, 2, 2, 2]
        assert rows.index[3].startswith("distinct prompts (")
        shown = score_pairs(sample, given)
        assert shown.to_frame().query("section == 'cost'")["thousand"].tolist()[0] == 750
        assert "|directions:mean|" in shown.page.intro[0]
    right = pairs_of(table.assign(label=[1, 0, "no"]), sample)
    assert right.notices == ()
    assert right.digest == pairs.digest
    assert "cost" not in set(score_pairs(sample, table[["a", "b", "score"]]).to_frame()["section"])
    once = score_pairs(sample, table[["a", "b", "score"]].head(2))
    assert "directions" not in once.page.intro[0]


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        *(("seconds", value) for value in ("-1", "fast", "inf", "nan s")),
        *(("tokens_in", value) for value in ("-3", "1e400")),
        ("tokens_out", "many"),
        *(("label", value) for value in ("2", "coreferent", "0.5")),
    ],
)
def test_wrong_costs_and_labels_are_errors_with_their_line(
    column: str, wrong: str, sample: Corpus, tmp_path: Path
) -> None:
    a, b, c = sample.selected.index[:3]
    row = {"a": a, "b": b, "score": "0.5", **COSTS}
    table = pd.DataFrame([row, row | {"b": c, column: ""}, row | {"a": b, "b": c, column: wrong}])
    table.to_csv(tmp_path / "s.csv", index=False)
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    for given, place in (
        (tmp_path / "s.csv", "s.csv:4"),
        (tmp_path / "s.jsonl", "s.jsonl:3"),
        (table, "pairs:2"),
    ):
        with refused("table-invalid", f"the {column} '", place=place):
            pairs_of(given, sample)


def test_columns_that_are_not_read_are_named(sample: Corpus, tmp_path: Path) -> None:
    a, b = sample.selected.index[:2]
    path = tmp_path / "s.csv"
    for head, row, said, warning in (
        ("a,b,Score,prob,why", ".5,.5,x", "2 columns are not read: 'prob', 'why'", False),
        ("a,b,why", "x", "1 column is not read: 'why'", False),
        ("a,b,prob", ".5", "rename 'prob' if it has the scores", True),
    ):
        path.write_text(f"{head}\n{a},{b},{row}\n")
        for given in (path, pd.read_csv(path)):
            (notice,) = pairs_of(given, sample).notices
            assert said in notice.message
            assert (notice.code, notice.warning) == ("reading-assumed", warning)


def test_numbers_of_a_file_are_those_of_its_texts(sample: Corpus, tmp_path: Path) -> None:
    """A column with other texts than numbers is read as text: the numbers are the same."""
    ids, chance = sample.selected.index[:20].to_numpy(), np.random.default_rng(6)
    first, second = np.triu_indices(20, 1)
    values = (chance.normal(size=len(first)) * 10.0 ** chance.integers(-8, 8, len(first))).tolist()
    rows = [f"{a},{b},{x!r}" for a, b, x in zip(ids[first], ids[second], values, strict=True)]
    fast = read(lines(tmp_path / "s.csv", *rows), sample)
    slow = read(
        lines(tmp_path / "s.csv", *rows, f"{ids[0]},{sample.selected.index[30]},nan"), sample
    )
    assert fast.scores.tolist() == slow.scored().scores.tolist() == values


def test_directions_without_effect_are_a_warning(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    for more, warned in (([], True), ([f"{b},{a},.2"], False)):
        path = lines(tmp_path / "s.csv", f"{a},{b},.4", f"{a},{c},.7", *more)
        for directions, expected in (("max", warned), ("mean", False)):
            notices = read(path, sample, directions).notices
            assert any("directions max has no effect" in n.message for n in notices) == expected


def test_a_threshold_beside_all_scores_is_a_warning(
    cdec: Run, sample: Corpus, tmp_path: Path
) -> None:
    a, b, c = sample.selected.index[:3]
    path = lines(tmp_path / "s.csv", f"{a},{b},.4", f"{a},{c},.7")
    for threshold, said in ((0.8, "nothing links"), (0.4, "all link"), (0.7, ""), (0.41, "")):
        found = linking_notices(read(path, sample), Linking(threshold))
        assert [(n.code, n.warning, said in n.message) for n in found] == (
            [("parameter-invalid", True, True)] if said else []
        )
        call = ("--corpus", "sample", "-s", "simple")
        for ran in (
            cdec("pairs", path, "--threshold", threshold, *call),
            cdec("eval", f"pairs:{path}@{threshold}", *call),
        ):
            assert ("scores are all" in ran.err) == bool(said)


def test_pairs_in_two_meta_documents_never_link(sample: Corpus) -> None:
    """They are counted by setting: a warning if one of them has at least the threshold."""
    table = sample.selected
    a, b = table.groupby("topic").head(1).index[:2]
    c = table.index[(table["topic"] == table["topic"][a]) & (table.index != a)][0]
    pairs = pairs_of({(a, b): 0.4, (a, c): 0.9}, sample)
    settings = [find_setting(name) for name in ("simple", "bh", "scope=document")]
    same = int(table["doc"][a] != table["doc"][c])
    for threshold, lost in ((0.5, ""), (0.4, " (1 of them at or above the threshold)")):
        found = linking_notices(pairs, Linking(threshold), settings)
        (notice,) = [n for n in found if n.code == "pairs-left-out"]
        assert f"1 under B&H{lost}" in notice.message
        assert "SIMPLE-CDEC" not in notice.message
        assert notice.count == 1 + same
        assert notice.warning == (bool(lost) or bool(same))
    assert linking_notices(pairs, Linking(0.5), settings[:1]) == []
