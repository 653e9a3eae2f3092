"""Each invalid file gives an error with a code, the file, the line and a hint."""

from pathlib import Path
from typing import TypeAlias

import pandas as pd
import pytest

from cdec.formats import Annotation, from_frame, mention_table, read, write
from cdec.formats.annotation import TokenNumbers
from tests.formats.made import parse, written
from tests.refusals import refused

BEGIN, END = "#begin document (d);\n", "#end document\n"
Case: TypeAlias = tuple[str | bytes, int | None, str]

CONLL: dict[str, Case] = {
    "open": (f"{BEGIN}d\t0\t0\ta\t(1\nd\t0\t1\tb\t-\n{END}", 2, "brackets-invalid"),
    "open at the end of the file": (f"{BEGIN}d\t0\t0\ta\t(1\n", 2, "brackets-invalid"),
    "open across documents": (
        f"{BEGIN}a (1\n{END}#begin document (e);\na 1)\n{END}",
        2,
        "brackets-invalid",
    ),
    "closed twice": (f"{BEGIN}d\t0\t0\ta\t(1)|1)\n{END}", 2, "brackets-invalid"),
    "closed before it opens": (
        f"{BEGIN}d\t0\t0\ta\t1)\nd\t0\t1\tb\t(1\n{END}",
        2,
        "brackets-invalid",
    ),
    "label missing": (f"{BEGIN}d\t0\t0\ta\t()\n{END}", 2, "brackets-invalid"),
    "no brackets": (f"{BEGIN}d\t0\t0\ta\t12\n{END}", 2, "brackets-invalid"),
    "last column missing": (f"{BEGIN}d 0 0 a -\nd 0 1 b\n{END}", 3, "brackets-invalid"),
    "comment inside": (f"{BEGIN}# x = 1\nd 0 0 a -\n{END}", 2, "brackets-invalid"),
    "outside": (f"{BEGIN}d (1)\n{END}\nd (1)\n", 5, "conll-structure"),
    "end missing": (f"{BEGIN}d (1)\n#begin document (e);\nd (1)\n", 3, "conll-structure"),
    "duplicate": (f"{BEGIN}d (1)\n{END}{BEGIN}d (1)\n{END}", 4, "conll-structure"),
    "name missing": (
        f"#begin document\nd (1)\n{END}#begin document\nd (1)\n{END}",
        4,
        "conll-structure",
    ),
    "carriage return": (f"{BEGIN}d\ta\t(1)\rd\tb\t(1)\n{END}", 2, "conll-structure"),
    "carriage return in a token": (f"{BEGIN}d\ta\r\t(1)\n{END}", 2, "conll-structure"),
    "carriage return after the name": (
        f"\r\n{BEGIN.strip()}\rd\ta\t(1)\r\n{END}",
        2,
        "conll-structure",
    ),
    "vertical tab": (f"{BEGIN}d\ta\t(1)\n\nd\ta\t(1)\vd\tb\t-\n{END}", 4, "conll-structure"),
    "form feed": (f"{BEGIN}a (1)\ra (1)\fb (1)\r{END}".replace("\n", "\r"), 3, "conll-structure"),
}
JSONL: dict[str, Case] = {
    "invalid JSON": (
        '{"doc": "d", "start": 1, "end": 1, "chain": 1}\n{"doc":\n',
        2,
        "json-invalid",
    ),
    "NaN": ('{"doc": "d", "start": NaN, "end": 1, "chain": 1}\n{}\n', 1, "json-invalid"),
    "not an object": ('{"mention": "d/1", "chain": 1}\n[1]\n', 2, "format-undetected"),
    "duplicate key": ('{"mention": "a", "chain": 1, "chain": 2}\n{}', 1, "json-invalid"),
    "chain missing": ('{"mention": "a", "chain": 1}\n{"mention": "b"}\n', 2, "field-invalid"),
    "null": ('{"mention": "a", "chain": 1}\n{"mention": "b", "chain": null}\n', 2, "field-invalid"),
    "position missing": (
        '{"mention": "a", "chain": 1}\n{"doc": "d", "chain": 1}\n',
        2,
        "field-invalid",
    ),
    "document missing": ('{"start": 1, "end": 1, "chain": 1}\n', 1, "field-invalid"),
    "end missing": ('{"doc": "d", "start": 1, "chain": 1}\n', 1, "field-invalid"),
    "string": ('{"doc": "d", "start": "1", "end": 1, "chain": 1}\n', 1, "field-invalid"),
    "float": ('{"doc": "d", "start": 1.0, "end": 1, "chain": 1}\n', 1, "field-invalid"),
    "bool": ('{"doc": "d", "start": true, "end": 1, "chain": 1}\n', 1, "field-invalid"),
    "negative": ('{"doc": "d", "start": -1, "end": 1, "chain": 1}\n', 1, "tokens-invalid"),
    "huge": ('{"doc": "d", "start": 1, "end": 1e3, "chain": 1}\n', 1, "field-invalid"),
    "too large": (
        '{"doc": "d", "start": 1, "end": 99999999999, "chain": 1}\n',
        1,
        "tokens-invalid",
    ),
    "end before start": ('{"doc": "d", "start": 3, "end": 1, "chain": 1}\n', 1, "tokens-invalid"),
    "words": ('{"doc": "d", "tokens": ["to", "go"], "chain": 1}\n', 1, "field-invalid"),
    "empty token list": ('{"doc": "d", "tokens": [], "chain": 1}\n', 1, "field-invalid"),
    "duplicate": ('{"doc": "d", "tokens": [1, 1], "chain": 1}\n', 1, "tokens-invalid"),
    "contradictory positions": (
        '{"doc": "d", "tokens": [1], "start": 1, "end": 2, "chain": 1}',
        1,
        "tokens-invalid",
    ),
    "blank": ('{"doc": " ", "start": 1, "end": 1, "chain": 1}\n', 1, "field-invalid"),
    "list": ('{"doc": "d", "start": 1, "end": 1, "chain": [1]}\n', 1, "field-invalid"),
    "deep": ('{"chain": 1, "doc": ' + "[" * 100_000 + "\n{}", 1, "json-invalid"),
}
TABLE: dict[str, Case] = {
    "header without tokens": ("doc,chain\nd,1\n", 1, "field-invalid"),
    "not an integer": ("doc,start,end,chain\nd,1,1,1\nd,x,2,1\n", 3, "field-invalid"),
    "float": ("doc,start,end,chain\nd,1.0,1,1\n", 2, "field-invalid"),
    "empty": ("doc,start,end,chain\nd,,,1\n", 2, "field-invalid"),
    "chain missing": ("doc,start,end,chain\nd,1,1,\n", 2, "field-invalid"),
    "short": ("doc,start,end,chain\nd,1,1\n", 2, "table-invalid"),
    "quotes": ('doc,start,end,chain\nd,1,1,"a"b\n', 2, "table-invalid"),
    "tokens": ("doc,tokens,chain\nd,3-5,1\n", 2, "field-invalid"),
    "ambiguous": ("doc,doc_id,start,end,chain\nd,e,1,1,1\n", 1, "field-invalid"),
}
CLUSTERS: dict[str, Case] = {
    "syntax": ('{"a": [\n["d", 1, 1],\n]}\n', 3, "json-invalid"),
    "number": ("[1, 2]\n", 0, "format-undetected"),
    "a level too few": ('[["d", 1, 1.5]]\n', 0, "format-undetected"),
    "pair": ('{"a": [[1, 2]]}\n', 0, "format-undetected"),
    "duplicate chain": ('{"a": ["x"], "a": ["y"]}\n', 1, "json-invalid"),
    "second chain field": ('{"a": [{"mention": "x", "label": "E"}]}\n', 0, "field-invalid"),
    "span": ('{"a": [["d", 2, 1]]}\n', 0, "tokens-invalid"),
    "both": ('[{"chain": 1, "coref_chain": 2, "doc": "d", "tokens": [1]}]', 0, "field-invalid"),
}
OTHER: dict[str, Case] = {
    "empty": (b"", None, "file-empty"),
    "blank": (b" \n\t\r\n", None, "file-empty"),
    "binary": (b"\x7fELF\x02\0\0", 1, "file-encoding"),
    "gzip": (b"\x1f\x8b\x08\0", None, "file-compressed"),
    "UTF-16": ("doc,chain".encode("utf-16"), None, "file-encoding"),
    "Latin-1": (f"{BEGIN}caf".encode() + b"\xe9\t(1)\n", 2, "file-encoding"),
    "prose": (b"The quick brown fox.\nIt jumps.\n", None, "format-undetected"),
    "comments": (b"# nothing\n# here\n", None, "format-undetected"),
    "begin missing": (b"d\t0\t0\ta\t(1)\n", None, "format-undetected"),
    "number": (b"42\n", None, "format-undetected"),
    "pairs": (b"a,b\n1_1ecb.xml_1,1_2ecb.xml_1\n", None, "format-undetected"),
    "scored pairs": (b"a\tb\tscore\nx/1\tx/2\t0.5\n", None, "format-undetected"),
    "labelled pairs": (b"mention_1;mention_2;label\nx/1;x/2;1\n", None, "format-undetected"),
    "JSON pairs": (
        b'{"a": "x/1", "b": "x/2"}\n{"a": "x/1", "b": "x/3"}\n',
        None,
        "format-undetected",
    ),
}
NOT_PAIRS = {
    "names of mentions": '{"a": 1, "b": 1}',
    "further columns": "mention,chain,a,b\nd/1,x,1,2\n",
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
    content, line, code = CASES[case]
    with refused(code) as caught:
        parse(content, "in.file")
    assert caught.value.place == (f"in.file:{line}" if line else "in.file")
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_messages_name_the_value() -> None:
    for case, value in {
        "conll: open": "(1",
        "jsonl: list": "[1]",
        "jsonl: end before start": "3",
        "table: ambiguous": "doc_id",
        "clusters: pair": "mention 1: [1, 2]",
        "other: Latin-1": "0xe9",
        "other: prose": "The quick brown",
    }.items():
        content, _, code = CASES[case]
        with refused(code, value):
            parse(content, "in.file")


def test_no_such_file(tmp_path: Path) -> None:
    with refused("file-unreadable", place="nothing.conll"):
        read(tmp_path / "nothing.conll")
    with refused("file-unreadable", place=tmp_path):
        read(tmp_path)
    with refused("file-unreadable"):
        read("a\0b")


def test_unknown_format(tmp_path: Path) -> None:
    with refused("name-unknown", "unknown format", "'conll'"):
        read(__file__, "conl")
    with refused("name-unknown", "unknown format"):
        write(parse('[["a"]]'), tmp_path / "x", "xml")


def test_a_named_format_is_not_detected_again() -> None:
    with refused("json-invalid"):
        parse(f"{BEGIN}d (1)\n{END}", format_="jsonl")


@pytest.mark.parametrize(
    ("spans", "code"),
    [
        ([(0, 1, ()), (1, 2, ())], "format-unsuitable"),
        ([(0, 2, (0, 2)), (0, 2, ())], "format-unsuitable"),
        ([(0, 9, ())], "tokens-invalid"),
        ([(-1, -1, ())], "format-unsuitable"),
    ],
)
def test_brackets_cannot_express_every_annotation(
    spans: list[tuple[int, int, TokenNumbers]], code: str
) -> None:
    start, end, tokens = zip(*spans, strict=True)
    size = len(spans)
    table = mention_table(["d"] * size, start, end, ["c"] * size, tokens=tokens)
    made = Annotation("made", "made", table, {"d": ("a", "b", "c")})
    with refused(code, place="made"):
        written(made, "conll")


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_a_table_cannot_contain_nul(format_: str) -> None:
    made = parse('[{"doc": "d", "tokens": [1], "chain": "a\\u0000b"}]')
    with refused("format-unsuitable"):
        written(made, format_)


def test_an_unpaired_surrogate_is_not_read() -> None:
    with refused("json-invalid"):
        parse('[{"doc": "d", "tokens": [1], "chain": "\\ud800"}]')
    whole = parse('[{"doc": "d", "tokens": [1], "chain": "\\ud83d\\ude00"}]')
    assert list(whole.mentions["chain"]) == ["😀"]


@pytest.mark.parametrize("format_", ["conll", "jsonl", "csv", "tsv", "json"])  # others need words
def test_an_unpaired_surrogate_is_not_written(format_: str, tmp_path: Path) -> None:
    made = Annotation("made", "made", mention_table(["d"], [1], [1], ["\ud800"]), {"d": None})
    with refused("file-encoding"):
        write(made, tmp_path / "out", format_)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", NOT_PAIRS.values(), ids=NOT_PAIRS)
def test_a_response_with_the_names_of_a_pair(text: str) -> None:
    assert len(parse(text)) in (1, 2)


def test_pairs_in_a_frame() -> None:
    with refused("format-undetected", "'a' and 'b'"):
        from_frame(pd.DataFrame({"a": ["d/1"], "b": ["d/2"], "score": [0.5]}))
