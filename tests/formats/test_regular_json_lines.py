"""The fast reader of regular JSON Lines gives what the JSON parser gives."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.errors import FormatError
from cdec.formats import jsonl
from cdec.formats.json_lines import read_regular
from cdec.io.source import Source
from cdec.io.text_columns import Irregular

VALUES = st.sampled_from([0, 3, 17, None, True, "7", "Zürich", "", " ", "a, b: c", [3, 4], [], 2.5])
RECORD = st.fixed_dictionaries(
    {"chain": VALUES},
    optional=dict.fromkeys(("doc", "start", "end", "tokens", "mention", "x"), VALUES),
)


def outcome(source: Source, general: bool) -> object:
    try:
        read = jsonl._general(source) if general else jsonl._regular(source)
    except FormatError as error:
        return error.code, str(error)
    return read.mentions.to_dict("list"), read.documents


@given(st.lists(RECORD, min_size=1, max_size=5), st.sampled_from([None, (",", ":")]))
def test_same_as_the_json_parser(records: list[object], separators: tuple[str, str]) -> None:
    lines = (json.dumps(r, ensure_ascii=False, separators=separators) for r in records)
    source = Source("mine.jsonl", "\n".join(lines))
    try:
        fast = outcome(source, general=False)
    except Irregular:
        return
    assert fast == outcome(source, general=True)


def test_lines_with_gaps_are_regular() -> None:
    text = (
        '{"doc": "a", "start": 1, "end": 2, "chain": "x"}\n\n{"chain":7,"doc":"b","tokens":[1,3]}\n'
    )
    columns, numbers = read_regular(Source("mine.jsonl", text))
    assert numbers.tolist() == [1, 3]
    assert columns["tokens"].tolist() == [None, [1, 3]]
    assert columns["chain"].tolist() == ["x", 7]


@pytest.mark.parametrize(
    "line",
    [
        '{"a": "b" "c": 1}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "b",}', '{"a"}', '["a", "b"]',
        '{"a": {"b": 1}}', '{"a": 1} {"b": 2}', '{"a": "\\u0041"}', '{"a": "b\tc"}', '{"a": 01}',
        "{}", '{"a": "b"', '"a": "b"}', '{"a": "b": 1}', '{"a", "b"}', '{"a": 1, 2}',
        '{"a": [1, 2}',
    ],
)  # fmt: skip
def test_another_line_is_left_to_the_json_parser(line: str) -> None:
    with pytest.raises(Irregular):
        read_regular(Source("mine.jsonl", line + "\n"))
