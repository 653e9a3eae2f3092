"""``cdec score A B --agreement``: F1 and alpha of annotators, and files of brat both ways."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest

import cdec as package
from tests.cases import cases
from tests.program import Run
from tests.tiny_files import given

BRAT = Path(__file__).parent / "tools/brat"
CASES = cases("agreement_cases")
MEASURES = ["mentions", "b3", "conll", "alpha"]


@pytest.mark.parametrize("name", CASES["alpha"])
def test_alpha_is_that_of_krippendorff(name: str) -> None:
    *annotators, alpha = CASES["alpha"][name]
    chains = [[[f"d/{mention}" for mention in chain] for chain in side] for side in annotators]
    for pair in permutations(chains):
        value = package.agreement(*pair, scope="corpus").value["alpha"][0]
        assert value == pytest.approx(float(Fraction(alpha)), abs=1e-12)


def test_agreement_is_the_same_in_any_order(cdec: Run) -> None:
    """The figures of the fixture are by hand: five of seven and six mentions are common."""
    folders = [BRAT / "ann", BRAT / "bob", BRAT / "ann"]
    rows = cdec("score", *folders, "--agreement", "-f", "json").json["rows"]
    ann_bob, same, bob_ann = (row for row in rows if not row["document"])
    assert [ann_bob[name] for name in MEASURES] == [bob_ann[name] for name in MEASURES]
    assert ann_bob["mentions"] == pytest.approx(10 / 13)
    assert {same[name] for name in MEASURES} == {1}
    assert ann_bob["lost"] == pytest.approx(35 / 6)
    assert {row["document"] for row in rows} == {"", "a", "b"}


def test_intervals_are_over_documents(cdec: Run) -> None:
    call = ("score", BRAT / "ann", BRAT / "bob", "--agreement", "-f", "json")
    ran = cdec(*call, "--ci", "--resamples", "99")
    value, low, high = (row for row in ran.json["rows"] if not row["document"])
    assert all(low[name] <= value[name] <= high[name] for name in MEASURES)
    assert ran.json["signatures"][0]["unit"] == "document-2"


def test_a_document_of_one_annotator_is_left_out(cdec: Run, tmp_path: Path) -> None:
    bob = Path(shutil.copytree(BRAT / "bob", tmp_path / "bob"))
    for ending in ("txt", "ann"):
        (bob / f"b.{ending}").unlink()
    ran = cdec("score", BRAT / "ann", bob, "--agreement", "-f", "json", "-v")
    assert [row["document"] for row in ran.json["rows"]] == ["", "a"]
    assert "warning[missing-document]" in ran.err
    ran = cdec("score", BRAT / "ann", bob, "--agreement", "--ci")
    assert ran.error == "part-too-small"


def lines_of(folder: Path) -> list[str]:
    texts = {file.stem: file.read_text("utf-8") for file in sorted(folder.glob("*.ann"))}
    return [f"{name} {line}" for name, text in texts.items() for line in text.splitlines()]


@pytest.mark.parametrize("name", CASES["corrected"])
def test_corrections_go_back_to_the_files_of_brat(cdec: Run, tmp_path: Path, name: str) -> None:
    case = CASES["corrected"][name]
    assert cdec("corpus", "add", BRAT / "ann", "--name", "mine").exit == 0
    about = {"corpus": "mine", "digest": package.load_corpus("mine", "all").digest}
    patch = {"format": "cdec-key-patch/1", "about": about, "claims": case["claims"]}
    file = given(tmp_path, "p.json", json.dumps(patch))
    out, key = tmp_path / "o", tmp_path / "k.csv"
    apply = ("audit", "apply", file, "--corpus", "mine", "--to")
    assert cdec(*apply, BRAT / "ann", "-o", out).exit == 0
    before, after = lines_of(BRAT / "ann"), lines_of(out)
    assert [line for line in before if line not in after] == case["lost"]
    assert [line for line in after if line not in before] == case["gained"]
    assert cdec("corpus", "export", "--corpus", "mine", "--key-patch", file, "-o", key).exit == 0
    ran = cdec("score", key, out, "--scope", "corpus", "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}
    assert cdec(*apply, BRAT / "bob", "-o", tmp_path / "x").error == "format-unsuitable"
