from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdec.api import evaluate, load_corpus
from cdec.baselines import lemma_delta, names_of, system
from cdec.baselines.config import to_toml
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.corpus import Corpus
from cdec.language import similarity
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from cdec.system import Tunable, is_tunable
from cdec.tuning import (
    DELTAS,
    Tuning,
    config_comments,
    grid_of,
    overlap_with_test,
    refuse_test,
    tune,
    tuning_figure,
    tuning_page,
)
from tests.language.tiny import corpus
from tests.pages import notes_of, view_of
from tests.refusals import refused


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return load_corpus("sample", "dev")


@pytest.fixture(scope="module")
def ecbplus_dev(request: pytest.FixtureRequest) -> Corpus:
    return load_corpus(str(request.getfixturevalue("ecbplus")), "dev")


@pytest.fixture(scope="module")
def full(dev: Corpus) -> tuple[Tuning, list[float]]:
    """The tuning over the full grid, and the thresholds at which it computes similarities."""
    with pytest.MonkeyPatch.context() as patch:
        calls = counted(patch)
        return tune(dev, LemmaDelta(), SIMPLE_CDEC, grid="full"), calls


def counted(patch: pytest.MonkeyPatch) -> list[float]:
    """Return the thresholds of the calls of ``similar_pairs`` from now on."""
    calls: list[float] = []

    def noted(rows: Any, delta: float, progress: Any) -> Iterator[Any]:
        calls.append(delta)
        return real(rows, delta, progress)

    real = similarity.similar_pairs
    patch.setattr(lemma_delta, "similar_pairs", noted)
    return calls


def tunable(name: str) -> Tunable:
    candidate = system(name)
    assert is_tunable(candidate)
    return candidate


@pytest.mark.parametrize("name", names_of(is_tunable))
def test_each_point_equals_the_score_of_eval(dev: Corpus, name: str) -> None:
    tuning = tune(dev, tunable(name), PURE_CDEC, "conll")
    table = tuning.table[tuning.table["metric"] == "conll"].set_index("delta")["f1"]
    assert list(table.index) == list(DELTAS)
    for delta in (0.0, 0.1, 0.3, 1.0):
        one = evaluate(dev, system(name, delta=delta), setting="pure")
        assert table[delta] == one["conll"].f1


def test_the_best_point_is_chosen(dev: Corpus) -> None:
    tuning = tune(dev, LemmaDelta(), SIMPLE_CDEC, "b3")
    assert tuning.metrics == ("b3",)
    best = tuning.table["f1"].max()
    assert tuning.value == best
    assert tuning.system.delta == tuning.table.loc[tuning.table["f1"] == best, "delta"].max()
    again = evaluate(dev, tuning.system, setting="simple")
    assert again["b3"].f1 == best
    assert "|tuned_on:sample-dev|" in str(again.signature)


def test_ties_go_to_the_higher_threshold_and_the_first_choice() -> None:
    """With one mention all points have the same score."""
    one = corpus({"1_1ecb": ["A b"]}, [("1_1ecb", (1,), "A")])
    tuning = tune(one, LemmaDelta(), SIMPLE_CDEC, grid="full")
    assert tuning.system.delta == 1
    assert tuning.system.tfidf == LemmaDelta().tfidf
    assert tuning.table["chosen"].sum() == len(tuning.metrics)


def test_the_grids() -> None:
    first = LemmaDelta().tfidf
    assert grid_of("delta", first) == (first,)
    full = grid_of("full", first)
    assert full[0] == first
    assert len(full) == len(set(full)) == 2**4 * 3
    assert DELTAS[0] == 0
    assert DELTAS[-1] == 1
    assert 0.3 in DELTAS


def test_similarity_is_computed_once_for_each_choice(
    dev: Corpus, full: tuple[Tuning, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(full[1]) == len(grid_of("full", LemmaDelta().tfidf))
    calls = counted(monkeypatch)
    tune(dev, LemmaDelta(), SIMPLE_CDEC)
    assert calls == [0.05]


def test_progress_counts_the_points(dev: Corpus) -> None:
    seen: list[int] = []

    def progress(items: Any, total: int, label: str) -> Iterator[Any]:
        seen.append(total)
        for item in items:
            seen[0] -= 1
            yield item

    tune(dev, LemmaDelta(), SIMPLE_CDEC, progress=progress)
    assert seen == [0]


def test_the_curve_of_a_mean_averages_its_parts(dev: Corpus) -> None:
    tuning = tune(dev, LemmaDelta(), SIMPLE_CDEC, "conll")
    rows = tuning.table[tuning.table["delta"] == 0.3].set_index("metric")
    parts = rows.loc[["muc", "b3", "ceafe"], ["precision", "recall"]].astype(float).mean()
    averaged = [parts["precision"], parts["recall"], rows.loc["conll"]["f1"]]
    assert at(tuning.curve(), 0.3) == pytest.approx(averaged)
    muc = evaluate(dev, LemmaDelta(), setting="simple")["muc"]
    plain = tune(dev, LemmaDelta(), SIMPLE_CDEC, "muc").curve()
    assert at(plain, 0.3) == list(muc)


def at(curve: pd.DataFrame, delta: float) -> list[float]:
    return [float(value) for value in curve.loc[[delta]].to_numpy()[0]]


def test_unknown_names_are_refused(dev: Corpus) -> None:
    with refused("system-unsuitable", "LemmaWD"):
        tune(dev, system("lemma-wd"), SIMPLE_CDEC)  # type: ignore[arg-type]
    with refused("name-unknown", "unknown metric", "'bcubed'"):
        tune(dev, LemmaDelta(), SIMPLE_CDEC, "bcubed")
    with refused("name-unknown", "unknown grid", "'fine'"):
        tune(dev, LemmaDelta(), SIMPLE_CDEC, grid="fine")


def test_a_part_without_documents_is_refused(dev: Corpus) -> None:
    with pytest.raises(Exception, match="no documents"):
        tune(dev.subset([], "none"), LemmaDelta(), SIMPLE_CDEC)


SPLITS = {
    "as-dev": 'dev = ["4-6"]\ntrain = ["1-3"]',
    "half": 'dev = ["3-4"]\ntrain = ["1-2", "5-6"]',
    "own-test": 'dev = ["1"]\ntest = ["2-6"]',
    "clean": 'dev = ["1"]\ntrain = ["2-6"]',
}


@pytest.mark.parametrize(
    ("split", "reason"),
    [
        ("dev", ""),
        ("train", ""),
        ("test", "3 of its topics are in the test part of the split 'sample'"),
        ("all", "3 of its topics"),
        ("sample/test", "3 of its topics"),
        ("{as-dev}/dev", "3 of its topics are in the test part of the split 'sample'"),
        ("{as-dev}/train", ""),
        ("{half}/dev", "1 of its topics"),
        ("{own-test}/test", "5 of its topics are in the test part of the split '{own-test}'"),
        ("{clean}/dev", ""),
        ("{clean}/all", "3 of its topics"),
    ],
)
def test_test_data_are_recognised_in_any_split(tmp_path: Path, split: str, reason: str) -> None:
    for name, topics in SPLITS.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(f"[topics]\n{topics}\n", "utf-8")
        split = split.replace(f"{{{name}}}", str(file))
        reason = reason.replace(f"{{{name}}}", str(file))
    part = load_corpus("sample", split)
    overlap = overlap_with_test(part, split)
    assert (overlap == "") is (reason == "")
    assert overlap.startswith(reason)
    if reason:
        with refused("tuning-on-test", part.part) as caught:
            refuse_test(part, split, known=False)
        assert caught.value.exit_code == 2
    assert refuse_test(part, split, known=True) is bool(reason)


@pytest.mark.slow
def test_another_built_in_split_has_another_test_part(ecbplus: Path) -> None:
    """The development part of the split "cybulska" has topics of the test part of "ycf"."""
    part = load_corpus(str(ecbplus), "cybulska/dev")
    assert overlap_with_test(part, "cybulska/dev") == ""
    tuned = tune(part, LemmaDelta(), SIMPLE_CDEC).tuned
    assert tuned.scoring(load_corpus(str(ecbplus), "test")).on_test
    assert not tuned.scoring(load_corpus(str(ecbplus), "cybulska/test")).on_test


def test_tuning_on_test_marks_every_result() -> None:
    part = load_corpus("sample", "test")
    tuning = tune(part, LemmaDelta(), SIMPLE_CDEC, on_test=True)
    assert "|tuned_on:sample-test|tuned-on-test:true|" in str(tuning.signature)
    text = to_toml(tuning.system, tuning.tuned, config_comments(tuning))
    assert 'tuned_on = "sample-test"' in text
    assert "on_test = true" in text
    assert "tuned-on-test" in str(evaluate(part, tuning.system, setting="simple").signature)


def test_the_page_marks_the_chosen_point(dev: Corpus) -> None:
    tuning = tune(dev, LemmaDelta(), SIMPLE_CDEC)
    page = tuning_page(tuning)
    view = view_of(page)
    marked = [cell for cell in view["δ", ""] if cell.endswith("*")]
    assert marked == [f"{tuning.system.delta:.2f} *"]
    assert len(view) == len(DELTAS)
    assert str(tuning.signature) in notes_of(page)
    pd.testing.assert_frame_equal(page.data, tuning.table)


def test_the_page_of_a_full_grid_shows_the_best_of_each_choice(
    full: tuple[Tuning, list[float]],
) -> None:
    tuning, _ = full
    view = view_of(tuning_page(tuning))
    fields = [(name, "") for name in asdict(tuning.system.tfidf)]
    assert (
        len(view) == len(grid_of("full", LemmaDelta().tfidf)) == len(view[fields].drop_duplicates())
    )
    assert view[("δ", "")].str.endswith("*").sum() == 1
    shown = view[("CoNLL", "F")].astype(float).tolist()
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_figure_is_the_same_every_time(dev: Corpus, format: str, start: bytes) -> None:
    tuning = tune(dev, LemmaDelta(), SIMPLE_CDEC)
    image = tuning_figure(tuning, format)
    assert image.startswith(start)
    assert image == tuning_figure(tuning, format)


def test_a_development_split_takes_seconds(ecbplus_dev: Corpus) -> None:
    tuning = tune(ecbplus_dev, LemmaDelta(), SIMPLE_CDEC)
    assert tuning.system.delta == 0.25
    assert 100 * tuning.value == pytest.approx(68.5, abs=0.05)
