"""The fast reader of regular tables gives what the csv module gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.errors import FormatError
from cdec.formats import table
from cdec.io.source import Source
from cdec.io.text_columns import Irregular

VALUES = ["d", " d", "0", "17", "007", "", " ", "x.y", "a chain with a long label", "Zürich", "-1"]
HEADERS = [["doc", "start", "end", "chain"], ["chain", "x", "mention"], ["doc", "chain"]]


def outcome(source: Source, separator: str, rows: type) -> object:
    try:
        read = table.annotation(source, rows(source, separator), separator, "csv")
    except FormatError as error:
        return error.code, str(error)
    return read.mentions.to_dict("list"), read.documents


@st.composite
def texts(draw: st.DrawFn, separator: str) -> str:
    header = draw(st.sampled_from(HEADERS))
    row = st.lists(st.sampled_from(VALUES), min_size=len(header), max_size=len(header))
    rows = draw(st.lists(row | st.just([]), max_size=6))
    text = "".join(separator.join(row) + "\n" for row in [header, *rows])
    return draw(st.sampled_from([text, text.replace("\n", "\r\n"), text.removesuffix("\n")]))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(data=st.data())
def test_same_as_the_csv_module(separator: str, data: st.DataObject) -> None:
    source = Source("mine.csv", data.draw(texts(separator)))
    try:
        fast = outcome(source, separator, table.Grid)
    except Irregular:
        return
    assert fast == outcome(source, separator, table.Lines)


@pytest.mark.parametrize("text", ['a,"b"\n', "a,b\nc\n", "a,b\nc,d,e\nf\n", "a\n", "a,b\n\f,c\n"])
def test_an_irregular_table_is_left_to_the_csv_module(text: str) -> None:
    with pytest.raises(Irregular):
        table.Grid(Source("mine.csv", text), ",")
