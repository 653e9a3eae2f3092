"""Systems on two versions of the same documents: ECB+ and ECB+META."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec import build_corpus, evaluate, load_corpus
from cdec.baselines import system
from cdec.corpus import Corpus, part_of
from cdec.reproduction import Versions, paired, versions
from tests.cli.conftest import Done, Run, cdec, done

__all__ = ["cdec", "done"]  # fixtures


def test_mentions_are_paired_by_chain_then_by_sentence() -> None:
    def version(*rows: tuple[str, int, int, str]) -> Corpus:
        mentions = [
            {"doc": doc, "tokens": [10 * sentence + at], "chain": chain, "id": f"{doc}/{n}"}
            for n, (doc, sentence, at, chain) in enumerate(rows)
        ]
        words = [["w"] * 10] * 3
        return build_corpus(mentions, {"a": words, "b": words}, name="x")

    old = version(
        ("a", 0, 1, "x"),
        ("a", 0, 5, "x"),
        ("a", 1, 1, "only here"),
        ("a", 2, 1, "y"),
        ("a", 2, 2, "y"),
        ("b", 0, 1, "lost"),
    )
    new = version(
        ("a", 0, 0, "x"),
        ("a", 1, 3, "x"),
        ("a", 1, 9, "only there"),
        ("a", 2, 1, "y"),
        ("b", 1, 1, "x"),
    )
    table = paired(old.selected, new.selected)
    # Two mentions of y against one: left out, as what has no counterpart.
    assert table.to_numpy().tolist() == [
        ["a/0", "a/0", "chain"],
        ["a/1", "a/1", "chain"],
        ["a/2", "a/2", "sentence"],
    ]


def test_a_corpus_is_its_own_version(done: Done, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("a,b\n1_3ecb/27,1_4ecb/15\n", "utf-8")
    lists = f"one={tmp_path / 'pairs.csv'},{tmp_path / 'pairs.csv'}"
    (tmp_path / "pairs.csv").write_text(_pair(load_corpus("sample", "test")), "utf-8")
    page = done(
        *("corpus", "robustness", "sample", "--corpus", "sample", "--split", "test"),
        *("--system", "lemma", "--pairs", lists, "--resamples", "50", "-q", "-f", "json"),
    )
    rows = json.loads(page)["rows"]
    assert [row["a"] for row in rows] == [
        "lemma",
        "one: yes to every candidate",
        "one: best decision on every candidate",
    ]
    assert all(row["f1_a"] == row["f1_b"] > 0 == row["difference"] for row in rows)


def test_what_a_list_lacks_is_said_once(cdec: Run, tmp_path: Path) -> None:
    corpus, path = load_corpus("sample", "test"), tmp_path / "pairs.csv"
    itself = ",".join(2 * [corpus.selected.index[0]])
    path.write_text(_pair(corpus) + f"{itself}\n", "utf-8")
    change = ("--system", "lemma", "--pairs", f"one={path},{path}", "--resamples", "50")
    ran = cdec("corpus", "robustness", "sample", "--corpus", "sample", "--split", "test", *change)
    assert ran.code == 0
    assert ran.err.count("1 pair of a mention with itself left out") == 2  # of both lists


def _pair(corpus: Corpus) -> str:
    return "a,b\n" + ",".join(corpus.selected.index[:2]) + "\n"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (["--pairs", "one=pairs.csv"], "option-invalid"),
        (["--pairs", "pairs.csv,pairs.csv"], "option-invalid"),
        (["--pairs", "one=pairs.csv,"], "option-invalid"),
        (["--pairs", "one=pairs.csv,pairs.csv,pairs.csv"], "option-invalid"),
        (["--pairs", "one=pairs.csv,text.csv"], "option-invalid"),
        (["--pairs", "one=pairs.csv,none.csv"], "file-unreadable"),
    ],
)
def test_lists_that_are_not_two(
    change: list[str], code: str, cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(_pair(load_corpus("sample", "test")), "utf-8")
    Path("text.csv").write_text("no table\n", "utf-8")
    ran = cdec("corpus", "robustness", "sample", "--corpus", "sample", *change)
    assert ran.error == code, ran.err


def test_other_documents_are_an_error(cdec: Run, tmp_path: Path) -> None:
    build_corpus([{"doc": "z", "tokens": [0], "chain": "1"}], {"z": [["fire"]]}, name="other").save(
        tmp_path / "other.jsonl"
    )
    ran = cdec("corpus", "robustness", tmp_path / "other.jsonl", "--corpus", "sample")
    assert ran.error == "part-too-small"
    assert "have no mention in common" in ran.err


@pytest.fixture(scope="module")
def both(whole_ecbplus: Corpus, corpora: Path, shared_cache: Path) -> Iterator[Versions]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(shared_cache))
        yield versions(part_of(whole_ecbplus, "cybulska/test"), str(corpora / "ECB+METAm"))


def test_the_mentions_of_ecbplus_and_ecbmeta(both: Versions) -> None:
    pairs, key, other = both.pairs, both.first.selected, both.second.selected
    assert both.second.variant == "with-unlinked"
    assert (len(key), len(other), len(pairs)) == (1780, 1777, 1775)
    assert pairs["by"].value_counts().to_dict() == {"chain": 1193, "sentence": 582}
    assert not pairs["a"].duplicated().any()
    assert not pairs["b"].duplicated().any()
    places = [t.loc[ids, "doc"].tolist() for t, ids in ((key, pairs["a"]), (other, pairs["b"]))]
    assert places[0] == places[1]
    # Paired by sentence: singletons of the key, so that their order in a sentence changes no score,
    # and mentions of chains within a document, which the version labels anew.
    sentence = pairs.loc[pairs["by"] == "sentence", "a"]
    assert key.loc[sentence, "relation"].value_counts().to_dict() == {"none": 564, "intra_doc": 18}
    sizes = key["chain"].map(key["chain"].value_counts())
    assert (sizes.loc[sentence] > 1).sum() == 10
    linked = pairs[pairs["by"] == "chain"]
    labels = [t.loc[linked[side], "chain"].tolist() for t, side in ((key, "a"), (other, "b"))]
    assert labels[0] == labels[1]


def test_the_figures_of_published_candidates(both: Versions, published_pairs: Path) -> None:
    """Within a tenth of those on all mentions of cybulska/test, in the notes of the lists."""
    files = (published_pairs / f"{name}.lh.test.csv" for name in ("ecb", "ecb_meta_multi"))
    responses = [*both.lists([f"lh={','.join(map(str, files))}"])]
    values = [100 * evaluate(both.key, r, setting="simple")["conll"].f1 for r in responses]
    assert values == pytest.approx([74.1, 54.0, 89.3, 54.8], abs=0.15)


@pytest.mark.slow
def test_the_lemma_baselines_lose_twenty_points_and_more(both: Versions) -> None:
    names = ("lemma-wd", "lemma", "lemma-delta")
    responses = [*both.systems(map(system, names))]
    values = [100 * evaluate(both.key, r, setting="simple")["conll"].f1 for r in responses]
    assert values == pytest.approx([51.2, 40.7, 61.4, 41.4, 75.9, 51.5], abs=0.05)
