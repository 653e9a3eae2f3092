"""Each bad file gives one line: file, line, what, hint."""

from pathlib import Path
from typing import TypeAlias

import pytest

from cdec.errors import FormatError, UnknownNameError
from cdec.formats import FORMATS, Annotation, mention_table, read, write
from cdec.formats.annotation import TokenNumbers
from tests.formats.made import parse, written

BEGIN, END = "#begin document (d);\n", "#end document\n"
Case: TypeAlias = tuple[str | bytes, int | None, str]

CONLL: dict[str, Case] = {
    "open": (f"{BEGIN}d\t0\t0\ta\t(1\nd\t0\t1\tb\t-\n{END}", 2, "'(1' opens"),
    "open at the end of the file": (f"{BEGIN}d\t0\t0\ta\t(1\n", 2, "'(1' opens"),
    "open into the next": (f"{BEGIN}a (1\n{END}#begin document (e);\na 1)\n{END}", 2, "'(1' opens"),
    "closed twice": (f"{BEGIN}d\t0\t0\ta\t(1)|1)\n{END}", 2, "'1)' closes"),
    "closed before it opens": (f"{BEGIN}d\t0\t0\ta\t1)\nd\t0\t1\tb\t(1\n{END}", 2, "'1)' closes"),
    "no label": (f"{BEGIN}d\t0\t0\ta\t()\n{END}", 2, "'()' in the last column"),
    "no brackets": (f"{BEGIN}d\t0\t0\ta\t12\n{END}", 2, "'12' in the last column"),
    "last column missing": (f"{BEGIN}d 0 0 a -\nd 0 1 b\n{END}", 3, "'b' in the last column"),
    "comment inside": (f"{BEGIN}# x = 1\nd 0 0 a -\n{END}", 2, "'# x = 1' inside a document"),
    "outside": (f"{BEGIN}d (1)\n{END}\nd (1)\n", 5, "token outside"),
    "no end": (f"{BEGIN}d (1)\n#begin document (e);\nd (1)\n", 3, "begins inside"),
    "twice": (f"{BEGIN}d (1)\n{END}{BEGIN}d (1)\n{END}", 4, "a second time"),
    "no name": (f"#begin document\nd (1)\n{END}", 1, "has no name"),
}
JSONL: dict[str, Case] = {
    "no JSON": ('{"doc": "d", "start": 1, "end": 1, "chain": 1}\n{"doc":\n', 2, "bad JSON"),
    "NaN": ('{"doc": "d", "start": NaN, "end": 1, "chain": 1}\n{}\n', 1, "NaN"),
    "no object": ('{"mention": "d/1", "chain": 1}\n[1]\n', 2, "no JSON object"),
    "key twice": ('{"mention": "a", "chain": 1, "chain": 2}\n{}', 1, "'chain' stands twice"),
    "no chain": ('{"mention": "a", "chain": 1}\n{"mention": "b"}\n', 2, "no chain"),
    "null": ('{"mention": "a", "chain": 1}\n{"mention": "b", "chain": null}\n', 2, "no chain"),
    "no place": ('{"mention": "a", "chain": 1}\n{"doc": "d", "chain": 1}\n', 2, "no tokens"),
    "no doc": ('{"start": 1, "end": 1, "chain": 1}\n', 1, "no doc"),
    "no end": ('{"doc": "d", "start": 1, "chain": 1}\n', 1, "no end"),
    "text": ('{"doc": "d", "start": "1", "end": 1, "chain": 1}\n', 1, "no integer"),
    "float": ('{"doc": "d", "start": 1.0, "end": 1, "chain": 1}\n', 1, "no integer"),
    "bool": ('{"doc": "d", "start": true, "end": 1, "chain": 1}\n', 1, "no integer"),
    "negative": ('{"doc": "d", "start": -1, "end": 1, "chain": 1}\n', 1, "out of range"),
    "huge": ('{"doc": "d", "start": 1, "end": 1e3, "chain": 1}\n', 1, "no integer"),
    "far": ('{"doc": "d", "start": 1, "end": 99999999999, "chain": 1}\n', 1, "out of range"),
    "back to front": ('{"doc": "d", "start": 3, "end": 1, "chain": 1}\n', 1, "before start"),
    "words": ('{"doc": "d", "tokens": ["to", "go"], "chain": 1}\n', 1, "no list of integers"),
    "no tokens": ('{"doc": "d", "tokens": [], "chain": 1}\n', 1, "no list of integers"),
    "twice": ('{"doc": "d", "tokens": [1, 1], "chain": 1}\n', 1, "a token twice"),
    "two places": ('{"doc": "d", "tokens": [1], "start": 1, "end": 2, "chain": 1}', 1, "span"),
    "blank": ('{"doc": " ", "start": 1, "end": 1, "chain": 1}\n', 1, "the doc is blank"),
    "list": ('{"doc": "d", "start": 1, "end": 1, "chain": [1]}\n', 1, "chain [1] is no text"),
    "deep": ('{"chain": 1, "doc": ' + "[" * 100_000 + "\n{}", 1, "nested too deeply"),
}
TABLE: dict[str, Case] = {
    "header only of ids": ("doc,chain\nd,1\n", 1, "the header is"),
    "no integer": ("doc,start,end,chain\nd,1,1,1\nd,x,2,1\n", 3, "start 'x' is no integer"),
    "float": ("doc,start,end,chain\nd,1.0,1,1\n", 2, "start '1.0' is no integer"),
    "empty": ("doc,start,end,chain\nd,,,1\n", 2, "no tokens and no id"),
    "no chain": ("doc,start,end,chain\nd,1,1,\n", 2, "no chain"),
    "short": ("doc,start,end,chain\nd,1,1\n", 2, "3 fields where the header has 4"),
    "quotes": ('doc,start,end,chain\nd,1,1,"a"b\n', 2, "bad table"),
    "tokens": ("doc,tokens,chain\nd,3-5,1\n", 2, "no list of integers"),
    "ambiguous": ("doc,doc_id,start,end,chain\nd,e,1,1,1\n", 1, "'doc' and 'doc_id'"),
}
CLUSTERS: dict[str, Case] = {
    "syntax": ('{"a": [\n["d", 1, 1],\n]}\n', 3, "bad JSON"),
    "number": ("[1, 2]\n", 0, "chain '0' is no list"),
    "a level too few": ('[["d", 1, 1.5]]\n', 0, "1.5 is no mention"),
    "pair": ('{"a": [[1, 2]]}\n', 0, "chain 'a', mention 1: [1, 2] is no mention"),
    "chain twice": ('{"a": ["x"], "a": ["y"]}\n', 1, "'a' stands twice"),
    "chain again": ('{"a": [{"mention": "x", "label": "E"}]}\n', 0, "'label' is a chain as well"),
    "span": ('{"a": [["d", 2, 1]]}\n', 0, "mention 1: end 1 is before start 2"),
    "both": ('[{"chain": 1, "coref_chain": 2, "doc": "d", "tokens": [1]}]', 0, "both mean"),
}
OTHER: dict[str, Case] = {
    "empty": (b"", None, "empty"),
    "blank": (b" \n\t\r\n", None, "empty"),
    "binary": (b"\x7fELF\x02\0\0", 1, "binary"),
    "gzip": (b"\x1f\x8b\x08\0", None, "gzip"),
    "UTF-16": ("doc,chain".encode("utf-16"), None, "UTF-16"),
    "Latin-1": (f"{BEGIN}caf".encode() + b"\xe9\t(1)\n", 2, "byte 25 of the file is 0xe9"),
    "prose": (b"The quick brown fox.\nIt jumps.\n", None, "the first line is 'The quick brown"),
    "comments": (b"# nothing\n# here\n", None, "the first line is '# nothing'"),
    "no begin": (b"d\t0\t0\ta\t(1)\n", None, "unclear format"),
    "a number": (b"42\n", None, "unclear format"),
}
CASES = {
    f"{kind}: {name}": case
    for kind, cases in {
        "conll": CONLL, "jsonl": JSONL, "table": TABLE, "clusters": CLUSTERS, "other": OTHER,
    }.items()
    for name, case in cases.items()
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_message_names_file_and_line(case: str) -> None:
    content, line, message = CASES[case]
    with pytest.raises(FormatError) as caught:
        parse(content, "in.file")
    text = str(caught.value)
    assert text.startswith(f"in.file:{line}: " if line else "in.file: ")
    assert message in text
    assert "\n" not in text
    assert text.endswith(")"), "the hint is missing"


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nothing\.conll: cannot be read"):
        read(tmp_path / "nothing.conll")
    with pytest.raises(FormatError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        read("a\0b")


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'conll'"):
        read(__file__, "conl")
    with pytest.raises(UnknownNameError):
        write(parse('[["a"]]'), tmp_path / "x", "xml")


def test_a_named_format_is_kept_to() -> None:
    with pytest.raises(FormatError, match="bad JSON"):
        parse(f"{BEGIN}d (1)\n{END}", format_="jsonl")


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 1, ()), (1, 2, ())], "overlap crosswise"),
        ([(0, 2, (0, 2)), (0, 2, ())], "share the ends"),
        ([(0, 9, ())], "ends at token 9 of 3"),
        ([(-1, -1, ())], "has an id but no tokens"),
    ],
)
def test_what_brackets_cannot_tell(
    spans: list[tuple[int, int, TokenNumbers]], message: str
) -> None:
    start, end, tokens = zip(*spans, strict=True)
    size = len(spans)
    table = mention_table(["d"] * size, start, end, ["c"] * size, tokens=tokens)
    made = Annotation("made", "made", table, {"d": ("a", "b", "c")})
    with pytest.raises(FormatError, match=message):
        written(made, "conll")


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_a_table_cannot_hold_a_nul(format_: str) -> None:
    made = parse('[{"doc": "d", "tokens": [1], "chain": "a\\u0000b"}]')
    with pytest.raises(FormatError, match="NUL"):
        written(made, format_)


def test_half_a_surrogate_pair_is_not_read() -> None:
    with pytest.raises(FormatError, match="half of a surrogate pair"):
        parse('[{"doc": "d", "tokens": [1], "chain": "\\ud800"}]')
    whole = parse('[{"doc": "d", "tokens": [1], "chain": "\\ud83d\\ude00"}]')
    assert list(whole.mentions["chain"]) == ["😀"]


@pytest.mark.parametrize("format_", FORMATS)
def test_half_a_surrogate_pair_is_no_text(format_: str, tmp_path: Path) -> None:
    made = Annotation("made", "made", mention_table(["d"], [1], [1], ["\ud800"]), {"d": None})
    with pytest.raises(FormatError, match="no Unicode"):
        write(made, tmp_path / "out", format_)
    assert not list(tmp_path.iterdir())
