"""The formats of keys and responses: what is read, written and refused, and at which line."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from unicodedata import category

import pandas as pd
import py7zr
import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

import cdec as package
from cdec import formats
from cdec.errors import CdecError
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import answer, conll, given, records, spans

WITHOUT_TEXT = ("jsonl", "csv", "tsv", "json")
GIVEN = cases("format_cases")
BEGIN, END = "#begin document (d);\n", "#end document\n"


class Read:
    """What a file says, in the terms of these tests."""

    def __init__(self, annotation: formats.Annotation) -> None:
        self.annotation = annotation
        self.format = annotation.format
        self.texts = dict(annotation.documents)
        self.notices = {notice.code: notice.examples for notice in annotation.notices}
        self.table = annotation.mentions

    def columns(self, *names: str) -> list[tuple[Any, ...]]:
        return list(self.table[list(names)].itertuples(index=False, name=None))

    @property
    def spans(self) -> Counter[tuple[Any, ...]]:
        """(document, first token, last token, tokens if there is a gap, chain)."""
        return Counter(self.columns("doc", "start", "end", "tokens", "chain"))

    @property
    def ids(self) -> Counter[tuple[Any, ...]]:
        """(document, id, chain)."""
        return Counter(self.columns("doc", "mention", "chain"))

    @property
    def lines(self) -> list[int]:
        return self.table["line"].tolist()

    def written(self, format_: str) -> str:
        stream = io.StringIO()
        formats.write(self.annotation, stream, format_)
        return stream.getvalue()


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats") / "file"


@pytest.fixture
def read(scratch: Path) -> Any:
    """Read a content."""

    def of(content: str | bytes, format_: str | None = None) -> Read:
        scratch.write_bytes(content.encode() if isinstance(content, str) else content)
        return Read(formats.read(scratch, format_))

    return of


def words(*rows: str) -> str:
    """A document of CoNLL in which these are the lines."""
    return BEGIN + "".join(f"{row}\n" for row in rows) + END


def flat(*mentions: tuple[int, int, str], doc: str = "d") -> Counter[tuple[Any, ...]]:
    """Mentions without a gap of one document."""
    return Counter((doc, start, end, (), chain) for start, end, chain in mentions)


# CoNLL.


@pytest.mark.parametrize("case", GIVEN["brackets"])
def test_brackets(read: Any, case: str) -> None:
    text, mentions = GIVEN["brackets"][case]
    for content in (text, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()):
        found = read(content)
        assert (found.format, found.spans, found.notices) == ("conll", flat(*mentions), {})


def test_chains_are_in_the_order_in_which_they_open_with_their_lines(read: Any) -> None:
    found = read(conll(("d", ["(7", "(3)", "(5)|7)", "(3)"])))
    assert list(dict.fromkeys(found.table["chain"])) == ["7", "3", "5"]
    assert sorted(found.lines) == [2, 3, 4, 5]


def test_parts_are_documents_and_columns_vary(read: Any) -> None:
    head = "bc/x/00/x_0000"
    found = read(
        f"#begin document ({head}); part 000\n"
        f"{head}   0   0   Mr.   NNP   (TOP(NP*   -   -   -   -   (PERSON*   (12|(3)\n"
        f"{head}   0   1   Lee   NNP   *)   -   -   -   -   *)   12)\n\n{END}"
        f"#begin document ({head}); part 001\n"
        f"{head}   1   0   He   PRP   (TOP*)   -   -   -   -   *   *   *   (12)\n{END}"
    )
    second = f"{head}; part 001"
    assert found.spans == flat((0, 1, "12"), (0, 0, "3"), doc=head) + flat((0, 0, "12"), doc=second)
    assert found.texts == {head: ("Mr.", "Lee"), second: ("He",)}
    assert read(found.written("conll")).spans == found.spans


@pytest.mark.parametrize("columns", GIVEN["columns"].values(), ids=GIVEN["columns"])
def test_one_block_over_many_documents(read: Any, columns: str) -> None:
    tokens = [
        ("x", 0, 0, "He", "(5)"), ("x", 0, 1, "left", "(1"), ("x", 1, 2, "home", "1)"),
        ("y", 0, 0, "She", "-"), ("y", 0, 1, "left", "(1)"),
    ]  # fmt: skip
    lines = [columns.format(doc=d, s=s, n=n, w=w, c=c) for d, s, n, w, c in tokens]
    found = read("\n".join(["#begin document all", *lines, "#end document"]))
    assert found.spans == flat((0, 0, "5"), (1, 2, "1"), doc="x") + flat((1, 1, "1"), doc="y")
    assert found.texts == {"x": ("He", "left", "home"), "y": ("She", "left")}


@pytest.mark.parametrize("case", GIVEN["irregular"])
def test_irregular_lines_are_noticed(read: Any, case: str) -> None:
    text, places = GIVEN["irregular"][case]
    (notice,) = read(text).notices.items()
    assert notice[0] == case.partition(" ")[0]
    if places:
        assert [place.rpartition(":")[2] for place in notice[1]] == places


@pytest.mark.parametrize("numbers", [[0, 1, 3, 7], [1, 2, 3, 4], [0, 1, 0, 1], [1, 2, 1, 2]])
def test_numbers_that_begin_again_are_regular(read: Any, numbers: list[int]) -> None:
    assert not read(words(*(f"d\t0\t{n}\tw\t-\t(1)" for n in numbers))).notices


def test_what_is_written_is_that_of_the_reference_scorer(read: Any) -> None:
    text = (
        "#begin document (d); part 000\nd\t0\t0\ta\t(1|(2\nd\t0\t1\tb\t-\n\nd\t1\t2\tc\t1)|2)\n"
        "#end document\n"
    )
    assert read(text).written("conll") == text


def test_a_file_that_ends_in_the_middle_of_a_line_may_be_truncated(read: Any) -> None:
    with pytest.raises(CdecError, match="truncated") as caught:
        read(f"{BEGIN}d\t0\t0\ta\t(1)\nd\t0\t1")
    assert str(caught.value.place).endswith("file:3")


# Line ends.

TEXTS = {
    "conll": words("d\t0\t0\ta\t(1)", "d\t0\t1\tb\t(1)", "", "d\t1\t2\tc\t(2)"),
    "jsonl": records(
        *({"doc": "d", "start": n, "end": n, "chain": c} for n, c in enumerate("112"))
    ),
    "csv": spans([("d", 0, 0, 1), ("d", 1, 1, 1), ("d", 2, 2, 2)]),
    "tsv": spans([("d", 0, 0, 1), ("d", 1, 1, 1), ("d", 2, 2, 2)]).replace(",", "\t"),
    "json": '{"1": [["d", 0, 0],\n["d", 1, 1]],\n"2": [["d", 2, 2]]}\n',
}
THREE = flat((0, 0, "1"), (1, 1, "1"), (2, 2, "2"))


@pytest.mark.parametrize("format_", TEXTS)
@pytest.mark.parametrize("ends", [("\r\n", "\n"), ("\n", "\r\r\n"), ("\r", "\r"), ("\n", "\r\n")])
def test_any_line_ends(read: Any, format_: str, ends: tuple[str, str]) -> None:
    lines = TEXTS[format_].splitlines()
    found = read("".join(line + ends[n % 2] for n, line in enumerate(lines)))
    assert (found.format, found.spans, found.notices) == (format_, THREE, {})


@pytest.mark.parametrize("blank", ["\f", "\v", " \f ", "\r"])
def test_blank_lines_of_conll_may_have_other_blanks(read: Any, blank: str) -> None:
    for old, new in (("\n\n", f"\n{blank}\n"), ("(1)\n", f"(1){blank}\n")):
        assert read(TEXTS["conll"].replace(old, new)).spans == THREE


# Records.


@pytest.mark.parametrize("form", GIVEN["records"])
def test_records(read: Any, form: str) -> None:
    found = read(GIVEN["records"][form])
    assert found.spans == Counter(
        [("a", 3, 4, (), "7"), ("b", 5, 8, (5, 6, 8), "7"), ("b", 9, 9, (), "8")]
    )
    assert set(found.texts) == {"a", "b"}


def test_a_table_without_a_header_is_refused_with_the_header_to_write(read: Any) -> None:
    with pytest.raises(CdecError, match="doc,start,end,chain"):
        read("d\t3\t4\ta\nd\t9\t9\tb\n")


@pytest.mark.parametrize("field", GIVEN["fields"])
def test_names_of_fields(read: Any, field: str) -> None:
    for name in GIVEN["fields"][field]:
        header = "doc,start,end,chain".replace(field, name)
        assert read(f"{header}\nd,1,2,c\n").spans == flat((1, 2, "c"))


@pytest.mark.parametrize("form", GIVEN["ids"])
def test_mentions_by_id(read: Any, form: str) -> None:
    found = read(GIVEN["ids"][form])
    assert found.ids == Counter([("x", "x/3", "a"), ("x", "x/4", "7"), ("y", "y/3", "a")])
    assert (found.table["start"] == -1).all()


def test_lines_of_records(read: Any) -> None:
    assert read('doc,start,end,chain,text\nd,1,1,a,"x\ny"\n\nd,2,2,a,z\n').lines == [2, 5]
    text = '\n{"mention": "d/1", "chain": 1}\n\n{"mention": "d/2", "chain": 1}'
    assert read(text).lines == [2, 4]


def test_a_chain_may_have_the_name_of_a_field(read: Any) -> None:
    text = '{"label": [["d", 1, 1]], "start": [["d", 2, 2]], "doc": [["d", 3, 3]]}\n'
    assert read(text).spans == flat((1, 1, "label"), (2, 2, "start"), (3, 3, "doc"))


def test_documents_with_clusters(read: Any) -> None:
    scorch = '{"name": "t", "type": "clusters", "clusters": {"0": ["0.0-1"], "1": [10, 962]}}'
    assert read(scorch).table["mention"].tolist() == ["0.0-1", "10", "962"]
    document = '{"doc_key": "nw/1", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}'
    assert {row[:3] for row in read(document).spans} == {("nw/1", 0, 0), ("nw/1", 1, 1)}


WEC = {
    "coref_chain": 7, "coref_link": "Fire", "doc_id": "House of Pain", "mention_id": 81,
    "mention_context": ["A", "fire"], "tokens_number": [1], "tokens_str": "fire",
}  # fmt: skip


def test_records_of_wec_and_ucdcr(read: Any) -> None:
    for more, chain in (({}, "7"), ({"predicted_coref_chain": "r"}, "r")):
        assert read(json.dumps([WEC | more])).ids == Counter([("House of Pain", "81", chain)])
    ucdcr = {
        "coref_chain": "c", "mention_id": "x_1", "doc": "12_10ecb", "doc_id": "10", "sent_id": 2,
        "tokens_number": [4, 3], "mention_context": ["a"], "conll_doc_key": "12/12ecb/10",
    }  # fmt: skip
    found = read(json.dumps([ucdcr]))
    assert found.columns("doc", "sentence", "start", "end") == [("12_10ecb", 2, 3, 4)]


# Written and read again.

ODD = "()|+&#;*_-\\/\"',.:[]{}09 \t\u2009\u00a0\u3000\ufeff\u2028½é"
TEXT = st.text(st.sampled_from(ODD) | st.characters(exclude_categories=["Cs"]), max_size=8)
HOSTILE = (
    "x; part 003", "x); part 001", "#begin document (x)", "#end document", "(1)", "12+3", "&#40;",
    "&#;", "-", "_", "*", "=1+1", "@x", "-1", "007", "1e5", "nan", "None", "\0", "a\rb", "a\n\nb",
    "\x1b[31m", "\ufeff", "\u202e", " x ", "x.xml", "../a", "C:\\a", '"', '""', "'", "a,b", "a;b",
    "a\tb", "{}", '[{"', "chain", "doc", "a|b", "\\n",
)  # fmt: skip
NAME = (TEXT | st.sampled_from(HOSTILE)).filter(str.strip)
NO_CHAIN = ("", "nan", "none", "null", "<na>")  # and -1, -1.0
LABEL = NAME.filter(lambda text: visible(text) not in NO_CHAIN and "-1" not in text)
TOKEN = TEXT | st.sampled_from(["#begin document (x)", "#end document", "-", "_", "(1)", "A\t"])


def visible(text: str) -> str:
    """The text without characters of no width, in lower case."""
    return "".join(sign for sign in text if category(sign) != "Cf").strip().casefold()


@st.composite
def corpora(draw: st.DrawFn) -> package.Corpus:
    """Corpora of odd names, labels and words; mentions may have gaps and cross."""
    texts, mentions = dict[str, Any](), []
    for doc in draw(st.lists(NAME, min_size=1, max_size=2, unique=True)):
        size = draw(st.integers(1, 6))
        texts[doc] = [draw(st.lists(TOKEN, min_size=size, max_size=size)), ["x"]]
        tokens = st.sets(st.integers(0, size), min_size=1, max_size=3).map(sorted)
        places = draw(st.lists(tokens, max_size=4, unique_by=tuple))
        mentions += [{"doc": doc, "tokens": at, "chain": draw(LABEL)} for at in places]
    mentions = mentions or [{"doc": doc, "tokens": [0], "chain": "c"}]
    return package.build_corpus(mentions, texts, name="odd", noise="label", key_labels="corpus")


@pytest.mark.parametrize("format_", ["conll", "documents", "conllu", *WITHOUT_TEXT])
@settings(max_examples=25)
@examples(made=corpora())
def test_what_is_written_is_read(scratch: Path, format_: str, made: package.Corpus) -> None:
    """Whatever a writer does not refuse is read again, in full but for what brackets cannot say."""
    whole = Read(formats.from_corpus(made, made.gold))
    try:
        scratch.write_text(whole.written(format_), "utf-8", newline="")
    except CdecError as error:
        assert error.code in {"format-unsuitable", "file-encoding"}
        return
    again = Read(formats.read(scratch, format_))
    assert formats.read(scratch).format == format_
    wanted = whole.spans
    if format_ in ("conll", "documents"):
        wanted = Counter((doc, start, end, (), chain) for doc, start, end, _, chain in wanted)
    assert again.spans == wanted
    if format_ in ("conll", "documents"):
        masked = {"-", "_", "*"} if format_ == "conll" else set()
        texts = {doc: text for doc, text in whole.texts.items() if not set(text or ()) <= masked}
        assert {doc: again.texts[doc] for doc in texts} == texts


@pytest.mark.parametrize("format_", WITHOUT_TEXT)
@pytest.mark.parametrize("case", GIVEN["kept"])
def test_ids_sentences_and_gaps_are_kept(read: Any, format_: str, case: str) -> None:
    columns = ("doc", "mention", "sentence", "start", "end", "tokens", "chain")
    once = read(GIVEN["kept"][case])
    again = read(once.written(format_))
    assert Counter(again.columns(*columns)) == Counter(once.columns(*columns))


@pytest.mark.parametrize("case", GIVEN["unsuitable"])
def test_what_a_format_cannot_say(read: Any, case: str) -> None:
    text, format_ = GIVEN["unsuitable"][case]
    with refused("format-unsuitable"):
        read(text).written(format_)


@pytest.mark.parametrize("ending", ["conll", "csv"])
def test_an_exported_key_scores_as_itself(cdec: Run, tmp_path: Path, ending: str) -> None:
    key, other = tmp_path / "key.conll", tmp_path / f"other.{ending}"
    for path in (key, other):
        assert cdec("corpus", "export", "--from", "sample", "-o", path).exit == 0
    found = answer(cdec, "score", key, other, "--scope", "corpus")
    assert (found.key, found.response, found.common) == (389, 389, 389)
    assert found.counts["muc"] == (158, 158, 158, 158)


# Errors.

CASES: dict[str, dict[str, tuple[str | bytes, int]]] = cases("format_errors")
CASES |= {
    "file-empty": {"empty": (b"", 0), "blank": (b" \n\t\r\n", 0)},
    "file-encoding": {
        "binary": (b"\x7fELF\x02\0\0", 1),
        "UTF-16": ("doc,chain".encode("utf-16"), 0),
        "Latin-1": (BEGIN.encode() + b"caf\xe9\t(1)\n", 2),
        "zip": (b"PK\x03\x04\x14\0\0\0", 0),
    },
}
LONG = "doc\tstart\tend\tchain\n" + "d\t3\t4\ta\n" * 1000
CASES["field-invalid"]["late"] = (f"{LONG}d\tx\t4\ta\n", 1002)
CASES["file-invalid"]["late"] = (f"{LONG}d\t4\ta\n", 1002)
NAMES = [(code, name) for code, texts in CASES.items() for name in texts]


@pytest.mark.parametrize(("code", "name"), NAMES)
def test_an_error_has_its_code_and_line(cdec: Run, tmp_path: Path, code: str, name: str) -> None:
    content, line = CASES[code][name]
    key = given(tmp_path, "key.csv", spans([("d", 0, 0, 1)]))
    path = given(tmp_path, "in.file", content)
    for pair in ((key, path), (path, key)):
        ran = cdec("score", *pair, "--scope", "corpus", "--verbose")
        assert (ran.exit, ran.error, ran.out) == (1, code, "")
        place = f"in.file:{line}:" if line else "in.file:"
        assert place in ran.said
        assert bool(re.search(r"in\.file:\d+:", ran.said)) == bool(line)
        assert "Traceback" not in ran.err
    with pytest.raises(CdecError) as caught:
        formats.read(path)
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)
    assert str(caught.value.place).endswith(f"in.file:{line}" if line else "in.file")


def test_a_named_format_is_not_detected_again(read: Any) -> None:
    for text, name, code in (
        (TEXTS["conll"], "jsonl", "file-invalid"), (TEXTS["csv"], "conl", "name-unknown")
    ):  # fmt: skip
        with refused(code):
            read(text, name)


def test_pairs_in_a_frame_are_no_chains() -> None:
    with refused("format-undetected"):
        formats.from_frame(pd.DataFrame({"a": ["d/1"], "b": ["d/2"], "score": [0.5]}))


# Response files of published systems.


@pytest.fixture(scope="module")
def barhom(responses: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Barhom et al. (2019) on three corpora."""
    folder = tmp_path_factory.mktemp("barhom")
    with py7zr.SevenZipFile(responses / "ba2019.7z") as archive:
        archive.extractall(folder)
    return folder / "ba2019"


def test_the_authors_scores_come_out(barhom: Path) -> None:
    """Six responses, four metrics with three values each, to the two digits that they print."""
    line = re.compile(r"(\w+) +Recall: ([0-9.]+) +Precision: ([0-9.]+) +F1: ([0-9.]+)")
    metrics = {"muc": "muc", "bcub": "b3", "ceafe": "ceafe", "lea": "lea"}
    compared = 0
    for table in sorted(barhom.rglob("scores.txt")):
        (response,) = table.parent.glob("*.response_conll")
        key = barhom / f"{table.parent.name.split('_')[0]}_CD_test_event_mention_based.key_conll"
        results = package.score(key, response, scope="document", metrics=[*metrics.values()])
        for name, *values in line.findall(table.read_text()):
            if name in metrics:
                found = results[metrics[name]]
                ours = [found.recall, found.precision, found.f1]
                assert ours == pytest.approx([float(v) / 100 for v in values], abs=0.5001e-4)
                compared += 3
    assert compared == 72


@pytest.fixture(scope="module")
def scored(ecbplus: Path, corpora: Path) -> dict[str, tuple[object, ...]]:
    """Name in the archive → options of the corpus and the part that its responses are about."""
    return {
        "ecbp": ("--corpus", ecbplus, "--split", "cybulska/test"),
        "gvc": ("--corpus", corpora / "GVC", "--split", "test"),
        "fcct": ("--corpus", f"{corpora / 'FCC-T'}:bugert", "--split", "all"),
    }


@pytest.mark.parametrize(("name", "size"), [("ecbp", 1780), ("gvc", 951), ("fcct", 1046)])
def test_every_mention_of_a_published_response_is_found(
    cdec: Run, barhom: Path, scored: dict[str, Any], name: str, size: int
) -> None:
    paths = sorted(barhom.glob(f"{name}_evaluate*/*.response_conll"))
    assert len(paths) == 2
    for path in paths:
        found = answer(cdec, "eval", path, *scored[name], "--setting", "simple")
        assert (found.key, found.response, found.common) == (size, size, size)
        assert not {"missing-mention", "twinless", "unknown-document"} & set(found.said)
