"""CoNLL-2012 and variants, as written by systems and by the reference scorer's tests."""

import pytest

from tests.formats.made import conll, parse, rows, written

TC = """#begin document (LuoTestCase);\x20
test1\t0\t0\ta1\t(0
test1\t0\t1\ta2\t0)
test1\t0\t2\tjunk\t-
test1\t0\t3\tb1\t(1(2
test1\t0\t4\tb2\t_
test1\t0\t5\tb3\t*
test1\t0\t6\tb4\t1)2)

test2\t0\t0\tc\t(1)
test2\t0\t1\t.\t-\t
#end document
"""


def test_brackets_without_separator_and_documents_in_a_column() -> None:
    read = parse(TC)
    assert rows(read) == {
        ("test1", 0, 1, (), "0"),
        ("test1", 3, 6, (), "1"),
        ("test1", 3, 6, (), "2"),
        ("test2", 0, 0, (), "1"),
    }
    assert read.documents == {
        "test1": ("a1", "a2", "junk", "b1", "b2", "b3", "b4"),
        "test2": ("c", "."),
    }
    assert [(at.block, at.offset) for at in read.layout.values()] == [
        ("LuoTestCase", 0),
        ("LuoTestCase", 7),
    ]
    assert read.mentions["line"].tolist() == [2, 5, 10, 5]


def test_spaces_instead_of_tabs_make_no_difference() -> None:
    assert rows(parse(TC.replace("\t", "   "))) == rows(parse(TC))


def test_windows_line_ends_and_byte_order_mark() -> None:
    assert rows(parse(b"\xef\xbb\xbf" + TC.replace("\n", "\r\n").encode())) == rows(parse(TC))


def test_line_ends_of_old_macs() -> None:
    read = parse(TC.replace("\n", "\r"))
    assert rows(read) == rows(parse(TC))
    assert read.mentions["line"].tolist() == [2, 5, 10, 5]


def test_shared_task_columns_vary_and_parts_are_documents() -> None:
    head = "bc/x/00/x_0000"
    text = f"""#begin document ({head}); part 000
{head}   0   0   Mr.   NNP   (TOP(NP*   -   -   -   -   (PERSON*   (ARG0*   (12|(3)
{head}   0   1   Lee   NNP   *)   -   -   -   -   *)   *)   12)

#end document
#begin document ({head}); part 001
{head}   1   0   He   PRP   (TOP*)   -   -   -   -   *   *   *   *   (12)
#end document
"""
    read = parse(text)
    assert rows(read) == {
        (head, 0, 1, (), "12"),
        (head, 0, 0, (), "3"),
        (f"{head}; part 001", 0, 0, (), "12"),
    }
    assert read.documents == {head: ("Mr.", "Lee"), f"{head}; part 001": ("He",)}
    assert rows(parse(written(read, "conll"))) == rows(read)


def test_one_mention_per_line() -> None:
    text = """#begin document (ECB+/ecbplus_all); part 000
ECB+/ecbplus_all\t(160)
ECB+/ecbplus_all\t(7)
ECB+/ecbplus_all\t(160)
#end document"""
    read = parse(text)
    assert rows(read) == {
        ("ECB+/ecbplus_all", k, k, (), c) for k, c in enumerate(["160", "7", "160"])
    }
    assert read.documents == {"ECB+/ecbplus_all": None}


def test_only_the_bracket_column() -> None:
    read = parse("#begin document (d);\n-\n(1)\n(2\n2)\n#end document\n")
    assert rows(read) == {("d", 1, 1, (), "1"), ("d", 2, 3, (), "2")}
    assert read.documents == {"d": None}


def test_token_and_brackets() -> None:
    read = parse("#begin document (d);\nHe (1)\nleft -\n#end document\n")
    assert read.documents == {"d": ("He", "left")}


def test_missing_last_column_is_no_mention() -> None:
    read = parse("#begin document (d); part 000\nd (1)\nd \nd (1)\n#end document\n")
    assert rows(read) == {("d", 0, 0, (), "1"), ("d", 2, 2, (), "1")}


@pytest.mark.parametrize(
    "columns",
    [
        "{doc}\t{s}\t{n}\t{w}\t{c}",
        "36\t{doc}\t{s}\t{n}\t{w}\t{c}",
        "36\t36_1\t{doc}\t{s}\t{n}\t{w}\t{c}",
        "36\t36_1\t{doc}\t{s}\t{n}\t{w}\tTrue\t{c}",
    ],
)
def test_one_block_over_many_documents(columns: str) -> None:
    tokens = [
        ("36_1ecb", 0, 0, "He", "(5)"),
        ("36_1ecb", 0, 1, "left", "(1"),
        ("36_1ecb", 1, 2, "home", "1)"),
        ("36_2ecb", 0, 0, "She", "-"),
        ("36_2ecb", 0, 1, "left", "(1)"),
    ]
    lines = [columns.format(doc=d, s=s, n=n, w=w, c=c) for d, s, n, w, c in tokens]
    read = parse("\n".join(["#begin document test_events", *lines, "#end document"]))
    assert rows(read) == {
        ("36_1ecb", 0, 0, (), "5"),
        ("36_1ecb", 1, 2, (), "1"),
        ("36_2ecb", 1, 1, (), "1"),
    }
    assert read.documents == {"36_1ecb": ("He", "left", "home"), "36_2ecb": ("She", "left")}
    assert {at.block for at in read.layout.values()} == {"test_events"}
    sentences = [at.sentences for at in read.layout.values()]
    assert [s.tolist() for s in sentences if s is not None] == [[0, 0, 1], [0, 0]]


@pytest.mark.parametrize(
    "rest",
    [
        "x\t0\t0\ta\t(1\ny\t0\t0\tb\t1)\n",  # a mention across two names
        "x\t0\t0\ta\t(1)\ny\t0\t0\tb\t-\nx\t0\t1\tc\t-\n",  # a name in two runs
    ],
)
def test_a_column_that_cannot_name_documents_is_ignored(rest: str) -> None:
    assert list(parse(f"#begin document (d);\n{rest}#end document\n").documents) == ["d"]


def test_same_chain_inside_itself_closes_innermost_first() -> None:
    assert rows(conll(("d", ["(1", "(1", "1)", "1)"]))) == {
        ("d", 1, 2, (), "1"),
        ("d", 0, 3, (), "1"),
    }


def test_opening_comes_before_closing_in_a_cell_as_in_the_reference() -> None:
    assert rows(conll(("d", ["(1", "1)|(1", "1)"]))) == {
        ("d", 1, 1, (), "1"),
        ("d", 0, 2, (), "1"),
    }


def test_chains_are_in_the_order_in_which_they_open() -> None:
    read = conll(("d", ["(7", "(3)", "(5)|7)", "(3)"]))
    assert read.mentions["chain"].drop_duplicates().tolist() == ["7", "3", "5"]


def test_labels_are_any_text() -> None:
    assert {row[-1] for row in rows(conll(("d", ["(ACT123_4)", "(05)|(5)"])))} == {
        "ACT123_4",
        "05",
        "5",
    }


def test_double_antecedent_is_discarded_with_a_notice() -> None:
    read = conll(("d", ["(12+3)|(4)", "(4)"]))
    assert {row[-1] for row in rows(read)} == {"4"}
    assert [(n.code, n.examples) for n in read.notices] == [("double-antecedent", ("file:2",))]


def test_missing_end_is_read_with_a_notice() -> None:
    read = parse("#begin document (d);\nd\t0\t0\ta\t(1)\n")
    assert rows(read) == {("d", 0, 0, (), "1")}
    assert [n.code for n in read.notices] == ["unfinished-document"]


def test_a_notice_may_contain_braces() -> None:
    read = parse("#begin document ({x});\nd\t0\t0\ta\t(1)\n")
    assert "'{x}'" in str(read.notices[0])


def test_a_token_may_look_like_a_comment() -> None:
    read = parse("#begin document (d);\n# (1)\na -\n#end document\n")
    assert read.documents == {"d": ("#", "a")}


def test_written_for_the_reference_scorer() -> None:
    read = parse(TC)
    assert written(read, "conll").splitlines()[:5] == [
        "#begin document (test1); part 000",
        "test1\t0\t0\ta1\t(0",
        "test1\t0\t1\ta2\t0)",
        "test1\t0\t2\tjunk\t-",
        "test1\t0\t3\tb1\t(1|(2",
    ]


def test_sentences_are_kept() -> None:
    text = (
        "#begin document (d); part 000\n"
        "d\t0\t0\ta\t(1)\nd\t0\t1\tb\t-\n\nd\t1\t2\tc\t(1)\n"
        "#end document\n"
    )
    assert written(parse(text), "conll") == text


@pytest.mark.parametrize("before", ["(sic)", "(V*)", "(DATE)", "New York", "(1) of"])
@pytest.mark.parametrize("blank", ["\t", "\t\t", "\t ", "\t\u00a0"])
def test_an_empty_last_field_is_no_mention(before: str, blank: str) -> None:
    filled = "d\t0\t{}\tw\t" + "x\t" * (blank.count("\t") - 1) + "{}\n"
    rows_ = [filled.format(0, "(1)"), f"d\t0\t1\t{before}{blank}\n", filled.format(2, "(1)")]
    for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        text = "".join(rows_[k] for k in order)
        read = parse(f"#begin document (d);\n{text}#end document\n")
        assert {row[-1] for row in rows(read)} == {"1"}
        assert len(read) == 2


def test_an_empty_last_field_between_blanks_is_no_mention() -> None:
    read = parse("#begin document (d);\nd 0 0 a (1)\nd 0 1 (sic) \nd 0 2 c (1)\n#end document\n")
    assert rows(read) == {("d", 0, 0, (), "1"), ("d", 2, 2, (), "1")}


@pytest.mark.parametrize("separator", ["\t", "   "])
def test_sentences_of_several_widths_and_an_empty_last_field(separator: str) -> None:
    sentences = [
        [["He", "(V*)", "(1)"], ["left", "*", ""]],
        [["She", "*", "(V*)", "(1)"], ["ate", "(V*)", "*", ""], ["(sic)", "*", "(V*)", ""]],
        [["It", "(2)"], ["(DATE)", ""]],
    ]
    body = "\n".join(
        "".join(separator.join(["d", "0", str(n), *row]) + "\n" for n, row in enumerate(sentence))
        for sentence in sentences
    )
    read = parse(f"#begin document (d);\n{body}#end document\n")
    assert rows(read) == {("d", 0, 0, (), "1"), ("d", 2, 2, (), "1"), ("d", 5, 5, (), "2")}


@pytest.mark.parametrize("tail", ["\t", " ", "\t\t"])
def test_a_superfluous_separator_loses_no_mention(tail: str) -> None:
    some = f"d\t0\t0\ta\t(1)\nd\t0\t1\tb\t(1){tail}\nd\t0\t2\tc\t-\n"
    every = f"d\t0\t0\ta\t(1){tail}\nd\t0\t1\tb\t(1){tail}\n"
    for text in (some, every):
        assert len(parse(f"#begin document (d);\n{text}#end document\n")) == 2


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        ("(1) (2)", {"1", "2"}),
        ("(1) -", {"1"}),
        ("- (1)", {"1"}),
        ("(1)  _ (2)", {"1", "2"}),
        ("(1)|(2) *", {"1", "2"}),
        ("- -", set()),
    ],
)
def test_blanks_inside_the_last_field(cell: str, labels: set[str]) -> None:
    lines = f"d\t0\t0\ta\t{cell}\nd\t0\t1\tb\t-\nd\t0\t2\tc\t(9)\n"
    read = parse(f"#begin document (d);\n{lines}#end document\n")
    assert {row[-1] for row in rows(read)} == {*labels, "9"}


def test_tabs_and_then_a_blank_before_the_brackets() -> None:
    lines = "d\t0\t0\t(sic) -\nd\t0\t1\tb (1)\nd\t0\t2\t(x) (1)\n"
    read = parse(f"#begin document (d);\n{lines}#end document\n")
    assert rows(read) == {("d", 1, 1, (), "1"), ("d", 2, 2, (), "1")}


def _numbered(*sentences: list[int], separator: str = "\t", blank: bool = True) -> str:
    """A CoNLL-2012 file whose tokens have these numbers."""
    rows = [
        [separator.join(["d", "0", str(number), "word", "-", "(1)"]) for number in sentence]
        for sentence in sentences
    ]
    body = ("\n\n" if blank else "\n").join("\n".join(sentence) for sentence in rows)
    return f"#begin document (d); part 000\n{body}\n#end document\n"


@pytest.mark.parametrize("separator", ["\t", "   "])
@pytest.mark.parametrize(
    ("numbers", "lines"),
    [([1, 0, 3, 2], [3, 5]), ([0, 1, 1, 2], [4]), ([0, 1, 3, 7], []), ([1, 2, 3, 4], [])],
)
def test_token_numbers_that_do_not_grow(
    numbers: list[int], lines: list[int], separator: str
) -> None:
    read = parse(_numbered(numbers, [0, 1], separator=separator))
    found = [notice for notice in read.notices if notice.code == "token-order"]
    assert [notice.count for notice in found] == ([len(lines)] if lines else [])
    assert [place.rpartition(":")[2] for n in found for place in n.all_cases] == [*map(str, lines)]
    assert read.mentions["start"].tolist() == list(range(6))


def test_token_numbers_that_begin_again_are_right() -> None:
    for first in (0, 1):
        sentence = [first, first + 1]
        for text in (_numbered(sentence, sentence), _numbered(sentence, sentence, blank=False)):
            assert not parse(text).notices
