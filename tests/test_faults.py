"""Each fault of each kind of file: exit code, error code and place; never a traceback."""

from __future__ import annotations

import codecs
import gzip
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as examples
from hypothesis import strategies as st

import cdec as package
from cdec import errors, formats
from tests import tiny_files as tiny
from tests.program import Ran, Run
from tests.tiny_files import given


# The verb that stores a corpus.
def add(path: object, *options: object) -> tuple[object, ...]:
    return ("corpus", "import", path, *options)


LONG = "9" * 5000
DEEP = "[" * 100_000
CONLL = "".join(
    f"#begin document (1_{n}ecb);\n1_{n}ecb\t0\tAña\t-\n1_{n}ecb\t1\tspread\t(é)\n#end document\n"
    for n in (1, 2)
)
_WORD = "\t_\t_\t_\t_\t0\troot\t_\t"
CONLLU = "# global.Entity = eid-head\n" + "".join(
    f"# newdoc id = 1_{n}ecb\n1\tAña{_WORD}_\n2\tspread{_WORD}Entity=(é-1)\n\n" for n in (1, 2)
)
KEY = "".join(f'{{"doc": "1_{n}ecb", "start": 1, "end": 1, "chain": "é"}}\n' for n in (1, 2))
TABLE = "doc,start,end,chain\n1_1ecb,1,1,é\n1_2ecb,1,1,é\n"
EIGHT = "#begin document all\n" + "".join(
    f"1\t1_0\t1_{n}ecb\t0\t{t}\t{word}\tTrue\t{cell}\n"
    for n in (1, 2)
    for t, word, cell in ((1, "Aña", "-"), (2, "spread", "(é)"))
)
CORPUS = "".join(
    json.dumps(record, ensure_ascii=False) + "\n"
    for record in (
        {"record": "corpus", "format": "cdec-corpus/1", "name": "é"},
        {"record": "document", "id": "a", "topic": "1", "sentences": [["Aña", "spread"]]},
        {"record": "mention", "id": "1", "doc": "a", "tokens": [1], "chain": "é"},
        {"record": "mention", "id": "2", "doc": "a", "tokens": [0, 1], "chain": "é"},
    )
)
SPLIT = 'title = "é"\nreviewed_only = false\n[topics]\ndev = ["1-1"]\n'
CONFIG = '# é\nsystem = "lemma-delta"\ndelta = 0.3\n[tfidf]\nmin_df = 1\nlowercase = true\n'
SPANS_BY_ID = "#begin document (0); part 000\n1_1ecb_0_1_1\t(é)\n1_2ecb_0_1_1\t(é)\n#end document\n"
FILES = {f"corpus/ECB+/1/1_{n}ecb.xml": tiny.ECBPLUS for n in (1, 2)}


@dataclass(frozen=True)
class Door:
    """A kind of file: its name and valid content, the call that reads it, and its exit code."""

    file: str
    content: str | bytes
    call: str
    code: int = 1
    place: str = ""

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content


EXPORT = "corpus export --split all -q -o {out} --corpus"
SCORE = "score --scope document -q -o {out}"
EVAL = "eval -q --split all --corpus {corpus} -s simple -o {out}"
DOORS = {
    "XML": Door("corpus/ECB+/1/1_1ecb.xml", tiny.ECBPLUS, f"{EXPORT} {{corpus}}"),
    "zip": Door(
        "any.zip",
        tiny.packed({f"ECB+/1/1_{n}ecb.xml": tiny.ECBPLUS for n in (1, 2)}),
        f"{EXPORT} {{file}}",
    ),
    "sentences": Door(
        "corpus/ECBplus_coreference_sentences.csv",
        tiny.REVIEWED.replace("Topic", "Tópic"),
        f"{EXPORT} {{corpus}}",
    ),
    "GVC": Door("gold.conll", tiny.GVC, f"{EXPORT} {{file}}"),
    "FCC-T": Door("a.conll", tiny.FCCT_SPANS, f"{EXPORT} {{file}}"),
    "CD2CR": Door("dev.conll", tiny.CD2CR, f"{EXPORT} {{file}}"),
    "MEANTIME": Door("meantime.conll", tiny.MEANTIME, f"{EXPORT} {{file}}"),
    "WEC": Door("Event_gold_mentions.json", tiny.wec({}), f"{EXPORT} {{file}}"),
    "uCDCR": Door("all_mentions.parquet", tiny.parquet(tiny.UCDCR), f"{EXPORT} {{file}}"),
    "CoNLL corpus": Door("key.conll", CONLL, f"{EXPORT} {{file}}"),
    "corpus": Door("a.jsonl", CORPUS, f"{EXPORT} {{file}}"),
    "added corpus": Door("a.jsonl", CORPUS, "{add} {file} --name mine -q"),
    "offsets": Door(
        "m.csv",
        "doc,from_char,to_char,chain\na,0,3,é\n",
        "{add} {texts} --mentions {file} --name mine -q",
    ),
    "brat": Door(
        "m.ann",
        "T1\tEvent 0 3\tAña\nA1\tchain T1 é\n",
        "{add} {brat} --mentions {file} --name mine -q",
    ),
    "topics": Door(
        "topics.csv",
        "document,topic\n1_1ecb,é\n1_2ecb,é\n",
        "score {key} {key} -s pure -q -o {out} --topics {file}",
    ),
    "CoNLL key": Door("a.conll", CONLL, f"{SCORE} {{file}} {{key}}"),
    "CoNLL": Door("a.conll", CONLL, f"{SCORE} {{key}} {{file}}"),
    "CoNLL-U": Door("a.conllu", CONLLU, f"{SCORE} {{file}} {{file}}"),
    "JSON Lines": Door("a.jsonl", KEY, f"{SCORE} {{key}} {{file}}"),
    "CSV": Door("a.csv", TABLE, f"{SCORE} {{key}} {{file}}"),
    "TSV": Door("a.tsv", TABLE.replace(",", "\t"), f"{SCORE} {{file}} {{key}}"),
    "JSON": Door(
        "a.json", '{"é": [["1_1ecb", 1, 1],\n["1_2ecb", 1, 1]]}\n', f"{SCORE} {{key}} {{file}}"
    ),
    "eight columns": Door("a.conll", EIGHT, f"{SCORE} {{key}} {{file}}"),
    "ids": Door("a.json", '{"1_1ecb/11": "é",\n"1_2ecb/11": "é"}\n', f"{SCORE} {{file}} {{file}}"),
    "bare TSV": Door(
        "a.tsv", TABLE.partition("\n")[2].replace(",", "\t"), f"{SCORE} {{key}} {{file}}"
    ),
    "in sentences": Door(
        "a.csv",
        "doc,sentence,start,end,chain\n1_1ecb,0,1,1,é\n1_2ecb,0,1,1,é\n",
        f"{EVAL} {{file}}",
    ),
    "ids with sentence": Door("a.conll", SPANS_BY_ID, f"{EVAL} {{file}}"),
    "response": Door("a.conll", CONLL, f"{EVAL} {{file}}"),
    "split": Door("a.toml", SPLIT, f"{EXPORT} {{corpus}} --split {{file}}/dev", 2),
    "config": Door(
        "a.toml",
        CONFIG,
        "predict -q --corpus {corpus} --split all -o {out} --system lemma-delta --config {file}",
        2,
    ),
}


class Desk:
    """A folder with the file of a door and all other files of its call."""

    def __init__(self, folder: Path, door: Door, run: Run) -> None:
        self.folder, self.door, self.run = folder, door, run
        others = {"key.jsonl": KEY, "texts/a.txt": "Aña spread.", "brat/m.txt": "Aña spread."}
        for name, text in {**FILES, **others, "out/result": "before"}.items():
            given(folder, name, text)
        given(folder, door.file, door.data)
        self.file = folder / door.file

    def call(self) -> Ran:
        names = {name: self.folder / name for name in ("corpus", "texts", "brat")}
        names |= {
            "file": self.file,
            "key": self.folder / "key.jsonl",
            "out": self.folder / "out" / "result",
        }
        words = [str(part) for part in add("")][:-1]
        parts = (
            words if part == "{add}" else [part.format_map(names)]
            for part in self.door.call.split()
        )
        return self.run(*(word for several in parts for word in several))

    def refused(self, ran: Ran, code: str, place: str = "") -> None:
        """One line with code and place, the exit code of the door, and no output changed."""
        assert (ran.exit, ran.error) == (self.door.code, code), ran.err
        assert place in ran.said, ran.said
        assert ran.out == ""
        assert "Traceback" not in ran.err
        assert [path.name for path in (self.folder / "out").iterdir()] == ["result"]
        assert (self.folder / "out" / "result").read_text() == "before"


@pytest.fixture
def desk(tmp_path: Path, cdec: Run) -> Callable[[str], Desk]:
    return lambda name: Desk(tmp_path, DOORS[name], cdec)


# Faults of a file as a whole.


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def encoded(encoding: str) -> Callable[[Path], object]:
    """Text in another encoding; binary content the other way round."""

    def change(data: bytes) -> bytes:
        try:
            return data.decode().encode(encoding)
        except UnicodeDecodeError:
            return data[::-1]

    return rewritten(change)


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link_to(target: str) -> Callable[[Path], object]:
    def link(path: Path) -> None:
        path.unlink()
        path.symlink_to(target.format(path.name))

    return link


FAULTS: dict[str, Callable[[Path], object]] = {
    "sound": lambda _: None,
    "missing": Path.unlink,
    "empty": rewritten(lambda _: b""),
    "blank": rewritten(lambda _: b" \r\n\t\n"),
    "folder": folder_instead,
    "noise": rewritten(lambda _: bytes(range(255, -1, -1)) * 12),
    "UTF-16": encoded("utf-16"),
    "Latin-1": encoded("latin-1"),
    "NUL": rewritten(lambda data: data[:-9] + b"\0" + data[-9:]),
    "byte-order mark": rewritten(lambda data: codecs.BOM_UTF8 + data),
    "gzip": rewritten(gzip.compress),
    "another file": rewritten(lambda _: b"%PDF-1.7 of something else\n"),
    "loop": link_to("{}"),
    "read error": link_to("/proc/self/mem"),
}

PACKED = ("XML", "zip", "uCDCR")
SNIFFED = ("FCC-T", "CD2CR", "CoNLL corpus")  # known by what they hold
PATHS = ("zip", "GVC", *SNIFFED, "MEANTIME", "WEC", "uCDCR", "corpus", "added corpus")
TABLES = ("sentences", "topics")
STRICT = ("GVC", "MEANTIME", "WEC", "brat", *TABLES, "split", "config")  # never compressed
RECORDS = ("corpus", "added corpus")


def codes(usual: str, *others: tuple[str | Iterable[str], str]) -> dict[str, str]:
    """Door → code; '' where the file is accepted. Later ones overrule."""
    found = dict.fromkeys(DOORS, usual)
    for doors, code in others:
        found |= dict.fromkeys([doors] if isinstance(doors, str) else doors, code)
    return found


INVALID = (PACKED, "corpus-file-invalid")
EXPECTED = {
    "sound": codes(""),
    # Any set of documents is a corpus, and the list of sentences is optional.
    "missing": codes(
        "file-unreadable", (PATHS, "corpus-not-found"), ("XML", ""), ("sentences", "")
    ),
    "empty": codes("file-empty", ((*SNIFFED, "brat"), "corpus-empty"), INVALID),
    "blank": codes("file-empty", ((*SNIFFED, "brat"), "corpus-empty"), INVALID),
    "folder": codes("file-unreadable", ((*PATHS, "offsets", "brat"), "corpus-empty")),
    "noise": codes("file-encoding", (SNIFFED, "corpus-empty"), INVALID),
    # The first bytes of XML say in which encoding it is.
    "UTF-16": codes("file-encoding", (SNIFFED, "corpus-empty"), INVALID, ("XML", "")),
    "Latin-1": codes("file-encoding", INVALID),
    "NUL": codes("file-encoding", (RECORDS, "json-invalid"), INVALID, ("zip", "file-unreadable")),
    # Editors add it; it marks UTF-8. A zip may have a prefix.
    "byte-order mark": codes("", ("uCDCR", "corpus-file-invalid")),
    # Keys, responses and corpora in records may be compressed.
    "gzip": codes("", (STRICT, "file-compressed"), (SNIFFED, "corpus-empty"), INVALID),
    "another file": codes(
        "format-undetected",
        (TABLES, "table-invalid"),
        (("GVC", "MEANTIME"), "conll-structure"),
        ((*RECORDS, "WEC"), "json-invalid"),
        ((*SNIFFED, "offsets", "brat"), "corpus-empty"),
        ("split", "split-invalid"),
        ("config", "config-invalid"),
        INVALID,
    ),
    "loop": codes("file-unreadable", (PATHS, "corpus-not-found")),
    "read error": codes("file-unreadable", ("zip", "corpus-file-invalid")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_kind_of_file_with_every_fault(fault: str, tmp_path: Path, cdec: Run) -> None:
    found = {}
    for number, (name, door) in enumerate(DOORS.items()):
        desk = Desk(tmp_path / str(number), door, cdec)
        FAULTS[fault](desk.file)
        ran = desk.call()
        found[name] = ran.error
        if ran.error:
            desk.refused(ran, ran.error, desk.file.name)
        else:
            assert (ran.exit, ran.err) == (0, ""), name
    assert found == EXPECTED[fault]


@pytest.mark.parametrize("name", ["CoNLL", "CSV", "GVC", "corpus", "topics"])
def test_a_cut_gzip_is_refused(desk: Callable[[str], Desk], name: str) -> None:
    damaged = desk(name)
    rewritten(lambda data: gzip.compress(data)[:-9])(damaged.file)
    ran = damaged.call()
    damaged.refused(ran, ran.error, damaged.file.name)


# Faults of content: old text ('': all of it), new text, place, and the code if not the usual one.

Fault = tuple[str, ...]
XML: dict[str, Fault] = {
    "DTD": ("<Document", "<!DOCTYPE Document>\n<Document", "1_1ecb.xml:2:"),
    "entity": (">spread", ">&a;", ":4:"),
    "deep": (">spread", ">" + "<a>" * 1000, ":4:"),
    "long number": ('sentence="0" number="1"', f'sentence="{LONG}"', ":4:"),
    "no number": ('sentence="0" number="1"', 'sentence="x"', ":4:"),
    "token twice": ('t_id="2"', 't_id="1"', ":4:"),
    "mention twice": ('m_id="21"', 'm_id="11"', ":7:"),
    "missing token": ('anchor t_id="2"', 'anchor t_id="9"', ":6:"),
    "missing mention": ('source m_id="11"', 'source m_id="9"', ":10:"),
    "control characters": ("<Document", "<\x1b[31mDocument", ""),
    "long name": ('anchor t_id="2"', f'anchor t_id="{"x" * 10**6}"', "xxx"),
    "truncated": ("</Document>", "", ""),
}
SENTENCES: dict[str, Fault] = {
    "unknown column": ("Number", "No", ":1:"),
    "column too few": (",0\n", "\n", ":2:"),
    "no number": (",0\n", ",x\n", ":2:"),
    "negative": (",0\n", ",-1\n", ":2:"),
    "long number": (",0\n", f",{LONG}\n", ":2:"),
    "open quote": ("1,1ecb", '1,"1ecb', ""),
    "long field": ("1ecb", "x" * 200_000, ""),
}
GVC: dict[str, Fault] = {
    "truncated": ("(0)\n#end document\n", "(0", ""),
    "open bracket": ("(c2)", "(c2", ":9:", "brackets-invalid"),
    "deep": ("(c2)", "(" * 100_000, ":9:", "brackets-invalid"),
    "long number": ("d1.b2.1", f"d1.b{LONG}.1", ":9:", "corpus-file-invalid"),
    "sentences far ahead": ("d1.b2.1", "d1.b999999999.1", ":9:", "corpus-file-invalid"),
    "column too few": ("\tBODY\t(c2)", "\t(c2)", ":9:", "corpus-file-invalid"),
    "document twice": ("d2", "d1", "d1"),
    "outside": ("#begin document (d1);\n", "", ":1:"),
}
FCCT: dict[str, Fault] = {
    "no bracket": ("(9)", "9", ":4:"),
    "long number": ("_0_0_0\t(9)", f"_0_0_{LONG}\t(9)", ":4:"),
    "huge sentence": ("_0_0_0\t(9)", "_0_0_999999\t(9)", ":4:", "tokens-invalid"),
    "end before start": ("_0_0_0\t(9)", "_0_3_0\t(9)", ":4:", "tokens-invalid"),
    "mention twice": ("_0_0_0\t(9)", "_0_1_3\t(9)", ":4:", "mention-duplicate"),
}
CD2CR: dict[str, Fault] = {
    "truncated": ("(7)\n#end document\n", "(7", ":6:", "conll-structure"),
    "open bracket": ("(7)", "(7", ":6:", "brackets-invalid"),
    "long number": ("news_1\t1\t3", f"news_1\t{LONG}\t3", ":5:"),
    "sentences far ahead": ("news_1\t1\t3", "news_1\t99999999\t3", ":5:"),
    "sentences go back": ("news_1\t1\t3", "news_1\t0\t3", ":5:"),
    "column too few": ("\tTrue\t(7)", "\t(7)", ":6:"),
}
MEANTIME: dict[str, Fault] = {
    "open bracket": ("| OTH2)", "", ":3:", "brackets-invalid"),
    "deep": ("(ORG3)", "(" * 100_000, ":4:", "brackets-invalid"),
    "long number": ("7\t1\t0", f"7\t{LONG}\t0", ":4:"),
    "another document": ("7\t1\t0", "8\t1\t0", ":4:"),
    "column too few": ("\tBoeing", "", ":4:"),
}
WEC: dict[str, Fault] = {
    "NaN": ("[\n   1\n", "[\n   NaN\n", ""),
    "long integer": ("[\n   1\n", f"[\n   {LONG}\n", ""),
    "deep": ("[\n   1\n", f"[\n   {DEEP}", ""),
    "text": ("[\n   1\n", '[\n   "1"\n', "'tokens_number.0'", "format-undetected"),
    "null": ('"A"', "null", "'doc_id", "format-undetected"),
    "no list": ("", "{}", "", "format-undetected"),
    "negative": ("[\n   1\n", "[\n   -1\n", "A/0", "corpus-record-invalid"),
    "beyond the context": ("[\n   1\n", "[\n   2\n", "A/0", "corpus-record-invalid"),
    "no tokens": ("[\n   1\n  ]", "[]", "A/0", "corpus-record-invalid"),
    "key twice": ('"doc_id"', '"doc_id": "B", "doc_id"', "'doc_id'"),
}
CORPUS_CONLL: dict[str, Fault] = {
    "open bracket": ("(é)\n#end document\n#", "(é\n#end document\n#", ":3:"),
    "document twice": ("(1_2ecb);", "(1_1ecb);", "1_1ecb", "conll-structure"),
    "deep": ("(é)", "(" * 100_000, ":3:"),
    "column too few": ("1_1ecb\t1\tspread\t(é)", "(é)", ":3:", "corpus-file-invalid"),
}
RECORDS_OF_A_CORPUS: dict[str, Fault] = {
    "truncated": ('"chain": "é"}\n{"record": "mention", "id": "2"', "", "", "json-invalid"),
    "no corpus": ('"record": "corpus"', '"record": "document"', ":1:"),
    "newer": ("cdec-corpus/1", "cdec-corpus/2", ":1:", "file-too-new"),
    "another format": ("cdec-corpus/1", "cdec-split/1", ":1:"),
    "unknown key": ('"tokens"', '"tokesn"', "'tokesn'"),
    "key of another record": (', "chain": "é"', ', "sentences": []', ":3:"),
    "unknown record": ('"mention"', '"mentions"', "'mentions'"),
    "text": ("[1]", '["1"]', ":3:"),
    "float": ("[1]", "[1.0]", ":3:"),
    "negative": ("[1]", "[-1]", ":3:"),
    "beyond the document": ("[0, 1]", "[0, 2]", ":4:"),
    "huge": ("[0, 1]", "[1e99]", ":4:"),
    "token twice": ("[0, 1]", "[1, 1]", ":4:"),
    "no token": ("[0, 1]", "[]", ":4:"),
    "blank": ('"chain": "é"', '"chain": " "', "'chain'"),
    "mention twice": ('"id": "2"', '"id": "1"', "'a/1'"),
    "missing document": ('"doc": "a"', '"doc": "b"', "'b'"),
    "key twice": ('"id": "2"', '"id": "2", "id": "3"', ":4:", "json-invalid"),
    "NaN": ("[1]", "[NaN]", ":3:", "json-invalid"),
    "long integer": ("[1]", f"[{LONG}]", ":3:", "json-invalid"),
    "deep": ("[1]", DEEP, ":3:", "json-invalid"),
    "half of a pair": ("Aña", "\\ud83d", ":2:", "json-invalid"),
    "control characters": ('"record": "mention"', '"record": "\\u001b[31m"', ":3:"),
    "long name": ('"doc": "a"', f'"doc": "{"x" * 10**6}"', "xxx"),
}
OFFSETS: dict[str, Fault] = {
    "beyond the text": ("0,3", "0,900", ":2:", "offsets-invalid"),
    "backwards": ("0,3", "3,0", ":2:", "offsets-invalid"),
    "negative": ("0,3", "-1,3", ":2:", "offsets-invalid"),
    "no number": ("0,3", "x,3", ":2:", "offsets-invalid"),
    "long number": ("0,3", f"0,{LONG}", ":2:", "offsets-invalid"),
    "missing text": ("a,0", "b,0", ":2:"),
    "column too few": ("0,3,é", "0,é", ":2:", "table-invalid"),
    "other words": (
        "doc,from_char,to_char,chain\na,0,3,é",
        "doc,from_char,to_char,chain,text\na,0,3,é,x",
        ":2:",
        "offsets-invalid",
    ),
}
BRAT: dict[str, Fault] = {
    "other words": ("\tAña\n", "\tstop\n", ":1:", "offsets-invalid"),
    "beyond the text": ("0 3", "0 900", ":1:", "offsets-invalid"),
    "no end": ("0 3", "0", ":1:"),
    "missing mention": ("A1\tchain T1", "A1\tchain T9", ":2:"),
    "no value": ("T1 é", "T1", ":2:"),
    "id twice": ("A1\tchain T1 é", "T1\tEvent 0 3\tAña", ":2:"),
    "half a relation": ("A1\tchain T1 é", "R1\tCoref Arg1:T1", ":2:"),
}
TOPICS: dict[str, Fault] = {
    "unknown column": ("document,topic", "document,theme", ""),
    "column twice": ("document,topic", "topic,document,topic", ":1:"),
    "field too few": ("1_1ecb,é", "1_1ecb", ":2:"),
    "blank": ("1_1ecb,é", "1_1ecb, ", ":2:"),
    "document twice": ("1_2ecb,é", "1_1ecb,b", ":3:"),
    "document missing": ("1_1ecb,é\n", "", "1_1ecb", "document-unassigned"),
    "long field": ("1_1ecb,é", "1_1ecb," + "x" * 200_000, ":2:"),
}
RESPONSE: dict[str, Fault] = {
    "another document twice": ("(1_2ecb);", "(1_1ecb);", ":5:", "conll-structure"),
    "column missing": ("\t(é)", "", ":3:"),
    "deep": ("(é)", "(" * 100_000, ":3:"),
}
MENTIONS: dict[str, Fault] = {
    "long integer": ('"start": 1', f'"start": {LONG}', ":1:"),
    "deep": ('"start": 1', f'"start": {DEEP}', ":1:"),
    "no object": ('{"doc": "1_2ecb"', '[{"doc": "1_2ecb"', ":2:"),
}
TABLE_OF_MENTIONS: dict[str, Fault] = {
    "unknown column": ("start,end,chain", "start,end,x", "", "format-undetected"),
    "NaN": ("1_1ecb,1", "1_1ecb,nan", ":2:", "field-invalid"),
    "long integer": ("1_1ecb,1", f"1_1ecb,{LONG}", ":2:", "field-invalid"),
    "open quote": ("1_1ecb,1", '"1_1ecb,1', ":2:"),
    "long field": ("1_1ecb", "x" * 200_000, ":2:"),
}
IN_SENTENCES: dict[str, Fault] = {
    "missing sentence": ("1_1ecb,0,", "1_1ecb,3,", ":2:", "tokens-invalid"),
    "token outside": ("1_2ecb,0,1,1", "1_2ecb,0,1,2", ":3:", "tokens-invalid"),
    "long number": ("1_2ecb,0,", f"1_2ecb,{LONG},", ":3:"),
    "column twice": ("doc,sentence", "sent_id,sentence", ":1:"),
    "no token": ("1,1,é", ",,é", ":2:"),
}
IDS_WITH_SENTENCE: dict[str, Fault] = {
    "missing sentence": ("1_2ecb_0_", "1_2ecb_3_", ":3:", "tokens-invalid"),
    "end before start": ("ecb_0_1_1", "ecb_0_1_0", ""),
    "long number": ("1_1ecb_0_", f"1_1ecb_{LONG}_", ""),
}
SPLITS: dict[str, Fault] = {
    "newer": ("title", 'format = "cdec-split/2"\ntitle', "", "file-too-new"),
    "unknown key": ("reviewed_only", "reviewed_onyl", "'reviewed_onyl'"),
    "wrong type": ("false", '"no"', "'reviewed_only'"),
    "text": ('["1-1"]', '"1-1"', "'dev'"),
    "NaN": ('["1-1"]', "[nan]", "'dev'"),
    "topic twice": ('["1-1"]', '["1", "1-2"]', "topic 1"),
    "endless range": ('["1-1"]', '["1-999999999"]', "'dev'"),
    "a part called all": ("dev =", "all =", "'all'"),
    "deep": ("\n[", f"\nx = {DEEP}\n[", ""),
    "table twice": ("\n[", "\n[x]\n[x]\n[", ""),
    "huge": ("", "# " + "x" * 300_000, "", "file-too-large"),
}
CONFIGS: dict[str, Fault] = {
    "newer": ("system", 'format = "cdec-config/10"\nsystem', "", "file-too-new"),
    "unknown key": ("delta =", "detla =", "detla", "name-unknown"),
    "unknown key in a table": ("min_df", "mindf", "mindf", "name-unknown"),
    "unknown system": ('"lemma-delta"', '"lemma-detla"', "lemma-detla", "name-unknown"),
    "no system": ('system = "lemma-delta"\n', "", "'system'"),
    "NaN": ("0.3", "nan", "nan", "parameter-invalid"),
    "text": ("0.3", '"0.3"', "0.3", "parameter-invalid"),
    "huge number": ("min_df = 1", "min_df = 1000000000000", "min_df", "parameter-invalid"),
    "long integer": ("\n[", f"\nx = {LONG}\n[", ""),
}
CONTENT: dict[str, tuple[str, dict[str, Fault]]] = {
    "XML": ("corpus-file-invalid", XML),
    "sentences": ("table-invalid", SENTENCES),
    "GVC": ("conll-structure", GVC),
    "FCC-T": ("corpus-file-invalid", FCCT),
    "CD2CR": ("corpus-file-invalid", CD2CR),
    "MEANTIME": ("corpus-file-invalid", MEANTIME),
    "WEC": ("json-invalid", WEC),
    "CoNLL corpus": ("brackets-invalid", CORPUS_CONLL),
    "corpus": ("corpus-record-invalid", RECORDS_OF_A_CORPUS),
    "offsets": ("corpus-record-invalid", OFFSETS),
    "brat": ("corpus-file-invalid", BRAT),
    "topics": ("table-invalid", TOPICS),
    "response": ("brackets-invalid", RESPONSE),
    "JSON Lines": ("json-invalid", MENTIONS),
    "CSV": ("table-invalid", TABLE_OF_MENTIONS),
    "in sentences": ("field-invalid", IN_SENTENCES),
    "ids with sentence": ("mentions-disjoint", IDS_WITH_SENTENCE),
    "split": ("split-invalid", SPLITS),
    "config": ("config-invalid", CONFIGS),
}
INSIDE = [(door, name) for door, (_, faults) in CONTENT.items() for name in faults]


@pytest.mark.parametrize(("door", "name"), INSIDE)
def test_a_fault_inside_a_file(desk: Callable[[str], Desk], door: str, name: str) -> None:
    usual, faults = CONTENT[door]
    old, new, place, *code = faults[name]
    damaged = desk(door)
    text = damaged.file.read_text("utf-8")
    assert old in text
    damaged.file.write_text(text.replace(old, new, 1) if old else new, "utf-8")
    ran = damaged.call()
    damaged.refused(ran, code[0] if code else usual, place)
    assert len(ran.said) < 3000
    assert ran.said.isprintable()


# Files that expand, or have no end.

ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE Document [<!ENTITY a0 "{"x" * 1000}">{ENTITIES}]><Document '
FOREIGN = '<!DOCTYPE Document [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document '


def in_xml(doctype: str, old: str, new: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    text = tiny.ECBPLUS.replace("<Document ", doctype).replace(old, new)
    return lambda path: path.write_bytes(text.replace("UTF-8", encoding).encode(encoding))


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**29 + 1)


def lying(path: Path) -> None:
    """A zip with a file of 16 MB that, by its headers, has 100 bytes."""
    data = bytearray(tiny.packed({"ECB+/1/1_1ecb.xml": bytes(2**24)}))
    for header, at in ((0, 22), (data.rindex(b"PK\1\2"), 24)):
        data[header + at : header + at + 4] = (100).to_bytes(4, "little")
    path.write_bytes(data)


def zip_of(name: str, content: str = tiny.ECBPLUS, mode: int = 0) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)

    return write


BOMBS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "entities": ("XML", in_xml(BOMB, ">spread", ">&a11;"), "corpus-file-invalid"),
    "entities in UTF-16": (
        "XML",
        in_xml(BOMB, ">spread", ">&a11;", "UTF-16"),
        "corpus-file-invalid",
    ),
    "entities in an attribute": ("XML", in_xml(BOMB, '"D1"', '"&a11;"'), "corpus-file-invalid"),
    "a file elsewhere": (
        "XML",
        in_xml(FOREIGN, ">spread", ">&a;", "UTF-16"),
        "corpus-file-invalid",
    ),
    "too large": ("XML", sparse, "file-too-large"),
    "a size that lies": ("zip", lying, "corpus-file-invalid"),
    "split without end": ("split", link_to("/dev/zero"), "file-too-large"),
    "config without end": ("config", link_to("/dev/zero"), "file-too-large"),
    "above the folder": ("zip", zip_of("../1_1ecb.xml"), "corpus-file-invalid"),
    "far above": ("zip", zip_of("ECB+/1/../../../1_1ecb.xml"), "corpus-file-invalid"),
    "absolute": ("zip", zip_of("/etc/1_1ecb.xml"), "corpus-file-invalid"),
    "a drive": ("zip", zip_of("C:/1/1_1ecb.xml"), "corpus-file-invalid"),
    "a link": (
        "zip",
        zip_of("ECB+/1/1_1ecb.xml", "/etc/passwd", stat.S_IFLNK | 0o777),
        "corpus-file-invalid",
    ),
    "a name without topic": ("zip", zip_of("ECB+/1/notes.xml"), "corpus-file-invalid"),
    "another content": ("zip", zip_of("readme.txt"), "corpus-empty"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_or_a_malicious_archive(desk: Callable[[str], Desk], name: str) -> None:
    door, make, code = BOMBS[name]
    damaged = desk(door)
    make(damaged.file)
    damaged.refused(damaged.call(), code)
    assert not list(damaged.folder.glob("**/passwd"))


# Output that cannot be written.

WRITERS = {
    "score": "score {key} {key} --scope document -q -o {out}",
    "eval": "eval --corpus {corpus} --split all -s simple --system lemma -q -o {out}",
    "predict": "predict --corpus {corpus} --split all --system lemma -q -o {out}",
    "export": "corpus export --corpus {corpus} --split all -q -o {out}",
    "stats": "corpus stats --corpus {corpus} -q -o {out}",
}


@pytest.fixture
def write(tmp_path: Path, cdec: Run) -> Callable[[str, object], Ran]:
    for name, content in {**FILES, "key.jsonl": KEY, "deep/kept": "before"}.items():
        given(tmp_path, name, content)
    names = {"key": tmp_path / "key.jsonl", "corpus": tmp_path / "corpus"}
    return lambda command, out: cdec(*WRITERS[command].format(**names, out=out).split())


@pytest.mark.parametrize("command", WRITERS)
def test_output_that_cannot_be_written(
    write: Callable[[str, object], Ran], tmp_path: Path, command: str
) -> None:
    for target in (tmp_path / "nowhere" / "out", tmp_path / "deep", "/dev/full"):
        ran = write(command, target)
        assert (ran.exit, ran.error, ran.out) == (1, "file-unwritable", "")
        assert str(target).removesuffix("/out") in ran.said
        assert "Traceback" not in ran.err
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["kept"]
    assert Path("/dev/full").is_char_device()
    assert write(command, "/dev/null").exit == 0
    assert Path("/dev/null").is_char_device()


def test_output_that_is_an_input(cdec: Run, tmp_path: Path) -> None:
    key, corpus = given(tmp_path, "key.jsonl", KEY), given(tmp_path, "a.jsonl", CORPUS)
    for call in (
        ("score", key, key, "--scope", "document", "-o", key),
        ("corpus", "export", "--corpus", corpus, "--split", "all", "-o", corpus),
    ):
        ran = cdec(*call)
        assert (ran.exit, ran.error) == (2, "output-is-input")
    assert (key.read_text(), corpus.read_text()) == (KEY, CORPUS)


def test_a_full_disk_behind_standard_output(tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl", KEY)
    call = [sys.executable, "-m", "cdec", "score", str(key), str(key), "--scope", "document", "-v"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert "error[file-unwritable]" in ran.stderr
    assert "Traceback" not in ran.stderr


# Any bytes: an error of its own, or a result.

PIECES = (
    "#begin document (d); part 000\n", "#end document\n", "d\t0\t0\ta\t(1)\n", "(1)|1)", "\t",
    "\n", "\r\n", "\ufeff", "&#40;", '{"chain": 1, ', '"tokens": [1]', '"mention": "d/1"', "}\n",
    "[", "]", "null", "true", "NaN", "1e999", "doc,start,end,chain\n", "d,0,1,x\n", '"', ";",
    "1_1ecb", "-9", "9" * 30, "\\ud800", "\x1b[31m", "Entity=(e1--1-)", "# newdoc id = e\n",
    '"record": "mention"', "<Markables>", "&lt;", "&#0;", ' m_id="', "<!-- -->", "1-9", "= ", "\0",
)  # fmt: skip
READ = (
    "CoNLL", "CoNLL-U", "JSON Lines", "CSV", "TSV", "JSON", "eight columns", "ids", "bare TSV",
    "in sentences", "ids with sentence", "response",
)  # fmt: skip
LOADED = ("XML", "sentences", *PATHS)


def opened(name: str, folder: Path, file: Path) -> None:
    """Read a file by the door of Python."""
    corpus = folder / "corpus"
    if name in LOADED:
        package.load_corpus(str(corpus if DOORS[name].file.startswith("corpus/") else file))
    elif name == "split":
        package.load_corpus(str(corpus), f"{file}/dev")
    elif name == "topics":
        package.score(folder / "key.jsonl", folder / "key.jsonl", setting="pure", topics=file)
    else:
        found = formats.read(file)
        for format_ in ("conll", "conllu", "jsonl", "csv", "tsv", "json", "crac", "crac-json"):
            with suppress(errors.CdecError):
                formats.write(found, StringIO(), format_)
        with suppress(errors.CdecError):
            package.evaluate(package.load_corpus(str(corpus)), file, setting="simple")
        package.score(file, file, scope="corpus", policy=package.FilePolicy(allow_empty=True))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    for name, content in {**FILES, "key.jsonl": KEY}.items():
        given(folder, name, content)
    return folder


@pytest.mark.parametrize("name", [*READ, *LOADED, "split", "topics"])
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@examples(data=st.data())
def test_any_bytes_are_an_error_or_a_result(name: str, base: Path, data: st.DataObject) -> None:
    content = bytearray(DOORS[name].data)
    pieces = st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=4)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 6))] = data.draw(pieces)
    file = given(base, DOORS[name].file, bytes(content))
    try:
        opened(name, base, file)
    except errors.CdecError as error:
        assert error.code != "internal-error"
        assert str(error).isprintable()
    finally:
        file.unlink()
        for intact, text in FILES.items():
            given(base, intact, text)


@settings(max_examples=60)
@examples(content=st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_noise_is_an_error_or_a_result(base: Path, content: bytes) -> None:
    with suppress(errors.CdecError):
        formats.read(given(base, "noise", content))
