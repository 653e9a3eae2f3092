"""A file's ending agrees with what is written; --split takes the same values everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.cli.targets import REPORTS, file_of, format_of
from cdec.errors import UsageError
from cdec.render import FORMATS
from tests.cli.conftest import Run

Done = Callable[..., str]
EVAL = ("eval", "-s", "pure", "--system", "lemma")


def test_every_format_but_the_terminal_s_has_an_ending() -> None:
    assert {*REPORTS.values(), "table"} == {*FORMATS}


def test_the_ending_chooses_the_format(done: Done, tmp_path: Path) -> None:
    for ending, kind in {**REPORTS, ".JSON": "json", ".txt": "table", ".out": "table"}.items():
        done(*EVAL, "-o", tmp_path / f"by{ending}")
        done(*EVAL, "-f", kind, "-o", tmp_path / "as")
        assert (tmp_path / f"by{ending}").read_bytes() == (tmp_path / "as").read_bytes()


def test_an_ending_that_says_nothing_goes_with_every_format(done: Done, tmp_path: Path) -> None:
    for name in ("x", "x.txt", "x.out", "x.table"):
        done(*EVAL, "-f", "json", "-o", tmp_path / name)
        assert json.loads((tmp_path / name).read_text())["rows"]


REFUSED = [
    ("eval -f json", "x.csv", "cannot hold json (choose another ending, or leave out --format)"),
    ("eval -f table", "x.html", "cannot hold table"),
    ("eval", "x.conll", "cannot hold table (choose another ending)"),
    ("eval", "x.toml", "a file that ends in .toml cannot hold table"),
    ("score a b -f csv", "x.json", "cannot hold csv"),
    ("compare lemma lemma-wd -f latex", "x.md", "cannot hold latex"),
    ("diagnose lemma -f json", "x.html", "cannot hold json"),
    ("explain -m muc --system lemma -f csv", "x.tex", "cannot hold csv"),
    ("reproduce figure3 -f markdown", "x.html", "cannot hold markdown"),
    ("stats -f csv", "x.svg", "cannot hold csv (choose another ending)"),
    ("corpus info -f html", "x.csv", "cannot hold html"),
    ("corpus verify -f html", "x.json", "cannot hold html"),
    ("predict", "x.html", "a file that ends in .html cannot hold conll (choose another ending)"),
    ("predict --to jsonl", "x.json", "(choose another ending, or leave out --to)"),
    ("corpus export --to csv", "x.tsv", "cannot hold csv"),
    ("corpus export", "x.md", "cannot hold conll"),
    ("tune -f csv", "x.csv", "a file that ends in .csv cannot hold a TOML configuration"),
    ("tune", "x.json", "cannot hold a TOML configuration (choose another ending, as .toml)"),
    ("train", "x.json", "a file that ends in .json cannot hold a model (choose another ending)"),
    ("audit run -f json", "x.csv", "cannot hold json"),
    ("audit run -f json", "x.jsonl", "cannot hold json"),
    ("audit review cases.jsonl", "x.md", "cannot hold an HTML page (choose another ending, as"),
    ("audit apply decisions.json", "x.toml", "cannot hold a patch (choose another ending, as .js"),
]


@pytest.mark.parametrize(("call", "name", "said"), REFUSED)
def test_an_ending_of_another_content_is_refused_first(
    call: str, name: str, said: str, cdec: Run, tmp_path: Path
) -> None:
    ran = cdec(*call.split(), "-o", tmp_path / name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"cdec: error: {tmp_path / name}: a file that ends in")
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_audit_cases_by_the_ending(done: Done, cdec: Run, tmp_path: Path) -> None:
    call = ("audit", "run", "--corpus", "sample", "--detector", "duplicate")
    for name in ("cases.jsonl", "cases.CSV"):
        done(*call, "-o", tmp_path / name)
    assert (tmp_path / "cases.CSV").read_text().startswith("case,kind,score,")
    assert json.loads((tmp_path / "cases.jsonl").read_text().splitlines()[0])
    # How many of each kind: what .json and -f csv without an ending hold.
    assert "rows" in json.loads(run_to(done, tmp_path / "counts.json", *call))
    assert "score," not in run_to(done, tmp_path / "counts", *call, "-f", "csv")


def run_to(done: Done, path: Path, *call: object) -> str:
    assert done(*call, "-o", path) == ""
    return path.read_text("utf-8")


def test_the_rule_by_itself() -> None:
    assert format_of(None, None, REPORTS, "table", "-f") == "table"
    assert format_of(Path("-"), "csv", REPORTS, "table", "-f") == "csv"
    assert format_of(Path("a.html"), "html", REPORTS, "table", "-f") == "html"
    with pytest.raises(UsageError, match=r"a\.PNG: a file that ends in \.png cannot hold table"):
        format_of(Path("a.PNG"), None, REPORTS, "table", "-f")
    assert file_of("a model")(None) is None
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


def test_a_part_names_its_split_where_a_whole_split_is_needed(
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
        assert (ran.code, ran.out) == (2, "")
        assert "unknown part of the split 'sample': 'tset' (did you mean 'test'?" in ran.err
        assert "unknown split 'yfc'" in cdec(command, "-q", "--split", "yfc/test").err


@pytest.mark.parametrize("command", ["eval", "explain", "compare", "diagnose", "report", "score"])
def test_words_that_differ_have_a_policy(
    command: str, cdec: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str | None] = []

    class Policy:
        def __init__(self, repeated: str, allow_empty: bool, words: str | None) -> None:
            seen.append(words)
            raise UsageError("far enough")

    monkeypatch.setattr("cdec.evaluation.response.FilePolicy", Policy)
    monkeypatch.setattr("cdec.evaluation.saved.read_saved", lambda path: [])
    monkeypatch.setattr("cdec.evaluation.saved.check_same_corpus", lambda saved: None)
    calls: dict[str, list[object]] = {
        "eval": ["-s", "pure", "--system", "lemma"],
        "explain": ["-m", "muc", "--system", "lemma", "--chain", "1"],
        "compare": ["lemma", "lemma-wd"],
        "diagnose": ["lemma"],
        "report": ["saved.json", "-r", "lemma", "-o", tmp_path / "x.html"],
        "score": ["key.conll", "response.conll"],
    }
    for words in ((), ("--words", "warn"), ("--words", "ignore")):
        assert "far enough" in cdec(command, *calls[command], *words, "-q").err
    assert seen == [None, "warn", "ignore"]
    ran = cdec(command, *calls[command], "--words", "wran", "-q")
    assert ran.code == 2
    assert "(did you mean 'warn'?" in ran.err
