"""Dialects of published response files, as each is read."""

import json

import pytest

from tests.formats.made import mention_rows, parse, partition, rows, written
from tests.refusals import refused

EIGHT = """#begin document test_events
36\t36_0\t36_1ecb.xml\t1\t9\tTwo\tTrue\t(7
36\t36_0\t36_1ecb.xml\t1\t10\ttop\tTrue\t7
36\t36_0\t36_1ecb.xml\t1\t11\tleaders\tTrue\t7)|(8
36\t36_0\t36_1ecb.xml\t3\t40\tof\tTrue\t8|(9)
36\t36_0\t36_1ecb.xml\t3\t41\ta\tFalse\t8)
#end document
"""


def test_labels_without_brackets_inside_a_mention() -> None:
    read = parse(EIGHT)
    doc = "36_1ecb.xml"
    assert rows(read) == {(doc, 0, 2, (), "7"), (doc, 2, 4, (), "8"), (doc, 3, 3, (), "9")}
    assert read.documents == {doc: ("Two", "top", "leaders", "of", "a")}
    layout = read.layout[doc]
    assert layout.sentences is not None and layout.sentences.tolist() == [1, 1, 1, 3, 3]
    assert layout.numbers is not None and layout.numbers.tolist() == [9, 10, 11, 40, 41]


@pytest.mark.parametrize(
    ("old", "new", "line", "value"),
    [
        ("\t7\n", "\t9\n", 3, "'9'"),  # the mention opens later
        ("\t(7\n", "\t-\n", 3, "'7'"),
        ("\t8)\n", "\t8)\n36\t36_0\t36_1ecb.xml\t3\t42\tx\tTrue\t8\n", 7, "'8'"),
        ("\t7\n", "\t7|(\n", 3, "'7|('"),
    ],
)
def test_a_label_without_brackets_outside_its_mention(
    old: str, new: str, line: int, value: str
) -> None:
    with refused("brackets-invalid", value, place=f"x.conll:{line}"):
        parse(EIGHT.replace(old, new), "x.conll")


def test_eight_columns_with_integers_only() -> None:
    read = parse(EIGHT.replace("36_0", "0").replace("36_1ecb.xml", "5"))
    assert list(read.documents) == ["5"]
    assert read.layout["5"].numbers is not None


def test_a_blank_after_the_separator_of_labels() -> None:
    tokens = ["(1| (2)", "(3)| 1)", "-"]
    lines = [f"d\t0\t{k}\tw\t{cell}" for k, cell in enumerate(tokens)]
    read = parse("\n".join(["#begin document (d); part 000", *lines, "#end document"]))
    assert rows(read) == {("d", 0, 1, (), "1"), ("d", 0, 0, (), "2"), ("d", 1, 1, (), "3")}


@pytest.mark.parametrize(
    "text",
    [
        '{"24_1ecb/3": "a", "24_1ecb/4": 7, "24_2ecb/3": "a"}',
        '{"clusters": {"a": ["24_1ecb/3", "24_2ecb/3"], "7": ["24_1ecb/4"]}}',
        "24_1ecb/3\ta\n24_1ecb/4\t7\n24_2ecb/3\ta\n",
        "24_1ecb\t24_1ecb/3\ta\n24_1ecb\t24_1ecb/4\t7\n24_2ecb\t24_2ecb/3\ta\n"
        .replace("\t24_1ecb/", "\t").replace("\t24_2ecb/", "\t"),
    ],
)  # fmt: skip
def test_mention_to_chain_and_tables_without_header(text: str) -> None:
    assert partition(parse(text)) == {
        frozenset([("24_1ecb", -1, -1, (), "24_1ecb/3"), ("24_2ecb", -1, -1, (), "24_2ecb/3")]),
        frozenset([("24_1ecb", -1, -1, (), "24_1ecb/4")]),
    }


def test_a_table_of_spans_without_header() -> None:
    read = parse("d\t3\t4\ta\nd\t9\t9\tb\n")
    assert (read.format, rows(read)) == ("tsv", {("d", 3, 4, (), "a"), ("d", 9, 9, (), "b")})
    assert parse("d\t2\t3\t4\ta\n").mentions["sentence"].tolist() == [2]


@pytest.mark.parametrize(
    "text",
    [
        "d\t3\tx\ta\nd\t9\t9\tb\n",  # no number
        "d\t3\t4\t(1)\n",  # brackets
        "24_1ecb/3\t-\n",
        "word\ta\n",  # no mention id
        "d\t0\t3\t4\tw\ta\n",  # six columns
    ],
)
def test_what_is_no_table_without_header(text: str) -> None:
    with refused("format-undetected", place="x"):
        parse(text, "x")


def test_a_table_without_header_that_changes_later() -> None:
    with refused("field-invalid", "'x'", place="x:1001"):
        parse("d\t3\t4\ta\n" * 1000 + "d\tx\t4\ta\n", "x")
    with refused("table-invalid", "4", place="x:1001"):
        parse("d\t3\t4\ta\n" * 1000 + "d\t4\ta\n", "x")


WEC = {
    "coref_chain": 7, "coref_link": "Fire", "doc_id": "House of Pain", "mention_id": 81,
    "mention_context": ["A", "fire"], "tokens_number": [1], "tokens_str": "fire",
}  # fmt: skip


def test_a_mention_of_wec_is_its_id() -> None:
    read = parse(json.dumps([WEC]))
    assert mention_rows(read) == [("House of Pain", -1, -1, "81", "7")]
    assert read.as_key() is read


def test_a_file_with_the_chains_of_key_and_response() -> None:
    for text in (
        json.dumps([{**WEC, "predicted_coref_chain": "r"}]),
        json.dumps({**WEC, "predicted_coref_chain": "r"}) + "\n",
        "mention,coref_chain,predicted_coref_chain\n81,7,r\n",
    ):
        read = parse(text)
        assert read.mentions["chain"].tolist() == ["r"]
        assert read.as_key().mentions["chain"].tolist() == ["7"]


def test_a_mention_of_ucdcr() -> None:
    record = {
        "coref_chain": "c", "mention_id": "x_1", "doc": "12_10ecb", "doc_id": "10", "sent_id": 2,
        "tokens_number": [4, 3], "mention_context": ["a"], "conll_doc_key": "12/12ecb/10",
    }  # fmt: skip
    read = parse(json.dumps([record]))
    assert mention_rows(read) == [("12_10ecb", 3, 4, "x_1", "c")]
    assert read.mentions["sentence"].tolist() == [2]


@pytest.mark.parametrize("format_", ["jsonl", "json", "csv", "tsv"])
def test_sentences_survive_a_round_trip(format_: str) -> None:
    table = parse("doc,sentence,start,end,chain\nd,2,3,4,a\nd,,9,9,b\n")
    again = parse(written(table, format_)).mentions
    assert again["sentence"].tolist() == table.mentions["sentence"].tolist() == [2, -1]


def test_brackets_cannot_express_sentences() -> None:
    with refused("format-unsuitable", "sentence 2"):
        written(parse("doc,sentence,start,end,chain\nd,2,3,4,a\n"), "conll")


@pytest.mark.parametrize("value", ["-1", "99999999999"])
def test_an_invalid_sentence(value: str) -> None:
    with refused("tokens-invalid" if "-" not in value else "field-invalid", value, place="x:3"):
        parse(f"doc,sentence,start,end,chain\nd,1,3,4,a\nd,{value},3,4,a\n", "x")
