"""``cdec compare`` and ``--ci``."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run

Saved = Callable[..., Path]

DRAWN = ("--resamples", 50)
FEW = (*DRAWN, "--exchanges", 50)


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_metric_has_difference_interval_p_unit_and_number(done: Done) -> None:
    rows = records(done("compare", "lemma", "lemma-wd", *FEW, "--format", "csv"))
    assert [row["metric"] for row in rows] == ["muc", "b3", "ceafe", "lea", "conll"]
    for row in rows:
        difference = float(row["f1_a"]) - float(row["f1_b"])
        assert float(row["difference"]) == pytest.approx(difference)
        assert float(row["low"]) <= float(row["high"])
        assert float(row["p"]) <= float(row["p_holm"]) <= 1
        assert (row["a"], row["b"], row["unit"], row["units"]) == (
            "lemma",
            "lemma-wd",
            "topic",
            "3",
        )


def test_three_topics_are_too_few_for_a_difference(done: Done) -> None:
    out = done("compare", "lemma", "lemma-wd", *FEW)
    assert "0.250" in out  # the smallest p that is possible
    assert "is better by" not in out


def test_a_system_is_not_better_than_itself(done: Done, tmp_path: Path) -> None:
    response = tmp_path / "again.conll"
    done("predict", "--system", "lemma", "-o", response)
    rows = records(done("compare", "lemma", response, "--setting", "bh", *FEW, "--format", "csv"))
    assert {row["difference"] for row in rows} == {"0.0"}
    assert {row["p"] for row in rows} == {"1.0"}


def test_more_systems_are_compared_two_by_two_and_corrected_together(done: Done) -> None:
    call = ("compare", "lemma", "lemma-wd", "lemma-docs", "--metric", "b3", "--unit", "subtopic")
    rows = records(done(*call, "--setting", "st", *FEW, "--format", "csv"))
    assert [(row["a"], row["b"]) for row in rows] == [
        ("lemma", "lemma-wd"),
        ("lemma", "lemma-docs"),
        ("lemma-wd", "lemma-docs"),
    ]
    least = min(rows, key=lambda row: float(row["p"]))
    assert float(least["p_holm"]) == pytest.approx(min(1, 3 * float(least["p"])))


def test_saved_results_give_the_test_of_the_systems_themselves(done: Done, tmp_path: Path) -> None:
    saved = tmp_path / "topics.json"
    call = ("--setting", "bh", "--split", "all")
    systems = ("--system", "lemma", "--system", "lemma-wd")
    done("eval", *call, *systems, "--by", "topic", "--format", "json", "-o", saved)
    by_file = records(done("compare", saved, *FEW, "--format", "csv"))
    topic = ("--test", "topic")
    by_name = records(done("compare", "lemma", "lemma-wd", *call, *FEW, *topic, "--format", "csv"))
    for row, other in zip(by_file, by_name, strict=True):
        for name in ("setting", "a", "b", "metric", "exact", "exchanges", "units", "test"):
            assert row[name] == other[name]
        for name in ("difference", "low", "high", "p", "p_holm"):
            assert float(row[name]) == pytest.approx(float(other[name]), abs=1e-12), name


def test_the_test_is_two_way_unless_another_is_asked_for(done: Done) -> None:
    call = ("compare", "lemma", "lemma-wd", "--unit", "subtopic", "--setting", "bh", *FEW)
    two_way = json.loads(done(*call, "--format", "json"))
    topic = json.loads(done(*call, "--test", "topic", "--format", "json"))
    for content, name in ((two_way, "two-way"), (topic, "topic")):
        assert {row["test"] for row in content["rows"]} == {name}
        assert f"|test:{name}|" in content["signature"]
    for one, other in zip(two_way["rows"], topic["rows"], strict=True):
        assert one["p"] >= max(one["p_unit"], one["p_word"])
        assert one["p_unit"] == other["p"] == other["p_unit"]
        assert other["p_word"] is None


def test_a_test_by_topic_warns_where_systems_may_decide_by_word(done: Done) -> None:
    call = ("compare", "lemma", "lemma-wd", "--metric", "b3", *FEW)
    warning = "warning: two systems differ on the same words in several topics (up to 56 %"
    assert warning in done(*call, "--test", "topic", "--format", "markdown")
    assert warning not in done(*call, "--format", "markdown")
    content = json.loads(done(*call, "--test", "topic", "--format", "json"))
    assert [notice["code"] for notice in content["notices"]] == ["decisions-shared"]


def test_saved_results_hold_no_words_and_that_is_said(done: Done, saved: Saved) -> None:
    file = saved("first", "--system", "lemma", "--system", "lemma-wd", "--setting", "bh")
    content = json.loads(done("compare", file, *FEW, "--format", "json"))
    assert [notice["code"] for notice in content["notices"]] == ["topic-test-only"]
    assert "|test:topic|" in content["signature"]
    assert "note" not in done("compare", file, *FEW, "--test", "topic")


@pytest.fixture
def saved(done: Done, tmp_path: Path) -> Saved:
    """Write the results of a call of ``cdec eval`` to a file of this name."""

    def write(name: str, *arguments: str) -> Path:
        path = tmp_path / f"{name}.json"
        done("eval", *arguments, "--by", "topic", "--format", "json", "-o", path)
        return path

    return write


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        (("--split", "all"), ("--split", "train"), ("split", "'all'", "'sample-train'")),
        (("--metric", "b3"), ("--metric", "muc"), ("metrics", "'b3'", "'muc'")),
        (("--scorer", "cdec"), ("--scorer", "neleval"), ("scorer", "'cdec'", "'neleval'")),
        (("--setting", "bh"), ("--setting", "st"), ("setting", "'bh'", "'st'")),
    ],
)
def test_results_of_different_tasks_are_rejected(
    cdec: Run, saved: Saved, one: tuple[str, ...], other: tuple[str, ...], named: tuple[str, ...]
) -> None:
    def call(options: tuple[str, ...]) -> tuple[str, ...]:
        setting = () if "--setting" in options else ("--setting", "bh")
        metric = ("--metric", "b3") if "--scorer" in options else ()
        return (*setting, *metric, *options)

    first = saved("first", "--system", "lemma", *call(one))
    second = saved("second", "--system", "lemma-wd", *call(other))
    ran = cdec("compare", first, second)
    assert (ran.code, ran.error) == (1, "input-mismatch")
    for value in named:
        assert value in ran.err


def test_results_of_another_corpus_are_rejected(cdec: Run, saved: Saved, tmp_path: Path) -> None:
    first = saved("first", "--system", "lemma", "--setting", "bh")
    content = json.loads(first.read_text("utf-8"))
    content["signatures"][0] |= {"digest": "0" * 64, "system": "other"}
    for row in content["rows"]:
        row["system"] = "other"
    second = tmp_path / "second.json"
    second.write_text(json.dumps(content), "utf-8")
    ran = cdec("compare", first, second)
    assert (ran.code, ran.error) == (1, "input-mismatch")


def test_a_setting_that_merges_topics_needs_the_responses(cdec: Run, saved: Saved) -> None:
    systems = ("--system", "lemma", "--system", "lemma-wd")
    ran = cdec("compare", saved("pure", *systems, "--setting", "pure"))
    assert (ran.code, ran.error) == (1, "results-missing")


def test_results_without_topics_say_how_to_get_them(cdec: Run, done: Done, tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    done("eval", "--setting", "bh", "--format", "json", "-o", path)
    ran = cdec("compare", path)
    assert (ran.code, ran.error) == (1, "results-missing")
    assert "by topic" in ran.err


def test_results_and_responses_are_not_mixed(cdec: Run, saved: Saved) -> None:
    ran = cdec("compare", saved("first", "--setting", "bh"), "lemma")
    assert (ran.code, ran.error) == (2, "input-mismatch")
    assert "first.json: " in ran.err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("lemma",), "response-missing"),
        (("lemma", "lemma"), "name-duplicate"),
        (("lemma", "lemma-wd", "--unit", "document"), "name-unknown"),
        (("lemma", "lemma-wd", "--resamples", "0"), "parameter-invalid"),
        (("lemma", "lemma-wd", "--level", "95"), "parameter-invalid"),
        (("lemma", "lemma-wd", "--ci-method", "normal"), "name-unknown"),
        (("lemma", "lemma-wd", "--seed=-1"), "parameter-invalid"),
        (("lemma", "lemma-wd", "--test", "words"), "name-unknown"),
    ],
)
def test_a_wrong_call(cdec: Run, arguments: tuple[str, ...], error: str) -> None:
    ran = cdec("compare", *arguments, "--quiet")
    assert (ran.code, ran.out, ran.error) == (2, "", error)
    assert ran.err.count("\n") == 1


def test_one_topic_cannot_be_resampled(cdec: Run) -> None:
    ran = cdec("compare", "lemma", "lemma-wd", "--split", "dev", "--unit", "topic")
    assert (ran.code, ran.error) == (1, "part-too-small")


def test_eval_adds_intervals_only_when_asked(done: Done) -> None:
    call = ("eval", "--system", "lemma", "--setting", "pure", "--format", "csv")
    plain, within = records(done(*call)), records(done(*call, "--ci", *DRAWN))
    assert not any(name.endswith(("_low", "_high")) for name in plain[0])
    for one, other in zip(plain, within, strict=True):
        assert one == {name: other[name] for name in one}
        assert float(other["f1_low"]) <= float(other["f1_high"])
        if other["precision"]:
            assert float(other["precision_low"]) <= float(other["precision_high"])


def test_the_signature_describes_the_intervals(done: Done) -> None:
    call = ("eval", "--system", "lemma", "--setting", "bh", "--ci", *DRAWN, "--seed", 7)
    content = json.loads(done(*call, "--ci-method", "bca", "--format", "json"))
    (signature,) = content["signatures"]
    assert signature["ci"] == "bca-0.95"
    assert (signature["unit"], signature["resamples"], signature["seed"]) == ("topic-3", 50, 7)
    assert "ci:bca-0.95|unit:topic-3|resamples:50|seed:7" in content["signature"]


def test_the_seed_determines_the_intervals(done: Done) -> None:
    call = ("eval", "--system", "lemma", "--setting", "pure", "--ci", *DRAWN, "--format", "csv")
    assert done(*call, "--seed", 1) == done(*call, "--seed", 1)
    assert done(*call, "--seed", 1) != done(*call, "--seed", 2)


def test_intervals_are_not_for_parts_nor_for_another_scorer(cdec: Run) -> None:
    call = ("eval", "--system", "lemma", "--setting", "bh", "--ci")
    assert cdec(*call, "--by", "topic").error == "option-conflict"
    assert cdec(*call, "--scorer", "neleval").error == "metric-unsupported"
