"""The ending of a file must fit its format; --split has the same values in all commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec.cli.values import file_of, format_of
from cdec.errors import UsageError
from cdec.io import PAGES
from cdec.render import FORMATS
from tests.cli.conftest import Done, Run
from tests.refusals import refused

EVAL = ("eval", "-s", "pure", "--system", "lemma")


def test_every_format_except_table_has_an_ending() -> None:
    assert {*PAGES.values(), "table"} == {*FORMATS}


def test_the_ending_chooses_the_format(done: Done, tmp_path: Path) -> None:
    for ending, kind in {**PAGES, ".JSON": "json", ".txt": "table", ".out": "table"}.items():
        done(*EVAL, "-o", tmp_path / f"by{ending}")
        done(*EVAL, "-f", kind, "-o", tmp_path / "as")
        assert (tmp_path / f"by{ending}").read_bytes() == (tmp_path / "as").read_bytes()


def test_an_ending_without_a_format_fits_every_format(done: Done, tmp_path: Path) -> None:
    for name in ("x", "x.txt", "x.out", "x.table"):
        done(*EVAL, "-f", "json", "-o", tmp_path / name)
        assert json.loads((tmp_path / name).read_text())["rows"]


REJECTED = [
    ("eval -f json", "x.csv"),
    ("eval -f table", "x.html"),
    ("eval", "x.conll"),
    ("eval", "x.toml"),
    ("score a b -f csv", "x.json"),
    ("compare lemma lemma-wd -f latex", "x.md"),
    ("diagnose lemma -f json", "x.html"),
    ("explain -m muc --system lemma -f csv", "x.tex"),
    ("reproduce figure3 -f markdown", "x.html"),
    ("corpus stats -f csv", "x.svg"),
    ("corpus info -f html", "x.csv"),
    ("corpus verify -f html", "x.json"),
    ("predict", "x.svg"),
    ("predict --to jsonl", "x.json"),
    ("corpus export --to csv", "x.tsv"),
    ("corpus export", "x.md"),
    ("tune -f csv", "x.csv"),
    ("tune", "x.json"),
    ("train", "x.json"),
    ("audit run -f json", "x.csv"),
    ("audit run -f json", "x.jsonl"),
    ("audit review cases.jsonl", "x.md"),
    ("audit apply decisions.json", "x.toml"),
]


@pytest.mark.parametrize(("call", "name"), REJECTED)
def test_an_ending_of_another_format_is_rejected_first(
    call: str, name: str, cdec: Run, tmp_path: Path
) -> None:
    ran = cdec(*call.split(), "-o", tmp_path / name)
    assert (ran.code, ran.out, ran.error) == (2, "", "output-ending")
    assert str(tmp_path / name) in ran.err
    assert ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_audit_cases_by_the_ending(done: Done, cdec: Run, tmp_path: Path) -> None:
    call = ("audit", "run", "--corpus", "sample", "--detector", "duplicate")
    for name in ("cases.jsonl", "cases.CSV"):
        done(*call, "-o", tmp_path / name)
    assert (tmp_path / "cases.CSV").read_text().startswith("case,kind,score,")
    assert json.loads((tmp_path / "cases.jsonl").read_text().splitlines()[0])
    # .json, and -f csv without an ending, contain the number of cases of each kind.
    assert "rows" in json.loads(run_to(done, tmp_path / "counts.json", *call))
    assert "score," not in run_to(done, tmp_path / "counts", *call, "-f", "csv")


def run_to(done: Done, path: Path, *call: object) -> str:
    assert done(*call, "-o", path) == ""
    return path.read_text("utf-8")


def test_the_format_of_an_ending() -> None:
    assert format_of(None, None, PAGES, "table", "-f") == "table"
    assert format_of(Path("-"), "csv", PAGES, "table", "-f") == "csv"
    assert format_of(Path("a.html"), "html", PAGES, "table", "-f") == "html"
    with refused("output-ending", ".png", "table", place="a.PNG"):
        format_of(Path("a.PNG"), None, PAGES, "table", "-f")
    assert file_of("a model")(Path("sac.model")) == Path("sac.model")


def csv_of(done: Done, *call: object) -> str:
    return done(*call, "-f", "csv")


def test_a_split_without_a_part_means_the_default_part(done: Done, tmp_path: Path) -> None:
    own = tmp_path / "my.toml"
    own.write_text('[topics]\ntrain = ["1-3"]\ndev = ["4"]\ntest = ["5-6"]\n', "utf-8")
    for split in ("sample", own):
        assert csv_of(done, *EVAL, "--split", split) == csv_of(
            done, *EVAL, "--split", f"{split}/test"
        )
        key = done("corpus", "export", "--split", split)
        assert key == done("corpus", "export", "--split", f"{split}/test")
    assert csv_of(done, "tune", "--split", "sample") == csv_of(done, "tune", "--split", "dev")


def test_a_part_means_its_split_if_a_whole_split_is_needed(
    done: Done, cdec: Run, tmp_path: Path
) -> None:
    own = tmp_path / "my.toml"
    own.write_text('[topics]\ntrain = ["1-3"]\ndev = ["4"]\ntest = ["5-6"]\n', "utf-8")
    default, other = csv_of(done, "stats"), csv_of(done, "stats", "--split", own)
    assert default != other
    for split, expected in {
        "test": default,
        "all": default,
        "sample": default,
        "sample/train": default,
        f"{own}/dev": other,
        f"{own}/all": other,
    }.items():
        assert csv_of(done, "stats", "--split", split) == expected, split
    for command in ("stats", "train"):
        ran = cdec(command, "-q", "--split", "sample/tset")
        assert (ran.code, ran.out, ran.error) == (2, "", "name-unknown")
        assert "'tset' (did you mean 'test'?" in ran.err
        assert cdec(command, "-q", "--split", "yfc/test").error == "name-unknown"


@pytest.mark.parametrize("command", ["eval", "explain", "compare", "diagnose", "report", "score"])
def test_words_that_differ_have_a_policy(
    command: str, cdec: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str | None] = []

    class Policy:
        def __init__(self, words: str | None, **_others: object) -> None:
            seen.append(words)
            raise UsageError("option-conflict", "")

    monkeypatch.setattr("cdec.matching.policy.FilePolicy", Policy)
    monkeypatch.setattr("cdec.evaluation.saved.load_results", lambda path: [])
    monkeypatch.setattr("cdec.evaluation.same_task.check_same_corpus", lambda saved: None)
    calls: dict[str, list[object]] = {
        "eval": ["-s", "pure", "--system", "lemma"],
        "explain": ["-m", "muc", "--system", "lemma", "--chain", "1"],
        "compare": ["lemma", "lemma-wd"],
        "diagnose": ["lemma"],
        "report": ["saved.json", "-r", "lemma", "-o", tmp_path / "x.html"],
        "score": ["key.conll", "response.conll"],
    }
    for words in ((), ("--words", "warn"), ("--words", "ignore")):
        assert cdec(command, *calls[command], *words, "-q").error == "option-conflict"
    assert seen == [None, "warn", "ignore"]
    ran = cdec(command, *calls[command], "--words", "wran", "-q")
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "'warn'?" in ran.err
