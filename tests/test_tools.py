"""Files of toolkits and annotation tools: the chains that they say, at every door (tests/tools)."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
import spacy

import cdec as package
from cdec import formats
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import given

TOOLS = Path(__file__).parent / "tools"
BOOK = TOOLS / "openpyxl/mentions.xlsx"
CASES = cases("tools_cases")
FILES = CASES["files"]
REFUSED = CASES["refused"]


def chains(file: Path) -> list[list[set[tuple[int, int]]]]:
    """The chains of each document."""
    annotation = formats.read(file)
    table = annotation.mentions
    found = []
    for doc in annotation.documents:
        rows = table[table["doc"] == doc]
        found.append(
            [
                {*zip(of_chain["start"], of_chain["end"], strict=True)}
                for _, of_chain in rows.groupby("chain", sort=False)
            ]
        )
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_chains_of_a_file(name: str) -> None:
    sizes, expected = FILES[name]["words"], FILES[name]["chains"]
    texts = formats.read(TOOLS / name).documents.values()
    assert [len(words or ()) for words in texts] == [sum(part) for part in sizes]
    assert [sorted(map(sorted, part)) for part in chains(TOOLS / name)] == [
        sorted(sorted(map(tuple, chain)) for chain in part) for part in expected
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_a_key_a_response_and_a_corpus(cdec: Run, tmp_path: Path, name: str) -> None:
    file = TOOLS / name
    sizes, expected = FILES[name]["words"], FILES[name]["chains"]
    copy = tmp_path / "copy.conll"
    assert cdec("corpus", "export", file, "-o", copy).exit == 0
    ran = cdec("score", file, copy, "--scope", "document", "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}
    assert cdec("corpus", "add", file, "--name", "mine").exit == 0
    corpus = package.load_corpus("mine", "all")
    lengths = [len(document.sentences) for document in corpus.documents.values()]
    assert sorted(lengths) == sorted(map(len, sizes))
    assert len(corpus.selected) == sum(len(chain) for part in expected for chain in part)
    assert len(corpus.gold.chains()) == sum(map(len, expected))
    ran = cdec("eval", file, "--corpus", "mine", "-s", "simple", "-f", "json")
    if "cassis" not in name:  # one span is in two chains there
        assert {row["f1"] for row in ran.json["rows"]} == {1.0}


@pytest.mark.parametrize(("key", "response"), CASES["same"])
def test_files_of_two_tools_say_the_same_chains(cdec: Run, key: str, response: str) -> None:
    ran = cdec("score", TOOLS / key, TOOLS / response, "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}


def test_documents_of_spacy_are_a_response() -> None:
    doc = spacy.blank("en")("The mayor spoke . He left Rome .")
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[4:5]]
    doc.spans["coref_clusters_2"] = [doc[6:7]]
    doc.spans["other"] = [doc[0:1]]
    response = formats.from_spacy([doc], ["book"])
    results = package.score(TOOLS / "booknlp/key.conll", response)
    assert results["conll"].f1 == 1
    with refused("field-invalid"):
        formats.from_spacy([spacy.blank("en")("A")])


def test_labels_of_a_tool_hold_in_their_document(cdec: Run) -> None:
    """Chain 0 of two documents of stanza is two chains, whatever the scope."""
    file = TOOLS / "stanza/two-documents.conllu"
    assert cdec("score", file, file, "--scope", "corpus").exit == 0
    assert formats.read(file).mentions["chain"].nunique() == 3


def test_a_folder_is_a_corpus_of_its_files(cdec: Run, tmp_path: Path) -> None:
    text = (TOOLS / "webanno/town.tsv").read_text("utf-8")
    for name in ("a", "b"):
        (tmp_path / "in" / name).mkdir(parents=True)
        given(tmp_path / "in" / name, "user.tsv", text)
    assert cdec("corpus", "add", tmp_path / "in", "--name", "mine").exit == 0
    corpus = package.load_corpus("mine", "all")
    assert [*corpus.documents] == ["a/user", "b/user"]
    assert len(corpus.gold.chains()) == 4


def test_predictions_of_label_studio_are_a_response(cdec: Run, tmp_path: Path) -> None:
    file = given(tmp_path, "tasks.json", CASES["label_studio"]["predictions"])
    ran = cdec("score", file, file, "-f", "json", "--metric", "mentions")
    assert ran.json["rows"][0]["recall"] == 0.5


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_says_no_chains_is_refused(cdec: Run, tmp_path: Path, name: str) -> None:
    case = REFUSED[name]
    base = TOOLS / case.get("file", "README.md")
    content = case.get("text") or base.read_text("utf-8").replace(*case["change"])
    file = given(tmp_path, "file.txt", content)
    ran = cdec("score", file, file)
    assert ran.exit == 1
    assert case["code"] in ("", ran.error), ran.err


def test_a_format_of_a_tool_is_not_written(cdec: Run, tmp_path: Path) -> None:
    file = TOOLS / "stanza/document.json"
    assert cdec("corpus", "export", file, "--to", "stanza").error == "name-unknown"
    with refused("format-unsuitable"):
        formats.write(formats.read(file), tmp_path / "x", "stanza")


def test_a_spreadsheet_is_its_sheet() -> None:
    table, sheet = map(formats.read, (BOOK.with_suffix(".csv"), BOOK))
    assert (sheet.digest, sheet.unread) == (table.digest, ("note",))


@pytest.mark.parametrize("name", CASES["parts_of_a_spreadsheet"])
def test_a_damaged_spreadsheet_is_refused(tmp_path: Path, name: str) -> None:
    with ZipFile(BOOK) as whole, ZipFile(tmp_path / "a.xlsx", "w") as cut:
        for member in whole.namelist():
            cut.writestr(member, whole.read(member)[: -9 if member == name else None])
    with refused("format-undetected"):
        formats.read(tmp_path / "a.xlsx")
