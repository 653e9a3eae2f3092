"""Faults of content: each input × each fault inside it, with code and place or value of the error.

A fault replaces a part of the valid file; accepted faults are in ``ACCEPTED``, with the reason.
Faults of a file as a whole are in ``test_any_file.py``.
"""

from __future__ import annotations

import json

import pytest

from tests.faults import corpus_content
from tests.faults.conftest import SetUp
from tests.faults.inputs import CASE, INPUTS

LONG = "9" * 5000
DEEP = "[" * 100_000
# Old and new text, a place or value in the error, and its code if it is not that of the input.
Fault = tuple[str, ...]
CODES = {
    "GVC": "conll-structure",
    "FCC-T": "corpus-file-invalid",
    **dict.fromkeys(("CD²CR", "MEANTIME", "CoNLL corpus"), "brackets-invalid"),
    "WEC": "json-invalid",
    "uCDCR": "corpus-file-invalid",
    "XML": "corpus-file-invalid",
    "sentence list": "table-invalid",
    **dict.fromkeys(
        (
            "CoNLL key",
            "CoNLL response",
            "response on a corpus",
            "eight columns",
            "ids with sentence",
        ),
        "brackets-invalid",
    ),
    **dict.fromkeys(("JSON Lines", "JSON", "mention to chain"), "json-invalid"),
    **dict.fromkeys(("CSV", "TSV", "TSV without header", "sentences on a corpus"), "table-invalid"),
    **dict.fromkeys(("corpus", "imported corpus"), "corpus-record-invalid"),
    "topics": "table-invalid",
    "split": "split-invalid",
    **dict.fromkeys(("config", "SAC config"), "config-invalid"),
    "patch": "file-invalid",
    **dict.fromkeys(("decisions", "decisions to report"), "file-invalid"),
    "cases": "file-invalid",
    **dict.fromkeys(("results to report", "results to compare"), "file-invalid"),
}
JSON_FAULTS: dict[str, Fault] = {
    "cut": ("", "", ""),
    "NaN": ("[", "[NaN, ", ""),
    "infinity": ("[", "[-Infinity, ", ""),
    "long integer": ("[", f"[{LONG}, ", ""),
    "deep": ("[", DEEP, ""),
    "two values": ("{", "{} {", ""),
}
XML: dict[str, Fault] = {
    "DTD": ("<Document", "<!DOCTYPE Document>\n<Document", "1_1ecb.xml:2:", "corpus-file-invalid"),
    "entity": (">spread", ">&a;", "1_1ecb.xml:4:"),
    "deep": (">spread", ">" + "<a>" * 1000, "1_1ecb.xml:4:"),
    "long sentence number": (
        'sentence="0" number="1"',
        f'sentence="{LONG}"',
        ":4:",
        "corpus-file-invalid",
    ),
    "sentence is not a number": (
        'sentence="0" number="1"',
        'sentence="x"',
        ":4:",
        "corpus-file-invalid",
    ),
    "token twice": ('t_id="2"', 't_id="1"', ":4:", "corpus-file-invalid"),
    "mention twice": ('m_id="21"', 'm_id="11"', ":7:", "corpus-file-invalid"),
    "missing token": ('anchor t_id="2"', 'anchor t_id="9"', ":6:", "corpus-file-invalid"),
    "missing mention": ('source m_id="11"', 'source m_id="9"', ":10:", "corpus-file-invalid"),
    "cut": ("", "", ""),
    "control characters": ("<Document", "<\x1b[31mDocument", ""),
    "control character in a name": (
        'anchor t_id="2"',
        'anchor t_id="\x9b31m"',
        "\\x9b31m",
        "corpus-file-invalid",
    ),
    "long name": (
        'anchor t_id="2"',
        f'anchor t_id="{"x" * 10**6}"',
        "xxx",
        "corpus-file-invalid",
    ),
}
SENTENCES: dict[str, Fault] = {
    "other title": ("Number", "No", ":1:"),
    "column too few": (",0\n", "\n", ":2:"),
    "no number": (",0\n", ",x\n", ":2:"),
    "negative": (",0\n", ",-1\n", ":2:"),
    "long number": (",0\n", f",{LONG}\n", ":2:"),
    "open quote": ("1,1ecb", '1,"1ecb', ""),
    "long field": ("1ecb", "x" * 200_000, ""),
}
CONLL: dict[str, Fault] = {
    "open bracket": ("(é)\n#end document\n#", "(é\n#end document\n#", ":3:", "brackets-invalid"),
    "document twice": ("(1_2ecb);", "(1_1ecb);", ":5:", "conll-structure"),
    "outside": ("#begin document (1_1ecb);\n", "", "", "format-undetected"),
    "column missing": ("\t(é)", "", ":3:"),
    "deep": ("(é)", "(" * 100_000, ":3:"),
}
RECORDS: dict[str, Fault] = {
    "wrong type": ('"start": 1', '"start": "1"', ":1:", "field-invalid"),
    "float": ('"start": 1', '"start": 1.0', ":1:", "field-invalid"),
    "negative": ('"start": 1', '"start": -1', ":1:", "tokens-invalid"),
    "beyond all documents": ('"end": 1', '"end": 1e99', ":1:", "field-invalid"),
    "key twice": ('"start": 1', '"start": 1, "start": 2', ":1:"),
    "NaN": ('"start": 1', '"start": NaN', ":1:"),
    "long integer": ('"start": 1', f'"start": {LONG}', ":1:"),
    "deep": ('"start": 1', f'"start": {DEEP}', ":1:"),
    "no object": ('{"doc": "1_2ecb"', '[{"doc": "1_2ecb"', ":2:"),
    "a document a line": ('"chain": "é"', '"clusters": [[[1, 1]]]', ":1:", "format-undetected"),
    "null": ('"é"', "null", ":1:", "field-invalid"),
}
CORPUS: dict[str, Fault] = {
    "cut": ("", "", "", "json-invalid"),
    "no corpus": ('"record": "corpus"', '"record": "document"', ":1:"),
    "newer": ("cdec-corpus/1", "cdec-corpus/2", "cdec-corpus/2", "file-too-new"),
    "another format": ("cdec-corpus/1", "cdec-split/1", "cdec-corpus/1"),
    "unknown key": ('"tokens"', '"tokesn"', "'tokesn'"),
    "no key": (', "chain": "é"', ', "sentences": []', ":3:"),
    "unknown record": ('"mention"', '"mentions"', "'mentions'"),
    "wrong type": ("[1]", '["1"]', "'tokens', item 1"),
    "float": ("[1]", "[1.0]", "'tokens', item 1"),
    "negative": ("[1]", "[-1]", "'tokens', item 1"),
    "beyond the document": ("[0, 1]", "[0, 2]", ":4:", "corpus-record-invalid"),
    "beyond all documents": ("[0, 1]", "[1e99]", ":4:"),
    "token twice": ("[0, 1]", "[1, 1]", ":4:"),
    "no token": ("[0, 1]", "[]", ":4:"),
    "blank": ('"chain": "é"', '"chain": " "', "'chain'"),
    "mention twice": ('"id": "2"', '"id": "1"', "'a/1'", "corpus-record-invalid"),
    "missing document": ('"doc": "a"', '"doc": "b"', "'b'", "corpus-record-invalid"),
    "key twice": ('"id": "2"', '"id": "2", "id": "3"', ":4:", "json-invalid"),
    "NaN": ("[1]", "[NaN]", ":3:", "json-invalid"),
    "long integer": ("[1]", f"[{LONG}]", ":3:", "json-invalid"),
    "deep": ("[1]", DEEP, ":3:", "json-invalid"),
    "half of a surrogate pair": ("Aña", "\\ud83d", ":2:", "json-invalid"),
    "no object": ('{"record": "mention"', '[{"record": "mention"', ":3:", "json-invalid"),
    "control characters": ('"record": "mention"', '"record": "\\u001b[31m"', ":3:"),
    "long name": ('"doc": "a"', f'"doc": "{"x" * 10**6}"', "xxx", "corpus-record-invalid"),
}
TOPICS: dict[str, Fault] = {
    "another header": ("document,topic", "document,theme", ":2:"),
    "column twice": ("document,topic", "topic,document,topic", ":1:"),
    "field too few": ("a,é", "a", ":2:"),
    "blank": ("a,é", "a, ", ":2:"),
    "document twice": ("a,é\n", "a,é\na,b\n", ":3:"),
    "document missing": ("a,é", "b,é", "a", "document-unassigned"),
    "open quote": ("a,é", 'a,"é', ""),
    "long field": ("a,é", "a," + "x" * 200_000, ":2:"),
}
TABLE: dict[str, Fault] = {
    "no chain": ("start,end,chain", "start,end,x", "", "format-undetected"),
    "column twice": ("doc,start", "doc,doc_id", ":1:", "field-invalid"),
    "NaN": ("1_1ecb,1", "1_1ecb,nan", ":2:", "field-invalid"),
    "long integer": ("1_1ecb,1", f"1_1ecb,{LONG}", ":2:", "field-invalid"),
    "field too few": ("1_1ecb,1,1,", "1_1ecb,1,", ":2:"),
    "open quote": ("1_1ecb,1", '"1_1ecb,1', ":2:"),
    "long field": ("1_1ecb", "x" * 200_000, ":2:"),
}
CLUSTERS: dict[str, Fault] = {
    "wrong type": ("1, 1]]", '1, "x"]]', "'x'", "field-invalid"),
    "chain twice": (',\n["1_2ecb', '], "é": [["1_2ecb', "'é'"),
    "NaN": ("1, 1],\n", "NaN, 1],\n", ":1:"),
    "deep": ("{", '{"a": ' + DEEP, ""),
    "a number": ("", "42", "", "format-undetected"),
    "cut": ("", "", ""),
    "level too few": ('[["1_1ecb", 1, 1],', '["1_1ecb", 1.5, [1],', "1.5", "format-undetected"),
}
EIGHT: dict[str, Fault] = {
    "label outside a mention": ("\t-\n", "\té\n", ":2:"),
    "open bracket": ("(é)", "(é", ":3:", "brackets-invalid"),
    "column missing": ("\t(é)", "", ":3:"),
    "long sentence number": ("\t0\t2", f"\t{LONG}\t2", "", "mentions-disjoint"),
}
BY_ID: dict[str, Fault] = {
    "null": ('"1_1ecb/11": "é"', '"1_1ecb/11": null', "'1_1ecb/11'", "field-invalid"),
    "float": ('"é"}', "1.5}", "'1_1ecb/11'", "format-undetected"),
    "blank chain": ('"1_1ecb/11": "é"', '"1_1ecb/11": " "', "chain is blank", "field-invalid"),
    "blank mention": ('"1_1ecb/11"', '" "', "mention is blank", "field-invalid"),
    "mention twice": ('"1_2ecb/11"', '"1_1ecb/11"', "'1_1ecb/11'"),
    "long integer": ('"1_1ecb/11": "é"', f'"1_1ecb/11": {LONG}', ""),
    "cut": ("", "", ""),
}
BARE: dict[str, Fault] = {
    "a header without a chain": ("1_1ecb\t1\t1\té", "doc\tstart\tend\tx", "", "format-undetected"),
    "not a number": ("1_1ecb\t1", "1_1ecb\tx", "", "format-undetected"),
    "brackets": ("\té\n1_2", "\t(é)\n1_2", "", "format-undetected"),
    "field too few": ("1_2ecb\t1\t1\t", "1_2ecb\t1\t", ":2:"),
    "end before start": ("1_2ecb\t1\t1", "1_2ecb\t1\t0", ":2:", "tokens-invalid"),
    "open quote": ("1_1ecb", '"1_1ecb', ":1:"),
}
SENTENCES_OF_TOKENS: dict[str, Fault] = {
    "missing sentence": ("1_1ecb,0,", "1_1ecb,3,", ":2:", "tokens-invalid"),
    "token outside the sentence": ("1_2ecb,0,1,1", "1_2ecb,0,1,2", ":3:", "tokens-invalid"),
    "not a number": ("1_2ecb,0,", "1_2ecb,x,", ":3:", "field-invalid"),
    "negative": ("1_2ecb,0,", "1_2ecb,-1,", ":3:", "field-invalid"),
    "long number": ("1_2ecb,0,", f"1_2ecb,{LONG},", ":3:", "field-invalid"),
    "column twice": ("doc,sentence", "sent_id,sentence", ":1:", "field-invalid"),
    "unknown mention": ("1,1,é", ",,é", ":2:", "field-invalid"),
}
SPAN_IDS: dict[str, Fault] = {
    "missing sentence": ("1_2ecb_0_", "1_2ecb_3_", ":3:", "tokens-invalid"),
    "token outside the sentence": ("1_2ecb_0_1_1", "1_2ecb_0_1_9", ":3:", "tokens-invalid"),
    "end before start": ("ecb_0_1_1", "ecb_0_1_0", "", "mentions-disjoint"),
    "long number": ("1_1ecb_0_", f"1_1ecb_{LONG}_", "", "mentions-disjoint"),
    "another document": ("_0_1_1", "x_0_1_1", "", "mentions-disjoint"),
    "no brackets": ("(é)", "é", ":2:"),
}
TOML: dict[str, Fault] = {
    "cut": ("", "", ""),
    "no value": ("\n[", "\nx =\n[", ""),
    "deep": ("\n[", f"\nx = {DEEP}\n[", ""),
    "long integer": ("\n[", f"\nx = {LONG}\n[", ""),
    "long key": ("\n[", f"\n{'a.' * 50_000}a = 1\n[", "200"),
    "table twice": ("\n[", "\n[x]\n[x]\n[", ""),
    "unknown key": ("é", "é\nbogus = 1\n#", "bogus"),
    "huge": ("", "# " + "x" * 300_000, "", "file-too-large"),
}
SPLIT: dict[str, Fault] = TOML | {
    "newer": ("title", 'format = "cdec-split/2"\ntitle', "cdec-split/2", "file-too-new"),
    "another format": ("title", 'format = "cdec-config/1"\ntitle', "cdec-split/1"),
    "format of another type": ("title", "format = 1\ntitle", "cdec-split/1"),
    "unknown key": ("reviewed_only", "reviewed_onyl", "'reviewed_onyl'"),
    "wrong type": ("false", '"no"', "'reviewed_only'"),
    "title of another type": ('"é"', "1", "'title'"),
    "topics of another type": ('["1-1"]', '"1-1"', "'topics', 'dev'"),
    "NaN": ('["1-1"]', "[nan]", "'topics', 'dev', item 1"),
    "topic twice": ('["1-1"]', '["1", "1-2"]', "topic 1"),
    "endless range": ('["1-1"]', '["1-999999999"]', "'dev'"),
    "many ranges": ('["1-1"]', "[" + '"1-99999",' * 100 + "]", "'dev'"),
    "a part that means all": ("dev =", "all =", "'all'"),
    "a part that means the sum": ("dev =", "total =", "'total'"),
    "no topics": ("[topics]", "[x]", "'x'"),
}
CONFIG: dict[str, Fault] = TOML | {
    "newer": ("system", 'format = "cdec-config/10"\nsystem', "cdec-config/10", "file-too-new"),
    "another format": (
        "system",
        'format = "cdec-split/1"\nsystem',
        "cdec-config/1",
    ),
    "unknown key": ("delta =", "detla =", "detla", "name-unknown"),
    "unknown key in a table": ("min_df", "mindf", "mindf", "name-unknown"),
    "unknown system": ('"lemma-delta"', '"lemma-detla"', "'lemma-detla'", "name-unknown"),
    "system of another type": ('"lemma-delta"', "3", "'system'"),
    "no system": ('system = "lemma-delta"\n', "", "'system'"),
    "system without parameters": ('"lemma-delta"', '"lemma"', "'delta'", "name-unknown"),
    "NaN": ("0.3", "nan", "nan", "parameter-invalid"),
    "infinity": ("0.3", "inf", "inf", "parameter-invalid"),
    "wrong type": ("0.3", '"0.3"', "'0.3'", "parameter-invalid"),
    "huge number": ("min_df = 1", "min_df = 1000000000000", "min_df", "parameter-invalid"),
    "wrong type in a table": (
        "lowercase = true",
        "lowercase = 1",
        "lowercase",
        "parameter-invalid",
    ),
    "no table": ("[tfidf]", "[[tfidf]]", "tfidf", "parameter-invalid"),
    "tuning of another kind": (
        "[tfidf]",
        "[tuning]\nx = 1\n[tfidf]",
        "'x'",
    ),
}
SAC: dict[str, Fault] = TOML | {
    "unknown key": ("gate", "gaet", "gaet", "name-unknown"),
    "unknown family": ('"head"', '"haed"', "haed", "name-unknown"),
    "family twice": ('"head"', '"head", "head"', "'head'", "parameter-invalid"),
    "no family": ('"head"', "", "", "parameter-invalid"),
    "families of another type": ('["head"]', "3", "families", "parameter-invalid"),
    "NaN": ("0.2", "nan", "nan", "parameter-invalid"),
    "wrong type": ("0.2", '"0.2"', "'0.2'", "parameter-invalid"),
    "huge number": ("negatives = 8", "negatives = 1000000000000", "negatives", "parameter-invalid"),
    "no whole number": ("folds = 5", "folds = 2.5", "2.5", "parameter-invalid"),
    "wrong type in a table": ("folds = 5", "tfidf = 3", "choices.tfidf", "parameter-invalid"),
    "unknown key in a table": ("folds = 5", "tfidf.mindf = 3", "mindf", "name-unknown"),
}
PATCH: dict[str, Fault] = JSON_FAULTS | {
    "another format": ("cdec-key-patch/1", "cdec-results/1", "cdec-key-patch/2"),
    "no format": ('"format": "cdec-key-patch/1",', "", "cdec-key-patch/2"),
    "newer": ("patch/1", "patch/3", "cdec-key-patch/3", "file-too-new"),
    "unknown key": ('"merge"', '"mergers"', "'mergers'"),
    "no key": ('"merge": [],', "", "'merge'"),
    "wrong type": ('"merge": []', '"merge": "ab"', "'merge'"),
    "mention of another type": (
        '"merge": []',
        '"merge": [["a", 1]]',
        "'merge', item 1, item 2",
    ),
    "blank mention": (
        '"merge": []',
        '"merge": [["a", " "]]',
        "'merge', item 1, item 2",
    ),
    "line of another type": (
        '"merge": []',
        '"merge": ["ab"]',
        "'merge', item 1",
    ),
    "list as digest": ('"corpus": "é"', '"digest": []', "'about' has the digest a list"),
    "too few": ('"merge": []', '"merge": [["1_1ecb/11"]]', "1_1ecb/11"),
    "places of another type": ('"1_1ecb/1-1"', "7", "'1_1ecb/11'"),
    "key twice": ('"merge": []', '"merge": [], "merge": []', "'merge'"),
}
DECISIONS: dict[str, Fault] = JSON_FAULTS | {
    "another format": ("decisions/1", "decisions/0", "cdec-audit-decisions/1"),
    "newer": ("decisions/1", "decisions/2", "cdec-audit-decisions/2", "file-too-new"),
    "unknown key": ('"verdict": "error"', '"verdicts": "error"', "'verdicts'"),
    "no decisions": ('"decisions"', '"places2"', "'places2'"),
    "unknown verdict": (
        '"unsure"',
        '"perhaps"',
        "'decisions', item 2, 'verdict'",
    ),
    "unknown kind": (
        '"spurious-member"',
        '"odd"',
        "'decisions', item 2, 'kind'",
    ),
    "wrong type": (
        '"comment": "é"',
        '"comment": 3',
        "'decisions', item 1, 'comment'",
    ),
    "unknown operation": ('"merge"', '"join"', "'join'"),
    "operation of another type": (
        '"merge": [',
        '"merge": [3, ',
        "'operation', 'merge', item 1",
    ),
    "case twice": ('"case": "b"', '"case": "a"', "case a"),
    "list as digest": ('"digest": "1"', '"digest": ["1"]', "'about' has the digest a list"),
    "object as corpus": ('"corpus": "corpus"', '"corpus": {}', "'about' has the corpus an object"),
}
CASES: dict[str, Fault] = {
    "cut": ("", "", ""),
    "another format": ("shortlist/2", "shortlist", ":1:"),
    "newer": ("shortlist/2", "shortlist/3", ":1:", "file-too-new"),
    "the table": ("", "case,kind,score,topic\n", "", "file-invalid"),
    "case twice": ('"case": "a"', '"case": "b"', ""),
    "unknown key": (
        '"topic"',
        '"tpoic"',
        "'tpoic'",
    ),
    "wrong type": (
        '"score": 0.5',
        '"score": "0.5"',
        "'score'",
    ),
    "NaN": ('"score": 0.5', '"score": NaN', ":2:"),
    "infinity": ('"score": 0.5', '"score": 1e999', "'score'"),
    "long integer": ('"score": 0.5', f'"score": {LONG}', ""),
    "deep": ('"score": 0.5', f'"score": {DEEP}', ""),
    "unknown kind": ("missing-singleton-singleton", "odd", "'kind'"),
    "another corpus": ('"digest": "', '"digest": "0', "", "input-mismatch"),
    "list as digest": ('"digest": "', '"digest": [], "x": "', ":1:"),
    "operation on no side": ('"merge": ["1_1ecb/11"', '"merge": ["1_1ecb/12"', "1_1ecb/12"),
    "missing mention": ("1_1ecb/11", "1_1ecb/99", "1_1ecb/99", "input-mismatch"),
    "mention of another type": (
        '"mentions": ["',
        '"mentions": [1, "',
        "'sides', item 1, 'mentions', item 1",
    ),
}
RESULTS: dict[str, Fault] = JSON_FAULTS | {
    "newer": (
        '"by"',
        '"format": "cdec-results/2", "by"',
        "cdec-results/2",
        "file-too-new",
    ),
    "another format": ('"by"', '"format": null, "by"', "cdec-results/1"),
    "no unit": ('"unit": "1",', "", "'rows', item 1"),
    "by of another type": ('"topic"', "7", "'by'"),
    "no rows": ('"rows"', '"lines"', "'rows'"),
    "rows of another type": ('"rows": [', '"rows": [3, ', "'rows', item 1"),
    "no signatures": ('"signatures": [', '"signatures": [], "x": [', "'signatures'"),
    "signature of another type": (
        '"signatures": [',
        '"signatures": [3, ',
        "'signatures', item 1",
    ),
    "no system": ('"system"', '"sytsem"', "'signatures', item 1"),
    "unknown metric": ('"metric": "muc"', '"metric": "mcu"', "'mcu'"),
    "wrong type": ('"f1": 1.0', '"f1": "1.0"', "'f1'"),
    "null": ('"f1": 1.0', '"f1": null', "F1"),
    "too large for a number": ('"f1": 1.0', '"f1": 1e999', "'f1'"),
    "out of range": ('"f1": 1.0', '"f1": 17', "'f1'"),
    "negative": ('"p_num": 1.0', '"p_num": -1', "'p_num'"),
    "row twice": ('"unit": "2"', '"unit": "1"', "1, é, pure, muc"),
    "signature without rows": ('"unit": "micro"', '"unit": "macro"', "é, pure"),
}
COMPARED: dict[str, Fault] = RESULTS | {
    **{name: (*fault, "json-invalid") for name, fault in JSON_FAULTS.items()},
    "cut": ("", "", "", "json-invalid"),  # it could be a response too
    "counts of another sum": ('"p_num": 1.0', '"p_num": 0.5', "", "results-missing"),
    "no counts": ('"p_num"', '"x"', "", "results-missing"),
    "other units": ('"by": "topic"', '"by": "document"', "", "results-missing"),
}
CELLS = {
    "corpus": CORPUS, "imported corpus": CORPUS, "topics": TOPICS,
    "XML": XML, "sentence list": SENTENCES, "CoNLL key": CONLL, "CoNLL response": CONLL,
    "response on a corpus": CONLL, "JSON Lines": RECORDS, "CSV": TABLE,
    "TSV": {n: (a.replace(",", "\t"), b.replace(",", "\t"), *w) for n, (a, b, *w) in TABLE.items()},
    "eight columns": EIGHT, "mention to chain": BY_ID, "TSV without header": BARE,
    "sentences on a corpus": SENTENCES_OF_TOKENS, "ids with sentence": SPAN_IDS,
    "JSON": CLUSTERS, "split": SPLIT, "config": CONFIG, "SAC config": SAC, "patch": PATCH,
    "decisions": DECISIONS, "decisions to report": DECISIONS, "cases": CASES,
    "results to report": RESULTS, "results to compare": COMPARED, **corpus_content.CELLS,
}  # fmt: skip

# The accepted faults, and why.
ACCEPTED = {
    ("cases", "case twice"): "the id of a case is computed from its content",
    **{(name, "cut"): "a table that is cut at a line is a shorter table"
       for name in ("JSON Lines", "CSV", "TSV")},
}  # fmt: skip


def with_fault(valid: str, fault: Fault, name: str) -> str:
    """Return the content with the fault: every occurrence of the old text is replaced.

    An empty old text means the whole file; ``cut`` truncates the file in the middle.
    """
    old, new, *_ = fault
    if name == "cut":
        return valid[: len(valid) // 2]
    assert old in valid
    return valid.replace(old, new) if old else new


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, faults in CELLS.items() for fault in faults]
)
def test_every_fault_of_content(name: str, fault: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    _, _, value, *code = CELLS[name][fault]
    content = with_fault(INPUTS[name].content.decode(), CELLS[name][fault], fault)
    desk.file.write_text(content, newline="")
    ran = desk.call()
    if (name, fault) in ACCEPTED:
        assert (ran.code, ran.err) == (0, ""), ran.err
    else:
        desk.assert_refused(ran, *(code or [CODES[name]]), value)
        assert ran.err.removesuffix("\n").isprintable(), "control characters on the terminal"
        assert len(ran.err) < 3000


def test_a_duplicate_case(set_up: SetUp) -> None:
    desk = set_up(INPUTS["cases"])
    with desk.file.open("a") as file:
        file.write(json.dumps(CASE) + "\n")
    desk.assert_refused(desk.call(), "file-invalid", ":3:")
