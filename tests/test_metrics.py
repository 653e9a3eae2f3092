"""Metrics as a user calls them: arrays of labels, names, values, edge cases, other scorers."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.model_selection import GridSearchCV, GroupKFold

import cdec as package
from cdec import CdecWarning, Clustering, metrics
from cdec.metrics import REGISTRY, Metric, score_labels
from tests.cases import cases, fractions, refused
from tests.program import Run
from tests.twins import (
    COUNTS,
    METRICS,
    Side,
    chains_of,
    counts,
    labels,
    prf,
    rows_of,
    score,
    twin_counts,
    twin_values,
    two_sides,
)

FUNCTIONS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
KEY, RESPONSE = [1, 1, 1, 2], ["a", "a", "b", "b"]
OF_CDEC = [
    *("muc", "b3", "ceafm", "ceafe", "blanc_coref", "blanc_noncoref", "blanc", "lea", "conll"),
    "avg4",
]


CASES = cases("metric_cases")


# --- edge cases -----------------------------------------------------------------------------------


def letters(chains: str) -> Side:
    return {mention: chain for chain in chains.split() for mention in chain}


@pytest.mark.parametrize("name", CASES["counts"])
def test_counts_of_edge_cases(name: str) -> None:
    case = CASES["counts"][name]
    results = score(letters(case["key"]), letters(case["response"]))
    expected = fractions({metric: case[metric] for metric in case.keys() & {*METRICS}})
    assert {metric: counts(results)[metric] for metric in expected} == expected


@pytest.mark.parametrize(("key", "response", "blanc"), CASES["blanc"])
def test_blanc_drops_the_half_without_links_in_the_key(
    key: str, response: str, blanc: list[Any]
) -> None:
    expected = fractions({"blanc": blanc})["blanc"]
    assert score(letters(key), letters(response))["blanc"] == pytest.approx(expected, rel=1e-15)


def test_an_empty_side_is_refused_unless_it_is_allowed() -> None:
    sides: list[tuple[Side, Side]] = [({}, {"a": "1"}), ({"a": "1"}, {}), ({"a": "1"}, {"b": "1"})]
    for key, response in sides:
        with refused("mentions-disjoint"):
            package.score(key, response)


# --- results --------------------------------------------------------------------------------------


def test_metrics_without_a_name_are_those_of_most_papers() -> None:
    results = package.score({"a": 1, "b": 1}, {"a": 1, "b": 1})
    assert results.to_frame()["metric"].tolist() == ["muc", "b3", "ceafe", "lea", "conll"]
    assert results["b3"].precision == results["B3"].recall == 1.0
    with pytest.raises(KeyError):
        results["ceafm"]


def test_names_of_metrics() -> None:
    every = package.score({"a": 1}, {"a": 1}, metrics="all").to_frame()["metric"].tolist()
    assert [name for name in every if name in OF_CDEC] == OF_CDEC
    assert {*every} == {*METRICS, "blanc", "conll", "avg4"}  # each other has a twin
    some = package.score({"a": 1}, {"a": 1}, metrics=["CoNLL", "muc", "conll"])
    assert some.to_frame()["metric"].tolist() == ["muc", "conll"]
    assert [REGISTRY[name].label for name in OF_CDEC] == [
        *("MUC", "B³", "CEAF_m", "CEAF_e", "BLANC PW", "BLANC PWN", "BLANC F", "LEA", "CoNLL"),
        "Avg-4",
    ]
    assert all(REGISTRY[name].citation for name in OF_CDEC)
    with refused("name-unknown"):
        package.score({"a": 1}, {"a": 1}, metrics="ceaf_e")
    with refused("name-unknown"):
        package.score({"a": 1}, {"a": 1}, scorer="perl")
    with refused("name-unknown"):
        REGISTRY["muck"]


def test_a_mean_has_f1_only_and_a_derived_metric_no_counts() -> None:
    frame = rows_of(score({"a": 1, "b": 1}, {"a": 1, "b": 2}))
    assert frame.loc[["conll", "avg4"], ["precision", "recall"]].isna().all(axis=None)
    assert frame.loc[["blanc", "conll", "avg4"], COUNTS].isna().all(axis=None)
    with refused("argument-invalid") as caught:
        metrics.conll([1], [1], value="recall")
    assert caught.value.hint


def test_metrics_of_tokens_need_them() -> None:
    for name in ("mor", "zeros"):
        with refused("annotation-missing"):
            score({"a": 1}, {"a": 1}, metrics=name)


# --- arrays of labels -----------------------------------------------------------------------------


@given(two_sides(most=10, lowest=0))
@settings(max_examples=40)
def test_a_function_of_arrays_is_the_metric_of_its_name(sides: tuple[Side, Side]) -> None:
    key, response = sides
    expected = twin_values(twin_counts([(chains_of(key), chains_of(response))]))
    arrays = list(key.values()), [response[mention] for mention in key]
    for name in FUNCTIONS:
        found = getattr(metrics, name)(*arrays)
        assert found == pytest.approx(float(expected[name][-1])), name
    p, r, _ = expected["lea"]
    assert metrics.lea(*arrays, value="precision") == pytest.approx(float(p))
    assert metrics.lea(*arrays, value="recall") == pytest.approx(float(r))


@given(two_sides(most=20, documents=3))
@settings(max_examples=30)
def test_meta_documents_and_absent_mentions_of_arrays(sides: tuple[Side, Side]) -> None:
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    key, response = ([side.get(name) for name in names] for side in sides)
    meta = [name.split("/")[0] for name in names]
    homes = dict(zip(names, meta, strict=True))
    each = [tuple(chains_of(s, homes, home) for s in sides) for home in dict.fromkeys(meta)]
    expected = twin_counts(each)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score_labels(key, response, meta=meta)
    for name in METRICS:
        assert found[name] == pytest.approx(tuple(map(float, prf(expected[name])))), name


@given(labels(12, lowest=0), labels(12, lowest=0))
@settings(max_examples=30)
def test_links_are_the_pair_confusion_matrix_of_scikit_learn(
    key: list[int], response: list[int]
) -> None:
    (apart, wrong), (missed, right) = pair_confusion_matrix(key, response) // 2
    links = score_labels(key, response, "blanc_coref")["blanc_coref"]
    others = score_labels(key, response, "blanc_noncoref")["blanc_noncoref"]
    for value, (good, p_wrong, r_wrong) in (
        (links, (right, wrong, missed)),
        (others, (apart, missed, wrong)),
    ):
        assert value.precision == pytest.approx(good / max(good + p_wrong, 1))
        assert value.recall == pytest.approx(good / max(good + r_wrong, 1))


class Tensor:
    """An object with the array protocol."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values)


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pd.Categorical,
        Tensor,
        lambda x: pd.array(x, dtype="Int64"),
    ],
)
def test_any_array_will_do(convert: Callable[[list[int]], Any]) -> None:
    assert metrics.conll(convert(KEY), convert([5, 5, 6, 6])) == metrics.conll(KEY, RESPONSE)


def test_precision_recall_and_several_at_once() -> None:
    assert metrics.b3(KEY, RESPONSE, value="precision") == 0.75
    assert metrics.b3(KEY, RESPONSE, value="recall") == pytest.approx((5 / 3 + 1) / 4)
    assert score_labels(KEY, RESPONSE, ["b3", "muc"])["muc"].recall == 0.5
    assert metrics.conll([], []) == metrics.muc([1, 2], [1, 2]) == 0.0
    assert metrics.b3([2**53, 2**53 + 1], [1, 2]) == 1.0


NOISY = [3, -1, -1]


@pytest.mark.parametrize(
    "given",
    [
        *(NOISY, np.array(NOISY), np.array(NOISY, float), np.array(NOISY, object), pd.array(NOISY)),
        *([3, Decimal(-1), -1.0], ["a", "-1", "-1"], ["a", "", ""], ["a", "nan", "nan"]),
        *(["a", "None", "None"], pd.Categorical(NOISY), pd.Series(NOISY, dtype="Int64")),
    ],
    ids=repr,
)
def test_minus_one_is_refused_or_has_one_of_two_meanings(given: Any) -> None:
    with refused("label-ambiguous"):
        metrics.b3([1, 1, 2], given)
    assert metrics.b3([1, 2, 3], given, noise="singletons") == 1.0
    assert metrics.b3([1, 2, 3], given, noise="absent", value="recall") == pytest.approx(1 / 3)
    assert metrics.b3([1, 2, 3], given, noise="absent", value="precision") == 1.0


@pytest.mark.parametrize(
    "given", [[1, None], [1.0, np.nan], np.ma.array([1, 2], mask=[False, True])], ids=repr
)
def test_a_missing_label_is_an_absent_mention_with_a_warning(given: Any) -> None:
    with pytest.warns(CdecWarning, match="label-ambiguous") as caught:
        assert metrics.b3([1, 1], given, value="recall") == 0.25
    assert [warning.filename for warning in caught] == [__file__]


NESTED: Any = [[1, 2], [3]]
ANY: Any = [1, 1]


@pytest.mark.parametrize(
    ("code", "labels", "choices"),
    [
        ("argument-invalid", ([1], [1, 1]), {}),
        ("argument-invalid", ([1], [1]), {"meta": [1, 2]}),
        ("argument-invalid", ([1], [1]), {"meta": [None]}),
        ("argument-invalid", (pd.Series([1]), pd.Series([1], index=["a"])), {}),
        ("argument-invalid", (np.ones((2, 2)), np.ones((2, 2))), {}),
        ("argument-invalid", (NESTED, ANY), {}),
        ("argument-invalid", (ANY, ANY), {"meta": NESTED}),
        ("argument-invalid", (ANY, ANY), {"noise": True}),
        ("name-unknown", (ANY, ANY), {"noise": "drop"}),
        ("argument-invalid", (ANY, ANY), {"value": 1}),
        ("name-unknown", (ANY, ANY), {"value": "f2"}),
    ],
)
def test_what_arrays_refuse(code: str, labels: Any, choices: Any) -> None:
    with refused(code):
        metrics.muc(*labels, **choices)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("name-unknown", "muck"),
        ("name-unknown", ["muc", "muck"]),
        ("argument-invalid", [None]),
        ("argument-invalid", 1),
    ],
)
def test_wrong_names_of_metrics_beside_arrays(code: str, names: Any) -> None:
    with refused(code):
        score_labels(ANY, ANY, names)


@pytest.mark.parametrize(
    "given",
    [
        *({"a": 1, "b": 2}, {"a", "b"}, "ab", b"ab", None, 2, np.array(2), iter([1, 2])),
        Clustering.from_labels({"a": 1, "b": 2}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_array_is_refused(given: Any) -> None:
    for arguments in ((given, ANY), (ANY, given), (given, given)):
        with refused("argument-invalid") as caught:
            metrics.b3(*arguments)
        assert caught.value.hint


def test_detection_is_shown_beside_own_mentions_unless_each_metric_is_named() -> None:
    key = {"d/0-0": 1, "d/1-1": 1, "d/2-2": 2}
    few = dict.fromkeys(list(key)[:2], 1)

    def shown(response: dict[str, int], asked: Any) -> set[Any]:
        return {*package.score(key, response, scope="corpus", metrics=asked).to_frame()["metric"]}

    for asked in (None, "all", ["all"]):
        assert "mentions" in shown(few, asked)
        assert "mentions" not in shown(key, asked)
    assert shown(few, [*metrics.ALL]) == {*metrics.ALL}
    assert shown(few, "muc") == {"muc"}


# --- model selection ------------------------------------------------------------------------------

# Three topics of two chains each, two mentions a chain; chains are 1 apart, topics share labels.
POINTS = np.array([[0.0], [0.1], [1.0], [1.1]] * 3)
TOPIC = np.repeat(["t1", "t2", "t3"], 4)
CHAINS = ["fire", "fire", "rain", "rain"] * 3


def test_a_grid_search_finds_the_threshold_that_separates_the_chains() -> None:
    search = GridSearchCV(
        AgglomerativeClustering(n_clusters=None, linkage="single"),
        {"distance_threshold": [0.01, 0.5, 5.0]},
        scoring=lambda model, points, key: metrics.conll(key, model.fit_predict(points)),
        cv=GroupKFold(3),
    )
    search.fit(POINTS, CHAINS, groups=TOPIC)
    assert (search.best_params_, search.best_score_) == ({"distance_threshold": 0.5}, 1.0)


# --- other scorers and plug-ins -------------------------------------------------------------------

OF_NELEVAL = [name for name in METRICS if isinstance(one := REGISTRY[name], Metric) and one.neleval]


@given(two_sides(most=20, documents=3).filter(any))
@settings(max_examples=30)
def test_neleval_counts_the_same(sides: tuple[Side, Side]) -> None:
    ours, theirs = (
        counts(score(*sides, scope="document", metrics=OF_NELEVAL, scorer=scorer))
        for scorer in ("cdec", "neleval")
    )
    assert ours.keys() == theirs.keys() == set(OF_NELEVAL)
    assert {*OF_CDEC} - {*OF_NELEVAL} == {"blanc", "lea", "conll", "avg4"}
    for name in OF_NELEVAL:
        assert ours[name] == pytest.approx(theirs[name], abs=1e-9), name


def test_the_command_scores_with_neleval(cdec: Run) -> None:
    call = "eval lemma --corpus sample -s bh --format json --metric conll --metric ceafm"
    ours, theirs = (cdec(f"{call} --scorer {name}").json for name in ("cdec", "neleval"))
    assert [row["f1"] for row in theirs["rows"]] == pytest.approx([r["f1"] for r in ours["rows"]])
    assert (ours["signatures"][0]["scorer"], theirs["signatures"][0]["scorer"]) != ("cdec", "cdec")
    assert cdec("eval lemma --corpus sample --scorer neleval --metric lea").error == (
        "argument-invalid"
    )
    assert cdec("eval lemma --corpus sample --metric muck").error == "name-unknown"


# --- bounded work ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["path", "star", "cycle", "grid"])
def test_no_alignment_takes_long(kind: str) -> None:
    """Minutes if an alignment were dense or quadratic; the bound is generous on purpose."""
    numbers = np.arange(60_000)
    kinds: dict[str, Any] = {
        "path": (numbers // 2, (numbers + 1) // 2),
        "star": (numbers // 60_000, numbers),
        "cycle": (numbers // 2, (numbers + 1) % 60_000 // 2),
        "grid": np.random.default_rng(0).integers(0, 1500, (2, 60_000)),
    }
    key, response = kinds[kind]
    start = time.process_time()
    results = score_labels(key, response, ["ceafe", "ceafm", "blanc"])
    assert time.process_time() - start < 20
    assert 0 < results["ceafm"].f1 <= 1


def test_saved_results_are_checked(
    cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = cdec("eval lemma --corpus sample -s pure --metric muc -f json").out
    f1 = json.loads(text)["rows"][0]["f1"]
    for value, error in ((f1, ""), (0.9, "file-invalid")):
        file = tmp_path / f"{value}.json"
        file.write_text(text.replace(f'"f1": {f1}', f'"f1": {value}'), "utf8")
        assert cdec("check", file, "--min", "muc=.1").error == error
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    for least, code in (("10", ""), ("10%", ""), ("1%", ""), ("99.9", "check-failed")):
        ran = cdec("check", tmp_path / f"{f1}.json", "--min", f"pure/muc={least}", "-f", "csv")
        assert (ran.error, f"{f1}" in ran.out) == (code, True)
    assert summary.read_text("utf-8").count("|") > 4 * 3
    for least in ("1", "101"):
        ran = cdec("check", tmp_path / f"{f1}.json", "--min", f"pure/muc={least}")
        assert ran.error == "argument-invalid"
