"""Match two files: common mentions, and notices and errors on the others."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from cdec.clustering import Clustering
from cdec.formats import Annotation, read
from cdec.labels import is_no_chain
from cdec.matching import FilePolicy, match_files
from tests.formats.made import annotations, conll, kinds, parse, written
from tests.refusals import refused

KEY = conll(("d", ["(1)", "(1)", "(2", "2)", "(2)"]), name="key")


def labels(clustering: Clustering) -> dict[Hashable, Any]:
    return clustering.labels.to_dict()


def test_same_document_and_tokens_are_the_same_mention() -> None:
    matched = match_files(KEY, conll(("d", ["(7)", "-", "(7", "7)", "(8)|(9)"]), name="response"))
    assert labels(matched.key) == {"d/0-0": "1", "d/1-1": "1", "d/2-3": "2", "d/4-4": "2"}
    assert matched.mentions["doc"].tolist() == ["d"] * 4
    assert matched.mentions["line"].tolist() == [2, 0, 4, 6]
    assert kinds(matched) == {"mention-in-two-chains": 1, "missing-mention": 1}


def test_twinless_mentions_are_in_the_table_in_text_order() -> None:
    matched = match_files(KEY, conll(("d", ["(1)", "(1|(3)", "1)", "-", "-"])))
    assert matched.mentions.index.tolist() == [
        "d/0-0", "d/1-1", "d/1-2", "d/2-3", "d/4-4",
    ]  # fmt: skip
    assert kinds(matched) == {"missing-mention": 2, "twinless": 1}
    assert not any(notice.warning for notice in matched.notices)


def test_documents_of_one_side_only() -> None:
    key = conll(("a", ["(1)", "(1)"]), ("b", ["(1)"]))
    response = conll(("a", ["(1)", "(1)"]), ("c", ["(1)", "(1)"]))
    matched = match_files(key, response)
    assert len(matched.response) == 4
    assert kinds(matched) == {
        "unknown-document": 1, "missing-document": 1, "missing-mention": 1, "twinless": 2,
        "labels-recur": 1,
    }  # fmt: skip
    (unknown,) = (notice for notice in matched.notices if notice.code == "unknown-document")
    assert "2 mentions" in unknown.message
    assert unknown.examples == ("c",)


def test_formats_may_differ_and_names_too() -> None:
    response = parse('[[["x/d.xml", 0, 0], ["x/d.xml", 2, 3]], [["x/d.xml", 1, 1]]]', "r.json")
    assert labels(match_files(KEY, response).response) == {"d/0-0": "0", "d/2-3": "0", "d/1-1": "1"}


def test_brackets_match_a_mention_with_a_gap_by_its_ends() -> None:
    gap = parse(
        '{"doc": "d", "tokens": [0, 2], "chain": 1}\n{"doc": "d", "tokens": [1], "chain": 1}'
    )
    brackets = conll(("d", ["(1", "(1)", "1)"]))
    for key, response in ((gap, brackets), (brackets, gap)):
        assert kinds(match_files(key, response)) == {}
    span = parse("doc,start,end,chain\nd,0,2,1\nd,1,1,1\n")
    assert kinds(match_files(gap, span)) == {"missing-mention": 1, "twinless": 1}


def test_files_of_ids() -> None:
    key = parse('{"type": "clusters", "clusters": {"0": ["0.0-1"], "1": [10, 962]}}')
    response = parse('{"type": "clusters", "clusters": [["0.0-1", 10]]}')
    matched = match_files(key, response)
    assert labels(matched.response) == {"0.0-1": "0", "10": "0"}
    assert kinds(matched) == {"missing-mention": 1}


def test_blocks_are_compared_by_place_as_the_reference_does() -> None:
    key = "#begin document (all);\nx\t0\t0\ta\t(1)\ny\t0\t0\tb\t(1)\n#end document\n"
    matched = match_files(
        parse(key), parse("#begin document (all);\nn\t(1)\nn\t(1)\n#end document")
    )
    assert labels(matched.key) == {"all/0-0": "1", "all/1-1": "1"}
    by_name = parse('[["x", 0, 0], ["y", 0, 0]]'.replace("[[", "[[[").replace("]]", "]]]"))
    assert labels(match_files(parse(key), by_name).key) == {"x/0-0": "1", "y/0-0": "1"}


def test_a_mention_twice_in_the_key_is_an_error() -> None:
    key = conll(("d", ["(1)", "(1)|(2)"]), name="key")
    with refused("mention-duplicate", "'d/1-1'", "swapped", place="key:3"):
        match_files(key, conll(("d", ["(1)", "(1)"])))
    with refused("mention-duplicate") as caught:
        match_files(key, key)
    assert "swapped" not in str(caught.value)


REPEATED = conll(("d", ["(7)|(7)", "(9)|(7)", "(9)", "-", "(5)|(7)"]), name="response")
KEY_OF_FIVE = conll(("d", ["(1)", "(1)", "(2)", "-", "(2)"]))


def test_the_chain_that_opens_first_keeps_a_repeated_mention() -> None:
    matched = match_files(KEY_OF_FIVE, REPEATED)
    assert labels(matched.response) == {"d/0-0": "7", "d/1-1": "7", "d/2-2": "9", "d/4-4": "7"}
    assert kinds(matched) == {"repeated-mention": 1, "mention-in-two-chains": 2}
    notices = {notice.code: notice for notice in matched.notices}
    assert notices["repeated-mention"].examples == ("d/0-0 at response:2",)
    assert notices["mention-in-two-chains"].warning


def test_drop_leaves_out_all_of_them() -> None:
    matched = match_files(KEY_OF_FIVE, REPEATED, FilePolicy("drop"))
    assert labels(matched.response) == {"d/2-2": "9"}


def test_error_names_the_line() -> None:
    with refused("mention-duplicate", "'d/0-0'", place="response:2"):
        match_files(KEY_OF_FIVE, REPEATED, FilePolicy("error"))


def test_unknown_policy() -> None:
    with refused("name-unknown", "unknown policy", "'first'"):
        match_files(KEY_OF_FIVE, REPEATED, FilePolicy("frist"))


def test_a_repeated_mention_that_the_key_lacks_counts_each_time() -> None:
    matched = match_files(KEY_OF_FIVE, conll(("d", ["(1)", "-", "-", "(1)|(1)|(2)", "-"])))
    assert labels(matched.response) == {"d/0-0": "1", "d/3-3": "1", "d/3-3#2": "1", "d/3-3#3": "2"}
    copies = matched.mentions.index[matched.mentions["name"] == "d/3-3"].tolist()
    assert copies == ["d/3-3", "d/3-3#2", "d/3-3#3"]
    (repeated, second) = (n for n in matched.notices if n.warning)
    assert "except in mentions and BLANC, which count one" in repeated.message
    assert repeated.message.split("; ")[1] == second.message.split("; ")[1]
    assert set(matched.response.labels.index) <= set(matched.mentions.index)


@pytest.mark.parametrize("key", ["d/k", "d/m#2"])
def test_a_copy_never_has_the_id_of_another_mention(key: str) -> None:
    response = parse(
        f'{{"1": ["d/m", "d/m", "d/m"], "2": ["d/m#2", "d/m#4", "d/k"], "3": ["{key}"]}}'
    )
    with_key = parse(f'{{"1": ["{key}", "d/x"]}}')
    matched = match_files(with_key, response)
    assert len(matched.response) == 6
    ids = set(matched.response.labels.index)
    assert ids >= {"d/m", "d/m#2", "d/m#3", "d/m#4", "d/m#5", "d/k"}
    alone = parse('{"1": ["d/m", "d/m", "d/k"]}')
    copies = match_files(with_key, alone, FilePolicy(allow_empty=True)).response
    assert len(copies) == 3
    assert copies.labels.index.isin([key]).sum() == (key == "d/k")


@pytest.mark.parametrize(
    ("cells", "count", "words"),
    [
        (["(1)", "-", "-", "(1)|(1)", "-"], 1, {"not in the key"}),
        (["(1)", "-", "(4)|(4)", "(1)|(1)", "-"], 2, {"first", "not in the key"}),
        (["(1)|(1)", "-", "-", "-", "-"], 1, {"first"}),
    ],
)
def test_the_notice_says_which_repeated_mentions_count(
    cells: list[str], count: int, words: set[str]
) -> None:
    notices = match_files(KEY_OF_FIVE, conll(("d", cells))).notices
    (repeated,) = [notice for notice in notices if notice.code == "repeated-mention"]
    assert repeated.count == count
    assert {word for word in ("first", "not in the key") if word in repeated.message} == words


def test_texts_that_differ() -> None:
    with refused("text-mismatch", "token 2 of 'd'", "'x'", "'c'", place="r:4"):
        match_files(KEY, parse(written(KEY, "conll").replace("\tc\t", "\tx\t"), "r"))
    with refused("text-mismatch", "token 4 of 'd'", "missing", "'e'", place="r:5"):
        match_files(KEY, parse(written(KEY, "conll").replace("d\t0\t4\te\t(2)\n", ""), "r"))


def test_white_space_in_a_token_makes_no_difference() -> None:
    key = "#begin document (d);\nd\t0\t0\t7&#9;½\t(1)\nd\t0\t1\tb&#9;\t(1)\n#end document\n"
    for text in ("7", "7½", "7&#8201;½"):
        response = f"#begin document (d);\nd 0 0 {text} (1)\nd 0 1 b (1)\n#end document\n"
        assert kinds(match_files(parse(key), parse(response))) == {}


def test_lengths_without_text_are_noticed() -> None:
    key = parse("#begin document (d);\nx\t(1)\nx\t(1)\nx\t-\n#end document\n")
    response = parse("#begin document (d);\nx\t(1)\nx\t(1)\n#end document\n")
    assert kinds(match_files(key, response)) == {"length-mismatch": 1}


def test_nothing_in_common_is_an_error() -> None:
    shifted = parse("doc,start,end,chain\nd,10,10,1\n", "r.csv")
    other = parse("doc,start,end,chain\ne,0,0,1\n", "r.csv")
    for response in (shifted, other):
        with refused("mentions-disjoint", 4, "allow_empty", place="r.csv"):
            match_files(KEY, response)
        assert len(match_files(KEY, response, FilePolicy(allow_empty=True)).key) == 4
    empty = conll(("d", ["-"] * 5), name="empty")
    with refused("key-empty", place="empty"):
        match_files(empty, KEY)


def test_swapped_names_are_noticed() -> None:
    key, response = (
        conll(("d", [cell, "(1)"]), name=name)
        for name, cell in (("out/test.response_conll", "(1)"), ("a/test.key_conll", "(2)"))
    )
    assert kinds(match_files(key, response)) == {"swapped": 1}
    assert kinds(match_files(response, key)) == {}


@pytest.mark.parametrize(
    ("names", "noticed"),
    [
        (("mine.conll", "key.conll"), True),
        (("mine.conll", "a/test_gold.conll"), True),
        (("key.conll", "gold.conll"), False),
        (("mine.conll", "monkey.conll"), False),
    ],
)
def test_a_response_that_is_called_key_is_a_note(names: tuple[str, str], noticed: bool) -> None:
    key, response = (
        conll(("d", ["(1)", cell]), name=name)
        for cell, name in zip(("(1)", "(2)"), names, strict=True)
    )
    matched = match_files(key, response)
    assert [(n.code, n.warning) for n in matched.notices] == [("swapped", False)] * noticed


def test_a_response_with_the_content_of_the_key_is_a_note(tmp_path: Path, corefud: Path) -> None:
    (tmp_path / "a.conll").write_text("#begin document (d);\na (1)\n#end document\n", "utf-8")
    for path in (tmp_path / "a.conll", corefud / "gum-test" / "key.conllu"):
        matched = match_files(read(path), read(path))
        (same,) = (n for n in matched.notices if n.code == "swapped")
        assert not same.warning


def test_the_only_documents_of_two_files_are_the_same_without_names(tmp_path: Path) -> None:
    text = "#begin document{}\na (1)\nb -\n#end document\n"
    for name, begin in (("k", " "), ("r", ""), ("n", " (x)")):
        (tmp_path / f"{name}.conll").write_text(text.format(begin), "utf-8")
    key, other, named = (read(tmp_path / f"{name}.conll") for name in "krn")
    for pair in ((key, other), (key, named), (named, key)):
        matched = match_files(*pair)
        assert labels(matched.response) == labels(matched.key)
    two = conll(("x", ["(1)"]), ("y", ["(1)"]))
    with refused("mentions-disjoint"):
        match_files(key, two)


def test_recurring_labels_of_the_response_alone() -> None:
    key = conll(("a", ["(1)"]), ("b", ["(2)"]))
    matched = match_files(key, conll(("a", ["(1)"]), ("b", ["(1)"])))
    assert kinds(matched) == {"labels-recur": 1}
    assert "of the response" in str(matched.notices[0])


def test_notices_of_the_reader_are_kept() -> None:
    cut = parse("#begin document (d);\nx\t(1)\nx\t(1)\n")
    assert kinds(match_files(cut, cut))["unfinished-document"] == 1


@given(made=annotations(gaps=True))
def test_a_file_matches_itself(made: Annotation) -> None:
    if not len(made):
        return
    counts = made.mentions["chain"].value_counts()
    if any(count > 1 and is_no_chain(str(label)) for label, count in counts.items()):
        with refused("label-ambiguous"):
            match_files(made, made)
        return
    matched = match_files(made, made)
    assert labels(matched.key) == labels(matched.response)
    assert set(matched.mentions.index) == set(matched.key.labels.index)
    assert kinds(matched).keys() <= {"labels-recur", "labels-alike"}
