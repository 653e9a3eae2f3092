"""What a list of pairs covers, and what pairs lack, cost or lose."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from cdec import load_corpus, score_pairs
from cdec.corpus import Corpus
from cdec.diagnosis import coverage
from cdec.evaluation import MentionPairs, PairTable
from cdec.pair_scores.clusterings import Linking, linking_notices
from cdec.pair_scores.source import pairs_of
from cdec.settings import find_setting
from tests.cli.conftest import Run
from tests.pair_scores.test_pairs import lines, read, sample

__all__ = ["sample"]  # fixtures


def test_coverage_of_four_pairs(sample: Corpus) -> None:
    """A chain of two in two documents, one of two in one, a link of a chain of three, no link."""
    table = sample.selected.assign(key=sample.gold.labels, id=sample.selected.index)
    each = table.groupby("key", sort=False)
    shapes = pd.DataFrame({"size": each.size(), "docs": each["doc"].nunique()})
    chains = [
        each.get_group(shapes.query(f"size == {size} and docs == {docs}").index[0])["id"].tolist()
        for size, docs in ((2, 2), (2, 1), (3, 3))
    ]
    rows = [chain[:2] for chain in chains] + [[chains[0][0], chains[1][0]]]
    listed = PairTable("four", pd.DataFrame(rows, columns=["a", "b"]))
    pairs = MentionPairs.of_table(listed, sample)
    for name, sizes, expected in (
        ("simple", each.size(), (3, 2)),
        ("scope=document", table.groupby(["key", "doc"]).size(), (1, 1)),
        ("pure", each["doc"].nunique(), (2, 1)),
    ):
        row, (links, whole) = coverage(pairs, find_setting(name)), expected
        gold, several = int((sizes * (sizes - 1) // 2).sum()), int((sizes > 1).sum())
        assert (row["gold"], row["listed"], row["share"]) == (gold, links, links / gold), name
        assert (row["chains"], row["whole"]) == (several, whole), name
        assert row["chain_share"] == whole / several, name
        assert row["complete"] == row["whole"], name  # no chain of three is whole


def test_a_chain_is_complete_with_all_of_its_links(sample: Corpus) -> None:
    chains = sample.gold.labels
    a, b, c = chains[chains.isin(chains.value_counts().loc[lambda n: n == 3].index[:1])].index
    for rows, whole, complete in (([(a, b)], 0, 0), ([(a, b), (b, c)], 1, 0)):
        for more, full in (([], complete), ([(a, c)], int(len(rows) == 2))):
            pairs = pairs_of(dict.fromkeys([*rows, *more], 1.0), sample)
            row = coverage(pairs, find_setting("simple"))
            assert (row["whole"], row["complete"]) == (max(whole, len(rows + more) > 1), full)


def test_pairs_without_a_score_are_listed(cdec: Run, sample: Corpus, tmp_path: Path) -> None:
    a, *others = sample.selected.index[:14]
    path = lines(tmp_path / "s.csv", f"{a},{others[0]},.5", *(f"{a},{b}," for b in others[1:]))
    done = cdec("pairs", path, "--corpus", "sample", "--format", "json", "-v")
    assert "[pairs-without-score]" in done.err
    rows = [row for row in json.loads(done.out)["rows"] if row["section"] == "list"]
    assert (rows[0]["unscored"], rows[0]["alone"]) == (12, len(sample.selected) - 14)
    assert [(row["a"], row["b"]) for row in rows[1:]] == [(a, b) for b in others[1:]]
    shown = cdec("pairs", path, "--corpus", "sample").out
    assert others[10] in shown
    assert others[11] not in shown
    assert "The first 10 of 12" in shown


def test_pairs_of_another_part_are_noticed(ecbplus: Path) -> None:
    cybulska, ycf = (load_corpus(str(ecbplus), f"{name}/test") for name in ("cybulska", "ycf"))
    first = cybulska.selected.groupby("doc").head(1).index
    rows = pd.DataFrame({"a": first[:-1], "b": first[1:]})
    table = PairTable("mine", rows)
    assert [n.code for n in MentionPairs.of_table(table, ycf).notices] == ["other-split"]
    assert MentionPairs.of_table(table, cybulska).notices == ()


COSTS = {"label": "1", "seconds": "0.5", "tokens_in": "40", "tokens_out": "1", "prompt": "Same?"}


def test_what_pairs_cost_and_labels_of_the_file(sample: Corpus, tmp_path: Path) -> None:
    """A gold link with the right label, and another pair in both directions with wrong ones."""
    chains = sample.gold.labels
    a, b = chains[chains == chains.value_counts().index[0]].index[:2]
    c = chains[chains != chains[a]].index[0]
    table = pd.DataFrame({"a": [a, a, c], "b": [b, c, a], "score": [0.9, 0.2, 0.4]})
    table = table.assign(**COSTS | {"tokens_out": ["1", "", "2"], "prompt": ["x", "y", "x"]})
    table.to_csv(tmp_path / "s.csv", index=False)
    table.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    for given in (table, tmp_path / "s.csv", str(tmp_path / "s.jsonl")):
        pairs = pairs_of(given, sample)
        assert [(n.code, n.count, n.warning) for n in pairs.notices] == [
            ("reading-assumed", 2, True)
        ]
        rows = pairs.cost.set_index("measure")
        assert rows["total"].tolist() == [1.5, 120, 3, 2]
        assert rows["pairs"].tolist() == [2, 2, 2, 2]
        assert rows.index[3].startswith("distinct prompts (")
        shown = score_pairs(sample, given)
        assert shown.to_frame().query("section == 'cost'")["thousand"].tolist()[0] == 750
        assert "|directions:mean|" in shown.page.intro[0]
    right = pairs_of(table.assign(label=[1, 0, "no"]), sample)
    assert right.notices == ()
    assert right.digest == pairs.digest
    assert "cost" not in set(score_pairs(sample, table[["a", "b", "score"]]).to_frame()["section"])
    once = score_pairs(sample, table[["a", "b", "score"]].head(2))
    assert "directions" not in once.page.intro[0]


def test_a_threshold_beside_all_scores_is_a_warning(
    cdec: Run, sample: Corpus, tmp_path: Path
) -> None:
    a, b, c = sample.selected.index[:3]
    path = lines(tmp_path / "s.csv", f"{a},{b},.4", f"{a},{c},.7")
    for threshold, said in ((0.8, "nothing links"), (0.4, "all link"), (0.7, ""), (0.41, "")):
        found = linking_notices(read(path, sample), Linking(threshold))
        assert [(n.code, n.warning, said in n.message) for n in found] == (
            [("parameter-invalid", True, True)] if said else []
        )
        call = ("--corpus", "sample", "-s", "simple")
        for ran in (
            cdec("pairs", path, "--threshold", threshold, *call),
            cdec("eval", f"pairs:{path}@{threshold}", *call),
        ):
            assert ("scores are all" in ran.err) == bool(said)


def test_pairs_in_two_meta_documents_never_link(sample: Corpus) -> None:
    """They are counted by setting: a warning if one of them has at least the threshold."""
    table = sample.selected
    a, b = table.groupby("topic").head(1).index[:2]
    c = table.index[(table["topic"] == table["topic"][a]) & (table.index != a)][0]
    pairs = pairs_of({(a, b): 0.4, (a, c): 0.9}, sample)
    settings = [find_setting(name) for name in ("simple", "bh", "scope=document")]
    same = int(table["doc"][a] != table["doc"][c])
    for threshold, lost in ((0.5, ""), (0.4, " (1 of them at or above the threshold)")):
        found = linking_notices(pairs, Linking(threshold), settings)
        (notice,) = [n for n in found if n.code == "pairs-left-out"]
        assert f"1 under B&H{lost}" in notice.message
        assert "SIMPLE-CDEC" not in notice.message
        assert notice.count == 1 + same
        assert notice.warning == (bool(lost) or bool(same))
    assert linking_notices(pairs, Linking(0.5), settings[:1]) == []
