"""Two made articles and their mentions, with offsets of several counts, for tests of texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from cdec.corpus import Corpus

DECOMPOSED, COMPOSED = "cafe\u0301", "caf\u00e9"
CRLF = f"A fire broke out.\r\n\r\nThe 🔥 blaze in the {COMPOSED} was put out.\r\n"
LF = f"The {DECOMPOSED} fire hurt two.\n"
TEXTS = {"a": CRLF, "b": LF}
MENTIONS = (
    *(("a", "fire", "F"), ("a", "broke out", "F"), ("a", "blaze", "F"), ("a", COMPOSED, "C")),
    *(("a", "put out", "P"), ("b", "fire", "F"), ("b", DECOMPOSED, "C"), ("b", "hurt", "H")),
)
Count = Callable[[str, int], int]


def rows(first: Count, last: Count | None = None, *, text: bool = True) -> list[dict[str, Any]]:
    """The mentions, with offsets as these functions of text and character count them."""
    made = []
    for doc, words, chain in MENTIONS:
        begin = TEXTS[doc].index(words)
        places = first(TEXTS[doc], begin), (last or first)(TEXTS[doc], begin + len(words))
        row = {"doc": doc, "from_char": places[0], "to_char": places[1], "chain": chain}
        made.append({**row, "text": words} if text else row)
    return made


def characters(_: str, at: int) -> int:
    return at


def one_more(_: str, at: int) -> int:
    return at + 1


def one_less(_: str, at: int) -> int:
    return at - 1


def utf_16(text: str, at: int) -> int:
    return len(text[:at].encode("utf-16-le")) // 2


def utf_8(text: str, at: int) -> int:
    return len(text[:at].encode())


def lines_in_lf(text: str, at: int) -> int:
    return len(text[:at].replace("\r\n", "\n"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The texts, the first with a byte-order mark."""
    made = tmp_path / "texts"
    made.mkdir()
    (made / "a.txt").write_bytes(b"\xef\xbb\xbf" + CRLF.encode())
    (made / "b.txt").write_bytes(LF.encode())
    return made


def table(path: Path, records: Iterable[dict[Any, Any]]) -> Path:
    """Write the records as the ending says."""
    records = list(records)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        separator = "\t" if path.suffix == ".tsv" else ","
        names = dict.fromkeys(name for record in records for name in record)
        writer = csv.DictWriter(file, list(names), delimiter=separator)
        writer.writeheader()
        writer.writerows(records)
    return path


def words(corpus: Corpus) -> list[str]:
    found: list[str] = corpus.mentions["text"].tolist()
    return found
