"""Faults inside the files of corpora in formats other than ECB+'s (see ``test_content``)."""

from __future__ import annotations

LONG = "9" * 5000
Fault = tuple[str, ...]
_DEEP = "[" * 100_000

GVC: dict[str, Fault] = {
    "cut": ("", "", "", "conll-structure"),
    "open bracket": ("(c2)", "(c2", ":9:", "brackets-invalid"),
    "deep": ("(c2)", "(" * 100_000, ":9:", "brackets-invalid"),
    "long sentence number": ("d1.b2.1", f"d1.b{LONG}.1", ":9:", "corpus-file-invalid"),
    "sentences far ahead": ("d1.b2.1", "d1.b999999999.1", ":9:", "corpus-file-invalid"),
    "column too few": ("\tBODY\t(c2)", "\t(c2)", ":9:", "corpus-file-invalid"),
    "document twice": ("d2", "d1", "d1", "conll-structure"),
    "outside": ("#begin document (d1);\n", "", ":1:"),
}
FCCT: dict[str, Fault] = {
    "no bracket": ("(9)", "9", ":4:"),
    "long number": ("_0_0_0\t(9)", f"_0_0_{LONG}\t(9)", ":4:"),
    "beyond all sentences": ("_0_0_0\t(9)", "_0_0_999999\t(9)", ":4:", "tokens-invalid"),
    "end before start": ("_0_0_0\t(9)", "_0_3_0\t(9)", ":4:", "tokens-invalid"),
    "mention twice": ("_0_0_0\t(9)", "_0_1_3\t(9)", ":4:", "mention-duplicate"),
}
COLUMNS: dict[str, Fault] = {
    "cut": ("", "", "", "corpus-file-invalid"),
    "open bracket": ("(7)", "(7", ":6:", "brackets-invalid"),
    "deep": ("(7)", "(" * 100_000, ":6:"),
    "long sentence number": ("news_1\t1\t3", f"news_1\t{LONG}\t3", ":5:", "corpus-file-invalid"),
    "sentences far ahead": ("news_1\t1\t3", "news_1\t99999999\t3", ":5:", "corpus-file-invalid"),
    "sentences go back": ("news_1\t1\t3", "news_1\t0\t3", ":5:", "corpus-file-invalid"),
    "column too few": ("\tTrue\t(7)", "\t(7)", ":6:", "corpus-file-invalid"),
}
MEANTIME: dict[str, Fault] = {
    "cut": ("", "", "", "conll-structure"),
    "open bracket": ("| OTH2)", "", ":3:", "brackets-invalid"),
    "deep": ("(ORG3)", "(" * 100_000, ":4:"),
    "long sentence number": ("7\t1\t0", f"7\t{LONG}\t0", ":4:", "corpus-file-invalid"),
    "another document": ("7\t1\t0", "8\t1\t0", ":4:", "corpus-file-invalid"),
    "column too few": ("\tBoeing", "", ":4:", "corpus-file-invalid"),
}
CONLL: dict[str, Fault] = {
    "open bracket": ("(é)\n#end document\n#", "(é\n#end document\n#", ":3:", "brackets-invalid"),
    "document twice": ("(1_2ecb);", "(1_1ecb);", "1_1ecb", "conll-structure"),
    "deep": ("(é)", "(" * 100_000, ":3:"),
    "column too few": ("1_1ecb\t1\tspread\t(é)", "(é)", ":3:", "corpus-file-invalid"),
}
WEC: dict[str, Fault] = {
    "cut": ("", "", ""),
    "NaN": ("[\n   1\n", "[\n   NaN\n", ""),
    "long integer": ("[\n   1\n", f"[\n   {LONG}\n", ""),
    "deep": ("[\n   1\n", f"[\n   {_DEEP}", ""),
    "wrong type": ("[\n   1\n", '[\n   "1"\n', "'tokens_number.0'", "format-undetected"),
    "null": ('"A"', "null", "'doc_id", "format-undetected"),
    "no list": ("", "{}", "", "format-undetected"),
    "negative": ("[\n   1\n", "[\n   -1\n", "A/0", "corpus-record-invalid"),
    "beyond the context": ("[\n   1\n", "[\n   2\n", "A/0", "corpus-record-invalid"),
    "no tokens": ("[\n   1\n  ]", "[]", "A/0", "corpus-record-invalid"),
    "key twice": ('"doc_id"', '"doc_id": "B", "doc_id"', "'doc_id'"),
}
CELLS: dict[str, dict[str, Fault]] = {
    "GVC": GVC, "FCC-T": FCCT, "CD²CR": COLUMNS, "MEANTIME": MEANTIME, "WEC": WEC,
    "CoNLL corpus": CONLL,
}  # fmt: skip
