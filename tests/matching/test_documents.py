"""Match the documents of a response with those of the key."""

import pytest

from cdec.matching.corpus import match_corpus
from cdec.matching.files import match_files
from cdec.matching.names import pair_documents
from tests.formats.made import conll, corpus, kinds, parse
from tests.refusals import refused


@pytest.mark.parametrize(
    "name",
    ["24_1ecb", "24_1ecb.xml", "24/24_1ecb", "24/24_1ecb.xml", "ECB+/24/24_1ecb.xml",
     "ECB+\\24\\24_1ecb.xml"],
)  # fmt: skip
def test_forms_of_one_name(name: str) -> None:
    assert pair_documents([name], ["24_1ecb", "24_1ecbplus"], "f") == {name: "24_1ecb"}
    assert pair_documents(["24_1ecb"], [name], "f") == {"24_1ecb": name}


def test_the_same_name_goes_first() -> None:
    assert pair_documents(["a/x", "b/x"], ["a/x", "c"], "f") == {"a/x": "a/x"}
    assert pair_documents(["a/x", "b/x"], ["a/x", "b/x"], "f") == {"a/x": "a/x", "b/x": "b/x"}


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (["x"], ["a/x", "b/x"]),
        (["a/x", "b/x"], ["x"]),
        (["x.xml", "a/x"], ["x"]),
    ],
)
def test_ambiguous_names_are_an_error(names: list[str], known: list[str]) -> None:
    with refused("document-ambiguous", "x", place="f"):
        pair_documents(names, known, "f")


def test_an_exact_name_goes_before_an_ambiguous_one() -> None:
    assert pair_documents(["x", "a/x"], ["x"], "f") == {"x": "x"}
    assert pair_documents(["x"], ["a/x", "x"], "f") == {"x": "x"}
    assert pair_documents(["a/x", "b/x"], ["a/x", "x"], "f") == {"a/x": "a/x", "b/x": "x"}


def test_unknown_names_are_left_out() -> None:
    assert pair_documents(["x", "y"], ["y"], "f") == {"y": "y"}


def test_a_document_of_another_folder_is_noticed() -> None:
    key, response = (conll((doc, ["(1)", "-"])) for doc in ("cnn/00/x", "bbc/00/x"))
    (renamed,) = match_files(key, response).notices
    assert (renamed.code, renamed.warning, renamed.all_cases) == (
        "document-renamed", False, ("bbc/00/x as cnn/00/x",),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["x", "x.xml", "00/x.xml", "a/cnn/00/x", "cnn\\00\\x"])
def test_a_shorter_or_longer_path_is_not_noticed(name: str) -> None:
    key, response = (conll((doc, ["(1)", "-"])) for doc in ("cnn/00/x", name))
    for left, right in ((key, response), (response, key)):
        assert kinds(match_files(left, right)) == {}


@pytest.mark.parametrize("name", ["1_1ecb", "1_1ecb.xml", "1/1_1ecb", "ECB+/1/1_1ecb.xml"])
def test_names_of_a_document_of_the_corpus_are_not_noticed(name: str) -> None:
    response = parse(f"doc,start,end,chain\n{name},7,8,1\n")
    assert "document-renamed" not in kinds(match_corpus(response, corpus()))
