"""``cdec corpus export FILE``: the same chains in another format, and what is lost by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cdec as package
from cdec import formats
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import given

FILES = cases("convert_cases")
WITH_TEXT = ("conll", "documents")
FORMATS = (*WITH_TEXT, "jsonl", "csv", "tsv", "json")


def spans(path: Path) -> set[frozenset[tuple[str, int, int, tuple[int, ...]]]]:
    """The chains of a file, each a set of places."""
    table = formats.read(path).as_key().mentions
    chains: dict[str, set[tuple[str, int, int, tuple[int, ...]]]] = {}
    columns = (table[name] for name in ("doc", "start", "end", "tokens", "chain"))
    for doc, start, end, tokens, chain in zip(*columns, strict=True):
        chains.setdefault(chain, set()).add((doc.removesuffix("; part 000"), start, end, tokens))
    return {frozenset(chain) for chain in chains.values()}


@pytest.mark.parametrize("back", FORMATS)
@pytest.mark.parametrize("to", FORMATS)
def test_a_file_comes_back_as_it_was(cdec: Run, tmp_path: Path, to: str, back: str) -> None:
    source = given(tmp_path, "source.jsonl", FILES["documents"])
    first, second = tmp_path / "first.out", tmp_path / "second.out"
    assert cdec("corpus", "export", source, "--to", to, "-o", first).exit == 0
    assert cdec("corpus", "export", first, "--to", back, "-o", second).exit == 0
    assert spans(source) == spans(first) == spans(second)
    if to in WITH_TEXT and back in WITH_TEXT:
        texts = formats.read(second).documents
        assert [len(words or ()) for words in texts.values()] == [8, 8, 3]
        layout = formats.read(second).layout.values()
        assert [len({*(part.sentences if part.sentences is not None else ())}) for part in layout] \
            == [2, 2, 1]  # fmt: skip


def test_the_losses_are_in_notices(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "source.jsonl", FILES["documents"])
    said = cdec("corpus", "export", source, "--to", "csv", "-v").err
    assert said.count("note[format-unsuitable]") == 2  # texts, and a document without mentions
    assert "    empty\n" in said
    assert "format-unsuitable" not in cdec("corpus", "export", source, "-v").err


def test_a_gap_is_kept_or_named(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "gap.csv", FILES["gap"])
    for to in ("jsonl", "json", "tsv"):
        out = tmp_path / f"out.{to}"
        assert cdec("corpus", "export", source, "-o", out).exit == 0
        assert spans(out) == spans(source)
    for to in ("conll", "documents"):
        ran = cdec("corpus", "export", source, "--to", to, "-v")
        assert ran.exit == 0
        assert "warning[format-unsuitable]" in ran.err
        assert "    d/0-2\n" in ran.err


def test_zeros_trees_and_kinds_are_named(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "key.conllu", FILES["zeros"])
    ran = cdec("corpus", "export", source, "--to", "documents", "-v")
    record = json.loads(ran.out)
    assert [len(sentence) for sentence in record["sentences"]] == [2, 2]
    assert record["clusters"] == [[[0, 0]], [[1, 1], [2, 2]]]
    assert ran.err.count("[format-unsuitable]") == 2


def test_fields_that_are_not_written_are_listed(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "rows.jsonl", FILES["kinds"])
    assert "    kind\n" in cdec("corpus", "export", source, "--to", "csv", "-v").err


def test_a_side_of_a_file_with_both(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "both.jsonl", FILES["both"])
    key = cdec("corpus", "export", source, "--to", "csv").out
    response = cdec("corpus", "export", source, "--to", "csv", "--side", "response").out
    assert [text.splitlines()[1] for text in (key, response)] == ["d,0,1,d/0", "d,4,4,d/0"]


def test_what_a_label_means_is_not_lost(cdec: Run, tmp_path: Path) -> None:
    """Labels that look local stay so, and labels of no chain are none."""
    source = given(tmp_path, "local.csv", FILES["local"])
    assert cdec("corpus", "export", source, "--to", "jsonl").exit == 0
    for to in ("conll", "json"):
        ran = cdec("corpus", "export", source, "--to", to, "-v")
        assert ran.exit == 1
        assert "scope-ambiguous" in ran.err
        out = tmp_path / f"out.{to}"
        call = ("corpus", "export", source, "--to", to, "-o", out, "--key-labels", "document")
        assert cdec(*call).exit == 0
        assert len(spans(out)) == 4
    noise = given(tmp_path, "noise.csv", FILES["noise"])
    assert cdec("corpus", "export", noise, "--to", "conll").error == "label-ambiguous"
    noisy = ("corpus", "export", noise, "--to", "conll", "-o", tmp_path / "n.conll")
    assert cdec(*noisy, "--noise", "singletons").exit == 0
    assert len(spans(tmp_path / "n.conll")) == 2


@pytest.mark.parametrize("name", FILES["nowhere"])
def test_a_place_is_never_made_up(cdec: Run, tmp_path: Path, name: str) -> None:
    case = FILES["nowhere"][name]
    ran = cdec("corpus", "export", given(tmp_path, name, case["text"]), "--to", case["to"])
    assert ran.error == case["code"]


def test_words_beside_places_are_kept(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "words.csv", FILES["words"])
    ran = cdec("corpus", "export", source, "--to", "jsonl")
    assert json.loads(ran.out)["words"] == "A"


def test_python_and_the_shell_write_the_same(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "source.jsonl", FILES["documents"])
    package.export(source, tmp_path / "one.conll", notify=lambda notices: None)
    assert cdec("corpus", "export", source, "-o", tmp_path / "two.conll").exit == 0
    assert (tmp_path / "one.conll").read_bytes() == (tmp_path / "two.conll").read_bytes()
    with refused("name-unknown"):
        package.export(source, tmp_path / "x.csv", side="gold")


def test_what_has_no_effect_on_a_file_is_refused(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "source.jsonl", FILES["documents"])
    for option in (("--split", "all"), ("-s", "pure"), ("--from", "sample")):
        assert cdec("corpus", "export", source, *option).error == "option-conflict"
    assert cdec("corpus", "export", "sample", "--side", "response").error == "option-conflict"
    assert cdec("corpus", "export", tmp_path / "none.jsonl").error == "corpus-not-found"


def test_documents_become_a_corpus(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "mine.jsonl", FILES["documents"])
    assert cdec("corpus", "add", source, "--name", "mine").exit == 0
    loaded = package.load_corpus("mine", "all")
    assert len(loaded.documents) == 3
    assert len(loaded.selected) == 5
    assert len(loaded.gold.chains()) == 3
    assert sorted(len(document.sentences) for document in loaded.documents.values()) == [1, 2, 2]
    ran = cdec("eval", source, "--corpus", "mine", "-s", "simple", "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}


def test_documents_without_words_are_no_corpus(cdec: Run, tmp_path: Path) -> None:
    source = given(tmp_path, "mine.json", '{"doc_key": "d", "tokens": [], "clusters": [[[0, 1]]]}')
    assert cdec("corpus", "add", source).error in ("corpus-invalid", "tokens-invalid")
