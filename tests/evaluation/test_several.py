"""Several runs of one system: arguments, means, deviations, signature."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import cdec
from cdec.corpus import Corpus
from cdec.evaluation import (
    DEFAULT_POLICY,
    Experiment,
    ResponseFile,
    ResponseRuns,
    load_results,
    parse_response,
    prepare,
    run_on,
)
from cdec.render import render
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


@pytest.fixture(scope="module")
def files(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs: the gold chains, of which 0, 20 and 40 mentions are alone."""
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    for number in range(3):
        labels = sample.gold.labels.to_dict()
        for mention in list(labels)[: 20 * number]:
            labels[mention] = mention
        paths.append(folder / f"run{number}.jsonl")
        lines = (json.dumps({"mention": m, "chain": c}) for m, c in labels.items())
        paths[-1].write_text("\n".join(lines))
    return paths


def experiment(sample: Corpus, *responses: str) -> Experiment:
    return prepare(
        sample,
        list(responses),
        setting="simple",
        metrics=["b3", "conll"],
        scorer="cdec",
        policy=DEFAULT_POLICY,
    )


def test_files_and_patterns(files: list[Path]) -> None:
    named = parse_response(f"mine={files[0]},{files[2]}")
    assert isinstance(named, ResponseRuns)
    assert [file.name for file in named.files] == ["mine/run0", "mine/run2"]
    matching = parse_response(f"mine={files[0].parent}/run*.jsonl")
    assert isinstance(matching, ResponseRuns)
    assert [file.path for file in matching.files] == files
    assert parse_response(f"mine={files[0].parent}/*0.jsonl") == ResponseFile(files[0], "mine")
    assert parse_response("a,b.conll") == ResponseFile(Path("a,b.conll"), "a,b")


def test_runs_that_cannot_be_read(files: list[Path]) -> None:
    with refused("option-invalid", "nothing"):
        parse_response("mine=nothing-*.jsonl")
    with refused("option-invalid", files[0]):
        parse_response(f"mine={files[0]},{files[0]}")


def test_identical_runs_are_a_warning(sample: Corpus, files: list[Path], tmp_path: Path) -> None:
    """A copy in another order and format, with other labels; the other runs differ."""
    rows = [json.loads(line) for line in files[1].read_text().splitlines()]
    copied = tmp_path / "copy.csv"
    copied.write_text(
        "mention,chain\n" + "".join(f"{r['mention']},x{r['chain']}\n" for r in reversed(rows))
    )
    runs = [*files, copied]
    found = experiment(sample, "mine=" + ",".join(map(str, runs))).notices
    (same,) = (notice for notice in found if notice.code == "runs-identical")
    assert same.warning
    assert "mine/run1 and mine/copy" in same.message
    assert not any(n.code == "runs-identical" for n in experiment(sample, *map(str, runs)).notices)


def test_scores_are_the_mean_of_those_of_the_runs(sample: Corpus, files: list[Path]) -> None:
    single = [cdec.evaluate(sample, path, setting="simple", metrics="b3")["b3"] for path in files]
    mine = experiment(sample, f"mine={','.join(map(str, files))}", f"gold={files[0]}")
    first, second = mine.results()
    assert (first.system, second.system) == ("mine", "gold")
    value = first["b3"]
    assert value.f1 == pytest.approx(sum(each.f1 for each in single) / 3)
    row = first.frame.iloc[0]
    mean = value.f1
    variance = sum((each.f1 - mean) ** 2 for each in single) / 2
    assert row["f1_sd"] == pytest.approx(variance**0.5)
    assert row["runs"] == 3
    assert pd.isna(row["p_num"])
    assert second.frame["f1_sd"].isna().all()


def test_the_table_the_json_and_the_signature(
    sample: Corpus, files: list[Path], tmp_path: Path
) -> None:
    mine = experiment(sample, f"mine={','.join(map(str, files))}")
    page = mine.results().page
    assert " ± " in render(page, "table")
    content = json.loads(render(page, "json"))
    names = [run["system"] for run in content["runs"]]
    assert names[::2] == ["mine/run0", "mine/run1", "mine/run2"]
    (signature,) = content["signatures"]
    assert signature["runs"] == 3
    assert len(signature["response_digest"]) == 3
    path = tmp_path / "saved.json"
    path.write_text(render(page, "json"))
    (saved,) = load_results(path)
    assert saved.frame["f1_sd"].notna().all()


def test_runs_of_a_list_in_a_list_keep_their_system(
    sample: Corpus, files: list[Path], tmp_path: Path
) -> None:
    nested = {"mine": [str(files[0]), f"x={files[1]},{files[2]}"]}
    results = cdec.evaluate(sample, nested, metrics="muc")
    results.save(tmp_path / "saved.json")
    for runs in (results.runs, load_results(tmp_path / "saved.json").runs):
        assert set(runs["system"]) == {"mine"}
        assert runs["run"].tolist() == ["mine/run0", "mine/run1", "mine/run2"]


def test_a_breakdown_has_means(sample: Corpus, files: list[Path]) -> None:
    frame = experiment(sample, f"mine={','.join(map(str, files))}").results("topic").units
    micro = frame[(frame["unit"] == "micro") & (frame["metric"] == "b3")]
    whole = experiment(sample, f"mine={','.join(map(str, files))}").results()
    assert micro["f1"].item() == pytest.approx(whole["b3"].f1)
    assert set(frame["system"]) == {"mine"}
    assert (frame["runs"] == 3).all()


def test_one_response_is_needed_elsewhere(sample: Corpus, files: list[Path]) -> None:
    with refused("option-invalid", "3 runs"):
        run_on(sample, f"mine={','.join(map(str, files))}")
