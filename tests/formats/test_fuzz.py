"""No input crashes or hangs: an Annotation or a CdecError comes out of reader and matching."""

from collections.abc import Callable
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.errors import CdecError
from cdec.formats import FORMATS, Annotation, match_corpus, match_files
from tests.formats import test_conll, test_errors
from tests.formats.made import ODD, annotations, corpus, parse, written

VALID = [
    test_conll.TC,
    '{"doc": "1_1ecb", "start": 1, "end": 4, "chain": 1}\n{"mention": "1_1ecb/13", "chain": "1"}\n',
    "doc,start,end,tokens,chain\n1_1ecb,1,4,1 4,1\n1_2ecb,1,1,,2\n",
    "mention\tchain\n1_1ecb/11\t1\n2_1ecb/11\t1\n",
    '{"1": [["1_1ecb", 1, 4], "1_2ecb/11"], "2": [{"doc": "2_1ecb", "tokens": [8]}]}',
    *(content for content, _, _ in test_errors.CASES.values() if isinstance(content, str)),
]
PIECES = st.sampled_from(
    [
        "#begin document (d); part 000\n",
        "#end document\n",
        "d\t0\t0\ta\t(1)\n",
        "(1)|1)",
        "(1",
        "\n",
        '{"chain": 1, ',
        '"doc": "d"',
        '"start": 0',
        '"tokens": [1]',
        "}\n",
        "[",
        "]",
        "NaN",
        "1e999",
        "doc,start,end,chain\n",
        "d,0,1,x\n",
        '"',
        "\r\n",
        "\ufeff",
        "1_1ecb",
        "-9",
        "9" * 5000,
    ]
)
CORPUS = corpus()


def survives(data: bytes) -> None:
    for format_ in (None, *FORMATS):
        with suppress(CdecError):
            read = parse(data, format_=format_)
            assert isinstance(read, Annotation)
            assert len(read) == 0 or set(read.mentions["doc"]) <= set(read.documents)
            matches(read)


def matches(read: Annotation) -> None:
    works: list[Callable[[], object]] = [
        lambda: match_files(read, read, allow_empty=True),
        lambda: match_corpus(read, CORPUS, repeated="drop", allow_empty=True),
        *(lambda f=f: written(read, f) for f in FORMATS),
    ]
    for work in works:
        with suppress(CdecError):
            work()


@given(st.binary(max_size=200))
def test_bytes(data: bytes) -> None:
    survives(data)


@given(st.lists(PIECES | st.text(ODD, max_size=4), max_size=12))
@settings(max_examples=300)
def test_pieces_of_formats(pieces: list[str]) -> None:
    survives("".join(pieces).encode())


@given(st.data())
@settings(max_examples=300)
def test_mutations_of_files(data: st.DataObject) -> None:
    text = bytearray(data.draw(st.sampled_from(VALID))[:2000].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        size = data.draw(st.integers(0, 6))
        text[at : at + size] = data.draw(st.binary(max_size=4) | PIECES.map(str.encode))
    survives(bytes(text))


@given(made=annotations(gaps=True, brackets=False))
def test_any_annotation_is_written_or_refused(made: Annotation) -> None:
    matches(made)
