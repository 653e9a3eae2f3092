"""What is said of a response that has little in common with the key."""

import pytest

from cdec.errors import ScoringError
from cdec.formats import Annotation
from cdec.matching.files import match_files
from cdec.matching.policy import FilePolicy
from tests.formats.made import conll, kinds, parse

WORDS = [(0, 0), (2, 2), (4, 5), (7, 7), (8, 8), (10, 12), (14, 14), (17, 17)]


def table(start: int = 0, end: int = 0, chain: str = "c{n}", doc: str = "d") -> Annotation:
    """Return the mentions of WORDS with starts and ends moved by so many tokens."""
    lines = [f"{doc},{s + start},{e + end},{chain.format(n=n)}" for n, (s, e) in enumerate(WORDS)]
    return parse("\n".join(["doc,start,end,chain", *lines]), "file")


KEY = table()


def test_tokens_that_count_from_one() -> None:
    notices = match_files(KEY, table(start=1, end=1)).notices
    said = {notice.code: str(notice) for notice in notices}
    assert said["little-in-common"] == (
        "only 1 of 8 key mentions are in the response; with every start and end one less "
        "(tokens count from 0) 8 would be"
    )


def test_ends_that_are_not_included() -> None:
    with pytest.raises(ScoringError, match=r"; with every end one less \(an end is the last token"):
        match_files(KEY, table(end=1))


def test_documents_that_the_key_lacks() -> None:
    with pytest.raises(
        ScoringError, match=r"1 response document, 8 mentions, is not .*\(such as other\)"
    ):
        match_files(KEY, table(doc="other"))


def test_a_response_without_mentions() -> None:
    for empty in (parse("doc,start,end,chain\n"), parse("[]"), conll(("d", ["-"] * 18))):
        with pytest.raises(ScoringError, match="it has no mention at all"):
            match_files(KEY, empty)
        assert kinds(match_files(KEY, empty, FilePolicy(allow_empty=True)))["missing-mention"] == 8


def test_no_reason_is_made_up() -> None:
    far = parse("doc,start,end,chain\nd,0,0,1\n" + "".join(f"d,{n},{n},1\n" for n in range(50, 58)))
    said = {notice.code: str(notice) for notice in match_files(KEY, far).notices}
    assert said["little-in-common"].endswith("; do documents and token numbers fit?")


@pytest.mark.parametrize("size", [1, 2, 8])
def test_a_part_of_the_key_is_no_mistake(size: int) -> None:
    part = parse("doc,start,end,chain\n" + "".join(f"d,{s},{e},1\n" for s, e in WORDS[:size]))
    assert "little-in-common" not in kinds(match_files(KEY, part))
    assert "little-in-common" not in kinds(match_files(part, KEY))


@pytest.mark.parametrize("label", ["nan", "NaN", "None", "null", "<NA>", "-1"])
def test_a_label_that_reads_like_a_missing_one(label: str) -> None:
    odd = table(chain=label)
    assert kinds(match_files(KEY, odd)) == {"missing-label": 8}
    assert kinds(match_files(odd, KEY)) == {"missing-label": 8}


def test_such_a_label_of_one_mention_is_a_label() -> None:
    one = parse("doc,start,end,chain\nd,0,0,nan\nd,2,2,x\nd,4,5,None\n")
    assert "missing-label" not in kinds(match_files(KEY, one))
