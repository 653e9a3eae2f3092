"""Notices and errors for a response that has little in common with the key."""

import pytest

from cdec.formats import Annotation
from cdec.matching import FilePolicy, match_files
from tests.formats.made import conll, kinds, parse
from tests.refusals import refused

WORDS = [(0, 0), (2, 2), (4, 5), (7, 7), (8, 8), (10, 12), (14, 14), (17, 17)]


def table(start: int = 0, end: int = 0, chain: str = "c{n}", doc: str = "d") -> Annotation:
    """Return the mentions of WORDS with starts and ends shifted by these numbers of tokens."""
    lines = [f"{doc},{s + start},{e + end},{chain.format(n=n)}" for n, (s, e) in enumerate(WORDS)]
    return parse("\n".join(["doc,start,end,chain", *lines]), "file")


KEY = table()


def test_tokens_that_count_from_one() -> None:
    notices = match_files(KEY, table(start=1, end=1)).notices
    (common,) = (notice for notice in notices if notice.code == "little-in-common")
    assert common.count == 1
    assert "every start and end" in str(common)


def test_ends_that_are_not_included() -> None:
    with refused("mentions-disjoint", "every end"):
        match_files(KEY, table(end=1))


def test_documents_that_the_key_lacks() -> None:
    with refused("mentions-disjoint", "1 response document", "8 mentions", "other"):
        match_files(KEY, table(doc="other"))


def test_a_response_without_mentions() -> None:
    for empty in (parse("doc,start,end,chain\n"), parse("[]"), conll(("d", ["-"] * 18))):
        with refused("mentions-disjoint", "no mentions"):
            match_files(KEY, empty)
        assert kinds(match_files(KEY, empty, FilePolicy(allow_empty=True)))["missing-mention"] == 8


def test_without_a_reason_the_notice_asks_for_a_check() -> None:
    far = parse("doc,start,end,chain\nd,0,0,1\n" + "".join(f"d,{n},{n},1\n" for n in range(50, 58)))
    notices = {notice.code: str(notice) for notice in match_files(KEY, far).notices}
    assert notices["little-in-common"].endswith("; check documents and token numbers")


@pytest.mark.parametrize("size", [1, 2, 8])
def test_a_part_of_the_key_is_no_mistake(size: int) -> None:
    part = parse("doc,start,end,chain\n" + "".join(f"d,{s},{e},1\n" for s, e in WORDS[:size]))
    assert "little-in-common" not in kinds(match_files(KEY, part))
    assert "little-in-common" not in kinds(match_files(part, KEY))


@pytest.mark.parametrize("label", ["nan", "NaN", "None", "null", "<NA>", "-1"])
def test_a_label_that_may_be_a_missing_value(label: str) -> None:
    odd = table(chain=label)
    with refused("label-ambiguous", "8 mentions", label):
        match_files(KEY, odd)
    with refused("label-ambiguous", "8 mentions", label):
        match_files(odd, KEY)
    alone = match_files(KEY, odd, FilePolicy(noise="singletons"))
    assert kinds(alone) == {"missing-label": 8} and alone.response.labels.nunique() == 8
    absent = match_files(KEY, odd, FilePolicy(noise="absent", allow_empty=True))
    assert kinds(absent) == {"missing-label": 8, "missing-mention": 8}


def test_a_chain_of_one_mention_may_have_such_a_label() -> None:
    single = parse("doc,start,end,chain\nd,0,0,nan\nd,2,2,x\nd,4,5,None\n")
    assert "missing-label" not in kinds(match_files(KEY, single))
    absent = match_files(KEY, single, FilePolicy(noise="absent"))
    assert kinds(absent)["missing-label"] == 2 and len(absent.response) == 1
