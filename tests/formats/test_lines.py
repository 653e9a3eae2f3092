"""Line ends, and rows with too many fields: no token line is lost without a message."""

import pytest

from tests.formats.made import parse, rows

BEGIN, END = "#begin document (d);\n", "#end document\n"
TEXTS = {
    "conll": f"{BEGIN}d\t0\t0\ta\t(1)\nd\t0\t1\tb\t(1)\n\nd\t1\t2\tc\t(2)\n{END}",
    "jsonl": '{"doc": "d", "start": 0, "end": 0, "chain": "1"}\n'
    '{"doc": "d", "start": 1, "end": 1, "chain": "1"}\n'
    '{"doc": "d", "start": 2, "end": 2, "chain": "2"}\n',
    "csv": "doc,start,end,chain\nd,0,0,1\nd,1,1,1\nd,2,2,2\n",
    "tsv": "doc\tstart\tend\tchain\nd\t0\t0\t1\nd\t1\t1\t1\nd\t2\t2\t2\n",
    "json": '{"1": [["d", 0, 0],\n["d", 1, 1]],\n"2": [["d", 2, 2]]}\n',
}


@pytest.mark.parametrize("format_", TEXTS)
@pytest.mark.parametrize("ends", [("\r\n", "\n"), ("\n", "\r\r\n"), ("\r", "\r"), ("\n", "\r\n")])
def test_any_line_ends(format_: str, ends: tuple[str, str]) -> None:
    lines = TEXTS[format_].splitlines()
    mixed = "".join(line + ends[n % 2] for n, line in enumerate(lines))
    read = parse(mixed)
    assert (read.format, rows(read)) == (format_, rows(parse(TEXTS[format_])))
    assert not read.notices


@pytest.mark.parametrize("format_", sorted(set(TEXTS) - {"conll"}))
def test_carriage_returns_end_lines_of_records(format_: str) -> None:
    mixed = TEXTS[format_].replace("\n", "\r", 2)
    assert rows(parse(mixed)) == rows(parse(TEXTS[format_]))


@pytest.mark.parametrize("sign", "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
@pytest.mark.parametrize("format_", ["jsonl", "csv", "tsv", "json"])
def test_other_line_breaks_are_part_of_a_label(format_: str, sign: str) -> None:
    label = f"a{sign}b"
    quoted = label if format_ in {"csv", "tsv"} else f'"{label}"'
    text = {
        "jsonl": f'{{"mention": "d/1", "chain": {quoted}}}\n{{"mention": "d/2", "chain": 1}}\n',
        "csv": f"mention,chain\nd/1,{quoted}\nd/2,1\n",
        "tsv": f"mention\tchain\nd/1\t{quoted}\nd/2\t1\n",
        "json": f'{{{quoted}: ["d/1"], "1": ["d/2"]}}',
    }[format_]
    if sign < " " and format_ in {"jsonl", "json"}:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    assert parse(text).mentions["chain"].tolist() == [label, "1"]


@pytest.mark.parametrize("blank", ["\f", "\v", " \f ", "\r"])
def test_a_blank_line_or_line_end_may_have_them(blank: str) -> None:
    text = TEXTS["conll"].replace("\n\n", f"\n{blank}\n")
    assert rows(parse(text)) == rows(parse(TEXTS["conll"]))
    text = TEXTS["conll"].replace("(1)\n", f"(1){blank}\n")
    assert rows(parse(text)) == rows(parse(TEXTS["conll"]))


def surplus(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {n.code: (n.count, n.examples) for n in parse(text).notices}


@pytest.mark.parametrize(("separator", "lost"), ["\t\t", "  ", " \u2028", "\t\u2028", " \x1e"])
def test_two_tokens_on_one_line(separator: str, lost: str) -> None:
    sentence = "d 0 0 a (1)\nd 0 1 b (1)\nd 0 2 c (2)\n".replace(" ", separator)
    assert surplus(f"{BEGIN}{sentence}\n{sentence}{END}") == {}
    text = f"{BEGIN}{sentence}\n{sentence.replace(chr(10), lost, 1)}{END}"
    assert len(parse(text)) == 5
    assert surplus(text) == {"surplus-fields": (1, ("file:6",))}


def test_a_sentence_of_one_line() -> None:
    one, two = "d\t0\t0\ta\t(1)\n", "d\t0\t0\ta\t(1)\td\t0\t1\tb\t(1)\n"
    assert surplus(f"{BEGIN}{one}{one}\n{two}{END}") == {"surplus-fields": (1, ("file:5",))}
    assert surplus(f"{BEGIN}{one}\n{one}\n{two}{END}") == {"surplus-fields": (1, ("file:6",))}
    assert surplus(f"{BEGIN}{two}\n{two}\n{two}{END}") == {}


def test_tokens_with_separators() -> None:
    text = f"{BEGIN}d\t0\t0\tAwards\t\t(1)\nd\t0\t1\tb\t(1)\nd\t0\t2\tc\t-\n{END}"
    assert len(parse(text)) == 2
    assert surplus(text) == {"surplus-fields": (1, ("file:2",))}


def test_sentences_may_differ_in_columns() -> None:
    three, two = "d 0 0 a * - (1)\nd 0 1 b * - -\n", "d 0 0 a - (1)\nd 0 1 b - -\n"
    assert surplus(f"{BEGIN}{three}\nd 0 0 a - (1)\n\n{two}{END}") == {}


def test_fewer_fields_and_trailing_blanks_are_no_surplus() -> None:
    assert surplus(f"{BEGIN}d\t0\t0\ta\t(1)\t\nd\t0\t1\t-\nd\t0\t2\tc\t-\t\t\n{END}") == {}
