"""``cdec diagnose``: its links agree with BLANC, its sentences with the corpus."""

import csv
import io
from pathlib import Path

import pytest

from cdec.render import FORMATS
from tests.cli.conftest import Done, Run


def rows(text: str, section: str, table: str) -> list[dict[str, str]]:
    records = csv.DictReader(io.StringIO(text))
    return [row for row in records if (row["section"], row["table"]) == (section, table)]


@pytest.mark.parametrize("setting", ["simple", "pure", "bh", "ycf"])
def test_links_are_the_counts_of_blanc(done: Done, setting: str) -> None:
    call = ("--setting", setting, "--format", "csv")
    scores = csv.DictReader(
        io.StringIO(done("eval", "--system", "lemma", "--metric", "blanc_coref", *call))
    )
    (score,) = scores
    links = rows(done("diagnose", "lemma", *call), f"diagnosis-{setting}-lemma", "links")
    (total,) = (row for row in links if (row["kind"], row["lemma"]) == ("all", "all"))
    right, missed, wrong = (int(float(total[name])) for name in ("right", "missed", "wrong"))
    assert right == float(score["p_num"]) == float(score["r_num"])
    assert right + wrong == float(score["p_den"])
    assert right + missed == float(score["r_den"])


@pytest.mark.parametrize("format", FORMATS)
def test_two_systems_in_every_format(done: Done, format: str) -> None:
    out = done("diagnose", "lemma", "lemma-wd", "--top", 2, "--format", format)
    assert "lemma-wd" in out


def test_the_worst_chains_come_with_their_sentences(done: Done) -> None:
    out = done("diagnose", "lemma", "--top", 1)
    assert "response chain 'say'" in out
    assert "[said]" in out
    assert "key chain" in out


def test_text_of_a_response_is_escaped(done: Done, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    done("predict", "--system", "lemma", "--to", "jsonl", "-o", path)
    path.write_text(
        path.read_text("utf-8").replace('"say"', '"<script>alert(1)</script>"'), "utf-8"
    )
    out = done("diagnose", path, "--format", "html")
    assert "&lt;script&gt;" in out
    assert "<script" not in out


def test_a_wrong_call(cdec: Run) -> None:
    assert cdec("diagnose", "lemma", "--setting", "simpel").error == "name-unknown"
    assert cdec("diagnose", "lemma", "--top=-1", "--verbose").error == "option-invalid"


BY = ["seen", "lemma", "seen-lemma", "lemmas-per-chain", "chains-per-lemma", "class", "size"]


@pytest.mark.parametrize("by", [*BY, "distance"])
def test_eval_by_a_stratum_sums_to_the_links_of_diagnose(done: Done, by: str) -> None:
    call = ("--corpus", "sample", "--setting", "simple", "--format", "csv")
    found = [*csv.DictReader(io.StringIO(done("eval", "lemma", "--by", by, *call)))]
    links = [row for row in found if row["metric"] == "blanc_coref"]
    of_all = rows(done("diagnose", "lemma", *call), "diagnosis-simple-lemma", "links")
    (total,) = (row for row in of_all if (row["kind"], row["lemma"]) == ("all", "all"))
    right, missed, wrong = (float(total[name]) for name in ("right", "missed", "wrong"))
    (whole,) = (row for row in links if row["level"] == "all")
    for column, number in {
        "p_num": right,
        "r_num": right,
        "p_den": right + wrong,
        "r_den": right + missed,
    }.items():
        assert float(whole[column]) == number
        assert sum(float(row[column]) for row in links if row["level"] != "all") == number


def test_strata_of_several_systems_on_a_page(done: Done) -> None:
    call = ("lemma", "lemma-wd", "--corpus", "sample", "--by", "seen-lemma", "--format", "html")
    quick = ("--resamples", 9, "--exchanges", 9, "--metric", "conll")
    for out in (done("diagnose", *call), done("compare", *call, *quick)):
        assert "join different lemmas that are never coreferent in train" in out
        assert "Recall of links" in out
    assert "Recall of links" not in done("compare", *(call[:4]), *quick, "--format", "html")


def test_wrong_calls_of_strata(cdec: Run) -> None:
    sample = ("--corpus", "sample", "-s", "simple")
    assert cdec("diagnose", "lemma", "--by", "topic", *sample).error == "name-unknown"
    assert cdec("eval", "lemma", "--by", "seens", *sample).error == "name-unknown"
    assert cdec("eval", "lemma", "--by", "seen", "--metric", "muc", *sample).error == (
        "option-conflict"
    )
    assert cdec("eval", "lemma", "--by", "size", "--ci", *sample).error == "option-conflict"
    whole = cdec("eval", "lemma", "--by", "seen", "--split", "all", *sample)
    assert whole.error == "option-invalid"
    assert cdec("leaderboard", "show", "--by", "seen").error == "option-requires"
    assert cdec("leaderboard", "show", "--nlp", "hanta").error == "option-requires"
    assert cdec("leaderboard", "show", "--by", "size", "--task", "no").error == "name-unknown"
