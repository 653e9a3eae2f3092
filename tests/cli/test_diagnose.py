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
