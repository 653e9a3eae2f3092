"""Loss by mentions and by links, and bounds within candidates."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

import cdec
from cdec.corpus import Corpus, part_of
from cdec.diagnosis import (
    AS_IS,
    LINKS,
    MENTIONS,
    ORACLE,
    YES,
    Candidates,
    bounds_sections,
    bounds_table,
    loss_section,
    loss_table,
)
from cdec.evaluation import DEFAULT_POLICY, MentionPairs, SystemRun, prepare, run_on
from cdec.settings import SIMPLE_CDEC
from tests.refusals import refused
from tests.tiny_corpora import tiny


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


def run(key: list[int], response: list[int]) -> SystemRun:
    corpus = tiny([0] * len(key), key, response)
    return SystemRun("mine", corpus.table, *corpus.sides)


def f1(table: pd.DataFrame, name: str, metric: str = "conll") -> float:
    return float(table.set_index("response")[metric][name])


def test_links_of_missing_mentions_are_lost_by_mentions() -> None:
    # Every link of the mentions found is right; one mention is missing, one is not in the key.
    table = loss_table(run([0, 0, 0, -1], [0, 0, -1, 1]), SIMPLE_CDEC)
    assert f1(table, LINKS) == f1(table, AS_IS) < f1(table, MENTIONS) < 1
    assert f1(table, MENTIONS, "muc") == pytest.approx(2 / 3)


def test_with_the_mentions_of_the_key_all_loss_is_by_links() -> None:
    mine = run([0, 0, 1, 1], [0, 1, 0, 1])
    table = loss_table(mine, SIMPLE_CDEC)
    assert f1(table, AS_IS) == f1(table, MENTIONS) < f1(table, LINKS) == 1
    assert list(loss_section(mine, SIMPLE_CDEC)) == []
    (section,) = loss_section(run([0, 0, 0, -1], [0, 0, -1, 1]), SIMPLE_CDEC)
    assert len(section.data) == 3


def read_pairs(path: str, corpus: Corpus) -> Candidates | None:
    pairs = MentionPairs.read(path, corpus)
    return None if pairs is None else Candidates.from_pairs(pairs)


def pair_file(folder: Path, pairs: list[tuple[str, str]], ending: str) -> str:
    path = folder / f"pairs{ending}"
    if ending == ".jsonl":
        path.write_text("\n".join(json.dumps({"a": a, "b": b}) for a, b in pairs))
    else:
        sign = "\t" if ending == ".tsv" else ","
        path.write_text("\n".join(sign.join(row) for row in [("mention_1", "mention_2"), *pairs]))
    return str(path)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_pairs_and_the_response_with_these_links_have_the_same_bounds(
    ending: str, sample: Corpus, tmp_path: Path
) -> None:
    lemma = cdec.predict(sample, "lemma")
    pairs = [pair for chain in lemma.chains().values() for pair in combinations(chain, 2)]
    read = read_pairs(pair_file(tmp_path, pairs, ending), sample)
    assert read is not None
    answer = run_on(sample, lemma)
    of_run = Candidates.from_run(answer)
    assert (read.pairs, read.gold) == (of_run.pairs, of_run.gold) == (len(pairs), read.gold)
    first, second = (
        bounds_table(candidates, [answer], SIMPLE_CDEC, sample) for candidates in (read, of_run)
    )
    pd.testing.assert_frame_equal(first, second)
    assert f1(first, YES) == f1(first, "response") < f1(first, ORACLE) < 1


def test_gold_candidates_bound_nothing_and_a_system_is_no_better_than_yes(sample: Corpus) -> None:
    candidates = Candidates.from_run(run_on(sample, sample.gold))
    assert candidates.pairs == candidates.gold
    experiment = prepare(
        sample,
        cdec.predict(sample, "lemma"),
        setting="simple",
        metrics=None,
        scorer="cdec",
        policy=DEFAULT_POLICY,
    )
    (section,) = bounds_sections(experiment, candidates, sample)
    assert f1(section.data, YES) == f1(section.data, ORACLE) == 1
    assert "does no better" in " ".join(section.blocks[0].below)  # type: ignore[union-attr]


def test_mentions_by_tokens_and_repeated_pairs(sample: Corpus, tmp_path: Path) -> None:
    table = sample.selected.head(2)
    ids = table.index.tolist()
    places = [f"{row.doc}/{row.start}-{row.end}" for row in table.itertuples()]
    pairs = [(ids[0], ids[1]), (places[1], places[0]), (ids[0], places[0])]
    read = read_pairs(pair_file(tmp_path, pairs, ".csv"), sample)
    assert read is not None
    assert read.pairs == 1


@pytest.mark.parametrize("form", ["{0}.xml_{1}", "ECB+/{0}.xml_{1}", "{0}_{1}"])
def test_mention_ids_as_in_responses(form: str, sample: Corpus, tmp_path: Path) -> None:
    ids = sample.selected.index.tolist()[:30]
    named = [form.format(*id_.split("/")) for id_ in ids]
    named[0] = ids[0]  # both forms in one file
    expected, read = (
        read_pairs(pair_file(tmp_path, list(combinations(names, 2)), ".csv"), sample)
        for names in (ids, named)
    )
    assert expected is not None
    assert read is not None
    assert (read.pairs, read.gold) == (expected.pairs, expected.gold)
    assert (read.yes, read.oracle) == (expected.yes, expected.oracle)


def test_an_id_in_no_document_or_of_no_mention(sample: Corpus, tmp_path: Path) -> None:
    known = sample.selected.index[0]
    doc = known.split("/")[0]
    for name in (f"{doc}.xml_99999", "99_9ecb.xml_1", f"{doc}/5-4"):
        with refused("mention-unknown", place="pairs.csv:3"):
            read_pairs(pair_file(tmp_path, [(known, known), (known, name)], ".csv"), sample)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "yes", "best"), [("ecb.lh", 74.1, 89.3), ("ecb.knn", 27.1, 97.4)])
def test_the_candidates_of_published_systems(
    name: str, yes: float, best: float, published_pairs: Path, whole_ecbplus: Corpus
) -> None:
    part = part_of(whole_ecbplus, "cybulska/test")
    candidates = read_pairs(str(published_pairs / f"{name}.test.csv"), part)
    assert candidates is not None
    table = bounds_table(candidates, [], SIMPLE_CDEC, part)
    assert [round(100 * f1(table, row), 1) for row in (YES, ORACLE)] == [yes, best]


def test_files_that_are_no_list_of_pairs(sample: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("doc,start,end,chain\nd,0,0,1\n")
    assert read_pairs(str(path), sample) is None
    with refused("mention-unknown", "nowhere", place="pairs.csv:2"):
        read_pairs(pair_file(tmp_path, [("nowhere", "else")], ".csv"), sample)
    path.write_text('{"a": "x", "b": "y"}\n{"a": 1}\n')
    with refused("table-invalid", place="mine.csv:2"):
        read_pairs(str(path), sample)
