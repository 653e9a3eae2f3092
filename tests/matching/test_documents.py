"""Match the documents of a response with those of the key."""

import pytest

from cdec.matching import match_corpus, match_files, pair_documents
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


@pytest.mark.parametrize(
    ("names", "known", "pairs"),
    [
        (["gun-violence_207542_4dc1"], ["4dc1", "4dc2"], {"gun-violence_207542_4dc1": "4dc1"}),
        (["4dc1"], ["a_4dc1", "a_b"], {"4dc1": "a_4dc1"}),
        (["metadoc_d02"], ["football_fifa_d02"], {"metadoc_d02": "football_fifa_d02"}),
        (["a_x", "b_x"], ["x"], {}),  # two names have this end
        (["x"], ["a_x", "b_x"], {}),
        (["a_x", "x"], ["x"], {"x": "x"}),
        (["a_x"], ["b_x"], {}),  # neither is the end of the other
        (["ax"], ["x"], {}),
    ],
)
def test_one_name_is_the_end_of_the_other(
    names: list[str], known: list[str], pairs: dict[str, str]
) -> None:
    assert pair_documents(names, known, "f") == pairs


def test_other_names_of_documents() -> None:
    aliases = {"DOC1": "1_1ecb", "": "1_2ecb"}
    known = ["1_1ecb", "1_2ecb"]
    for name in ("DOC1", "DOC1.xml", "metadoc_DOC1"):
        assert pair_documents([name], known, "f", aliases) == {name: "1_1ecb"}
    with refused("document-ambiguous", "1_1ecb"):
        pair_documents(["DOC1", "a/1_1ecb"], known, "f", aliases)
