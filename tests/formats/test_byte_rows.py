"""The fast reader of regular CoNLL files gives what the general reader gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.errors import FormatError
from cdec.formats import Annotation
from cdec.formats.conll import reader
from cdec.formats.conll.byte_rows import ByteRows
from cdec.formats.conll.text_rows import TextRows
from cdec.io.source import Source
from cdec.io.text_columns import Irregular

WORDS = ["fire", "a-rather-long-token", "&#40;", "Zürich", "-", "1", "d"]
CELLS = ["-", "_", "(1)", "(1", "1)", "(1|(2", "(2)|1)", "(12345678901234567890)", "(1+2)"]


def row(cell: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    fields = st.tuples(
        st.sampled_from(["d", "e"]), st.sampled_from("01"), st.sampled_from(WORDS), cell
    )
    return fields.map("\t".join)


@st.composite
def files(draw: st.DrawFn) -> str:
    rows = row(st.sampled_from(CELLS)) | st.just("")
    blocks = draw(st.lists(st.lists(rows, max_size=6), min_size=1, max_size=3))
    text = "".join(
        f"#begin document (b{k})\n" + "".join(f"{line}\n" for line in lines) + "#end document\n"
        for k, lines in enumerate(blocks)
    )
    text = draw(st.sampled_from([text, text.replace("\t", " ")]))
    return draw(st.sampled_from([text, text.replace("\n", "\r\n"), text.removesuffix("\n")]))


def content(annotation: Annotation) -> object:
    layouts = {
        name: [at.block, at.offset, *(x if x is None else x.tolist() for x in (
            at.lines, at.sentences, at.numbers))]
        for name, at in annotation.layout.items()
    }  # fmt: skip
    table = annotation.mentions.to_dict("list")
    return table, annotation.documents, layouts, annotation.notices


@given(files())
def test_same_as_the_general_reader(text: str) -> None:
    source = Source("mine.conll", text)
    try:
        fast = content(reader.annotation(source, ByteRows.of(source)))
    except Irregular:
        return
    assert fast == content(reader.annotation(source, TextRows.of(source)))


@pytest.mark.parametrize(
    "text",
    [
        "#begin document (a)\nd\t0\tx\t(1|(1\nd\t0\ty\t1)|(2\nd\t1\tz\t2)|1)\n#end document\n",
        "#begin document (a)\r\nd 0 x (1)\r\n\r\nd 1 y -\r\n#end document\r\n",
        "# a comment\n#begin document (a)\nx\t(1)\n#c\t(1)\n#end document\n",
    ],
)
def test_regular_files_are_read_as_arrays(text: str) -> None:
    source = Source("mine.conll", text)
    fast = content(reader.annotation(source, ByteRows.of(source)))
    assert fast == content(reader.annotation(source, TextRows.of(source)))


@pytest.mark.parametrize("row", ["d\t0\tx\t(1", "d\t0\tx\t1)", "d\t0\tx\t((1)", "d\tx\t(1) -", "d"])
def test_an_invalid_row_is_left_to_the_general_reader(row: str) -> None:
    source = Source("mine.conll", f"#begin document (a)\nd\t0\ty\t-\n{row}\n#end document\n")
    with pytest.raises(Irregular):
        reader.annotation(source, ByteRows.of(source))


def test_the_error_of_a_structure_is_that_of_both_readers() -> None:
    source = Source("mine.conll", "d\t0\tx\t(1)\n")
    with pytest.raises(FormatError, match=r"mine\.conll:1"):
        ByteRows.of(source)
