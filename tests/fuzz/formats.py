"""Response files: each format by name, and the detection of the format."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from cdec.errors import CdecError
from cdec.formats import FORMATS, Annotation, read, write
from cdec.formats.annotation import object_array
from cdec.matching import FilePolicy, match_corpus, match_files
from tests.corefud import test_crac, test_reader
from tests.formats import test_conll, test_dialects, test_errors
from tests.formats.made import corpus, parse, written
from tests.fuzz.reader import Reader

CORPUS = corpus()
CRAC = ("crac", "crac-json")
CONLLU = (
    "# newdoc id = 1_1ecb\n# global.Entity = eid-etype-head-other\n"
    "1\ta\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1-(e2[1/2]--1-)\n"
    "1.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1--1-)\n"
    "2\tb\t_\t_\t_\t_\t1\tdep\t_\tEntity=e1)\n"
    "3\tc\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e2[2/2]--2-)|SpaceAfter=No\n\n"
)
VALID = {
    "conllu": CONLLU,
    "conll": test_conll.TC,
    "jsonl": '{"doc": "1_1ecb", "start": 1, "end": 4, "chain": 1}\n'
    '{"mention": "1_1ecb/13", "chain": "1"}\n{"doc": "d", "tokens": [3, 5], "chain": "x"}\n',
    "csv": "doc,start,end,tokens,chain\n1_1ecb,1,4,1 4,1\n1_2ecb,1,1,,2\n",
    "tsv": "mention\tchain\n1_1ecb/11\t1\n2_1ecb/11\t1\n",
    "json": '{"1": [["1_1ecb", 1, 4], "1_2ecb/11"], "2": [{"doc": "2_1ecb", "tokens": [8]}]}',
    "crac": "a|[e1,[e2 ##|[e1] b|e1] 7_c|e2],[e1]\nd|[e%7C ##\n",
    "crac-json": '[{"doc_id": "d", "tokens": ["a", "##", "b"], '
    '"clusters_token_offsets": [[[0, 1], [2, 2]]], "clusters_text_mentions": [["a ##", "b"]]}]',
}
FAULTS: dict[str, dict[str, Any]] = {
    "conll": test_errors.CONLL, "jsonl": test_errors.JSONL, "csv": test_errors.TABLE,
    "tsv": test_errors.OTHER, "json": test_errors.CLUSTERS, "conllu": test_reader.FAULTS,
    "crac": test_crac.TEXTS, "crac-json": test_crac.JSON,
}  # fmt: skip
FOUND = {
    "conll": ["#begin document (\x1b[31m);\nd (1)\n"],
    "json": ['[{"doc": "d", "tokens": [1], "chain": "\\ud800"}]'],
}
# Dialects of published files.
DIALECTS = {
    "conll": [
        test_dialects.EIGHT,
        "#begin document (0); part 000\n1_1ecb_0_1_4\t(1)\n1_2ecb_1_1_1\t(1)\n#end document\n",
        "#begin document(metadoc);\nmetadoc_1_1ecb_11\t(0)\nmetadoc_1_2ecb_11\t(0)\n",
        "#begin document (d)\nd\t0\t0\ta\t(1| (2)\nd\t0\t1\tb\t1)\n#end document\n",
    ],
    "jsonl": ['{"doc": "1_1ecb", "sent_id": 1, "tokens_number": [2, 3], "chain": 1}'],
    "json": [
        '{"1_1ecb/11": 1, "1_2ecb_0_1_1": "x"}',
        json.dumps([test_dialects.WEC | {"predicted_coref_chain": 8}]),
    ],
    "csv": ["doc,sentence,start,end,chain\n1_1ecb,1,2,3,1\n1_2ecb,0,1,1,1\n2_1ecb,,1,1,2\n"],
    "tsv": ["1_1ecb_0_1_4\t1\n1_2ecb_1_1_1\t1\n", "1_1ecb\t1\t2\t3\t1\n", "1_1ecb\t11\t1\n"],
}
TOKENS = (
    "#begin document (d); part 000\n", "#end document\n", "d\t0\t0\ta\t(1)\n", "(1)|1)", "(1", "\t",
    "\n", "\r\n", "\ufeff", "&#40;", "&#;", '{"chain": 1, ', '"doc": "d"', '"start": 0',
    '"tokens": [1]', '"mention": "d/1"', '"clusters": ', "}\n", "[", "]", "null", "true", "NaN",
    "1e999", "doc,start,end,chain\n", "d,0,1,x\n", "m_id", "label", '"', ";", "1_1ecb", "-9",
    "9" * 30, '"sent_id": 1', '"tokens_number": [1]', "sentence", "coref_chain",
    "predicted_coref_chain", "1_1ecb_0_1_4", "metadoc_", "True", "1|", "\t1\t2\t",
    "# global.Entity = eid-head\n", "# newdoc id = e\n", "Entity=(e1--1-)", "(e1[1/2]-",
    "\\ud800", "\x1b[31m", "a|[e1 ", "a|e1] ", "a|[e1],[e2] ", "## ", '"clusters_token_offsets"',
)  # fmt: skip


def readers() -> list[Reader]:
    by_name = [Reader(f, f"x.{f}", partial(_one, f), _seeds(f), TOKENS) for f in FORMATS]
    every = tuple(seed for format_ in FORMATS for seed in _seeds(format_))
    return [*by_name, Reader("sniffing", "response", _any, every, TOKENS)]


def _seeds(format_: str) -> tuple[bytes, ...]:
    contents = [
        VALID[format_],
        *FOUND.get(format_, []),
        *DIALECTS.get(format_, []),
        *(content for content, _, _ in FAULTS[format_].values()),
    ]
    return tuple(c.encode() if isinstance(c, str) else c for c in contents)


def _one(format_: str, path: Path) -> None:
    """Read a file; in whatever format it can be written, it is read back unchanged."""
    annotation = read(path, format_)
    sound(annotation)
    for other in FORMATS:
        stream = io.StringIO()
        try:
            write(annotation, stream, other)
        except CdecError:  # not every format can express every mention
            continue
        again = parse(stream.getvalue(), format_=other if other in CRAC else None)
        assert again.format == other
        if other in CRAC:  # no names of documents, or no labels
            assert len(again) == len(annotation)
            assert written(again, other) == stream.getvalue()
            continue
        assert rows(again) == (in_brackets(annotation) if other == "conll" else rows(annotation))


def _any(path: Path) -> None:
    annotation = read(path)
    sound(annotation)
    works: list[Callable[[], object]] = [
        lambda: match_files(annotation, annotation, FilePolicy(allow_empty=True)),
        lambda: match_files(parse(CONLLU), annotation, FilePolicy(allow_empty=True)),
        lambda: match_corpus(annotation, CORPUS, FilePolicy("drop", allow_empty=True)),
    ]
    for work in works:
        with suppress(CdecError):
            work()


def rows(annotation: Annotation) -> Counter[tuple[Any, ...]]:
    names = ["doc", "start", "end", "tokens", "chain", "mention", "sentence"]
    return Counter(zip(*(annotation.mentions[name].tolist() for name in names), strict=True))


def in_brackets(annotation: Annotation) -> Counter[tuple[Any, ...]]:
    """Return the rows as CoNLL has them: without gaps and ids."""
    table = annotation.mentions
    none = object_array([()] * len(table))
    return rows(replace(annotation, mentions=table.assign(tokens=none, mention="")))


def sound(annotation: Annotation) -> None:
    for doc, start, end, tokens, chain, mention, sentence in rows(annotation):
        assert doc in annotation.documents
        assert chain
        if start < 0:
            assert (start, end, tokens, sentence) == (-1, -1, (), -1) and mention
            continue
        assert start <= end
        if tokens:
            assert (tokens[0], tokens[-1]) == (start, end)
            assert list(tokens) == sorted(set(tokens)) and len(tokens) <= end - start
        text = annotation.documents[doc]
        assert text is None or end < len(text)
    for notice in annotation.notices:
        assert str(notice).isprintable(), ascii(str(notice))
