"""A response is scored on the part of the corpus that it covers, unless the call names a part."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as library
from tests.program import Run

CONLL = ("--setting", "pure", "--metric", "conll")
MISSING = ("--missing", "count")
DOORS = ("file", "dict", "spans", "series", "frame", "clustering", "named", "runs")

Written = Callable[..., Path]


@pytest.fixture
def predicted(cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Return a function that writes the response of ``lemma`` to a part, and returns its path."""
    monkeypatch.chdir(tmp_path)

    def written(split: str, name: str = "mine.conll", system: str = "lemma") -> Path:
        assert cdec("predict", "--system", system, "--split", split, "-o", name).exit == 0
        return Path(name)

    return written


@pytest.fixture
def release(ecbplus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ECB+ as the corpus that commands use by default."""
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    return ecbplus


def scored(cdec: Run, *arguments: object) -> tuple[str, float]:
    """Return the part in the signature, and the CoNLL F1 in percent."""
    row = cdec("eval", *arguments, *CONLL, "-f", "json").json["rows"][0]
    return row["split"], round(100 * row["f1"], 1)


def test_a_response_that_covers_no_part_says_where_it_is_scored(
    cdec: Run, predicted: Written
) -> None:
    lines = predicted("test", "mine.jsonl").read_text("utf8").splitlines()
    Path("few.jsonl").write_text("\n".join(lines[:9]) + "\n", "utf8")
    codes = {
        file: [one["code"] for one in cdec("eval", file, *CONLL, "-f", "json").json["notices"]]
        for file in ("mine.jsonl", "few.jsonl")
    }
    assert "other-split" not in codes["mine.jsonl"]
    assert "other-split" in codes["few.jsonl"]


@pytest.mark.parametrize(("part", "code"), [("dev", 0), ("test", 2)])
def test_the_dev_part_of_another_split_can_be_tuned_on(
    cdec: Run, release: Path, part: str, code: int
) -> None:
    ran = cdec("tune", "lemma-delta", "--split", f"cybulska/{part}", "-q")
    assert (ran.exit, bool(release)) == (code, True)


@pytest.mark.parametrize("part", ["train", "dev", "test", "all"])
@pytest.mark.parametrize("ending", ["conll", "jsonl", "csv"])
def test_a_file_is_scored_on_the_part_that_it_covers(
    cdec: Run, predicted: Written, part: str, ending: str
) -> None:
    file = predicted(part, f"mine.{ending}")
    assert scored(cdec, file) == scored(cdec, file, "--split", part)


def test_a_named_part_is_scored_whatever_the_response_covers(cdec: Run, predicted: Written) -> None:
    assert scored(cdec, predicted("dev"), "--split", "all")[0] == "all"


def test_a_baseline_alone_keeps_the_default_part(cdec: Run) -> None:
    assert scored(cdec, "lemma")[0] == "sample-test"


def test_a_baseline_is_run_on_the_part_of_the_file(cdec: Run, predicted: Written) -> None:
    rows = cdec("eval", predicted("dev"), "lemma", *CONLL, "-f", "json").json["rows"]
    assert {row["split"] for row in rows} == {"sample-dev"}
    assert len({row["f1"] for row in rows}) == 1


def test_a_response_to_half_of_a_part_is_scored_on_that_part(cdec: Run, predicted: Written) -> None:
    half(predicted("dev", "mine.jsonl"))
    ran = cdec("eval", "half.jsonl", *CONLL, "--verbose", "-f", "json")
    assert ran.json["rows"][0]["split"] == "sample-dev"
    assert "warning[missing-document]" in ran.err
    (noticed,) = (one for one in ran.json["notices"] if one["code"] == "other-split")
    assert (noticed["count"], noticed["warning"]) == (3, True)
    assert scored(cdec, "half.jsonl") == scored(cdec, "half.jsonl", "--split", "dev")
    # Beside a response to the whole part, too.
    ran = cdec("eval", "half.jsonl", "mine.jsonl", *CONLL, "-f", "json")
    assert {row["split"] for row in ran.json["rows"]} == {"sample-dev"}
    assert cdec("compare", "half.jsonl", "mine.jsonl").error == "input-mismatch"


def test_a_response_that_is_in_no_part_keeps_the_default_part(
    cdec: Run, predicted: Written
) -> None:
    """It has documents of dev and of train."""
    lines = [predicted(part, f"{part}.jsonl").read_text() for part in ("dev", "train")]
    Path("mine.jsonl").write_text("".join(lines))
    ran = cdec("eval", half(Path("mine.jsonl")), *CONLL, "--allow-empty", "-f", "json")
    assert ran.json["rows"][0]["split"] == "sample-test"
    assert "other-split" in {one["code"] for one in ran.json["notices"] if one["warning"]}


def half(file: Path) -> Path:
    """Write the mentions of every second document of a response."""
    rows = file.read_text().splitlines()
    docs = sorted({json.loads(row)["doc"] for row in rows})[::2]
    own = Path("half.jsonl")
    own.write_text("".join(f"{row}\n" for row in rows if json.loads(row)["doc"] in docs))
    return own


def test_responses_to_two_parts_are_refused(cdec: Run, predicted: Written) -> None:
    files = predicted("dev"), predicted("test", "other.conll")
    for command in ("eval", "compare", "diagnose"):
        assert cdec(command, *files).error == "input-mismatch"
    assert cdec("eval", *files, "--split", "all").exit == 0


@pytest.mark.parametrize("command", ["diagnose", "compare"])
def test_other_commands_choose_the_part_alike(cdec: Run, predicted: Written, command: str) -> None:
    file = predicted("dev")
    call = {
        "diagnose": ("diagnose", file),
        "compare": ("compare", file, "lemma-wd", "--metric", "conll", "--resamples", 20),
    }[command]
    assert "split:sample-dev" in cdec(*call).out


def test_pairs_are_scored_on_the_part_that_they_cover(cdec: Run, predicted: Written) -> None:
    corpus = library.load_corpus("sample", "dev")
    ids = list(corpus.selected.index)
    table = pd.DataFrame({"a": ids[:-1], "b": ids[1:], "score": 0.4})
    table.to_csv("pairs.csv", index=False)
    assert "split:sample-dev" in cdec("pairs", "pairs.csv").out
    assert scored(cdec, "pairs:pairs.csv")[0] == "sample-dev"


def test_a_comparison_of_unlike_documents_needs_a_word_on_missing_mentions(
    cdec: Run, predicted: Written
) -> None:
    call = ("compare", "lemma", half(predicted("test", "mine.jsonl")), "--resamples", 20)
    assert cdec(*call).error == "input-mismatch"
    for how in ("count", "singletons"):
        assert cdec(*call, "--missing", how).exit == 0
    # Explicit or not, the choice that counts all mentions has one signature.
    plain, said = (cdec("eval", "half.jsonl", *CONLL, *more).out for more in ((), MISSING))
    assert plain == said


@pytest.mark.parametrize("door", DOORS)
def test_python_has_the_same_rule(predicted: Written, door: str) -> None:
    whole, dev = library.load_corpus("sample"), library.load_corpus("sample", "dev")
    chains = library.predict(dev, "lemma")
    labels = chains.labels
    spans = dev.selected[["doc", "start", "end"]].itertuples(index=False, name=None)
    doors: dict[str, Callable[[], Any]] = {
        "file": lambda: predicted("dev"),
        "dict": lambda: dict(labels),
        "spans": lambda: dict(zip(spans, labels, strict=True)),
        "series": lambda: labels,
        "frame": lambda: dev.selected[["doc", "start", "end"]].assign(chain=labels.astype(str)),
        "clustering": lambda: chains,
        "named": lambda: {"mine": chains},
        "runs": lambda: {"mine": [predicted("dev"), predicted("dev", "b.conll")]},
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the runs")
        found = library.evaluate(whole, doors[door](), setting="pure", metrics="conll").to_frame()
    assert found["split"].tolist() == ["sample-dev"]
    expected = library.evaluate(dev, "lemma", setting="pure", metrics="conll").to_frame()
    assert found["f1"].tolist() == expected["f1"].tolist()


def test_python_has_the_same_default(cdec: Run, predicted: Written) -> None:
    whole, few = library.load_corpus("sample"), half(predicted("dev", "mine.jsonl"))
    with pytest.warns(library.CdecWarning, match="other-split"):
        found = library.evaluate(whole, few)
    assert {*found.to_frame()["split"]} == {scored(cdec, few)[0]} == {"sample-dev"}
    assert {*library.evaluate(whole, "lemma", metrics="conll").to_frame()["split"]} == {
        "sample-test"
    }


def test_python_scores_a_part_that_was_loaded_by_name(predicted: Written) -> None:
    chains = library.predict(library.load_corpus("sample", "dev"), "lemma")
    with pytest.warns(library.CdecWarning):
        found = library.evaluate(library.load_corpus("sample", "all"), chains)
    assert set(found.to_frame()["split"]) == {"all"}


def test_python_compares_no_unlike_documents() -> None:
    whole = library.load_corpus("sample", "all")
    chains = library.predict(library.load_corpus("sample", "dev"), "lemma")
    with pytest.warns(library.CdecWarning), pytest.raises(library.CdecError):
        library.compare(whole, ["lemma", chains])
    policy, plan = library.FilePolicy(missing="count"), library.Plan(resamples=20, exchanges=20)
    with pytest.warns(library.CdecWarning):
        library.compare(whole, ["lemma", chains], policy=policy, plan=plan)


# ---- ECB+ ----


@pytest.mark.usefixtures("release")
def test_a_notice_on_the_numbers_of_papers_is_shown_once(cdec: Run, predicted: Written) -> None:
    file = half(predicted("cybulska/test", "mine.jsonl"))
    ran = cdec("eval", file, "--split", "cybulska/test", "--literature", "--verbose")
    assert (ran.err.count("[missing-document]"), ran.out.count("missing-document")) == (1, 0)


@pytest.mark.usefixtures("release")
def test_the_sequence_of_the_readme_gives_the_published_number(
    cdec: Run, predicted: Written
) -> None:
    file = predicted("cybulska/test", system="lemma-delta")
    assert scored(cdec, file) == ("cybulska-test", 71.4)
    ran = cdec("compare", "lemma", file, *CONLL, "--resamples", 20, "-j", 1, "-f", "json")
    (row,) = ran.json["rows"]
    assert (round(100 * row["f1_a"], 1), round(100 * row["f1_b"], 1)) == (56.0, 71.4)
    refused = cdec("compare", "lemma", file, *CONLL, "--split", "ycf/test")
    assert refused.error == "input-mismatch"


@pytest.mark.usefixtures("release")
@pytest.mark.parametrize(
    ("part", "signed"),
    [
        ("test", "ycf-test"),
        ("cybulska/dev", "cybulska-dev"),
        # Other mentions of the same documents, or of some of them.
        ("all", "all"),
        ("cybulska/all", "all-reviewed"),
        ("xamr/test", "xamr-test"),
    ],
)
def test_parts_of_ecbplus(cdec: Run, predicted: Written, part: str, signed: str) -> None:
    file = predicted(part, "mine.jsonl", "lemma-wd")
    covered = scored(cdec, file)
    assert covered == scored(cdec, file, "--split", part)
    assert covered[0] == signed


@pytest.mark.usefixtures("release")
def test_a_half_that_is_in_several_parts_is_refused(cdec: Run, predicted: Written) -> None:
    """The documents of cybulska/test are also in ycf/test."""
    file = half(predicted("cybulska/test", "mine.jsonl"))
    for command in ("eval", "diagnose"):
        ran = cdec(command, file)
        assert (ran.exit, ran.error) == (1, "input-mismatch")
        assert "cybulska/test" in ran.said
        assert "ycf/test" in ran.said
    whole, named = library.load_corpus("ecb+"), scored(cdec, file, "--split", "cybulska/test")
    with pytest.raises(library.CdecError, match="several parts"):
        library.evaluate(whole, file)
    assert named[0] == "cybulska-test"
    assert scored(cdec, file, "--split", "ycf/test")[1] < named[1]


@pytest.mark.usefixtures("release")
@pytest.mark.parametrize(
    ("part", "signed"), [("ycf/train", "ycf-train"), ("cybulska/dev", "cybulska-dev")]
)
def test_a_half_that_is_in_one_part_is_scored_there(
    cdec: Run, predicted: Written, part: str, signed: str
) -> None:
    """A list of all mentions of cybulska/dev is no other part."""
    file = half(predicted(part, "mine.jsonl"))
    covered = scored(cdec, file)
    assert covered == scored(cdec, file, "--split", part)
    assert covered[0] == signed
