"""Lists of pairs as files, tables and dicts: what is read, what is refused, what is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec.corpus import Corpus
from cdec.evaluation import MentionPairs, PairTable
from cdec.pair_scores.source import pairs_of
from tests.pair_scores.test_coverage import COSTS
from tests.pair_scores.test_pairs import lines, read, sample, scored
from tests.refusals import refused

__all__ = ["sample", "scored"]  # fixtures


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_has_the_same_pairs(
    form: str, scored: pd.DataFrame, sample: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / f"scores.{form}"
    match form:
        case "csv":
            scored.to_csv(path, index=False)
        case "tsv":
            scored.to_csv(path, index=False, sep="\t")
        case "jsonl":
            scored.to_json(path, orient="records", lines=True)
        case _:
            scored.to_parquet(path)
    pairs = read(path, sample)
    assert len(pairs) == len(scored)
    assert pairs.scores.tolist() == scored["score"].tolist()
    assert pairs.notices == ()
    assert pairs.digest == MentionPairs.of_table(PairTable("memory", scored), sample).digest


def test_directions_holes_self_pairs_and_repetitions(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    rows = (f"{a},{b},.2", f"{b},{a},.6", f"{a},{a},1", f"{a},{c},", f"{a},{b},.2", "")
    path = lines(tmp_path / "s.csv", *rows)
    for directions, score in (("mean", 0.4), ("max", 0.6), ("min", 0.2)):
        pairs = read(path, sample, directions)
        assert pairs.first.tolist() == [0, 0]
        assert pairs.scores.tolist() == pytest.approx([score, np.nan], nan_ok=True)
        assert len(pairs.scored()) == 1
    codes = [(notice.code, notice.count, notice.warning) for notice in pairs.notices]
    assert codes == [
        ("pairs-left-out", 1, False),
        ("pairs-left-out", 1, False),
        ("pairs-without-score", 1, True),
    ]


def test_wrong_rows_are_errors_with_their_line(sample: Corpus, tmp_path: Path) -> None:
    a, b = sample.selected.index[:2]
    for row, code in (
        (f"{a},{b},high", "table-invalid"),
        (f"{a},{b},inf", "table-invalid"),
        (f"{a},,.5", "table-invalid"),
        (f"{a},{b},.6", "table-invalid"),  # another score of the first pair
        (f"{a},nowhere/1,.5", "mention-unknown"),
    ):
        path = lines(tmp_path / "s.csv", f"{a},{b},.5", f"{a},{a},1", row)
        with refused(code, place="s.csv:4"):
            read(path, sample)
    with refused("table-invalid"):
        read(lines(tmp_path / "s.csv", f"{a},{b},.5,7"), sample)
    for header in ("a,b,score,score", "a,b,score,a", "a,b,score,Score", "a,b,score,first"):
        twice = tmp_path / "twice.csv"
        twice.write_text(f"{header}\n{a},{b},.5,.5\n")
        with refused("table-invalid", place="twice.csv"):
            read(twice, sample)


def test_tables_as_people_write_them(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    path = tmp_path / "s.csv"
    for text, line in (
        (f"\n \na,b,score\n{a},{b},.5\n{a},{c},", 5),
        (f"a , b, score\n{a} , {b}, .5\n \n\n{a}, {c},", 5),
        (f'a,b,score,"why, in words"\n{a},{b},.5,"x, y"\n{a},{c},', 3),
        (f'a,b,score,"why\nso"\n{a},{b},.5,"x\n\ny"\n{a},{c},', 6),
        (f'a\tb\tscore\r\n{a}\t{b}\t.5\r\n"{a}"\t{c}\t', 3),
    ):
        path.write_bytes(f"\ufeff{text}.25\n".encode())
        pairs = read(path, sample)
        assert pairs.first.tolist() == [0, 0]
        assert pairs.scores.tolist() == [0.5, 0.25]
        path.write_text(f"{text}bad\n", "utf-8")
        with refused("table-invalid", "'bad'", place=f"s.csv:{line}"):
            read(path, sample)


def test_an_id_is_text(sample: Corpus, tmp_path: Path) -> None:
    for row, first in (("0104985,1.10,.5", "0104985"), ("x,1.10,.5", "x"), ("true,y,", "true")):
        with refused("mention-unknown", f"'{first}'"):
            read(lines(tmp_path / "s.csv", row), sample)


def test_lines_of_json(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    path = tmp_path / "s.jsonl"
    first = {"a": a, "b": b, "score": 0.5, "prompt": "x\u2028y"}

    def written(**second: object) -> Path:
        rows = (json.dumps(row, ensure_ascii=False) for row in (first, second))
        path.write_text("\r\n".join(rows), "utf-8")
        return path

    assert read(written(a=a, b=c, score=0.25), sample).scores.tolist() == [0.5, 0.25]
    for wrong in ({"a": ["d", 1, 2]}, {"a": None}, {"a": 1.5}, {"b": True}, {"score": True}):
        with refused("table-invalid", place="s.jsonl:2"):
            read(written(**({"a": a, "b": c, "score": 0.1} | wrong)), sample)


def test_tables_and_dicts_are_checked_as_files_are(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    table = pd.DataFrame({"a": [a, a], "b": [b, c], "score": [0.5, 0.1]}, dtype=object)
    expected = pairs_of(table, sample)
    for index in (["r1", "r2"], [1.0, np.nan], [7, 7]):
        assert pairs_of(table.set_index(pd.Index(index)), sample).digest == expected.digest
    assert pairs_of({(a, b): 0.5, (a, c): 0.1}, sample).digest == expected.digest
    for column, value, code in (
        ("b", "nowhere/1", "mention-unknown"),
        ("b", np.nan, "table-invalid"),
        ("a", "", "table-invalid"),
        ("a", ("d", 1, 2), "table-invalid"),
        ("score", np.inf, "table-invalid"),
        ("score", True, "table-invalid"),
        ("score", "high", "table-invalid"),
        ("score", 10**400, "table-invalid"),
        ("score", 1 + 2j, "table-invalid"),
        ("score", pd.Timedelta(1, "s"), "table-invalid"),
    ):
        wrong = table.assign(**{column: pd.Series([table[column][0], value], dtype=object)})
        for rows in (wrong, wrong.set_index(pd.Index(["r1", "r2"]))):
            with refused(code, place="mine:1"):
                MentionPairs.of_table(PairTable("mine", rows), sample)
        scores = {(first, second): score for first, second, score in wrong.to_numpy()}
        with refused(code, place="pairs:1"):
            pairs_of(scores, sample)
    with refused("table-invalid", place="mine"):
        PairTable("mine", table[["a", "score"]])


def test_what_is_no_list_of_pairs(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    for key in ("xy", "abc", (a, b, c), 7):
        with refused("argument-type", place="pairs:1"):
            pairs_of({(a, b): 0.5, key: 0.5}, sample)  # type: ignore[dict-item]
    with refused("argument-type", "list"):
        pairs_of([(a, b, 0.5)], sample)  # type: ignore[arg-type]


def test_cells_that_are_lists_or_times(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    prompts = [[{"role": "user", "content": text}] for text in ("same?", "same?")]
    table = pd.DataFrame({"a": [a, a], "b": [b, c], "score": [0.5, 0.1], "prompt": prompts})
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    table.to_parquet(tmp_path / "s.parquet")
    files = (tmp_path / "s.jsonl", tmp_path / "s.parquet")
    costs = [pairs_of(table, sample).cost, *(pairs_of(file, sample).cost for file in files)]
    assert [cost["total"].tolist() for cost in costs] == [[1.0]] * 3
    assert len({cost["measure"][0] for cost in costs}) == 1
    with refused("table-invalid", "the label '[1]'", place="pairs:0"):
        pairs_of(table.assign(label=pd.Series([[1], [0]], dtype=object)), sample)
    with refused("table-invalid", "is not a real number", place="pairs:0"):
        pairs_of(table.assign(seconds=pd.to_timedelta([1, 2], "s")), sample)


def test_what_is_assumed_of_the_scores_is_said(sample: Corpus) -> None:
    a, b, c = sample.selected.index[:3]
    for scores, warning in (([0.2, 0.3, 1.0000002], True), ([-4, 3, 0.5], False)):
        rows = pd.DataFrame({"a": [a, a, b], "b": [b, c, c], "score": scores})
        pairs = MentionPairs.of_table(PairTable("mine", rows), sample)
        found = [n.warning for n in pairs.notices if n.code == "reading-assumed"]
        assert (found, pairs.log_odds) == ([warning], True)


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        *(("seconds", value) for value in ("-1", "fast", "inf", "nan s")),
        *(("tokens_in", value) for value in ("-3", "1e400")),
        ("tokens_out", "many"),
        *(("label", value) for value in ("2", "coreferent", "0.5")),
    ],
)
def test_wrong_costs_and_labels_are_errors_with_their_line(
    column: str, wrong: str, sample: Corpus, tmp_path: Path
) -> None:
    a, b, c = sample.selected.index[:3]
    row = {"a": a, "b": b, "score": "0.5", **COSTS}
    table = pd.DataFrame([row, row | {"b": c, column: ""}, row | {"a": b, "b": c, column: wrong}])
    table.to_csv(tmp_path / "s.csv", index=False)
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    for given, place in (
        (tmp_path / "s.csv", "s.csv:4"),
        (tmp_path / "s.jsonl", "s.jsonl:3"),
        (table, "pairs:2"),
    ):
        with refused("table-invalid", f"the {column} '", place=place):
            pairs_of(given, sample)


def test_columns_that_are_not_read_are_named(sample: Corpus, tmp_path: Path) -> None:
    a, b = sample.selected.index[:2]
    path = tmp_path / "s.csv"
    for head, row, said, warning in (
        ("a,b,Score,prob,why", ".5,.5,x", "2 columns are not read: 'prob', 'why'", False),
        ("a,b,why", "x", "1 column is not read: 'why'", False),
        ("a,b,prob", ".5", "rename 'prob' if it has the scores", True),
    ):
        path.write_text(f"{head}\n{a},{b},{row}\n")
        for given in (path, pd.read_csv(path)):
            (notice,) = pairs_of(given, sample).notices
            assert said in notice.message
            assert (notice.code, notice.warning) == ("reading-assumed", warning)


def test_numbers_of_a_file_are_those_of_its_texts(sample: Corpus, tmp_path: Path) -> None:
    """A column with other texts than numbers is read as text: the numbers are the same."""
    ids, chance = sample.selected.index[:20].to_numpy(), np.random.default_rng(6)
    first, second = np.triu_indices(20, 1)
    values = (chance.normal(size=len(first)) * 10.0 ** chance.integers(-8, 8, len(first))).tolist()
    rows = [f"{a},{b},{x!r}" for a, b, x in zip(ids[first], ids[second], values, strict=True)]
    fast = read(lines(tmp_path / "s.csv", *rows), sample)
    slow = read(
        lines(tmp_path / "s.csv", *rows, f"{ids[0]},{sample.selected.index[30]},nan"), sample
    )
    assert fast.scores.tolist() == slow.scored().scores.tolist() == values


def test_directions_without_effect_are_a_warning(sample: Corpus, tmp_path: Path) -> None:
    a, b, c = sample.selected.index[:3]
    for more, warned in (([], True), ([f"{b},{a},.2"], False)):
        path = lines(tmp_path / "s.csv", f"{a},{b},.4", f"{a},{c},.7", *more)
        for directions, expected in (("max", warned), ("mean", False)):
            notices = read(path, sample, directions).notices
            assert any("directions max has no effect" in n.message for n in notices) == expected
