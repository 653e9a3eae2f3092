"""One annotation in two formats, with mixed line ends and surplus fields: the same mentions."""

import json
import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cdec.formats import Annotation
from cdec.labels import is_no_chain
from cdec.matching import match_files
from cdec.metrics.scores import score
from cdec.settings.setting import Setting, build
from tests.formats.made import EXACT, annotations, parse, rows, written

ENDS = ["\n", "\r\n", "\r\r\n"]
RECORD = re.compile(r'(?:"(?:[^"]|"")*+"|[^"\n])*+\n')  # a quoted field may have line ends
LINE = re.compile(r"[^\n]*\n")
TABLES = {"csv": ",", "tsv": "\t"}
# CoNLL-U and CRAC's formats are nothing without words.
WORDLESS = [name for name in EXACT if name != "conllu"]


def lines_of(text: str, format_: str) -> list[str]:
    """Return the lines of a file, or the records of a table, without line ends."""
    lines: list[str] = (RECORD if format_ in TABLES else LINE).findall(text)
    return [line[:-1] for line in lines]


def with_surplus(line: str, number: int, format_: str) -> str:
    """Return a line with a field that the reader does not know."""
    if format_ in TABLES:
        return f"{line}{TABLES[format_]}{'(1)' if number else 'remark'}"
    if format_ == "jsonl":
        return json.dumps({**json.loads(line), "remark": [number]})
    if format_ == "conll":
        return re.sub(r"\t(?=[^\t]*\Z)", "\tx\t", line)
    return line.replace('{"clusters"', '{"remark": [[1]], "clusters"') if not number else line


@pytest.mark.parametrize(("one", "two"), list(pairwise([*WORDLESS, WORDLESS[0]])))
@given(made=annotations(texts=False), chance=st.randoms(use_true_random=False), data=st.data())
def test_two_formats_of_one_annotation(
    one: str, two: str, made: Annotation, chance: Random, data: st.DataObject
) -> None:
    assume(len(made))
    assume(not any(map(is_no_chain, made.mentions["chain"])))
    assume(not any("\0" in text for row in rows(made) for text in (row[0], row[-1])))
    read = []
    for format_ in (one, two):
        lines = lines_of(written(made, format_), format_)
        if data.draw(st.booleans()):
            lines = [with_surplus(line, number, format_) for number, line in enumerate(lines)]
        ends = ENDS if format_ == "conll" else [*ENDS, "\r"]
        text = "".join(f"{line}{chance.choice(ends)}" for line in lines)
        read.append(parse(text))
        assert (read[-1].format, read[-1].notices) == (format_, ())
    assert rows(read[0]) == rows(read[1])
    matched = match_files(read[0], read[1])
    setting = Setting("none", "none", "corpus")
    metas = build(setting, matched.mentions, matched.key, matched.response)
    assert score(metas, ["b3"])["b3"].f1 == 1


@given(made=annotations(), number=st.integers(0), field=st.sampled_from(["x", "(1)", "-", "1)"]))
def test_a_surplus_field_in_one_line_is_reported(made: Annotation, number: int, field: str) -> None:
    lines = lines_of(written(made, "conll"), "conll")
    tokens = [k for k, line in enumerate(lines) if not line.startswith("#")]
    assume(len(tokens) > 2)
    at = tokens[number % len(tokens)]
    lines[at] = re.sub(r"\t(?=[^\t]*\Z)", lambda _: f"\t{field}\t", lines[at])
    read = parse("".join(f"{line}\n" for line in lines))
    assert [(n.code, n.count, n.examples) for n in read.notices] == [
        ("surplus-fields", 1, (f"file:{at + 1}",))
    ]
    assert rows(read) == rows(made)
