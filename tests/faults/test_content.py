"""Faults of content: each input × what can be wrong inside it, with the words of the error.

A fault replaces a piece of the sound file; what is no error is in ``ACCEPTED``, with the reason.
Faults of a file as a whole are in ``test_any_file.py``.
"""

from __future__ import annotations

import json

import pytest

from cdec.codes import catalogue
from tests.faults.conftest import SetUp
from tests.faults.inputs import CASE, INPUTS

LONG = "9" * 5000
DEEP = "[" * 100_000
# What is replaced, by what, a word of the error.
Fault = tuple[str, str, str]
JSON_FAULTS: dict[str, Fault] = {
    "cut": ("", "", "not JSON"),
    "NaN": ("[", "[NaN, ", "NaN is no JSON"),
    "infinity": ("[", "[-Infinity, ", "-Infinity is no JSON"),
    "long integer": ("[", f"[{LONG}, ", "thousands of digits"),
    "deep": ("[", DEEP, "nested too deeply"),
    "two values": ("{", "{} {", "Extra data"),
}
XML: dict[str, Fault] = {
    "DTD": ("<Document", "<!DOCTYPE Document>\n<Document", "1_1ecb.xml:2: a document type"),
    "entity": (">spread", ">&a;", "1_1ecb.xml:4: not well-formed"),
    "deep": (">spread", ">" + "<a>" * 1000, "1_1ecb.xml:4: not well-formed XML: Excessive depth"),
    "long sentence number": ('sentence="0" number="1"', f'sentence="{LONG}"', ":4: sentence '99"),
    "sentence is no number": ('sentence="0" number="1"', 'sentence="x"', ":4: sentence 'x'"),
    "token twice": ('t_id="2"', 't_id="1"', ":4: token 1 stands twice"),
    "mention twice": ('m_id="21"', 'm_id="11"', ":7: markable 11 stands twice"),
    "missing token": ('anchor t_id="2"', 'anchor t_id="9"', ":6: mention 11 is anchored to"),
    "missing mention": ('source m_id="11"', 'source m_id="9"', ":10: relation from a missing"),
    "cut": ("", "", "not well-formed XML"),
    "control characters": ("<Document", "<\x1b[31mDocument", "not well-formed"),
    "sign that drives a terminal": ('anchor t_id="2"', 'anchor t_id="\x9b31m"', "token \\x9b31m"),
    "book in a name": ('anchor t_id="2"', f'anchor t_id="{"x" * 10**6}"', "missing token xxx"),
}
SENTENCES: dict[str, Fault] = {
    "other title": ("Number", "No", ":1: no list of reviewed sentences"),
    "column too few": (",0\n", "\n", ":2: no list"),
    "no number": (",0\n", ",x\n", ":2: no list"),
    "negative": (",0\n", ",-1\n", ":2: no list"),
    "long number": (",0\n", f",{LONG}\n", ":2: no list"),
    "open quote": ("1,1ecb", '1,"1ecb', "not CSV"),
    "long field": ("1ecb", "x" * 200_000, "not CSV: field larger than field limit"),
}
CONLL: dict[str, Fault] = {
    "open bracket": ("(é)\n#end document\n#", "(é\n#end document\n#", ":3: '(é' opens"),
    "document twice": ("(1_2ecb);", "(1_1ecb);", ":5: document '1_1ecb' begins a second time"),
    "outside": ("#begin document (1_1ecb);\n", "", "unclear format"),
    "column missing": ("\t(é)", "", ":3: 'spread' in the last column"),
    "deep": ("(é)", "(" * 100_000, ":3: '((((("),
}
RECORDS: dict[str, Fault] = {
    "wrong type": ('"start": 1', '"start": "1"', ":1: start '1' is no integer"),
    "float": ('"start": 1', '"start": 1.0', ":1: start 1.0 is no integer"),
    "negative": ('"start": 1', '"start": -1', ":1: start -1 is out of range"),
    "beyond all documents": ('"end": 1', '"end": 1e99', ":1: end 1e+99 is no integer"),
    "key twice": ('"start": 1', '"start": 1, "start": 2', ":1: bad JSON: the key 'start'"),
    "NaN": ('"start": 1', '"start": NaN', ":1: bad JSON: NaN is no JSON"),
    "long integer": ('"start": 1', f'"start": {LONG}', ":1: bad JSON: an integer has thousands"),
    "deep": ('"start": 1', f'"start": {DEEP}', ":1: bad JSON: nested too deeply"),
    "no object": ('{"doc": "1_2ecb"', '[{"doc": "1_2ecb"', ":2: bad JSON"),
    "a document a line": ('"chain": "é"', '"clusters": [[[1, 1]]]', ":1: the line is a document"),
    "null": ('"é"', "null", ":1: no chain"),
}
TABLE: dict[str, Fault] = {
    "no chain": ("start,end,chain", "start,end,x", "unclear format"),
    "column twice": ("doc,start", "doc,doc_id", ":1: 'doc' and 'doc_id' both mean"),
    "NaN": ("1_1ecb,1", "1_1ecb,nan", ":2: start 'nan' is no integer"),
    "long integer": ("1_1ecb,1", f"1_1ecb,{LONG}", ":2: start '999"),
    "field too few": ("1_1ecb,1,1,", "1_1ecb,1,", ":2: 3 fields where the header has 4"),
    "open quote": ("1_1ecb,1", '"1_1ecb,1', ":2: bad table"),
    "long field": ("1_1ecb", "x" * 200_000, ":2: bad table: field larger than field limit"),
}
CLUSTERS: dict[str, Fault] = {
    "wrong type": ("1, 1]]", '1, "x"]]', "end 'x' is no integer"),
    "chain twice": (',\n["1_2ecb', '], "é": [["1_2ecb', "the key 'é' stands twice"),
    "NaN": ("1, 1],\n", "NaN, 1],\n", ":1: bad JSON: NaN"),
    "deep": ("{", '{"a": ' + DEEP, "bad JSON: nested too deeply"),
    "a number": ("", "42", "unclear format"),
    "cut": ("", "", "bad JSON"),
    "level too few": ('[["1_1ecb", 1, 1],', '["1_1ecb", 1.5, [1],', "is no mention"),
}
TOML: dict[str, Fault] = {
    "cut": ("", "", "not TOML"),
    "no value": ("\n[", "\nx =\n[", "not TOML"),
    "deep": ("\n[", f"\nx = {DEEP}\n[", "nested too deeply"),
    "long integer": ("\n[", f"\nx = {LONG}\n[", "a number is too long"),
    "long key": ("\n[", f"\n{'a.' * 50_000}a = 1\n[", "more than 200 dots in one line"),
    "table twice": ("\n[", "\n[x]\n[x]\n[", "not TOML"),
    "unknown key": ("é", "é\nbogus = 1\n#", "bogus"),
    "huge": ("", "# " + "x" * 300_000, "too large"),
}
SPLIT: dict[str, Fault] = TOML | {
    "newer": ("title", 'format = "cdec-split/2"\ntitle', "written by a newer cdec: it says cdec-s"),
    "another format": ("title", 'format = "cdec-config/1"\ntitle', "it does not say cdec-split/1"),
    "format of another type": ("title", "format = 1\ntitle", "it does not say cdec-split/1"),
    "unknown key": ("reviewed_only", "reviewed_onyl", ":"),
    "wrong type": ("false", '"no"', "'reviewed_only' is 'no', not true or false"),
    "title of another type": ('"é"', "1", "'title' is 1, not a text"),
    "topics of another type": ('["1-1"]', '"1-1"', "'topics', 'dev' is '1-1', not a list"),
    "NaN": ('["1-1"]', "[nan]", "'topics', 'dev', item 1 is nan, not a topic"),
    "topic twice": ('["1-1"]', '["1", "1-2"]', "topic 1 stands twice"),
    "endless range": ('["1-1"]', '["1-999999999"]', "more than 100,000 topics"),
    "many ranges": ('["1-1"]', "[" + '"1-99999",' * 100 + "]", "more than 100,000 topics"),
    "a part that means all": ("dev =", "all =", "cannot be called 'all'"),
    "no topics": ("[topics]", "[x]", "unknown field 'x', known: title, reviewed_only, topics"),
}
CONFIG: dict[str, Fault] = TOML | {
    "newer": ("system", 'format = "cdec-config/10"\nsystem', "written by a newer cdec: it says"),
    "another format": (
        "system",
        'format = "cdec-split/1"\nsystem',
        "it does not say cdec-config/1",
    ),
    "unknown key": ("delta =", "detla =", "did you mean 'delta'?"),
    "unknown key in a table": ("min_df", "mindf", "did you mean 'tfidf.min_df'?"),
    "unknown system": ('"lemma-delta"', '"lemma-detla"', "did you mean 'lemma-delta'?"),
    "system of another type": ('"lemma-delta"', "3", "'system' is 3, not a text"),
    "no system": ('system = "lemma-delta"\n', "", "it has no 'system'"),
    "system without parameters": ('"lemma-delta"', '"lemma"', "'delta' (none is known)"),
    "NaN": ("0.3", "nan", "got nan"),
    "infinity": ("0.3", "inf", "got inf"),
    "wrong type": ("0.3", '"0.3"', "got '0.3'"),
    "huge number": ("min_df = 1", "min_df = 1000000000000", "min_df is too large"),
    "wrong type in a table": ("lowercase = true", "lowercase = 1", "lowercase is 1"),
    "no table": ("[tfidf]", "[[tfidf]]", "tfidf must be a table, got a list"),
    "tuning of another kind": (
        "[tfidf]",
        "[tuning]\nx = 1\n[tfidf]",
        "'tuning' has an unknown field 'x', known: corpus",
    ),
}
SAC: dict[str, Fault] = TOML | {
    "unknown key": ("gate", "gaet", "did you mean 'choices.gate'?"),
    "unknown family": ('"head"', '"haed"', "did you mean 'head'?"),
    "family twice": ('"head"', '"head", "head"', "duplicate name 'head'"),
    "no family": ('"head"', "", "no feature family"),
    "families of another type": ('["head"]', "3", "got 3"),
    "NaN": ("0.2", "nan", "got nan"),
    "wrong type": ("0.2", '"0.2"', "got '0.2'"),
    "huge number": ("negatives = 8", "negatives = 1000000000000", "negatives must be"),
    "no whole number": ("folds = 5", "folds = 2.5", "got 2.5"),
    "wrong type in a table": ("folds = 5", "tfidf = 3", "choices.tfidf must be a table, got 3"),
    "unknown key in a table": (
        "folds = 5",
        "tfidf.mindf = 3",
        "'choices.tfidf.min_df'?",
    ),
}
# Here the last part is the code of the error, and a value in its message.
PATCH: dict[str, Fault] = {n: (a, b, "patch-invalid") for n, (a, b, _) in JSON_FAULTS.items()} | {
    "another format": ("cdec-key-patch/1", "cdec-results/1", "patch-invalid cdec-key-patch/1"),
    "no format": ('"format": "cdec-key-patch/1",', "", "patch-invalid cdec-key-patch/1"),
    "newer": ("patch/1", "patch/2", "file-too-new cdec-key-patch/2"),
    "unknown key": ('"merge"', '"mergers"', "patch-invalid 'mergers'"),
    "no key": ('"merge": [],', "", "patch-invalid 'merge'"),
    "wrong type": ('"merge": []', '"merge": "ab"', "patch-invalid 'merge' is 'ab'"),
    "mention of another type": (
        '"merge": []',
        '"merge": [["a", 1]]',
        "patch-invalid 'merge', item 1, item 2 is 1",
    ),
    "blank mention": (
        '"merge": []',
        '"merge": [["a", " "]]',
        "patch-invalid 'merge', item 1, item 2 is ' '",
    ),
    "line of another type": (
        '"merge": []',
        '"merge": ["ab"]',
        "patch-invalid 'merge', item 1 is 'ab'",
    ),
    "too few": ('"merge": []', '"merge": [["1_1ecb/11"]]', "patch-invalid ['1_1ecb/11']"),
    "places of another type": ('"1_1ecb/1-1"', "7", "patch-invalid '1_1ecb/11' is 7"),
    "key twice": ('"merge": []', '"merge": [], "merge": []', "patch-invalid 'merge'"),
}
DECISIONS: dict[str, Fault] = {
    **{name: (a, b, "decisions-invalid") for name, (a, b, _) in JSON_FAULTS.items()},
    "another format": ("decisions/1", "decisions/0", "decisions-invalid cdec-audit-decisions/1"),
    "newer": ("decisions/1", "decisions/2", "file-too-new cdec-audit-decisions/2"),
    "unknown key": ('"verdict": "error"', '"verdicts": "error"', "decisions-invalid 'verdicts'"),
    "no decisions": ('"decisions"', '"places2"', "decisions-invalid 'places2'"),
    "unknown verdict": (
        '"unsure"',
        '"perhaps"',
        "decisions-invalid 'decisions', item 2, 'verdict' is 'perhaps'",
    ),
    "unknown kind": (
        '"spurious-member"',
        '"odd"',
        "decisions-invalid 'decisions', item 2, 'kind' is 'odd'",
    ),
    "wrong type": (
        '"comment": "é"',
        '"comment": 3',
        "decisions-invalid 'decisions', item 1, 'comment' is 3",
    ),
    "unknown operation": ('"merge"', '"join"', "decisions-invalid 'join'"),
    "operation of another type": (
        '"merge": [',
        '"merge": [3, ',
        "decisions-invalid 'operation', 'merge', item 1 is 3",
    ),
    "case twice": ('"case": "b"', '"case": "a"', "decisions-invalid case a"),
}
CASES: dict[str, Fault] = {
    "cut": ("", "", "shortlist-invalid"),
    "another format": ("shortlist/1", "shortlist", "shortlist-invalid :1:"),
    "newer": ("shortlist/1", "shortlist/2", "file-too-new :1:"),
    "the table": ("", "case,kind,score,topic\n", "shortlist-csv .jsonl"),
    "case twice": ('"case": "a"', '"case": "b"', ""),
    "unknown key": ('"topic"', '"tpoic"', "shortlist-invalid 'tpoic'"),
    "wrong type": ('"score": 0.5', '"score": "0.5"', "shortlist-invalid 'score' is '0.5'"),
    "NaN": ('"score": 0.5', '"score": NaN', "shortlist-invalid NaN"),
    "infinity": ('"score": 0.5', '"score": 1e999', "shortlist-invalid :2:"),
    "long integer": ('"score": 0.5', f'"score": {LONG}', "shortlist-invalid :2:"),
    "deep": ('"score": 0.5', f'"score": {DEEP}', "shortlist-invalid :2:"),
    "unknown kind": ("missing-singleton-singleton", "odd", "shortlist-invalid 'kind' is 'odd'"),
    "another corpus": ('"digest": "', '"digest": "0', "corpus-mismatch 'corpus'"),
    "missing mention": ("1_1ecb/11", "1_1ecb/99", "case-mention-unknown '1_1ecb/99'"),
    "mention of another type": (
        '"mentions": ["',
        '"mentions": [1, "',
        "shortlist-invalid 'sides', item 1, 'mentions', item 1 is 1",
    ),
}
RESULTS: dict[str, Fault] = JSON_FAULTS | {
    "newer": (
        '"by"',
        '"format": "cdec-results/2", "by"',
        "written by a newer cdec: it says cdec-r",
    ),
    "another format": ('"by"', '"format": null, "by"', "it does not say cdec-results/1"),
    "no unit": ('"unit": "1",', "", "'rows', item 1 has no 'unit'"),
    "by of another type": ('"topic"', "7", "'by' is 7, not a text"),
    "no rows": ('"rows"', '"lines"', "it has no 'rows'"),
    "rows of another type": ('"rows": [', '"rows": [3, ', "'rows', item 1 is 3, not an object"),
    "no signatures": ('"signatures": [', '"signatures": [], "x": [', "'signatures' is empty"),
    "signature of another type": (
        '"signatures": [',
        '"signatures": [3, ',
        "'signatures', item 1 is 3, not an object",
    ),
    "no system": ('"system"', '"sytsem"', "'signatures', item 1 has no 'system'"),
    "unknown metric": ('"metric": "muc"', '"metric": "mcu"', "unknown metric 'mcu'"),
    "wrong type": ('"f1": 1.0', '"f1": "1.0"', "'f1' is '1.0', not a number"),
    "null": ('"f1": 1.0', '"f1": null', "'rows', item 1, 'f1' is null, not a number"),
    "too large for a number": ('"f1": 1.0', '"f1": 1e999', "'f1' is inf, not a finite number"),
    "out of range": ('"f1": 1.0', '"f1": 17', "'f1' is 17, not 1 or less"),
    "negative": ('"p_num": 1.0', '"p_num": -1', "'p_num' is -1, not 0 or more"),
    "row twice": ('"unit": "2"', '"unit": "1"', "the row of 1, é, pure, muc stands 2 times"),
    "signature without rows": ('"unit": "micro"', '"unit": "macro"', "no row of é, pure"),
}
COMPARED: dict[str, Fault] = RESULTS | {
    "cut": ("", "", "bad JSON"),  # it may as well be a response
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

# What is no error, and why.
ACCEPTED = {
    ("cases", "case twice"): "the id of a case is computed from its content",
    **{(name, "cut"): "a table or list of lines that is cut at a line is a shorter one"
       for name in ("JSON Lines", "CSV", "TSV")},
}  # fmt: skip


def broken(sound: str, fault: Fault, name: str) -> str:
    """The content with the fault in it: all of the first argument's occurrences are replaced.

    An empty first argument stands for the whole file; ``cut`` ends the file in the middle.
    """
    old, new, _ = fault
    if name == "cut":
        return sound[: len(sound) // 2]
    assert old in sound
    return sound.replace(old, new) if old else new


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, faults in CELLS.items() for fault in faults]
)
def test_every_fault_of_content(name: str, fault: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    what = CELLS[name][fault]
    desk.file.write_text(broken(INPUTS[name].content.decode(), what, fault), newline="")
    ran = desk.call()
    if (name, fault) in ACCEPTED:
        assert (ran.code, ran.err) == (0, ""), ran.err
    else:
        code, _, value = what[2].partition(" ")
        if code in catalogue():
            assert ran.error == code, ran.err
        desk.assert_refused(ran, value if code in catalogue() else what[2])
        assert ran.err.removesuffix("\n").isprintable(), "it drives the terminal"
        assert len(ran.err) < 3000


def test_a_duplicate_case(set_up: SetUp) -> None:
    desk = set_up(INPUTS["cases"])
    with desk.file.open("a") as file:
        file.write(json.dumps(CASE) + "\n")
    ran = desk.call()
    assert ran.error == "shortlist-invalid"
    desk.assert_refused(ran, ":3: ")
