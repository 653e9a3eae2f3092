"""Corpora in formats other than ECB+'s: one file each, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from cdec.corpus import CORE, open_source, read_corpus
from tests.corpus import samples
from tests.faults.inputs import CONLL
from tests.fuzz.reader import Reader

_CELLS = ("(", ")", "|", "| ", "(1)", "(1", "1)", "-", "_", "\t", "\n", "#begin document (x)\n")
_LINES = ("#end document\n", "&#9;", "9" * 30, "0", "-1", "\r", "\v", "\ufeff", "NEWLINE", ".DCT\t")
_JSON = (
    "[",
    "]",
    "{",
    "}",
    "null",
    "NaN",
    "-1",
    "1e99",
    '"',
    ",",
    ":",
    "true",
    "9" * 30,
    "\\ud800",
)
_TEXT = ("PAR1", "\x00", "\xff", "[1]", "9" * 30)


def readers() -> list[Reader]:
    """Return a reader for each format."""
    table = samples.parquet(pd.DataFrame(samples.ucdcr({})))
    texts = {
        "gvc": ("gold.conll", samples.GVC),
        "fcc-t": ("a.conll", samples.FCCT),
        "cd2cr": ("dev.conll", samples.CD2CR),
        "meantime": ("meantime.conll", samples.MEANTIME),
        "conll": ("key.conll", CONLL),
    }
    return [
        *(
            Reader(f"corpus-{format_}", file, _in(format_), (text.encode(),), _CELLS + _LINES)
            for format_, (file, text) in texts.items()
        ),
        Reader(
            "corpus-fcc-t-spans", "a.conll", _in("fcc-t"), (samples.FCCT_SPANS.encode(),), _LINES
        ),
        Reader(
            "corpus-wec",
            "Event_gold_mentions.json",
            _in("wec"),
            (samples.wec({}, {"doc_id": 7}).encode(),),
            _JSON,
        ),
        Reader("corpus-ucdcr", "all_mentions.parquet", _in("ucdcr"), (table,), _TEXT),
    ]


def _in(format_: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        with TemporaryDirectory(dir=path.parent) as folder:
            copy = Path(folder, path.name)
            copy.write_bytes(path.read_bytes())
            corpus = read_corpus(open_source(copy, format_), "made")
        assert set(CORE) <= set(corpus.mentions.columns)
        assert corpus.mentions.index.is_unique
        assert set(corpus.mentions["doc"]) <= set(corpus.documents)
        table = corpus.mentions
        for doc, numbers, text in zip(table["doc"], table["tokens"], table["text"], strict=True):
            tokens = corpus.documents[doc].tokens
            assert text == " ".join(tokens[number] for number in numbers)
        assert (table["chain"] != "").all()

    return read
