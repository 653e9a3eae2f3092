"""Results as tables, LaTeX, HTML, CSV and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cdec.errors.notices import Notice
from cdec.evaluation import COLUMNS, LAYOUT, Experiment, Results, SystemRun, Task, wide
from cdec.metrics import ALL
from cdec.render import percent, render
from cdec.settings import SETTINGS, find_settings
from tests.pages import view_of
from tests.tiny_corpora import tiny

CORPUS = tiny([0, 0, 1, 2, 4, 4], key=[0, 0, 0, 0, 1, 1], response=[0, 1, 0, 0, 1, 1])
# Columns and ids that DESIGN.md fixes, because scripts of users read them.
DESIGN_COLUMNS = (
    "corpus, split, setting, system, metric, precision, recall, f1, p_num, p_den, r_num, r_den"
)
DESIGN_METRICS = "muc b3 ceafm ceafe blanc_coref blanc_noncoref blanc lea conll avg4"
DESIGN_SETTINGS = "bh st is ycf simple pure"


def experiment(*settings: str, systems: tuple[str, ...] = ("one", "δ & <two>")) -> Experiment:
    key, response = CORPUS.sides
    answers = tuple(SystemRun(name, CORPUS.table, key, response) for name in systems)
    return Experiment(
        Task("tiny", "test", {"split": "test"}), answers, tuple(find_settings([*settings]))
    )


@pytest.fixture
def results() -> Results:
    notice = Notice("twinless", 2, "2 mentions", ("a", "b"), warning=False)
    return replace(experiment("pure", "simple").results(), notices=(notice,))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0"), (1.0, "100.0"), (0.12349, "12.3"), (0.9996, "100.0"), (None, "–")],
)
def test_percent_rounds_once(value: float | None, text: str) -> None:
    assert percent(value) == text
    assert percent(float("nan")) == "–"


def test_a_name_can_be_a_nul() -> None:
    """An array of numpy would drop it, and match no row."""
    results = experiment("bh", systems=("0", "\x00")).results()
    assert [one.system for one in results] == ["0", "\x00"]


def test_columns_and_ids_are_those_of_the_design() -> None:
    assert ", ".join(COLUMNS) == DESIGN_COLUMNS
    assert " ".join(ALL) == DESIGN_METRICS
    assert sorted(SETTINGS) == sorted(DESIGN_SETTINGS.split())


def test_every_metric_has_a_column() -> None:
    assert {metric for _, _, metric, _ in LAYOUT} == set(ALL)


def test_csv_has_the_tidy_columns_and_raw_values(results: Results) -> None:
    lines = render(results.page, "csv").splitlines()
    assert lines[0] == DESIGN_COLUMNS.replace(" ", "")
    assert len(lines) == 1 + 2 * 2 * len(ALL)
    frame = results.to_frame()
    one = frame[(frame["setting"] == "pure") & (frame["system"] == "one")].set_index("metric")
    # Two of the three response links: d0/1, where its second chain starts, is twinless.
    assert list(one.loc["muc", ["p_num", "p_den", "r_num", "r_den"]]) == [2, 3, 2, 2]
    values = frame[["precision", "recall", "f1"]].to_numpy(dtype=float)
    assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    means = frame[frame["metric"].isin(["conll", "avg4"])]
    assert means[["precision", "recall", "p_num", "r_den"]].isna().all(axis=None)


def test_json_has_rows_signatures_and_notices(results: Results) -> None:
    content = json.loads(render(results.page, "json"))
    assert list(content) == ["format", "signature", "signatures", "notices", "rows"]
    assert len(content["signatures"]) == len(results) == 4
    assert content["signatures"][1] == results.signatures[1].to_dict()
    shown = {"code": "twinless", "count": 2, "message": "2 mentions", "examples": ["a", "b"]}
    assert content["notices"] == [shown | {"warning": False}]
    assert [list(row) for row in content["rows"]] == [list(COLUMNS)] * 4 * len(ALL)
    conll = next(row for row in content["rows"] if row["metric"] == "conll")
    assert conll["precision"] is conll["p_num"] is None


def test_the_view_is_the_table_of_the_paper(results: Results) -> None:
    view = view_of(results.page)
    groups, names = (view.columns.get_level_values(level).tolist()[:5] for level in (0, 1))
    assert groups == ["Setting", "System", "MUC", "MUC", "MUC"]
    assert names == ["", "", "P", "R", "F"]
    assert list(view["Setting", ""]) == ["PURE-CDEC", "PURE-CDEC", "SIMPLE-CDEC", "SIMPLE-CDEC"]
    frame = results.to_frame()
    for group, name, metric, field in LAYOUT:
        shown = frame.loc[frame["metric"] == metric, field]
        assert list(view[group, name]) == [percent(value) for value in shown]


def test_the_narrow_view_has_f1_only(results: Results) -> None:
    narrow = view_of(results.page, narrow=True)
    assert set(narrow.columns.get_level_values(1)) == {"", "F"}
    assert len(narrow) == len(results)


def test_only_requested_metrics_have_a_column() -> None:
    whole = experiment("pure")
    only = replace(whole, task=replace(whole.task, metrics=("muc", "conll")))
    view = view_of(only.results().page)
    assert view.columns.get_level_values(0).tolist() == [
        "Setting",
        "System",
        "MUC",
        "MUC",
        "MUC",
        "CoNLL",
    ]


def test_names_are_escaped(results: Results) -> None:
    assert r"$\delta$ \& \textless{}two\textgreater{}" in results.to_latex()
    assert "δ &amp; &lt;two&gt;" in results._repr_html_()


def test_a_breakdown_has_units_and_averages() -> None:
    page = experiment("simple", systems=("one",)).results("topic").page
    assert list(view_of(page)["Topic", ""]) == ["t0", "t1", "macro", "micro"]
    assert tuple(page.data.columns) == ("unit", *COLUMNS)
    f1 = page.data[page.data["metric"] == "b3"].set_index("unit")["f1"]
    assert f1["macro"] == pytest.approx((f1["t0"] + f1["t1"]) / 2)
    assert json.loads(render(page, "json"))["rows"][0]["unit"] == "t0"


def test_a_custom_setting_is_shown_by_its_choices() -> None:
    page = experiment("scope=document").results().page
    assert set(view_of(page)["Setting", ""]) == {"scope=document"}
    assert set(page.data["setting"]) == {"scope=document"}


def test_wide_of_no_results_is_empty() -> None:
    empty = wide(pd.DataFrame(columns=list(COLUMNS)), {"setting": "Setting"})
    assert empty.empty
