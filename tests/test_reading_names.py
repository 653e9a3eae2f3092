"""Which document a name means: with a part, an ending or a path, in another case, or by words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import cdec as package
from tests.cases import cases
from tests.program import Ran, Run
from tests.tiny_files import brackets, given, records

TEXTS = (["A", "fire", "burned", "it"], ["Rain", "fell", "it", "stopped"])
CLUSTERS: tuple[list[list[list[int]]], ...] = (
    [[[0, 1], [3, 3]], [[2, 2]]],
    [[[0, 0], [2, 2]], [[1, 1], [3, 3]]],
)
STEM = "nw/town/01/fire_0001"
BEGIN = f"({STEM}); part "
NAMES = cases("names_cases")
# Documents without parts.
PLAIN = ("cnn/a/Fire_01", "cnn/b/Rain_02")


def rows(names: Sequence[str]) -> list[tuple[str, int, int, str]]:
    """The mentions of the key, which has labels that are unique in the file."""
    return [
        (name, first, last, f"{number}{label}")
        for number, (name, clusters) in enumerate(zip(names, CLUSTERS, strict=False))
        for label, cluster in enumerate(clusters)
        for first, last in cluster
    ]


def conll(*names: str) -> str:
    """The key: a block for each name, which may have a part."""
    texts = {name: [words] for name, words in zip(names, TEXTS, strict=False)}
    return brackets(rows(names), texts)


def documents(names: Sequence[str], *, text: bool = True, order: int = 1) -> str:
    """The chains of the key as documents with clusters, perhaps in the reverse order."""
    made = []
    for name, words, clusters in zip(names, TEXTS, CLUSTERS, strict=False):
        sentences = {"sentences": [words]} if text else {}
        made.append({"doc_key": name, "clusters": clusters, **sentences})
    return records(*made[::order])


def mentions(names: Sequence[str]) -> str:
    return records(
        *(
            {"doc": doc, "start": first, "end": last, "chain": chain}
            for doc, first, last, chain in rows(names)
        )
    )


def saved_corpus(folder: Path) -> Path:
    """The documents without parts as a corpus."""
    table = [json.loads(line) for line in mentions(PLAIN).splitlines()]
    texts = {name: [words] for name, words in zip(PLAIN, TEXTS, strict=True)}
    path = folder / "corpus.jsonl"
    package.build_corpus(table, texts, name="tiny").save(path)
    return path


def f1(ran: Ran) -> set[float]:
    return {row["f1"] for row in ran.json["rows"]}


def codes(ran: Ran) -> dict[str, int]:
    return {notice["code"]: notice["count"] for notice in ran.json["notices"]}


@pytest.mark.parametrize("form", NAMES["parts"])
def test_parts_of_a_document(cdec: Run, tmp_path: Path, form: str) -> None:
    """Without texts, so that the names decide; in each direction."""
    names = NAMES["parts"][form]
    key = given(tmp_path, "key.conll", conll(f"{BEGIN}000", f"{BEGIN}001"))
    for content in (documents(names, text=False), mentions(names)):
        mine = given(tmp_path, "mine.jsonl", content)
        for pair in ((key, mine), (mine, key)):
            ran = cdec("score", *pair, "--scope", "document", "-f", "json")
            assert f1(ran) == {1.0}
            assert not {"unknown-document", "missing-document"} & codes(ran).keys()


@pytest.mark.parametrize("form", NAMES["endings"])
def test_endings_paths_and_case_at_a_key_and_a_corpus(cdec: Run, tmp_path: Path, form: str) -> None:
    key = given(tmp_path, "key.conll", conll(*PLAIN))
    corpus = saved_corpus(tmp_path)
    mine = given(tmp_path, "mine.jsonl", mentions(NAMES["endings"][form]))
    score = cdec("score", key, mine, "--scope", "document", "-f", "json")
    evaluate = cdec("eval", mine, "--corpus", corpus, "-s", "simple", "-f", "json")
    for ran in (score, evaluate):
        assert f1(ran) == {1.0}


def test_a_response_may_have_some_of_the_documents(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.conll", conll(f"{BEGIN}000", f"{BEGIN}001"))
    mine = given(tmp_path, "mine.jsonl", mentions([f"{STEM}_0"]))
    ran = cdec("score", key, mine, "--scope", "document", "-f", "json")
    assert codes(ran)["missing-document"] == 1
    assert "unknown-document" not in codes(ran)
    assert codes(ran)["document-renamed"] == 1


def test_numbers_are_not_stripped(cdec: Run, tmp_path: Path) -> None:
    """Names that end in numbers are different documents, as those of a corpus of papers."""
    key = given(tmp_path, "key.jsonl", mentions(["paper_1", "paper_2"]))
    mine = given(tmp_path, "mine.jsonl", mentions(["paper_2", "paper_3"]))
    ran = cdec("score", key, mine, "--scope", "document", "-f", "json")
    assert codes(ran)["unknown-document"] == codes(ran)["missing-document"] == 1
    given(tmp_path, "mine.jsonl", mentions(["paper_01", "paper"]))
    ran = cdec("score", key, mine, "--scope", "document")
    assert ran.error == "mentions-disjoint"


def test_a_step_names_all_documents_or_none(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl", mentions(["x", "y"]))
    for names in (["x_0", "zz_0"], ["x_0", "X.txt"]):
        mine = given(tmp_path, "mine.jsonl", mentions(names))
        ran = cdec("score", key, mine, "--scope", "document")
        assert ran.error == "mentions-disjoint"
        assert names[0] in ran.said
        assert "'x'" in ran.said


@pytest.mark.parametrize("suffix", ["_0", ".txt", "; part 000"])
def test_documents_of_other_parts_of_a_corpus_count(cdec: Run, tmp_path: Path, suffix: str) -> None:
    rows: list[str] = []
    for split in ("train", "test"):
        part = package.load_corpus("sample", split)
        table = part.selected.assign(chain=part.gold.labels)
        for doc, start, end, chain in table[["doc", "start", "end", "chain"]].itertuples(
            index=False
        ):
            row = {"doc": f"{doc}{suffix}", "start": start, "end": end, "chain": chain}
            rows.append(json.dumps(row) + "\n")
    mine = given(tmp_path, "mine.jsonl", "".join(rows))
    call = ("eval", mine, "--corpus", "sample", "--split", "test", "-s", "pure", "-f", "json")
    ran = cdec(*call)
    assert f1(ran) == {1.0}
    assert codes(ran)["outside-split"] > 0
    assert "unknown-document" not in codes(ran)


def test_documents_with_other_names_are_known_by_their_words(cdec: Run, tmp_path: Path) -> None:
    """At a key and at a corpus, and in another order; nothing is guessed if two are alike."""
    key = given(tmp_path, "key.conll", conll(*PLAIN))
    corpus = saved_corpus(tmp_path)
    unnamed = documents(("", "")).replace('"doc_key": "", ', "")
    reverse = "".join(reversed(unnamed.splitlines(keepends=True)))
    for content in (documents(("q", "r"), order=-1), unnamed, reverse):
        mine = given(tmp_path, "mine.jsonl", content)
        score = cdec("score", key, mine, "--scope", "document", "-f", "json")
        evaluate = cdec("eval", mine, "--corpus", corpus, "-s", "simple", "-f", "json")
        for ran in (score, evaluate):
            assert f1(ran) == {1.0}
            assert {"document-renamed", "document-unnamed"} & codes(ran).keys()
    other = documents(("q", "r")).replace("burned", "blazed")
    mine = given(tmp_path, "mine.jsonl", other)
    assert cdec("score", key, mine, "--scope", "document").error == "mentions-disjoint"
    alike = conll(*PLAIN).replace("Rain", "A").replace("fell", "fire").replace("stopped", "it")
    given(tmp_path, "key.conll", alike.replace("2\tit", "2\tburned"))
    mine = given(tmp_path, "mine.jsonl", documents(("q",)))
    assert cdec("score", key, mine, "--scope", "document").error == "mentions-disjoint"


def test_two_files_without_names_in_another_order(cdec: Run, tmp_path: Path) -> None:
    unnamed = documents(("", "")).replace('"doc_key": "", ', "")
    reverse = "".join(reversed(unnamed.splitlines(keepends=True)))
    key = given(tmp_path, "key.jsonl", unnamed)
    mine = given(tmp_path, "mine.jsonl", reverse)
    ran = cdec("score", key, mine, "-f", "json")
    assert f1(ran) == {1.0}
    assert not any(notice["warning"] for notice in ran.json["notices"])


def test_the_same_base_name_in_two_folders(cdec: Run, tmp_path: Path) -> None:
    """The folders decide, with an ending and without."""
    key = given(tmp_path, "key.jsonl", mentions(["a/x", "b/x"]))
    for names in (["d/a/x", "d/b/x"], ["a/x.txt", "b/x.txt"], ["d/A/x_0.txt", "d/B/x_0.txt"]):
        mine = given(tmp_path, "mine.jsonl", mentions(names))
        ran = cdec("score", key, mine, "--scope", "document", "-f", "json")
        assert f1(ran) == {1.0}
