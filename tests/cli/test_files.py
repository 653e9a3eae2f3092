"""Files that one command writes and another reads, with the same numbers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cdec.corpus import sample_path
from cdec.settings import SETTINGS
from tests.cli.conftest import Done, Run
from tests.formats.made import EXACT

Numbers = dict[tuple[str, str], list[float]]
VALUES = ("precision", "recall", "f1", "p_num", "p_den", "r_num", "r_den")


@pytest.fixture
def ecb(ecbplus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))


def numbers(text: str) -> Numbers:
    """(setting, metric) → the numbers, as exact as two summation orders allow."""
    return {
        (row["setting"], row["metric"]): [float(row[name] or "-1") for name in VALUES]
        for row in csv.DictReader(io.StringIO(text))
    }


def assert_same(ours: Numbers, theirs: Numbers) -> None:
    assert ours.keys() == theirs.keys()
    for cell, values in ours.items():
        assert values == pytest.approx(theirs[cell], rel=1e-12, abs=1e-12), cell


def only(scores: Numbers, setting: str, scope: str = "document") -> Numbers:
    """The numbers of one setting, called as `cdec score` calls its own."""
    return {
        (f"scope={scope}", metric): values
        for (name, metric), values in scores.items()
        if name == setting
    }


def of_chains(scores: Numbers) -> Numbers:
    """The numbers without the metrics on mentions, which two files have if theirs differ."""
    return {cell: values for cell, values in scores.items() if cell[1] not in ("mentions", "mor")}


@pytest.mark.parametrize("system", ["lemma", "lemma-wd"])
@pytest.mark.parametrize("format", EXACT)
def test_a_prediction_scores_as_its_system(
    format: str, system: str, done: Done, tmp_path: Path
) -> None:
    file = tmp_path / f"mine.{format}"
    assert done("predict", "--system", system, "-o", file) == ""
    by_option = tmp_path / "mine"
    done("predict", "--system", system, "--to", format, "-o", by_option)
    assert by_option.read_bytes() == file.read_bytes()
    assert done("predict", "--system", system, "--to", format) == file.read_text("utf-8")
    ours = numbers(done("eval", "--system", system, "-f", "csv"))
    assert_same(numbers(done("eval", "--response", file, "-f", "csv")), ours)


@pytest.mark.parametrize("format", ["conll", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_a_prediction_on_ecbplus_scores_as_its_system(
    format: str, done: Done, tmp_path: Path, ecb: None
) -> None:
    file = tmp_path / f"lemma.{format}"
    done("predict", "-o", file)
    ours = numbers(done("eval", "--system", "lemma", "-f", "csv"))
    assert_same(numbers(done("eval", "-r", file, "-f", "csv")), ours)


def test_an_unknown_ending_means_conll(done: Done, tmp_path: Path) -> None:
    for name, begin in {"x.out": "#begin", "x": "#begin", "x.JSONL": "{"}.items():
        done("predict", "-o", tmp_path / name)
        assert (tmp_path / name).read_text().startswith(begin)


def test_the_exported_key_scores_as_the_corpus(done: Done, tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "mine.conll"
    done("corpus", "export", "-o", key)
    done("predict", "-o", response)
    ours = numbers(done("eval", "-s", "simple", "--system", "lemma", "-f", "csv"))
    scored = done("score", key, response, "--scope", "corpus", "-f", "csv")
    assert_same(numbers(scored), only(ours, "simple", "corpus"))
    local = done("eval", "-s", "scope=document", "--system", "lemma", "-f", "csv")
    scored = done("score", key, response, "--scope", "document", "-f", "csv")
    assert_same(numbers(scored), only(numbers(local), "scope=document"))


@pytest.mark.parametrize("setting", [*SETTINGS, "scope=topic,reduce_within_document=yes"])
@pytest.mark.parametrize("format", ["conll", "jsonl"])
def test_exported_meta_documents_score_as_their_setting(
    setting: str, format: str, done: Done, tmp_path: Path
) -> None:
    response, key, side = (tmp_path / f"{name}.{format}" for name in ("mine", "key", "response"))
    done("predict", "-o", response)
    done("corpus", "export", "--setting", setting, "-o", key)
    done("corpus", "export", "--setting", setting, "--response", response, "-o", side)
    ours = numbers(done("eval", "-s", setting, "--system", "lemma", "-f", "csv"))
    scored = numbers(done("score", key, side, "--scope", "document", "-f", "csv"))
    assert_same(of_chains(scored), only(ours, setting))


@pytest.mark.slow
def test_exported_meta_documents_of_ecbplus(done: Done, tmp_path: Path, ecb: None) -> None:
    response, key, side = (tmp_path / f"{name}.conll" for name in ("mine", "key", "response"))
    done("predict", "-o", response)
    done("corpus", "export", "-s", "pure", "-o", key)
    done("corpus", "export", "-s", "pure", "-r", response, "-o", side)
    ours = numbers(done("eval", "-s", "pure", "--system", "lemma", "-f", "csv"))
    scored = done("score", key, side, "--scope", "document", "-f", "csv")
    assert_same(of_chains(numbers(scored)), only(ours, "pure"))


def test_the_export_prints_notices(done: Done, cdec: Run, tmp_path: Path) -> None:
    response = tmp_path / "mine.jsonl"
    done("predict", "-o", response)
    response.write_text("".join(response.read_text().splitlines(keepends=True)[:-1]))
    call = ("corpus", "export", "-s", "pure", "-r", response, "-o", tmp_path / "side.conll")
    assert "note[missing-mention]: 1 " in cdec(*call, "--verbose").err


KEY = """\
#begin document (a); part 000
a 0 0 x (1
a 0 1 x 1)
a 0 2 x (1)
a 0 3 x (2)
#end document
#begin document (b); part 000
b 0 0 x (1)
b 0 1 x (1)
#end document
"""
RESPONSE = KEY.replace("a 0 2 x (1)", "a 0 2 x (2)")


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    key, response = tmp_path / "gold.conll", tmp_path / "mine.conll"
    key.write_text(KEY)
    response.write_text(RESPONSE)
    return key, response


def muc_recall(text: str, unit: str | None = None) -> list[float]:
    return [
        float(row["recall"])
        for row in csv.DictReader(io.StringIO(text))
        if row["metric"] == "muc" and (unit is None or row["unit"] == unit)
    ]


def test_score_pools_documents_or_takes_all_as_one(pair: tuple[Path, Path], done: Done) -> None:
    # Key links: 1 in a, 1 in b; as one document, chain 1 has four mentions and three links.
    assert muc_recall(done("score", *pair, "--scope", "document", "-f", "csv")) == [1 / 2]
    assert muc_recall(done("score", *pair, "--scope", "corpus", "-f", "csv")) == [2 / 3]


def test_score_by_document_with_micro_and_macro(pair: tuple[Path, Path], done: Done) -> None:
    scored = ("score", *pair, "--scope", "document", "--by", "document", "-f", "csv")
    text = done(*scored)
    recall = {unit: muc_recall(text, unit) for unit in ("a", "b", "macro", "micro")}
    assert recall == {"a": [0], "b": [1], "macro": [1 / 2], "micro": [1 / 2]}
    pair[0].write_text(KEY.replace("a 0 3 x (2)", "a 0 3 x (1)"))
    text = done(*scored)
    assert (muc_recall(text, "macro"), muc_recall(text, "micro")) == ([3 / 4], [2 / 3])


def test_score_asks_about_the_scope_and_names_the_response(
    pair: tuple[Path, Path], cdec: Run
) -> None:
    call = ("score", pair[0], f"other={pair[1]}", "-f", "json")
    assert cdec(*call).error == "scope-ambiguous"
    ran = cdec(*call, "--scope", "document")
    assert ran.code == 0
    content = json.loads(ran.out)
    assert {row["system"] for row in content["rows"]} == {"other"}
    assert {row["setting"] for row in content["rows"]} == {"scope=document"}
    assert content["notices"] == []
    assert content["signatures"][0]["setting"] == "scope=document"


def test_install_info_and_use(cdec: Run, done: Done, tmp_path: Path) -> None:
    ran = cdec("corpus", "install", sample_path(), "--name", "mine")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("cdec: installed: ")
    rows = json.loads(cdec("corpus", "info", "-f", "json").out)["rows"]
    assert [(row["corpus"], row["name"]) for row in rows] == [
        ("in use", "sample"),
        ("installed", "mine"),
    ]
    call = ("eval", "--system", "lemma", "-s", "pure", "-f", "csv")
    named = done(*call, "--corpus", "mine", "--split", "sample/test")
    assert_same(numbers(named), numbers(done(*call)))
    rejected = cdec("corpus", "install", sample_path())
    assert (rejected.code, rejected.error) == (1, "checksum-mismatch")


@pytest.mark.slow
def test_ecbplus_once_installed_is_the_corpus(
    ecbplus: Path, cdec: Run, done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cdec("corpus", "install", ecbplus).code == 0
    ran = cdec("eval", "--system", "lemma-wd", "-s", "pure", "--metric", "conll", "-f", "csv")
    assert (ran.code, ran.err) == (0, "")
    installed = numbers(ran.out)
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    call = ("eval", "--system", "lemma-wd", "-s", "pure", "--metric", "conll", "-f", "csv")
    assert_same(installed, numbers(done(*call)))


def test_verify_of_a_sound_corpus(cdec: Run) -> None:
    intact = cdec("corpus", "verify", "--corpus", "sample")
    assert (intact.code, intact.err) == (0, "")
    assert intact.out


@pytest.mark.slow
def test_verify_names_what_is_damaged(ecbplus: Path, cdec: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "ECB+"
    copy.mkdir(parents=True)
    for topic in (ecbplus / "ECB+").iterdir():
        (copy / topic.name).symlink_to(topic)
    (copy / "45").unlink()
    (copy / "45").mkdir()
    for file in (ecbplus / "ECB+" / "45").iterdir():
        (copy / "45" / file.name).write_bytes(file.read_bytes())
    damaged = copy / "45" / "45_1ecb.xml"
    damaged.write_bytes(damaged.read_bytes() + b"\n")
    ran = cdec("corpus", "verify", "--corpus", copy.parent, "--format", "json")
    assert ran.code == 1
    assert ran.err.startswith("cdec: error: 45/45_1ecb.xml: ")
    content = json.loads(ran.out)
    assert content["ok"] is False
    assert {row["kind"] for row in content["rows"]} == {"defect", "fact"}


def test_stats_of_the_sample(cdec: Run, done: Done) -> None:
    ran = cdec("stats")
    assert ran.code == 0
    assert "cdec corpus fetch" in ran.err
    assert "printed" not in ran.out
    rows = list(csv.DictReader(io.StringIO(done("stats", "-f", "csv"))))
    assert list(rows[0]) == ["view", "row", "part", "count"]
    counts = {(row["row"], row["part"]): int(row["count"]) for row in rows}
    assert counts["docs", "total"] == 36


def test_stats_of_ecbplus_with_the_published_values(done: Done, cdec: Run, ecb: None) -> None:
    rows = json.loads(done("stats", "-f", "json"))["rows"]
    counts = {(row["row"], row["part"]): (row["count"], row["printed"]) for row in rows}
    assert counts["ev. mentions", "total"] == (15003, 14874)
    assert counts["CD", "test"] == (3290, 3290)
    assert counts["singletons", "test"] == (5651, None)
    assert "15002" in done("stats")
    other = done("stats", "--split", "cybulska", "-f", "csv")
    assert "printed" not in other
    assert "annotation,ev. mentions,total,6833\n" in other
