"""Several data sets, groups, presets and printed tables, by the library and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec.evaluation import (
    Pair,
    find_preset,
    means,
    preset_names,
    read_groups,
    score_files,
    with_groups,
)
from cdec.formats import write
from cdec.matching import FilePolicy
from cdec.metrics import REGISTRY
from cdec.reproduction import filled
from tests.cli.conftest import Run
from tests.formats.made import conll, parse
from tests.refusals import refused

KEY = ("(1)", "(1)", "(2)", "(2)")
WRONG = ("(1)", "(2)", "(1)", "(2)")
SCOPE = ("--scope", "document")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A key, a response that is right and one that is wrong, in two genres."""
    made = {}
    for name, cells in (("key", KEY), ("right", KEY), ("wrong", WRONG)):
        made[name] = tmp_path / f"{name}.conll"
        documents = (("bc/cctv/00/a", list(KEY)), ("nw/wsj/00/b", list(cells)))
        write(conll(*documents), made[name], "conll")
    return made


def pairs(files: dict[str, Path], *texts: str) -> list[Pair]:
    return [Pair.parse(text.format(**files)) for text in texts]


def test_a_data_set_without_a_response_counts_0(files: dict[str, Path]) -> None:
    made = pairs(files, "x={key}:good={right}", "y={key}:good={right}", "x={key}:bad={wrong}")
    scored = score_files(made, scope="document", metrics=["muc", "conll"], policy=FilePolicy())
    table = means(scored.frame)
    muc = table[table["metric"] == "muc"]
    assert muc["system"].tolist() == ["good", "bad"]
    # MUC of the wrong response is 2/4 in x, and 0 in y, for which it has no file.
    assert muc[["precision", "recall", "f1"]].to_numpy().tolist() == [[1] * 3, [0.25] * 3]
    assert muc["datasets"].tolist() == [2, 1]


@pytest.mark.parametrize("text", ["key:response", "x=key", "=key:r", "x=:r", "x=key:"])
def test_a_pair_needs_three_parts(text: str) -> None:
    with refused("option-invalid"):
        Pair.parse(text)


def test_two_responses_of_a_system_to_a_data_set_are_refused(files: dict[str, Path]) -> None:
    made = pairs(files, "x={key}:a={right}", "x={key}:a={wrong}")
    with refused("name-duplicate", "'a'"):
        score_files(made, scope="document", metrics=None, policy=FilePolicy())


def test_the_command_ranks_systems(files: dict[str, Path], cdec: Run) -> None:
    ran = cdec(
        "score", "--preset", "crac22", "--macro", "--variants", "--format", "json",
        "--pair", "x={key}:good={right}".format(**files),
        "--pair", "x={key}:bad={wrong}".format(**files),
        "--match", "exact", "--singletons", "keep",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    page = json.loads(ran.out)
    assert "match:" not in page["signature"] and "conll" in page["signature"]
    ranking = [row for row in page["rows"] if row["section"] == "ranking"]
    assert [r["system"] for r in ranking if r["metric"] == "conll"] == ["good", "bad"]


def test_groups_are_the_first_part_of_a_name_or_of_a_file(
    files: dict[str, Path], tmp_path: Path, cdec: Run
) -> None:
    ran = cdec(
        *("score", files["key"], files["wrong"], "--by", "group", "--metric", "muc"),
        *("--format", "json", "--scope", "document"),
    )
    scores = {row["unit"]: row["f1"] for row in json.loads(ran.out)["rows"]}
    assert (scores["bc"], scores["nw"], scores["micro"]) == (1, 0, 0.5)
    groups = tmp_path / "groups.csv"
    groups.write_text("bc/cctv/00/a,news\nnw/wsj/00/b,news\n")
    ran = cdec(
        "score",
        files["key"],
        files["wrong"],
        "--by",
        "group",
        "--groups",
        groups,
        "--metric",
        "muc",
        *("--scope", "document"),
    )
    assert ran.code == 0 and "news" in ran.out
    groups.write_text("bc/cctv/00/a\n")
    with refused("table-invalid", place="groups.csv:1"):
        read_groups(groups)
    with refused("document-unassigned"):
        with_groups(conll(("d", ["(1)"])).mentions, {})


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_a_policy_with_known_metrics(name: str) -> None:
    preset = find_preset(name)
    FilePolicy(**preset.policy)
    assert set(preset.metrics) <= set(REGISTRY)
    with refused("name-unknown", "unknown preset"):
        find_preset("crac")


def test_own_scores_stand_beside_the_print(files: dict[str, Path]) -> None:
    made = pairs(files, "cs_pdt={key}:straka={right}", "cs_pdt={key}:mine={wrong}")
    scored = score_files(made, scope="document", metrics=["conll"], policy=FilePolicy())
    table = filled("crac", scored)
    own = table[table["dataset"] == "cs_pdt"].set_index("system")
    assert own["printed"].to_dict()["straka"] == 77.69
    assert own["computed"].to_dict()["straka"] == 100
    assert own["printed"].isna().to_dict()["mine"]


def test_the_commands_of_the_shared_tasks(files: dict[str, Path], cdec: Run) -> None:
    ran = cdec("reproduce", "conll", "2012-english={key}:lee={right}".format(**files))
    assert ran.code == 0, ran.err
    assert "52 printed means checked; 2 not" in ran.out
    assert cdec("reproduce", "crac", "xx={key}:{right}".format(**files)).error == "name-unknown"


def test_mention_metrics_are_shown_where_mentions_differ(files: dict[str, Path], cdec: Run) -> None:
    other = files["key"].with_name("other.jsonl")
    write(parse('{"doc": "bc/cctv/00/a", "start": 0, "end": 1, "chain": "x"}\n'), other, "jsonl")
    same = json.loads(cdec("score", files["key"], files["wrong"], "-f", "json", *SCOPE).out)
    assert not {"mentions", "mor"} & {row["metric"] for row in same["rows"]}
    call = ("score", files["key"], other, "--match", "overlap:0.5", "--metric", "all")
    ran = cdec(*call, "-f", "json", *SCOPE)
    rows = {row["metric"]: row for row in json.loads(ran.out)["rows"]}
    assert (rows["mentions"]["r_num"], rows["mentions"]["r_den"]) == (1, 8)
    assert [rows["mor"][half] for half in ("r_num", "r_den", "p_num", "p_den")] == [1, 8, 1, 2]
    assert "match:overlap:0.5" in json.loads(ran.out)["signature"]
    assert cdec("score", files["key"], other, "--match", "head", *SCOPE).error == "heads-missing"
