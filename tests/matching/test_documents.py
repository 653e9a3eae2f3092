import pytest

from cdec.errors import ScoringError
from cdec.matching.documents import pair_documents


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
    with pytest.raises(ScoringError, match=r"^f: document .* may be"):
        pair_documents(names, known, "f")


def test_an_exact_name_goes_before_an_ambiguous_one() -> None:
    assert pair_documents(["x", "a/x"], ["x"], "f") == {"x": "x"}
    assert pair_documents(["x"], ["a/x", "x"], "f") == {"x": "x"}
    assert pair_documents(["a/x", "b/x"], ["a/x", "x"], "f") == {"a/x": "a/x", "b/x": "x"}


def test_unknown_names_are_left_out() -> None:
    assert pair_documents(["x", "y"], ["y"], "f") == {"y": "y"}
