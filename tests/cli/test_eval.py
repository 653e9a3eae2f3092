"""``cdec eval``: golden output, and its options.

After an intended change, ``CDEC_UPDATE_GOLDEN=1 pytest tests/cli/test_eval.py`` writes the golden
files; read the difference before it is committed.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path

import pytest

from cdec import load_corpus
from tests.cli.conftest import Done, Run

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {
    "table": "txt",
    "markdown": "md",
    "latex": "tex",
    "csv": "csv",
    "json": "json",
    "html": "html",
}
BASELINES = ("--system", "lemma", "--system", "lemma-wd")


def normalised(text: str) -> str:
    """Without versions, and without the last digits, which depend on the machine."""
    text = re.sub(r'(cdec"?: ?"?)\d[\w.+]*', r"\1VERSION", text)
    text = re.sub(r"hanta-\d[\d.]*\d", "hanta-VERSION", text)
    return re.sub(r"\d+\.\d{10,}(?:e-?\d+)?", lambda number: f"{float(number[0]):.9g}", text)


@pytest.mark.parametrize("format", ENDINGS)
def test_golden(format: str, done: Done) -> None:
    text = normalised(done("eval", "-s", "simple", "-s", "pure", *BASELINES, "--format", format))
    file = GOLDEN / f"eval.{ENDINGS[format]}"
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def test_golden_breakdown(done: Done) -> None:
    arguments = ("-s", "pure", "--system", "lemma", "--by", "topic", "--format", "markdown")
    text = normalised(done("eval", *arguments))
    file = GOLDEN / "eval-by-topic.md"
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def column(text: str, name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows(text)))


def test_the_sample_is_reported_on_stderr_only(cdec: Run) -> None:
    ran = cdec("eval", "-s", "pure", "--system", "lemma-wd")
    assert ran.code == 0
    assert ran.err.count("\n") == 1
    assert "cdec corpus fetch" in ran.err
    assert "cdec corpus fetch" not in ran.out
    verbose = cdec("eval", "-s", "pure", "--system", "lemma-wd", "--verbose")
    assert "[sample-corpus]: " in verbose.err


def test_the_same_call_prints_the_same_bytes(done: Done) -> None:
    call = ("eval", "--setting", "all", *BASELINES, "--format", "json")
    assert done(*call) == done(*call)


def test_by_default_every_setting(done: Done) -> None:
    text = done("eval", *BASELINES, "--format", "csv")
    assert column(text, "setting") == ["bh", "st", "is", "ycf", "simple", "pure"]
    assert column(text, "system") == ["lemma", "lemma-wd"]


def test_a_setting_named_replaces_the_default_and_repeats_count_once(done: Done) -> None:
    settings = ("-s", "PURE-CDEC", "-s", "b&h", "-s", "pure", "-s", "scope=corpus")
    text = done("eval", *settings, *BASELINES, "--system", "lemma", "--format", "csv")
    assert column(text, "setting") == ["pure", "bh", "simple"]
    assert len(rows(text)) == 3 * 2 * 5


def test_metrics_are_chosen_by_id(done: Done) -> None:
    text = done("eval", *BASELINES, "--metric", "lea", "--metric", "muc", "--format", "csv")
    assert column(text, "metric") == ["muc", "lea"]


def test_split_and_corpus_are_chosen(done: Done) -> None:
    text = done("eval", *BASELINES, "--corpus", "sample", "--split", "dev", "--format", "csv")
    assert column(text, "split") == ["sample-dev"]


def test_neleval_prints_the_same_numbers(done: Done) -> None:
    call = ("eval", "-s", "pure", "lemma", "--metric", "all", "--format", "csv")
    ours, theirs = rows(done(*call)), rows(done(*call, "--scorer", "neleval"))
    assert len(theirs) == 9
    for row in theirs:
        (same,) = (other for other in ours if other["metric"] == row["metric"])
        for name in ("precision", "recall", "f1"):
            assert row[name] == same[name] or float(row[name]) == pytest.approx(
                float(same[name]), abs=1e-9
            )


def test_output_goes_to_a_file_and_nothing_to_stdout(done: Done, tmp_path: Path) -> None:
    call = ("eval", "-s", "pure", "--system", "lemma", "--format", "json")
    file = tmp_path / "scores.json"
    assert done(*call, "--output", file) == ""
    assert file.read_text("utf-8") == done(*call)
    assert json.loads(file.read_text("utf-8"))["signatures"][0]["setting"] == "pure"


def test_a_response_is_scored_with_the_baselines_of_the_call(done: Done, tmp_path: Path) -> None:
    file = tmp_path / "delta=0.3" / "out.conll"
    file.parent.mkdir()
    done("predict", "--system", "lemma-wd", "-o", file)
    call = ("eval", "-s", "pure", "--format", "csv")
    assert column(done(*call, "-r", file), "system") == ["out"]
    both = done(*call, "--system", "lemma-wd", "-r", file, "-r", f"mine={file}")
    assert column(both, "system") == ["lemma-wd", "out", "mine"]
    assert len({row["f1"] for row in rows(both) if row["metric"] == "conll"}) == 1


def test_two_results_never_share_a_name(cdec: Run, done: Done, tmp_path: Path) -> None:
    file = tmp_path / "lemma.conll"
    done("predict", "--system", "lemma", "-o", file)
    ran = cdec("eval", "-q", "-s", "pure", "--system", "lemma", "-r", file)
    assert (ran.code, ran.out, ran.error) == (2, "", "name-duplicate")
    assert "'lemma'" in ran.err


def test_notices_are_printed_and_with_verbose_listed(cdec: Run, tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    row = {"doc": "4_1ecb", "start": 0, "end": 0, "chain": "x"}
    file.write_text("".join(json.dumps(row | {"start": n, "end": n}) + "\n" for n in (1, 1, 0)))
    call = ("eval", "--corpus", "sample", "-s", "pure", "-r", file, "--allow-empty")
    plain, verbose = cdec(*call), cdec(*call, "--verbose")
    assert plain.code == verbose.code == 0
    assert "cdec: warning: " in plain.err
    assert "cdec: note: " in plain.err
    assert "cdec: warning[repeated-mention]: " in verbose.err
    assert f"cdec:     4_1ecb/1-1 at {file}:2\n" in verbose.err
    assert len(verbose.err.splitlines()) > len(plain.err.splitlines())
    assert cdec(*call, "--quiet").err == ""
    rejected = cdec(*call, "--repeated", "error")
    assert (rejected.code, rejected.error) == (1, "mention-duplicate")
    assert f"{file}:2" in rejected.err


@pytest.mark.parametrize(
    "option",
    ["--unit subtopic", "--ci-method bca", "--level 0.9", "--resamples 20", "--seed 1"],
)
def test_an_option_of_intervals_requires_ci(option: str, cdec: Run) -> None:
    ran = cdec("eval", "-q", "-s", "pure", *option.split())
    name = option.split(maxsplit=1)[0]
    assert (ran.code, ran.out, ran.error) == (2, "", "option-requires")
    assert name in ran.err


def test_excused_mentions_are_a_warning_in_every_output(cdec: Run, tmp_path: Path) -> None:
    whole, part, saved = (tmp_path / name for name in ("whole.jsonl", "part.jsonl", "scores.json"))
    assert cdec("predict", "--system", "lemma", "--corpus", "sample", "-o", whole).code == 0
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    part.write_text("".join(lines[:300]), "utf-8")
    call = ("eval", "--corpus", "sample", "-r", part, "-s", "simple", "--metric", "conll")
    assert cdec(*call, "--missing", "drop", "-o", saved).code == 0
    content = json.loads(saved.read_text("utf-8"))
    share = content["signatures"][0]["missing_share"]
    assert share["mentions"] == round(89 / 389, 4)
    assert (
        f"missing_share:mentions={share['mentions']},links={share['links']}"
        in (content["signature"])
    )
    excused = [n for n in content["notices"] if n["code"] == "missing-excused"]
    assert [(n["count"], n["warning"]) for n in excused] == [(89, True)]
    checked = cdec("check", saved, "--min", "simple/conll=.1", "--verbose")
    assert checked.code == 0
    assert "warning[missing-excused]: 89 " in checked.err
    for command in (("add", part, "--name", "a", "--task", "b"), ("score",)):
        assert cdec("leaderboard", *command, "--missing", "drop").code == 2


@pytest.mark.usefixtures("files")
def test_a_file_is_a_response_and_a_name_a_baseline(done: Done) -> None:
    fixed = ("-s", "pure", "--metric", "conll", "-f", "csv")
    by_option = done("eval", "--system", "lemma", "-r", "mine.conll", *fixed)
    assert done("eval", "lemma", "mine.conll", *fixed) == by_option
    assert done("eval", "mine.conll", "--system", "lemma", *fixed) == by_option


@pytest.mark.usefixtures("files")
def test_the_call_of_a_scorer_is_an_error_that_names_it(cdec: Run) -> None:
    for call in ("key.conll mine.conll", "lemma key.conll mine.conll"):
        ran = cdec("eval", *call.split(), "-s", "pure")
        assert (ran.code, ran.error) == (2, "input-mismatch")
        assert "key.conll: its chains are those of the key" in ran.err
        assert "cdec score KEY RESPONSE" in ran.err
        assert "is it the key?" not in ran.err
    for call in ("mine.conll key.conll", "key.conll", "key.conll lemma"):
        ran = cdec("eval", *call.split(), "-s", "pure")
        assert (ran.code, ran.err.count("is it the key?")) == (0, 1)


def test_the_metrics_by_default_and_all(done: Done) -> None:
    call = ("eval", "lemma", "-s", "pure", "-f", "csv")
    shown, every = (
        list(csv.DictReader(io.StringIO(done(*call, *m)))) for m in ((), ("--metric", "all"))
    )
    assert [row["metric"] for row in shown] == ["muc", "b3", "ceafe", "lea", "conll"]
    assert len(every) == 10
    assert [row for row in every if row["metric"] in {r["metric"] for r in shown}] == shown


def test_the_help_is_one_screen(cdec: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    brief, full = (cdec("eval", option).out for option in ("--help", "--help-all"))
    assert 24 <= brief.count("\n") <= 40
    for option in ("--repeated", "--words", "--outside", "--missing", "--match", "--noise"):
        assert option not in brief
        assert option in full


def test_a_code_is_explained(done: Done) -> None:
    code = ("explain", "--code", "swapped")
    assert "Key and response are probably swapped" in done(*code, "-v", "--format", "markdown")


@pytest.mark.parametrize("other", [("key.conll",), ("-m", "muc"), ("--chain", 3), ("--jobs", 2)])
def test_a_code_is_explained_without_anything_else(cdec: Run, other: tuple[object, ...]) -> None:
    ran = cdec("explain", "--code", "swapped", *other)
    assert (ran.code, ran.error, ran.out) == (2, "option-conflict", "")


def test_a_path_of_pairs_may_have_an_equals_sign(cdec: Run, tmp_path: Path) -> None:
    ids = load_corpus("sample", "test").selected.index
    path = tmp_path / "lr=0.1" / "scores.csv"
    path.parent.mkdir()
    path.write_text(f"a,b,score\n{ids[0]},{ids[1]},0.9\n", "utf-8")
    for given in (path, f"{path}@0.5", f"scores={path}@0.5"):
        ran = cdec("eval", "--pairs", given, "--corpus", "sample", "--split", "test", "-f", "csv")
        assert ran.code == 0, ran.err
        assert {line.split(",")[3] for line in ran.out.splitlines()[1:]} >= {"scores"}
