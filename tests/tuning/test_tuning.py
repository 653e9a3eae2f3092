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
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError
from cdec.language import similarity
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from cdec.system import Tunable, is_tunable
from cdec.tuning import DELTAS, grid_of, overlap_with_test, refuse_test, tune
from cdec.tuning.view import config_comments, tuning_figure, tuning_page
from tests.language.tiny import corpus
from tests.pages import notes_of, view_of


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return load_corpus("sample", "dev")


@pytest.fixture(scope="module")
def ecbplus_dev(request: pytest.FixtureRequest) -> Corpus:
    return load_corpus(str(request.getfixturevalue("ecbplus")), "dev")


def tunable(name: str) -> Tunable:
    made = system(name)
    assert is_tunable(made)
    return made


@pytest.mark.parametrize("name", names_of(is_tunable))
def test_each_point_is_what_eval_gives(dev: Corpus, name: str) -> None:
    found = tune(dev, tunable(name), PURE_CDEC, "conll")
    table = found.table[found.table["metric"] == "conll"].set_index("delta")["f1"]
    assert list(table.index) == list(DELTAS)
    for delta in (0.0, 0.1, 0.3, 1.0):
        one = evaluate(dev, system(name, delta=delta), setting="pure")
        assert table[delta] == one["conll"].f1


def test_the_best_point_is_chosen(dev: Corpus) -> None:
    found = tune(dev, LemmaDelta(), SIMPLE_CDEC, "b3")
    assert found.metrics == ("b3",)
    best = found.table["f1"].max()
    assert found.value == best
    assert found.system.delta == found.table.loc[found.table["f1"] == best, "delta"].max()
    again = evaluate(dev, found.system, setting="simple")
    assert again["b3"].f1 == best
    assert "|tuned_on:sample-dev|" in str(again.signature)


def test_of_equal_points_the_higher_threshold_and_the_first_choice() -> None:
    """Without mentions every point scores the same."""
    found = tune(corpus({"1_1ecb": ["A b"]}, []), LemmaDelta(), SIMPLE_CDEC, grid="full")
    assert found.system.delta == 1
    assert found.system.tfidf == LemmaDelta().tfidf
    assert found.table["chosen"].sum() == len(found.metrics)


def test_the_grids() -> None:
    first = LemmaDelta().tfidf
    assert grid_of("delta", first) == (first,)
    full = grid_of("full", first)
    assert full[0] == first
    assert len(full) == len(set(full)) == 2**4 * 3
    assert DELTAS[0] == 0
    assert DELTAS[-1] == 1
    assert 0.3 in DELTAS


def test_similarity_is_computed_once_a_choice(dev: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []

    def counted(rows: Any, delta: float, progress: Any) -> Iterator[Any]:
        calls.append(delta)
        return real(rows, delta, progress)

    real = similarity.similar_pairs
    monkeypatch.setattr(lemma_delta, "similar_pairs", counted)
    tune(dev, LemmaDelta(), SIMPLE_CDEC)
    assert calls == [0.05]
    calls.clear()
    tune(dev, LemmaDelta(), SIMPLE_CDEC, grid="full")
    assert len(calls) == len(grid_of("full", LemmaDelta().tfidf))


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
    found = tune(dev, LemmaDelta(), SIMPLE_CDEC, "conll")
    rows = found.table[found.table["delta"] == 0.3].set_index("metric")
    parts = rows.loc[["muc", "b3", "ceafe"], ["precision", "recall"]].astype(float).mean()
    averaged = [parts["precision"], parts["recall"], rows.loc["conll"]["f1"]]
    assert at(found.curve(), 0.3) == pytest.approx(averaged)
    muc = evaluate(dev, LemmaDelta(), setting="simple")["muc"]
    plain = tune(dev, LemmaDelta(), SIMPLE_CDEC, "muc").curve()
    assert at(plain, 0.3) == list(muc)


def at(curve: pd.DataFrame, delta: float) -> list[float]:
    return [float(value) for value in curve.loc[[delta]].to_numpy()[0]]


def test_unknown_names_are_refused(dev: Corpus) -> None:
    with pytest.raises(UsageError, match="LemmaWD has no δ to tune"):
        tune(dev, system("lemma-wd"), SIMPLE_CDEC)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="metric 'bcubed'"):
        tune(dev, LemmaDelta(), SIMPLE_CDEC, "bcubed")
    with pytest.raises(UnknownNameError, match="grid 'fine'"):
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
def test_test_data_are_known_under_any_name(tmp_path: Path, split: str, reason: str) -> None:
    for name, topics in SPLITS.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(f"[topics]\n{topics}\n", "utf-8")
        split = split.replace(f"{{{name}}}", str(file))
        reason = reason.replace(f"{{{name}}}", str(file))
    part = load_corpus("sample", split)
    found = overlap_with_test(part, split)
    assert (found == "") is (reason == "")
    assert found.startswith(reason)
    if reason:
        with pytest.raises(UsageError, match="--i-know") as caught:
            refuse_test(part, split, known=False)
        assert caught.value.exit_code == 2
    assert refuse_test(part, split, known=True) is bool(reason)


def test_a_split_of_ours_has_its_own_test_part(ecbplus: Path) -> None:
    """Cybulska's development split shares topics with YCF's test part, and has its own."""
    part = load_corpus(str(ecbplus), "cybulska/dev")
    assert overlap_with_test(part, "cybulska/dev") == ""
    tuned = tune(part, LemmaDelta(), SIMPLE_CDEC).tuned
    assert tuned.scoring(load_corpus(str(ecbplus), "test")).on_test
    assert not tuned.scoring(load_corpus(str(ecbplus), "cybulska/test")).on_test


def test_tuned_on_test_says_so_everywhere() -> None:
    part = load_corpus("sample", "test")
    found = tune(part, LemmaDelta(), SIMPLE_CDEC, on_test=True)
    assert "|tuned_on:sample-test|tuned-on-test:true|" in str(found.signature)
    text = to_toml(found.system, found.tuned, config_comments(found))
    assert 'tuned_on = "sample-test"' in text
    assert "on_test = true" in text
    assert "tuned-on-test" in str(evaluate(part, found.system, setting="simple").signature)


def test_the_page_marks_the_chosen_point(dev: Corpus) -> None:
    found = tune(dev, LemmaDelta(), SIMPLE_CDEC)
    page = tuning_page(found)
    view = view_of(page)
    marked = [cell for cell in view["δ", ""] if cell.endswith("*")]
    assert marked == [f"{found.system.delta:.2f} *"]
    assert len(view) == len(DELTAS)
    assert str(found.signature) in notes_of(page)
    pd.testing.assert_frame_equal(page.data, found.table)


def test_the_page_of_a_full_grid_shows_the_best_of_each_choice(dev: Corpus) -> None:
    found = tune(dev, LemmaDelta(), SIMPLE_CDEC, grid="full")
    view = view_of(tuning_page(found))
    fields = [(name, "") for name in asdict(found.system.tfidf)]
    assert (
        len(view) == len(grid_of("full", LemmaDelta().tfidf)) == len(view[fields].drop_duplicates())
    )
    assert view[("δ", "")].str.endswith("*").sum() == 1
    shown = view[("CoNLL", "F")].astype(float).tolist()
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_figure_is_the_same_every_time(dev: Corpus, format: str, start: bytes) -> None:
    found = tune(dev, LemmaDelta(), SIMPLE_CDEC)
    image = tuning_figure(found, format)
    assert image.startswith(start)
    assert image == tuning_figure(found, format)


def test_a_development_split_takes_seconds(ecbplus_dev: Corpus) -> None:
    found = tune(ecbplus_dev, LemmaDelta(), SIMPLE_CDEC)
    assert found.system.delta == 0.25
    assert 100 * found.value == pytest.approx(68.5, abs=0.05)
