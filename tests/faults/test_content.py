"""Faults of content: each input × each fault, with the code and line of the error.

A fault replaces a piece of the valid file; ``ACCEPTED`` lists the faults that are not errors, with
a reason. Faults of a file as a whole are in ``test_any_file.py``.
"""

from __future__ import annotations

import json

import pytest

from tests.faults.conftest import SetUp
from tests.faults.inputs import CASE, INPUTS

LONG = "9" * 5000
DEEP = "[" * 100_000
# A piece of the valid file, its replacement, and the error: ``code``, ``code:line``, ``:line``, or
# a part of the message. Without a code it is that of the input.
Fault = tuple[str, str, str]
INVALID = {
    "XML": "xml-invalid", "sentence list": "sentence-list-invalid", "split": "split-invalid",
    "config": "config-invalid", "SAC config": "config-invalid", "patch": "patch-invalid",
    "decisions": "decisions-invalid", "decisions to report": "decisions-invalid",
    "cases": "shortlist-invalid", "results to report": "results-invalid",
    "results to compare": "results-invalid",
}  # fmt: skip
JSON_FAULTS: dict[str, Fault] = {
    "cut": ("", "", ""),
    "NaN": ("[", "[NaN, ", ""),
    "infinity": ("[", "[-Infinity, ", ""),
    "long integer": ("[", f"[{LONG}, ", ""),
    "deep": ("[", DEEP, ""),
    "two values": ("{", "{} {", ""),
}
XML: dict[str, Fault] = {
    "DTD": ("<Document", "<!DOCTYPE Document>\n<Document", "xml-dtd:2"),
    "entity": (">spread", ">&a;", ":4"),
    "deep": (">spread", ">" + "<a>" * 1000, ":4"),
    "long sentence number": ('sentence="0" number="1"', f'sentence="{LONG}"', "token-invalid:4"),
    "sentence is no number": ('sentence="0" number="1"', 'sentence="x"', "token-invalid:4"),
    "token twice": ('t_id="2"', 't_id="1"', "token-invalid:4"),
    "mention twice": ('m_id="21"', 'm_id="11"', "markable-invalid:7"),
    "missing token": ('anchor t_id="2"', 'anchor t_id="9"', "markable-invalid:6"),
    "missing mention": ('source m_id="11"', 'source m_id="9"', "relation-invalid:10"),
    "cut": ("", "", ""),
    "control characters": ("<Document", "<\x1b[31mDocument", ""),
    "sign that drives a terminal": ('anchor t_id="2"', 'anchor t_id="\x9b31m"', "markable-invalid"),
    "book in a name": ('anchor t_id="2"', f'anchor t_id="{"x" * 10**6}"', "markable-invalid"),
}
SENTENCES: dict[str, Fault] = {
    "other title": ("Number", "No", ":1"),
    "column too few": (",0\n", "\n", ":2"),
    "no number": (",0\n", ",x\n", ":2"),
    "negative": (",0\n", ",-1\n", ":2"),
    "long number": (",0\n", f",{LONG}\n", ":2"),
    "open quote": ("1,1ecb", '1,"1ecb', ""),
    "long field": ("1ecb", "x" * 200_000, ""),
}
CONLL: dict[str, Fault] = {
    "open bracket": ("(é)\n#end document\n#", "(é\n#end document\n#", "brackets-unbalanced:3"),
    "document twice": ("(1_2ecb);", "(1_1ecb);", "conll-document-duplicate:5"),
    "outside": ("#begin document (1_1ecb);\n", "", "format-undetected"),
    "column missing": ("\t(é)", "", "brackets-invalid:3"),
    "deep": ("(é)", "(" * 100_000, "brackets-invalid:3"),
}
RECORDS: dict[str, Fault] = {
    "wrong type": ('"start": 1', '"start": "1"', "field-type:1"),
    "float": ('"start": 1', '"start": 1.0', "field-type:1"),
    "negative": ('"start": 1', '"start": -1', "token-range:1"),
    "beyond all documents": ('"end": 1', '"end": 1e99', "field-type:1"),
    "key twice": ('"start": 1', '"start": 1, "start": 2', "json-invalid:1"),
    "NaN": ('"start": 1', '"start": NaN', "json-invalid:1"),
    "long integer": ('"start": 1', f'"start": {LONG}', "json-invalid:1"),
    "deep": ('"start": 1', f'"start": {DEEP}', "json-invalid:1"),
    "no object": ('{"doc": "1_2ecb"', '[{"doc": "1_2ecb"', "json-invalid:2"),
    "a document a line": ('"chain": "é"', '"clusters": [[[1, 1]]]', "json-structure:1"),
    "null": ('"é"', "null", "field-missing:1"),
}
TABLE: dict[str, Fault] = {
    "no chain": ("start,end,chain", "start,end,x", "format-undetected"),
    "column twice": ("doc,start", "doc,doc_id", "field-duplicate:1"),
    "NaN": ("1_1ecb,1", "1_1ecb,nan", "field-type:2"),
    "long integer": ("1_1ecb,1", f"1_1ecb,{LONG}", "field-type:2"),
    "field too few": ("1_1ecb,1,1,", "1_1ecb,1,", "table-invalid:2"),
    "open quote": ("1_1ecb,1", '"1_1ecb,1', "table-invalid:2"),
    "long field": ("1_1ecb", "x" * 200_000, "table-invalid:2"),
}
CLUSTERS: dict[str, Fault] = {
    "wrong type": ("1, 1]]", '1, "x"]]', "field-type"),
    "chain twice": (',\n["1_2ecb', '], "é": [["1_2ecb', "json-invalid"),
    "NaN": ("1, 1],\n", "NaN, 1],\n", "json-invalid:1"),
    "deep": ("{", '{"a": ' + DEEP, "json-invalid"),
    "a number": ("", "42", "format-undetected"),
    "cut": ("", "", "json-invalid"),
    "level too few": ('[["1_1ecb", 1, 1],', '["1_1ecb", 1.5, [1],', "json-structure"),
}
TOML: dict[str, Fault] = {
    "cut": ("", "", ""),
    "no value": ("\n[", "\nx =\n[", ""),
    "deep": ("\n[", f"\nx = {DEEP}\n[", ""),
    "long integer": ("\n[", f"\nx = {LONG}\n[", ""),
    "long key": ("\n[", f"\n{'a.' * 50_000}a = 1\n[", ""),
    "table twice": ("\n[", "\n[x]\n[x]\n[", ""),
    "unknown key": ("é", "é\nbogus = 1\n#", "bogus"),
    "huge": ("", "# " + "x" * 300_000, "file-too-large"),
}
SPLIT: dict[str, Fault] = TOML | {
    "newer": ("title", 'format = "cdec-split/2"\ntitle', "file-too-new"),
    "another format": ("title", 'format = "cdec-config/1"\ntitle', ""),
    "format of another type": ("title", "format = 1\ntitle", ""),
    "unknown key": ("reviewed_only", "reviewed_onyl", ""),
    "wrong type": ("false", '"no"', ""),
    "title of another type": ('"é"', "1", ""),
    "topics of another type": ('["1-1"]', '"1-1"', ""),
    "NaN": ('["1-1"]', "[nan]", ""),
    "topic twice": ('["1-1"]', '["1", "1-2"]', ""),
    "endless range": ('["1-1"]', '["1-999999999"]', ""),
    "many ranges": ('["1-1"]', "[" + '"1-99999",' * 100 + "]", ""),
    "a part that means all": ("dev =", "all =", ""),
    "no topics": ("[topics]", "[x]", ""),
}
CONFIG: dict[str, Fault] = TOML | {
    "newer": ("system", 'format = "cdec-config/10"\nsystem', "file-too-new"),
    "another format": (
        "system",
        'format = "cdec-split/1"\nsystem',
        "",
    ),
    "unknown key": ("delta =", "detla =", "did you mean 'delta'?"),
    "unknown key in a table": ("min_df", "mindf", "did you mean 'min_df'?"),
    "unknown system": ('"lemma-delta"', '"lemma-detla"', "did you mean 'lemma-delta'?"),
    "system of another type": ('"lemma-delta"', "3", ""),
    "no system": ('system = "lemma-delta"\n', "", ""),
    "system without parameters": ('"lemma-delta"', '"lemma"', "'delta' (there are none)"),
    "NaN": ("0.3", "nan", "δ is nan"),
    "infinity": ("0.3", "inf", "δ is inf"),
    "wrong type": ("0.3", '"0.3"', "δ is '0.3'"),
    "huge number": ("min_df = 1", "min_df = 1000000000000", "min_df is too large"),
    "wrong type in a table": ("lowercase = true", "lowercase = 1", "lowercase is 1"),
    "no table": ("[tfidf]", "[[tfidf]]", "tfidf is a list (a table, [tfidf])"),
    "tuning of another kind": (
        "[tfidf]",
        "[tuning]\nx = 1\n[tfidf]",
        "",
    ),
}
SAC: dict[str, Fault] = TOML | {
    "unknown key": ("gate", "gaet", "did you mean 'gate'?"),
    "unknown family": ('"head"', '"haed"', "did you mean 'head'?"),
    "family twice": ('"head"', '"head", "head"', "names 'head' twice"),
    "no family": ('"head"', "", "no feature family"),
    "families of another type": ('["head"]', "3", "families is 3"),
    "NaN": ("0.2", "nan", "the gate is nan"),
    "wrong type": ("0.2", '"0.2"', "the gate is '0.2'"),
    "huge number": ("negatives = 8", "negatives = 1000000000000", "negatives is"),
    "no whole number": ("folds = 5", "folds = 2.5", "folds is 2.5"),
    "wrong type in a table": ("folds = 5", "tfidf = 3", "choices.tfidf is 3"),
    "unknown key in a table": ("folds = 5", "tfidf.mindf = 3", "did you mean 'min_df'?"),
}
PATCH: dict[str, Fault] = JSON_FAULTS | {
    "another format": ("cdec-key-patch/1", "cdec-results/1", ""),
    "no format": ('"format": "cdec-key-patch/1",', "", ""),
    "newer": ("patch/1", "patch/2", "file-too-new"),
    "unknown key": ('"merge"', '"mergers"', ""),
    "no key": ('"merge": [],', "", ""),
    "wrong type": ('"merge": []', '"merge": "ab"', ""),
    "mention of another type": (
        '"merge": []',
        '"merge": [["a", 1]]',
        "",
    ),
    "blank mention": (
        '"merge": []',
        '"merge": [["a", " "]]',
        "",
    ),
    "line of another type": (
        '"merge": []',
        '"merge": ["ab"]',
        "",
    ),
    "too few": ('"merge": []', '"merge": [["1_1ecb/11"]]', ""),
    "places of another type": ('"1_1ecb/1-1"', "7", ""),
    "key twice": ('"merge": []', '"merge": [], "merge": []', ""),
}
DECISIONS: dict[str, Fault] = JSON_FAULTS | {
    "another format": ("decisions/1", "decisions/0", ""),
    "newer": ("decisions/1", "decisions/2", "file-too-new"),
    "unknown key": ('"verdict": "error"', '"verdicts": "error"', ""),
    "no decisions": ('"decisions"', '"places2"', ""),
    "unknown verdict": (
        '"unsure"',
        '"perhaps"',
        "",
    ),
    "unknown kind": (
        '"spurious-member"',
        '"odd"',
        "",
    ),
    "wrong type": (
        '"comment": "é"',
        '"comment": 3',
        "",
    ),
    "unknown operation": ('"merge"', '"join"', ""),
    "operation of another type": (
        '"merge": [',
        '"merge": [3, ',
        "",
    ),
    "case twice": ('"case": "b"', '"case": "a"', ""),
}
CASES: dict[str, Fault] = {
    "cut": ("", "", ""),
    "another format": ("shortlist/1", "shortlist", ":1"),
    "newer": ("shortlist/1", "shortlist/2", "file-too-new:1"),
    "the table": ("", "case,kind,score,topic\n", "shortlist-csv"),
    "case twice": ('"case": "a"', '"case": "b"', ""),
    "unknown key": (
        '"topic"',
        '"tpoic"',
        ":2",
    ),
    "wrong type": (
        '"score": 0.5',
        '"score": "0.5"',
        ":2",
    ),
    "NaN": ('"score": 0.5', '"score": NaN', ":2"),
    "infinity": ('"score": 0.5', '"score": 1e999', ""),
    "long integer": ('"score": 0.5', f'"score": {LONG}', ""),
    "deep": ('"score": 0.5', f'"score": {DEEP}', ""),
    "unknown kind": ("missing-singleton-singleton", "odd", ""),
    "another corpus": ('"digest": "', '"digest": "0', "corpus-mismatch"),
    "missing mention": ("1_1ecb/11", "1_1ecb/99", "case-mention-unknown"),
    "mention of another type": (
        '"mentions": ["',
        '"mentions": [1, "',
        "",
    ),
}
RESULTS: dict[str, Fault] = JSON_FAULTS | {
    "newer": (
        '"by"',
        '"format": "cdec-results/2", "by"',
        "file-too-new",
    ),
    "another format": ('"by"', '"format": null, "by"', ""),
    "no unit": ('"unit": "1",', "", ""),
    "by of another type": ('"topic"', "7", ""),
    "no rows": ('"rows"', '"lines"', ""),
    "rows of another type": ('"rows": [', '"rows": [3, ', ""),
    "no signatures": ('"signatures": [', '"signatures": [], "x": [', ""),
    "signature of another type": (
        '"signatures": [',
        '"signatures": [3, ',
        "",
    ),
    "no system": ('"system"', '"sytsem"', ""),
    "unknown metric": ('"metric": "muc"', '"metric": "mcu"', ""),
    "wrong type": ('"f1": 1.0', '"f1": "1.0"', ""),
    "null": ('"f1": 1.0', '"f1": null', ""),
    "too large for a number": ('"f1": 1.0', '"f1": 1e999', ""),
    "out of range": ('"f1": 1.0', '"f1": 17', ""),
    "negative": ('"p_num": 1.0', '"p_num": -1', ""),
    "row twice": ('"unit": "2"', '"unit": "1"', ""),
    "signature without rows": ('"unit": "micro"', '"unit": "macro"', ""),
}
# Without its format the file may also be a response, so its JSON is checked first.
COMPARED: dict[str, Fault] = {
    **RESULTS,
    **{name: (old, new, "json-invalid") for name, (old, new, _) in JSON_FAULTS.items()},
    "counts of another sum": ('"p_num": 1.0', '"p_num": 0.5', "do not add up"),
    "no counts": ('"p_num"', '"x"', "lacks counts"),
    "other units": ('"by": "topic"', '"by": "document"', "no counts by topic"),
}
CELLS = {
    "XML": XML, "sentence list": SENTENCES, "CoNLL key": CONLL, "CoNLL response": CONLL,
    "response on a corpus": CONLL, "JSON Lines": RECORDS, "CSV": TABLE,
    "TSV": {n: (a.replace(",", "\t"), b.replace(",", "\t"), w) for n, (a, b, w) in TABLE.items()},
    "JSON": CLUSTERS, "split": SPLIT, "config": CONFIG, "SAC config": SAC, "patch": PATCH,
    "decisions": DECISIONS, "decisions to report": DECISIONS, "cases": CASES,
    "results to report": RESULTS, "results to compare": COMPARED,
}  # fmt: skip

# Faults that are not errors, with the reason.
ACCEPTED = {
    ("cases", "case twice"): "the id of a case is computed from its content",
    **{(name, "cut"): "a table that is cut at a line end is a shorter table"
       for name in ("JSON Lines", "CSV", "TSV")},
}  # fmt: skip


def broken(sound: str, fault: Fault, name: str) -> str:
    """Return the content with all occurrences of the piece replaced.

    An empty piece is the whole file; ``cut`` ends the file in the middle.
    """
    old, new, _ = fault
    if name == "cut":
        return sound[: len(sound) // 2]
    assert old in sound
    return sound.replace(old, new) if old else new


def expected(name: str, error: str) -> tuple[str, str]:
    """Return the code, or a part of the message, and the place at the end of ``file:line``."""
    code, _, line = error.rpartition(":")
    if not line.isdecimal():
        code, line = error, ""
    return code or INVALID[name], f":{line}: " if line else ""


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, faults in CELLS.items() for fault in faults]
)
def test_every_fault_of_content(name: str, fault: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    change = CELLS[name][fault]
    desk.file.write_text(broken(INPUTS[name].content.decode(), change, fault), newline="")
    ran = desk.call()
    if (name, fault) in ACCEPTED:
        assert (ran.code, ran.err) == (0, ""), ran.err
    else:
        desk.assert_refused(ran, *expected(name, change[2]))
        assert ran.err.removesuffix("\n").isprintable(), "control characters"
        assert len(ran.err) < 3000


def test_a_duplicate_case(set_up: SetUp) -> None:
    desk = set_up(INPUTS["cases"])
    with desk.file.open("a") as file:
        file.write(json.dumps(CASE) + "\n")
    desk.assert_refused(desk.call(), "shortlist-invalid", ":3: ")
